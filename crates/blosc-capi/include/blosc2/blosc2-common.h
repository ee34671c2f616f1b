/* Macros for programs that include headers of Blosc2. */
#ifndef BLOSC_BLOSC2_BLOSC2_COMMON_H
#define BLOSC_BLOSC2_BLOSC2_COMMON_H

#include <stdint.h>
#include <string.h>
#include "blosc2-export.h"

/* Marks a function or a variable that may be unused. */
#ifdef __GNUC__
  #define BLOSC_UNUSED_VAR __attribute__((unused))
#else
  #define BLOSC_UNUSED_VAR
#endif

/* Marks a parameter as unused. */
#define BLOSC_UNUSED_PARAM(parameter) ((void)(parameter))

/* Vector types, which internal headers of C-Blosc2 expect here. */
#ifdef __SSE2__
  #include <emmintrin.h>
#endif
#ifdef __AVX2__
  #include <immintrin.h>
#endif

#endif
