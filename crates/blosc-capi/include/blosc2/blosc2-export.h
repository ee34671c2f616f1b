/* Which symbols a library shows. */
#ifndef BLOSC_BLOSC2_BLOSC2_EXPORT_H
#define BLOSC_BLOSC2_BLOSC2_EXPORT_H

#ifndef BLOSC_EXPORT
  #define BLOSC_EXPORT
#endif
#ifndef BLOSC_NO_EXPORT
  #if defined(__GNUC__) && !defined(BLOSC_TESTING)
    #define BLOSC_NO_EXPORT __attribute__((visibility("hidden")))
  #else
    #define BLOSC_NO_EXPORT
  #endif
#endif

#endif
