//! Fuzzes the parsers of JSON, NumPy dtypes and `.npy` headers: accepted input must be written back to an equal value.
#![no_main]

use bloscpack_format::Json;
use bloscpack_format::numpy::{Dtype, NumpyMeta, npy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = Json::parse(bytes) {
        let again = Json::parse(value.dumps()).expect("what we write");
        assert!(value.same_value(&again), "{} became {}", value.dumps(), again.dumps());
        let spaced = Json::parse(value.dumps_spaced()).expect("what we write");
        assert!(value.same_value(&spaced));
        if let Ok(meta) = NumpyMeta::from_json(&value) {
            assert_eq!(NumpyMeta::from_json(&meta.to_json().unwrap()).as_ref(), Ok(&meta));
            let _ = meta.nbytes();
        }
    }
    if let Some(dtype) = std::str::from_utf8(bytes).ok().and_then(|text| Dtype::parse(text).ok()) {
        assert_eq!(Dtype::parse(&dtype.to_string()).as_ref(), Ok(&dtype));
        let _ = dtype.itemsize();
    }
    if let Ok((meta, length)) = npy::parse(bytes) {
        assert!(length <= bytes.len());
        if let Ok(written) = npy::to_bytes(&meta) {
            assert_eq!(npy::parse(&written), Ok((meta, written.len())));
        }
    }
});
