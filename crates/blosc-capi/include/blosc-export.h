/* Which symbols a library shows. */
#ifndef BLOSC_EXPORT_H
#define BLOSC_EXPORT_H

#define BLOSC_EXPORT
#if defined(__GNUC__) && !defined(BLOSC_TESTING)
  #define BLOSC_NO_EXPORT __attribute__((visibility("hidden")))
#else
  #define BLOSC_NO_EXPORT
#endif

#endif
