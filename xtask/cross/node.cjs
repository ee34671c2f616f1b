// Node 20 allocates while V8 does not allow it, where compiled WebAssembly calls its WASI directly: it ends by a signal,
// often only after all tests have passed. Without direct calls it does not.
require('node:v8').setFlagsFromString('--no-turbo-fast-api-calls');
