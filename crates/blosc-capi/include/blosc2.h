/*
 * The functions of libblosc2: chunks of formats 1 and 2, contexts, super-chunks and frames. Those of arrays are in b2nd.h.
 *
 * A chunk is a header of 16 or 32 bytes and compressed blocks. Functions that take no size of a chunk read it from the
 * header: call blosc1_cbuffer_validate first for chunks that are not trusted.
 *
 * Every function may be called from several threads at once, and after a fork. A context belongs to one call at a time.
 *
 * Functions that return an int return a negative BLOSC2_ERROR_ code on errors, unless stated otherwise. With the
 * environment variable BLOSC_TRACE the reason is printed.
 */
#ifndef BLOSC_BLOSC2_H
#define BLOSC_BLOSC2_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "blosc2/blosc2-export.h"
#include "blosc2/blosc2-common.h"
#include "blosc2/blosc2-stdio.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the shared library: 9 for the structures of C-Blosc2 3.3, 7 for those of 2.23. */
#define BLOSC2_ABI 9

/* The version of C-Blosc2 whose functions these are. */
#if BLOSC2_ABI == 7
  #define BLOSC2_VERSION_MAJOR 2
  #define BLOSC2_VERSION_MINOR 23
  #define BLOSC2_VERSION_RELEASE 1
  #define BLOSC2_VERSION_STRING "2.23.1"
  #define BLOSC2_VERSION_DATE "$Date:: 2026-01-29 #$"
  #define BLOSC2_MAX_DIM 8
#else
  #define BLOSC2_VERSION_MAJOR 3
  #define BLOSC2_VERSION_MINOR 3
  #define BLOSC2_VERSION_RELEASE 2
  #define BLOSC2_VERSION_STRING "3.3.2"
  #define BLOSC2_VERSION_DATE "$Date:: 2026-08-06 #$"
#endif

/* With BLOSC1_COMPAT, the names of libblosc stand for the functions of this library. */
#ifdef BLOSC1_COMPAT
  #define BLOSC_VERSION_MAJOR BLOSC2_VERSION_MAJOR
  #define BLOSC_VERSION_MINOR BLOSC2_VERSION_MINOR
  #define BLOSC_VERSION_RELEASE BLOSC2_VERSION_RELEASE
  #define BLOSC_VERSION_STRING BLOSC2_VERSION_STRING
  #define BLOSC_VERSION_DATE BLOSC2_VERSION_DATE
  #define BLOSC_MAX_OVERHEAD BLOSC2_MAX_OVERHEAD
  #define BLOSC_MAX_BUFFERSIZE BLOSC2_MAX_BUFFERSIZE
  #define blosc_init blosc2_init
  #define blosc_destroy blosc2_destroy
  #define blosc_free_resources blosc2_free_resources
  #define blosc_compress blosc1_compress
  #define blosc_decompress blosc1_decompress
  #define blosc_getitem blosc1_getitem
  #define blosc_get_nthreads blosc2_get_nthreads
  #define blosc_set_nthreads blosc2_set_nthreads
  #define blosc_get_compressor blosc1_get_compressor
  #define blosc_set_compressor blosc1_set_compressor
  #define blosc_get_blocksize blosc1_get_blocksize
  #define blosc_set_blocksize blosc1_set_blocksize
  #define blosc_set_splitmode blosc1_set_splitmode
  #define blosc_compcode_to_compname blosc2_compcode_to_compname
  #define blosc_compname_to_compcode blosc2_compname_to_compcode
  #define blosc_list_compressors blosc2_list_compressors
  #define blosc_get_version_string blosc2_get_version_string
  #define blosc_get_complib_info blosc2_get_complib_info
  #define blosc_cbuffer_sizes blosc1_cbuffer_sizes
  #define blosc_cbuffer_validate blosc1_cbuffer_validate
  #define blosc_cbuffer_metainfo blosc1_cbuffer_metainfo
  #define blosc_cbuffer_versions blosc2_cbuffer_versions
  #define blosc_cbuffer_complib blosc2_cbuffer_complib
#endif

/* Messages on stderr, printed if an environment variable is set. */
#define BLOSC_TRACE(category, text, ...)                                                           \
  do {                                                                                             \
    if (getenv("BLOSC_TRACE") != NULL) {                                                           \
      fprintf(stderr, "[%s] - " text " (%s:%d)\n", #category, ##__VA_ARGS__, __FILE__, __LINE__);  \
    }                                                                                              \
  } while (0)
#define BLOSC_TRACE_ERROR(text, ...) BLOSC_TRACE(error, text, ##__VA_ARGS__)
#define BLOSC_TRACE_WARNING(text, ...) BLOSC_TRACE(warning, text, ##__VA_ARGS__)
#define BLOSC_TRACE_INFO(text, ...) BLOSC_TRACE(info, text, ##__VA_ARGS__)
#define BLOSC_INFO(text, ...)                                  \
  do {                                                         \
    if (getenv("BLOSC_INFO") != NULL) {                        \
      fprintf(stderr, "[INFO] - " text "\n", ##__VA_ARGS__);   \
    }                                                          \
  } while (0)

/* Leaves the calling function: with a code for a null pointer, or with the code of an error. */
#define BLOSC_ERROR_NULL(pointer, code)          \
  do {                                           \
    if ((pointer) == NULL) {                     \
      BLOSC_TRACE_ERROR("a pointer is NULL");    \
      return (code);                             \
    }                                            \
  } while (0)
#define BLOSC_ERROR(code)                                         \
  do {                                                            \
    int blosc_code_ = (code);                                     \
    if (blosc_code_ < BLOSC2_ERROR_SUCCESS) {                     \
      BLOSC_TRACE_ERROR("%s", blosc2_error_string(blosc_code_));  \
      return blosc_code_;                                         \
    }                                                             \
  } while (0)

/* Versions of the format of a chunk: byte 0 of its header. */
enum {
  BLOSC1_VERSION_FORMAT_PRE1 = 1,
  BLOSC1_VERSION_FORMAT = 2,
  BLOSC2_VERSION_FORMAT_ALPHA = 3,
  BLOSC2_VERSION_FORMAT_BETA1 = 4,
  BLOSC2_VERSION_FORMAT_STABLE = 5,
  BLOSC2_VERSION_FORMAT_VL_BLOCKS = 6,
  BLOSC2_VERSION_FORMAT = BLOSC2_VERSION_FORMAT_VL_BLOCKS /* the newest */
};

/* Versions of the format of a frame. */
enum {
  BLOSC2_VERSION_FRAME_FORMAT_BETA2 = 1,
  BLOSC2_VERSION_FRAME_FORMAT_RC1 = 2,
  BLOSC2_VERSION_FRAME_FORMAT_VL_BLOCKS = 3,
  BLOSC2_VERSION_FRAME_FORMAT = BLOSC2_VERSION_FRAME_FORMAT_VL_BLOCKS
};

/* The measurement of a stream in a chunk with BLOSC2_INSTR_CODEC. */
typedef struct {
  float cratio;
  float cspeed;
  float filter_speed;
  uint8_t flags[4];
} blosc2_instr;

/* Sizes in bytes. A chunk is at most BLOSC2_MAX_OVERHEAD longer than its data. */
enum {
#ifndef BLOSC_H
  BLOSC_MIN_HEADER_LENGTH = 16,
  BLOSC_MAX_TYPESIZE = UINT8_MAX, /* a larger typesize counts as 1, except for the block size */
#endif
  BLOSC_EXTENDED_HEADER_LENGTH = 32,
  BLOSC2_MAX_OVERHEAD = BLOSC_EXTENDED_HEADER_LENGTH,
  BLOSC2_MAX_BUFFERSIZE = INT_MAX - BLOSC2_MAX_OVERHEAD,
  BLOSC_MIN_BUFFERSIZE = 32, /* less is stored as it is */
  BLOSC2_MAXDICTSIZE = 32 * 1024,
  BLOSC2_MINUSEFULDICT = 256, /* no dictionary below this size */
  BLOSC2_MAXBLOCKSIZE = 536866816,
  BLOSC2_MAXTYPESIZE = BLOSC2_MAXBLOCKSIZE
};

/* Ids of tuners. Programs register ids from 160 on. */
enum {
  BLOSC2_DEFINED_TUNER_START = 0,
  BLOSC2_DEFINED_TUNER_STOP = 31,
  BLOSC2_GLOBAL_REGISTERED_TUNER_START = 32,
  BLOSC2_GLOBAL_REGISTERED_TUNER_STOP = 159,
  BLOSC2_GLOBAL_REGISTERED_TUNERS = 0,
  BLOSC2_USER_REGISTERED_TUNER_START = 160,
  BLOSC2_USER_REGISTERED_TUNER_STOP = 255
};
enum {
  BLOSC_STUNE = 0, /* the rules of C-Blosc2 for block sizes */
  BLOSC_LAST_TUNER = 1,
  BLOSC_LAST_REGISTERED_TUNE = BLOSC2_GLOBAL_REGISTERED_TUNER_START + BLOSC2_GLOBAL_REGISTERED_TUNERS - 1
};

/* Ids of filters. Programs register ids from 160 on. */
enum {
  BLOSC2_DEFINED_FILTERS_START = 0,
  BLOSC2_DEFINED_FILTERS_STOP = 31,
  BLOSC2_GLOBAL_REGISTERED_FILTERS_START = 32,
  BLOSC2_GLOBAL_REGISTERED_FILTERS_STOP = 159,
  BLOSC2_GLOBAL_REGISTERED_FILTERS = 5,
  BLOSC2_USER_REGISTERED_FILTERS_START = 160,
  BLOSC2_USER_REGISTERED_FILTERS_STOP = 255,
  BLOSC2_MAX_FILTERS = 6, /* filters of a chunk */
  BLOSC2_MAX_UDFILTERS = 16
};
enum {
#ifndef BLOSC_H
  BLOSC_NOSHUFFLE = 0,
  BLOSC_NOFILTER = 0,
  BLOSC_SHUFFLE = 1,    /* meta: bytes of a group, 0 for the typesize */
  BLOSC_BITSHUFFLE = 2,
#endif
  BLOSC_DELTA = 3,      /* XOR with the first block */
  BLOSC_TRUNC_PREC = 4, /* meta: bits to keep if positive, to clear if negative */
  BLOSC_LAST_FILTER = 5,
  BLOSC_LAST_REGISTERED_FILTER = BLOSC2_GLOBAL_REGISTERED_FILTERS_START + BLOSC2_GLOBAL_REGISTERED_FILTERS - 1
};

/* Flags of blosc1_cbuffer_metainfo. Both shuffles together mean a header of 32 bytes. */
enum {
#ifndef BLOSC_H
  BLOSC_DOSHUFFLE = 0x1,
  BLOSC_MEMCPYED = 0x2,
  BLOSC_DOBITSHUFFLE = 0x4,
#endif
  BLOSC_DODELTA = 0x8
};

/* Flags in bytes 31 and 30 of a header. */
enum {
  BLOSC2_USEDICT = 0x1,
  BLOSC2_BIGENDIAN = 0x2,
  BLOSC2_INSTR_CODEC = 0x80
};
enum {
  BLOSC2_VL_BLOCKS = 0x1
};

/* Ids of codecs. Programs register ids from 160 on. */
enum {
  BLOSC2_DEFINED_CODECS_START = 0,
  BLOSC2_DEFINED_CODECS_STOP = 31,
  BLOSC2_GLOBAL_REGISTERED_CODECS_START = 32,
  BLOSC2_GLOBAL_REGISTERED_CODECS_STOP = 159,
  BLOSC2_GLOBAL_REGISTERED_CODECS = 5,
  BLOSC2_USER_REGISTERED_CODECS_START = 160,
  BLOSC2_USER_REGISTERED_CODECS_STOP = 255
};
enum {
#ifndef BLOSC_H
  BLOSC_BLOSCLZ = 0,
  BLOSC_LZ4 = 1,
  BLOSC_LZ4HC = 2,
  BLOSC_ZLIB = 4,
  BLOSC_ZSTD = 5,
#endif
  BLOSC_LAST_CODEC = 6,
  BLOSC_LAST_REGISTERED_CODEC = BLOSC2_GLOBAL_REGISTERED_CODECS_START + BLOSC2_GLOBAL_REGISTERED_CODECS - 1
};

/* Libraries of codecs, which are also the formats of streams, and versions of these formats. */
enum {
#ifndef BLOSC_H
  BLOSC_BLOSCLZ_LIB = 0,
  BLOSC_LZ4_LIB = 1,
  BLOSC_ZLIB_LIB = 3,
  BLOSC_ZSTD_LIB = 4,
#endif
  BLOSC_UDCODEC_LIB = 6, /* a registered codec */
  BLOSC_SCHUNK_LIB = 7
};
enum {
#ifndef BLOSC_H
  BLOSC_BLOSCLZ_FORMAT = BLOSC_BLOSCLZ_LIB,
  BLOSC_LZ4_FORMAT = BLOSC_LZ4_LIB,
  BLOSC_LZ4HC_FORMAT = BLOSC_LZ4_LIB,
  BLOSC_ZLIB_FORMAT = BLOSC_ZLIB_LIB,
  BLOSC_ZSTD_FORMAT = BLOSC_ZSTD_LIB,
#endif
  BLOSC_UDCODEC_FORMAT = BLOSC_UDCODEC_LIB
};
enum {
#ifndef BLOSC_H
  BLOSC_BLOSCLZ_VERSION_FORMAT = 1,
  BLOSC_LZ4_VERSION_FORMAT = 1,
  BLOSC_LZ4HC_VERSION_FORMAT = 1,
  BLOSC_ZLIB_VERSION_FORMAT = 1,
  BLOSC_ZSTD_VERSION_FORMAT = 1,
#endif
  BLOSC_UDCODEC_VERSION_FORMAT = 1
};

#ifndef BLOSC_H
/* Names of codecs, and of their libraries. */
  #define BLOSC_BLOSCLZ_COMPNAME "blosclz"
  #define BLOSC_LZ4_COMPNAME "lz4"
  #define BLOSC_LZ4HC_COMPNAME "lz4hc"
  #define BLOSC_ZLIB_COMPNAME "zlib"
  #define BLOSC_ZSTD_COMPNAME "zstd"
  #define BLOSC_BLOSCLZ_LIBNAME "BloscLZ"
  #define BLOSC_LZ4_LIBNAME "LZ4"
  #define BLOSC_ZLIB_LIBNAME "Zlib"
  #define BLOSC_ZSTD_LIBNAME "Zstd"

/* Whether blocks are split into one stream for each byte of an item. */
enum {
  BLOSC_ALWAYS_SPLIT = 1,
  BLOSC_NEVER_SPLIT = 2,
  BLOSC_AUTO_SPLIT = 3,
  BLOSC_FORWARD_COMPAT_SPLIT = 4
};
#endif

/* Positions of the fields of a header. */
enum {
  BLOSC2_CHUNK_VERSION = 0,
  BLOSC2_CHUNK_VERSIONLZ = 1,
  BLOSC2_CHUNK_FLAGS = 2,
  BLOSC2_CHUNK_TYPESIZE = 3,
  BLOSC2_CHUNK_NBYTES = 4,
  BLOSC2_CHUNK_BLOCKSIZE = 8,
  BLOSC2_CHUNK_CBYTES = 12,
  BLOSC2_CHUNK_FILTER_CODES = 16,
  BLOSC2_CHUNK_FILTER_META = 24,
  BLOSC2_CHUNK_BLOSC2_FLAGS2 = 30,
  BLOSC2_CHUNK_BLOSC2_FLAGS = 31
};

/* Chunks without blocks: bits 4 to 6 of the flags in byte 31. */
enum {
  BLOSC2_NO_SPECIAL = 0,
  BLOSC2_SPECIAL_ZERO = 1,
  BLOSC2_SPECIAL_NAN = 2,
  BLOSC2_SPECIAL_VALUE = 3,
  BLOSC2_SPECIAL_UNINIT = 4,
  BLOSC2_SPECIAL_LASTID = 4,
  BLOSC2_SPECIAL_MASK = 7
};

/* Codes of errors. */
enum {
  BLOSC2_ERROR_SUCCESS = 0,
  BLOSC2_ERROR_FAILURE = -1,
  BLOSC2_ERROR_STREAM = -2,
  BLOSC2_ERROR_DATA = -3,
  BLOSC2_ERROR_MEMORY_ALLOC = -4,
  BLOSC2_ERROR_READ_BUFFER = -5,
  BLOSC2_ERROR_WRITE_BUFFER = -6,
  BLOSC2_ERROR_CODEC_SUPPORT = -7,
  BLOSC2_ERROR_CODEC_PARAM = -8,
  BLOSC2_ERROR_CODEC_DICT = -9,
  BLOSC2_ERROR_VERSION_SUPPORT = -10,
  BLOSC2_ERROR_INVALID_HEADER = -11,
  BLOSC2_ERROR_INVALID_PARAM = -12,
  BLOSC2_ERROR_FILE_READ = -13,
  BLOSC2_ERROR_FILE_WRITE = -14,
  BLOSC2_ERROR_FILE_OPEN = -15,
  BLOSC2_ERROR_NOT_FOUND = -16,
  BLOSC2_ERROR_RUN_LENGTH = -17,
  BLOSC2_ERROR_FILTER_PIPELINE = -18,
  BLOSC2_ERROR_CHUNK_INSERT = -19,
  BLOSC2_ERROR_CHUNK_APPEND = -20,
  BLOSC2_ERROR_CHUNK_UPDATE = -21,
  BLOSC2_ERROR_2GB_LIMIT = -22,
  BLOSC2_ERROR_SCHUNK_COPY = -23,
  BLOSC2_ERROR_FRAME_TYPE = -24,
  BLOSC2_ERROR_FILE_TRUNCATE = -25,
  BLOSC2_ERROR_THREAD_CREATE = -26,
  BLOSC2_ERROR_POSTFILTER = -27,
  BLOSC2_ERROR_FRAME_SPECIAL = -28,
  BLOSC2_ERROR_SCHUNK_SPECIAL = -29,
  BLOSC2_ERROR_PLUGIN_IO = -30,
  BLOSC2_ERROR_FILE_REMOVE = -31,
  BLOSC2_ERROR_NULL_POINTER = -32,
  BLOSC2_ERROR_INVALID_INDEX = -33,
  BLOSC2_ERROR_METALAYER_NOT_FOUND = -34,
  BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED = -35,
  BLOSC2_ERROR_TUNER = -36,
  BLOSC2_ERROR_LOCK = -37
};

#ifdef __GNUC__
  #define BLOSC_ATTRIBUTE_UNUSED __attribute__((unused))
#else
  #define BLOSC_ATTRIBUTE_UNUSED
#endif

/* The text of a code. Not to be freed. The second is the older name. */
BLOSC_EXPORT const char *blosc2_error_string(int error_code);
static char *print_error(int rc) BLOSC_ATTRIBUTE_UNUSED;
static char *print_error(int rc) {
  return (char *)blosc2_error_string(rc);
}

/* Prepares the library. Every function does so where it needs to. */
BLOSC_EXPORT void blosc2_init(void);

/* Ends the threads of the library, and forgets registered codecs, filters and tuners. Settings remain. */
BLOSC_EXPORT void blosc2_destroy(void);

/* Ends idle threads. Returns 0, or a code if the library is not in use. */
BLOSC_EXPORT int blosc2_free_resources(void);

/*
 * Compresses with the settings of the process, to a chunk with a header of 32 bytes. Returns the size of the chunk, 0
 * if it does not fit into destsize bytes, or a code. A destsize of the data and BLOSC2_MAX_OVERHEAD is always enough.
 * src and dest must not overlap.
 *
 * clevel is 0 to 9, doshuffle 0 or a shuffle, typesize the size of an item in bytes.
 *
 * Environment variables are read at each call: BLOSC_CLEVEL, BLOSC_SHUFFLE (NOSHUFFLE, SHUFFLE, BITSHUFFLE) and
 * BLOSC_TYPESIZE replace arguments; BLOSC_DELTA (0, 1), BLOSC_COMPRESSOR, BLOSC_BLOCKSIZE, BLOSC_NTHREADS and
 * BLOSC_SPLITMODE (ALWAYS, NEVER, AUTO, FORWARD_COMPAT) call the function that sets them. BLOSC_NOLOCK compresses
 * without the block size that was set. With BLOSC_BLOSC1_COMPAT the chunk is one of Blosc1.
 */
BLOSC_EXPORT int blosc2_compress(int clevel, int doshuffle, int32_t typesize, const void *src, int32_t srcsize,
                                 void *dest, int32_t destsize);
BLOSC_EXPORT int blosc1_compress(int clevel, int doshuffle, size_t typesize, size_t nbytes, const void *src,
                                 void *dest, size_t destsize);

/* Decompresses a chunk. Returns the number of bytes. BLOSC_NTHREADS is read at each call. */
BLOSC_EXPORT int blosc2_decompress(const void *src, int32_t srcsize, void *dest, int32_t destsize);
BLOSC_EXPORT int blosc1_decompress(const void *src, void *dest, size_t destsize);

/* Copies nitems items from start on. Only their blocks are decoded. Returns the number of bytes. */
BLOSC_EXPORT int blosc2_getitem(const void *src, int32_t srcsize, int start, int nitems, void *dest, int32_t destsize);
BLOSC_EXPORT int blosc1_getitem(const void *src, int start, int nitems, void *dest);

/* Calls dojob(jobdata + i * jobdata_elsize) for i from 0 to numjobs - 1, and returns when all have returned. */
typedef void (*blosc_threads_callback)(void *callback_data, void (*dojob)(void *), int numjobs, size_t jobdata_elsize,
                                       void *jobdata);

/* Sets a function that runs jobs in place of the library's threads; NULL for these. */
BLOSC_EXPORT void blosc2_set_threads_callback(blosc_threads_callback callback, void *callback_data);

/* The number of threads, 1 by default. The second returns the previous one. */
BLOSC_EXPORT int16_t blosc2_get_nthreads(void);
BLOSC_EXPORT int16_t blosc2_set_nthreads(int16_t nthreads);

/* The codec, "blosclz" by default. The second returns its code, or -1 for an unknown name. */
BLOSC_EXPORT const char *blosc1_get_compressor(void);
BLOSC_EXPORT int blosc1_set_compressor(const char *compname);

/* The block size; 0 is chosen automatically. */
BLOSC_EXPORT int blosc1_get_blocksize(void);
BLOSC_EXPORT void blosc1_set_blocksize(size_t blocksize);

/* Sets the split mode, BLOSC_FORWARD_COMPAT_SPLIT by default. */
BLOSC_EXPORT void blosc1_set_splitmode(int splitmode);

/* Sets whether the delta filter is used. */
BLOSC_EXPORT void blosc2_set_delta(int dodelta);

/* Codecs by code and name, also registered ones. Both return the code, or -1 for a codec that does not exist. */
BLOSC_EXPORT int blosc2_compcode_to_compname(int compcode, const char **compname);
BLOSC_EXPORT int blosc2_compname_to_compcode(const char *compname);

/* The names of all codecs that are not registered, separated by commas. Not to be freed. */
BLOSC_EXPORT const char *blosc2_list_compressors(void);

/* The version of C-Blosc2 whose functions these are. Not to be freed. */
BLOSC_EXPORT const char *blosc2_get_version_string(void);

/* The name and the version of the library of a codec, which the caller frees. Returns the code of the library. */
BLOSC_EXPORT int blosc2_get_complib_info(const char *compname, char **complib, char **version);

/* The sizes in a header; zeros for a damaged one. NULL is not stored by the second. */
BLOSC_EXPORT void blosc1_cbuffer_sizes(const void *cbuffer, size_t *nbytes, size_t *cbytes, size_t *blocksize);
BLOSC_EXPORT int blosc2_cbuffer_sizes(const void *cbuffer, int32_t *nbytes, int32_t *cbytes, int32_t *blocksize);

/* Returns 0 and the number of uncompressed bytes if a chunk of cbytes bytes may be decompressed. */
BLOSC_EXPORT int blosc1_cbuffer_validate(const void *cbuffer, size_t cbytes, size_t *nbytes);

/* The typesize and the flags in a header; zeros for a damaged one. */
BLOSC_EXPORT void blosc1_cbuffer_metainfo(const void *cbuffer, size_t *typesize, int *flags);

/* The versions of the format and of the streams; zeros for a damaged header. */
BLOSC_EXPORT void blosc2_cbuffer_versions(const void *cbuffer, int *version, int *versionlz);

/* The name of the format of the streams; NULL for an unknown one. Not to be freed. */
BLOSC_EXPORT const char *blosc2_cbuffer_complib(const void *cbuffer);

/* Input and output of frames: ids, and functions that programs register. Super-chunks use them. */
enum {
  BLOSC2_IO_FILESYSTEM = 0,
  BLOSC2_IO_FILESYSTEM_MMAP = 1,
  BLOSC_IO_LAST_BLOSC_DEFINED = 2,
  BLOSC_IO_LAST_REGISTERED = 32
};
enum {
  BLOSC2_IO_BLOSC_DEFINED = 32,
  BLOSC2_IO_REGISTERED = 160,
  BLOSC2_IO_USER_DEFINED = 256
};
typedef void *(*blosc2_open_cb)(const char *urlpath, const char *mode, void *params);
typedef int (*blosc2_close_cb)(void *stream);
typedef int64_t (*blosc2_size_cb)(void *stream);
typedef int64_t (*blosc2_write_cb)(const void *ptr, int64_t size, int64_t nitems, int64_t position, void *stream);
typedef int64_t (*blosc2_read_cb)(void **ptr, int64_t size, int64_t nitems, int64_t position, void *stream);
typedef int (*blosc2_truncate_cb)(void *stream, int64_t size);
typedef int (*blosc2_destroy_cb)(void *params);
typedef struct {
  uint8_t id;
  char *name;
  bool is_allocation_necessary; /* whether the caller of read provides the memory */
  blosc2_open_cb open;
  blosc2_close_cb close;
  blosc2_size_cb size;
  blosc2_write_cb write;
  blosc2_read_cb read;
  blosc2_truncate_cb truncate;
  blosc2_destroy_cb destroy;
} blosc2_io_cb;
typedef struct {
  uint8_t id;
  const char *name;
  void *params;
} blosc2_io;
static const blosc2_io BLOSC2_IO_DEFAULTS = {BLOSC2_IO_FILESYSTEM, "filesystem", NULL};

/* Registers functions with an id of 160 or more. */
BLOSC_EXPORT int blosc2_register_io_cb(const blosc2_io_cb *io);

/* The functions with an id; NULL if they are not registered, and before blosc2_init. */
BLOSC_EXPORT blosc2_io_cb *blosc2_get_io_cb(uint8_t id);

/* Parameters and buffers of compression or decompression. */
typedef struct blosc2_context_s blosc2_context;

/* Functions that choose parameters. The library calls init for a new context and next_blocksize before a chunk. */
typedef struct {
  int (*init)(void *config, blosc2_context *cctx, blosc2_context *dctx);
  int (*next_blocksize)(blosc2_context *context);
  int (*next_cparams)(blosc2_context *context);
  int (*update)(blosc2_context *context, double ctime);
  int (*free)(blosc2_context *context);
  int id;
  char *name;
} blosc2_tuner;

/* Registers a tuner with an id of 160 or more. */
BLOSC_EXPORT int blosc2_register_tuner(blosc2_tuner *tuner);

/* What a prefilter gets for a block. It fills the output from the input. */
typedef struct {
  void *user_data;
  const uint8_t *input;
  uint8_t *output;
  int32_t output_size;
  int32_t output_typesize;
  int32_t output_offset; /* bytes of the chunk before the block */
  int64_t nchunk;        /* -1 outside of a super-chunk */
  int32_t nblock;
  int32_t tid;           /* differs between calls at the same time, and is smaller than the number of threads */
  uint8_t *ttmp;         /* memory for the duration of the call */
  size_t ttmp_nbytes;
  blosc2_context *ctx;
  bool output_is_disposable; /* set by the program: the chunk may hold zeros instead of the output */
} blosc2_prefilter_params;

/* What a postfilter gets for a block. It fills the output from the input. */
typedef struct {
  void *user_data;
  const uint8_t *input;
  uint8_t *output;
  int32_t size;
  int32_t typesize;
  int32_t offset; /* bytes of the chunk before the block */
  int64_t nchunk; /* -1 outside of a super-chunk */
  int32_t nblock;
  int32_t tid;
  uint8_t *ttmp;
  size_t ttmp_nbytes;
  blosc2_context *ctx;
} blosc2_postfilter_params;

/* Both return 0, or another number to stop. */
typedef int (*blosc2_prefilter_fn)(blosc2_prefilter_params *params);
typedef int (*blosc2_postfilter_fn)(blosc2_postfilter_params *params);

/* How a context compresses. */
typedef struct {
  uint8_t compcode;
  uint8_t compcode_meta;
  uint8_t clevel;
  int use_dict; /* whether blocks share a dictionary: zstd, lz4 and lz4hc only */
  int32_t typesize;
  int16_t nthreads;
  int32_t blocksize; /* 0 is chosen automatically */
  int32_t splitmode;
  void *schunk;
  uint8_t filters[BLOSC2_MAX_FILTERS]; /* they run in this order */
  uint8_t filters_meta[BLOSC2_MAX_FILTERS];
  blosc2_prefilter_fn prefilter;
  blosc2_prefilter_params *preparams; /* copied by blosc2_create_cctx */
  void *tuner_params;
  int tuner_id;
  bool instr_codec; /* measurements instead of data: not supported */
  void *codec_params;
  void *filter_params[BLOSC2_MAX_FILTERS];
} blosc2_cparams;
static const blosc2_cparams BLOSC2_CPARAMS_DEFAULTS = {
    BLOSC_BLOSCLZ, 0, 5, 0, 8, 1, 0, BLOSC_FORWARD_COMPAT_SPLIT, NULL, {0, 0, 0, 0, 0, BLOSC_SHUFFLE}, {0, 0, 0, 0, 0, 0},
    NULL, NULL, NULL, 0, false, NULL, {NULL, NULL, NULL, NULL, NULL, NULL}};

/* How a context decompresses. */
typedef struct {
  int16_t nthreads;
  void *schunk;
  blosc2_postfilter_fn postfilter;
  blosc2_postfilter_params *postparams; /* copied by blosc2_create_dctx */
  int32_t typesize;
} blosc2_dparams;
static const blosc2_dparams BLOSC2_DPARAMS_DEFAULTS = {1, NULL, NULL, NULL, 8};

/* Create a context. NULL for parameters that cannot be used. The environment variables of blosc2_compress, except
 * BLOSC_NOLOCK and BLOSC_BLOSC1_COMPAT, replace parameters. */
BLOSC_EXPORT blosc2_context *blosc2_create_cctx(blosc2_cparams cparams);
BLOSC_EXPORT blosc2_context *blosc2_create_dctx(blosc2_dparams dparams);

/* Releases a context. */
BLOSC_EXPORT void blosc2_free_ctx(blosc2_context *context);

/* The parameters of a context. */
BLOSC_EXPORT int blosc2_ctx_get_cparams(blosc2_context *ctx, blosc2_cparams *cparams);
BLOSC_EXPORT int blosc2_ctx_get_dparams(blosc2_context *ctx, blosc2_dparams *dparams);

/* Sets blocks that the next blosc2_decompress_ctx leaves out. nblocks is the number of blocks of the chunk. */
BLOSC_EXPORT int blosc2_set_maskout(blosc2_context *ctx, bool *maskout, int nblocks);

/* As the functions without a context. */
BLOSC_EXPORT int blosc2_compress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void *dest,
                                     int32_t destsize);
BLOSC_EXPORT int blosc2_decompress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void *dest,
                                       int32_t destsize);
BLOSC_EXPORT int blosc2_getitem_ctx(blosc2_context *context, const void *src, int32_t srcsize, int start, int nitems,
                                    void *dest, int32_t destsize);

/* As blosc2_getitem_ctx, in bytes, which must be multiples of the typesize in the header. */
BLOSC_EXPORT int blosc2_getitem_bytes_ctx(blosc2_context *context, const void *src, int32_t srcsize, int32_t start,
                                          int32_t nbytes, void *dest, int32_t destsize);

/* Compresses each source to a block of its own. Returns the size of the chunk. */
BLOSC_EXPORT int blosc2_vlcompress_ctx(blosc2_context *context, const void *const *srcs, const int32_t *srcsizes,
                                       int32_t nblocks, void *dest, int32_t destsize);

/* Decompresses each block of such a chunk to memory of its own, which the caller frees. Returns the number of blocks. */
BLOSC_EXPORT int blosc2_vldecompress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void **dests,
                                         int32_t *destsizes, int32_t maxblocks);

/* Decompresses one block of such a chunk to memory that the caller frees. Returns the number of bytes. */
BLOSC_EXPORT int blosc2_vldecompress_block_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                               int32_t nblock, uint8_t **dest, int32_t *destsize);

/* Stores the number of blocks of such a chunk. Returns 0. */
BLOSC_EXPORT int blosc2_vlchunk_get_nblocks(const void *src, int32_t srcsize, int32_t *nblocks);

/* Create chunks of nbytes bytes without blocks: zeros, not-a-numbers (typesize 4 or 8), one value, or bytes that were
 * never written. Return the size of the chunk. */
BLOSC_EXPORT int blosc2_chunk_zeros(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize);
BLOSC_EXPORT int blosc2_chunk_nans(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize);
BLOSC_EXPORT int blosc2_chunk_repeatval(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize,
                                        const void *repeatval);
BLOSC_EXPORT int blosc2_chunk_uninit(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize);

/* Super-chunks: chunks with metadata, as a list in memory or in a frame. A frame is contiguous, in memory or in a file,
 * or sparse, in a directory. */
#define BLOSC2_MAX_METALAYERS 16
#define BLOSC2_METALAYER_NAME_MAXLEN 31
#define BLOSC2_MAX_VLMETALAYERS (8 * 1024)
#define BLOSC2_VLMETALAYERS_NAME_MAXLEN BLOSC2_METALAYER_NAME_MAXLEN
typedef struct {
  bool contiguous;
  char *urlpath;
  blosc2_cparams *cparams;
  blosc2_dparams *dparams;
  blosc2_io *io;
} blosc2_storage;
static const blosc2_storage BLOSC2_STORAGE_DEFAULTS = {false, NULL, NULL, NULL, NULL};
typedef struct blosc2_frame_s blosc2_frame;
typedef struct blosc2_metalayer {
  char *name;
  uint8_t *content;
  int32_t content_len;
} blosc2_metalayer;
typedef struct blosc2_schunk {
  uint8_t version;
  uint8_t compcode;
  uint8_t compcode_meta;
  uint8_t clevel;
  uint8_t splitmode;
  int32_t typesize;
  int32_t blocksize;
  int32_t chunksize;
#if BLOSC2_ABI != 7
  uint8_t flags2;
  uint8_t use_dict;
#endif
  uint8_t filters[BLOSC2_MAX_FILTERS];
  uint8_t filters_meta[BLOSC2_MAX_FILTERS];
  int64_t nchunks;
  int64_t current_nchunk;
  int64_t nbytes;
  int64_t cbytes;
  uint8_t **data;
  size_t data_len;
  blosc2_storage *storage;
  blosc2_frame *frame;
  blosc2_context *cctx;
  blosc2_context *dctx;
  struct blosc2_metalayer *metalayers[BLOSC2_MAX_METALAYERS];
  uint16_t nmetalayers;
  struct blosc2_metalayer *vlmetalayers[BLOSC2_MAX_VLMETALAYERS];
  int16_t nvlmetalayers;
  void *tuner_params;
  int tuner_id;
  int8_t ndim;
  int64_t *blockshape;
  bool view;
#if BLOSC2_ABI == 7
  uint8_t flags2;
  uint8_t use_dict;
#endif
  int64_t change_tick;
} blosc2_schunk;

/* Create a super-chunk, copy it to another storage, release it. NULL if its file exists. A NULL in the storage stands for
 * the defaults. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_new(blosc2_storage *storage);
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_copy(blosc2_schunk *schunk, blosc2_storage *storage);
BLOSC_EXPORT int blosc2_schunk_free(blosc2_schunk *schunk);

/* Open a frame in a file, from an offset on, or in a directory. NULL if it is damaged. udio names functions for input
 * and output: those of the file system, or registered ones. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open(const char *urlpath);
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_offset(const char *urlpath, int64_t offset);
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_udio(const char *urlpath, const blosc2_io *udio);
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_offset_udio(const char *urlpath, int64_t offset, const blosc2_io *udio);

/* Opens a contiguous frame in memory, which the program keeps until the super-chunk is released. After
 * blosc2_schunk_avoid_cframe_free with false, the super-chunk releases memory that it does not copy, with free. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_from_buffer(uint8_t *cframe, int64_t len, bool copy);
BLOSC_EXPORT void blosc2_schunk_avoid_cframe_free(blosc2_schunk *schunk, bool avoid_cframe_free);

/* The contiguous frame of a super-chunk: its bytes, which stay valid until the next change if they are not to be freed;
 * in a file; at the end of a file. Return its length, or the offset in the file. */
BLOSC_EXPORT int64_t blosc2_schunk_to_buffer(blosc2_schunk *schunk, uint8_t **cframe, bool *needs_free);
BLOSC_EXPORT int64_t blosc2_schunk_to_file(blosc2_schunk *schunk, const char *urlpath);
BLOSC_EXPORT int64_t blosc2_schunk_append_file(blosc2_schunk *schunk, const char *urlpath);
BLOSC_EXPORT int64_t blosc2_schunk_frame_len(blosc2_schunk *schunk);

/* Append, insert, replace and remove chunks. Return the number of chunks. Without copy, the super-chunk releases the
 * chunk with free. Each change of a file is written at once. */
BLOSC_EXPORT int64_t blosc2_schunk_append_chunk(blosc2_schunk *schunk, uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_update_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_insert_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_delete_chunk(blosc2_schunk *schunk, int64_t nchunk);
BLOSC_EXPORT int64_t blosc2_schunk_append_buffer(blosc2_schunk *schunk, const void *src, int32_t nbytes);

/* Chunk offsets_order[i] becomes number i. */
BLOSC_EXPORT int blosc2_schunk_reorder_offsets(blosc2_schunk *schunk, int64_t *offsets_order);

/* Fills an empty super-chunk with zeros, not-a-numbers or uninitialized items. Returns the number of chunks. */
BLOSC_EXPORT int64_t blosc2_schunk_fill_special(blosc2_schunk *schunk, int64_t nitems, int special_value,
                                                int32_t chunksize);

/* Decompresses a chunk. Returns the number of bytes. */
BLOSC_EXPORT int blosc2_schunk_decompress_chunk(blosc2_schunk *schunk, int64_t nchunk, void *dest, int32_t nbytes);

/* A compressed chunk, and whether the caller frees it. Return its size. A lazy chunk has all its blocks. */
BLOSC_EXPORT int blosc2_schunk_get_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk, bool *needs_free);
BLOSC_EXPORT int blosc2_schunk_get_lazychunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk, bool *needs_free);

/* Decompresses a block of variable length to memory that the caller frees. Returns the number of bytes. */
BLOSC_EXPORT int blosc2_schunk_get_vlblock(blosc2_schunk *schunk, int64_t nchunk, int32_t nblock, uint8_t **dest,
                                           int32_t *destsize);

/* Copy and replace the items from start to stop, and copy items by their numbers. Chunks must have one size. */
BLOSC_EXPORT int blosc2_schunk_get_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop, void *buffer);
BLOSC_EXPORT int blosc2_schunk_set_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop, void *buffer);
BLOSC_EXPORT int blosc2_schunk_get_sparse_buffer(blosc2_schunk *schunk, int64_t ncoords, const int64_t *coords,
                                                 void *buffer);

/* The numbers of the chunks with items from start to stop, which the caller frees. For an array, these have a number for
 * each axis. Returns how many there are. */
#if BLOSC2_ABI == 7
BLOSC_EXPORT int blosc2_get_slice_nchunks(blosc2_schunk *schunk, int64_t *start, int64_t *stop, int64_t **chunks_idx);
#else
BLOSC_EXPORT int64_t blosc2_get_slice_nchunks(blosc2_schunk *schunk, int64_t *start, int64_t *stop,
                                              int64_t **chunks_idx);
#endif

/* Reads the counts and the metalayers again if another handle changed the frame on disk, as other functions do. Returns 1
 * if it did. */
BLOSC_EXPORT int blosc2_schunk_refresh(blosc2_schunk *schunk);

/* Waits for the lock of the frame, and holds it until blosc2_schunk_unlock: calls in between are one change for the other
 * handles, also for those that only read. A handle may hold its lock several times, and releases it as often. Returns 0, also
 * if the handle was not opened with locking (see blosc2_stdio_params) or the frame is not in files, or a code such as
 * BLOSC2_ERROR_LOCK. */
BLOSC_EXPORT int blosc2_schunk_lock(blosc2_schunk *schunk);
BLOSC_EXPORT int blosc2_schunk_unlock(blosc2_schunk *schunk);

/* The parameters of a super-chunk, which the caller frees. */
BLOSC_EXPORT int blosc2_schunk_get_cparams(blosc2_schunk *schunk, blosc2_cparams **cparams);
BLOSC_EXPORT int blosc2_schunk_get_dparams(blosc2_schunk *schunk, blosc2_dparams **dparams);

/* The index of the frame of a super-chunk, which the caller frees. NULL without a frame. */
BLOSC_EXPORT int64_t *blosc2_frame_get_offsets(blosc2_schunk *schunk);

/* The index of a metalayer, or a code. Without a call, for plugins that do not link this library. */
static inline int blosc2_meta_exists(blosc2_schunk *schunk, const char *name) {
  if (schunk == NULL || name == NULL || strlen(name) > BLOSC2_METALAYER_NAME_MAXLEN) {
    return BLOSC2_ERROR_INVALID_PARAM;
  }
  for (int index = 0; index < schunk->nmetalayers; index++) {
    if (strcmp(name, schunk->metalayers[index]->name) == 0) {
      return index;
    }
  }
  return BLOSC2_ERROR_NOT_FOUND;
}

/* A copy of the content of a metalayer, which the caller frees. Returns its index, or a code. */
static inline int blosc2_meta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *content_len) {
  if (content == NULL || content_len == NULL) {
    return BLOSC2_ERROR_INVALID_PARAM;
  }
  int index = blosc2_meta_exists(schunk, name);
  if (index < 0) {
    return index;
  }
  int32_t len = schunk->metalayers[index]->content_len;
  *content = NULL;
  *content_len = 0;
  if (len < 0) {
    return BLOSC2_ERROR_DATA;
  }
  *content_len = len;
  if (len > 0) {
    *content = (uint8_t *)malloc((size_t)len);
    if (*content == NULL) {
      *content_len = 0;
      return BLOSC2_ERROR_MEMORY_ALLOC;
    }
    memcpy(*content, schunk->metalayers[index]->content, (size_t)len);
  }
  return index;
}

/* Add a metalayer, to a frame only before its first chunk, and replace the content, which keeps its length. Return the
 * index. */
BLOSC_EXPORT int blosc2_meta_add(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len);
BLOSC_EXPORT int blosc2_meta_update(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len);

/* Metalayers of variable length. Return the index; blosc2_vlmeta_delete and blosc2_vlmeta_get_names the number of them.
 * The caller frees a content, but not the names. */
BLOSC_EXPORT int blosc2_vlmeta_exists(blosc2_schunk *schunk, const char *name);
BLOSC_EXPORT int blosc2_vlmeta_add(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len,
                                   blosc2_cparams *cparams);
BLOSC_EXPORT int blosc2_vlmeta_update(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len,
                                      blosc2_cparams *cparams);
BLOSC_EXPORT int blosc2_vlmeta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *content_len);
BLOSC_EXPORT int blosc2_vlmeta_delete(blosc2_schunk *schunk, const char *name);
BLOSC_EXPORT int blosc2_vlmeta_get_names(blosc2_schunk *schunk, char **names);

/* Remove and rename the file or the directory of a frame. Removing none is no error, except for a directory. */
BLOSC_EXPORT int blosc2_remove_dir(const char *path);
BLOSC_EXPORT int blosc2_remove_urlpath(const char *path);
BLOSC_EXPORT int blosc2_rename_urlpath(char *old_urlpath, char *new_path);

/* The default parameters, for languages that do not read this header. */
BLOSC_EXPORT blosc2_cparams blosc2_get_blosc2_cparams_defaults(void);
BLOSC_EXPORT blosc2_dparams blosc2_get_blosc2_dparams_defaults(void);
BLOSC_EXPORT blosc2_storage blosc2_get_blosc2_storage_defaults(void);
BLOSC_EXPORT blosc2_io blosc2_get_blosc2_io_defaults(void);
BLOSC_EXPORT blosc2_stdio_mmap blosc2_get_blosc2_stdio_mmap_defaults(void);

/* A codec of the program. Both functions return the number of bytes written, or a negative number; the encoder returns
 * 0 if the output is too short. They are called from all threads of a context. */
typedef int (*blosc2_codec_encoder_cb)(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                                       uint8_t meta, blosc2_cparams *cparams, const void *chunk);
typedef int (*blosc2_codec_decoder_cb)(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len,
                                       uint8_t meta, blosc2_dparams *dparams, const void *chunk);
typedef struct {
  uint8_t compcode;
  char *compname;
  uint8_t complib;
  uint8_t version;
  blosc2_codec_encoder_cb encoder;
  blosc2_codec_decoder_cb decoder;
} blosc2_codec;

/* Registers a codec with an id of 160 or more. */
BLOSC_EXPORT int blosc2_register_codec(blosc2_codec *codec);

/* A filter of the program. Both functions get input, output, their length, the meta byte, parameters and the id, and
 * return 0 or a code. They are called from all threads of a context. */
typedef int (*blosc2_filter_forward_cb)(const uint8_t *, uint8_t *, int32_t, uint8_t, blosc2_cparams *, uint8_t);
typedef int (*blosc2_filter_backward_cb)(const uint8_t *, uint8_t *, int32_t, uint8_t, blosc2_dparams *, uint8_t);
typedef struct {
  uint8_t id;
  char *name;
  uint8_t version;
  blosc2_filter_forward_cb forward;
  blosc2_filter_backward_cb backward;
} blosc2_filter;

/* Registers a filter with an id of 160 or more. */
BLOSC_EXPORT int blosc2_register_filter(blosc2_filter *filter);

/* The shuffles, for blocks of any size and a typesize of 1 to 256; bitunshuffle of any typesize. Return the size. */
BLOSC_EXPORT int32_t blosc2_shuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_unshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_bitshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_bitunshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest);

/* The index of item i in an array of a shape, and the reverse with strides. */
BLOSC_EXPORT void blosc2_unidim_to_multidim(uint8_t ndim, int64_t *shape, int64_t i, int64_t *index);
BLOSC_EXPORT void blosc2_multidim_to_unidim(const int64_t *index, int8_t ndim, const int64_t *strides, int64_t *i);

/* The time of a clock that only goes forward, and the time between two calls. */
typedef struct timespec blosc_timestamp_t;
BLOSC_EXPORT void blosc_set_timestamp(blosc_timestamp_t *timestamp);
BLOSC_EXPORT double blosc_elapsed_nsecs(blosc_timestamp_t start_time, blosc_timestamp_t end_time);
BLOSC_EXPORT double blosc_elapsed_secs(blosc_timestamp_t start_time, blosc_timestamp_t end_time);

/* Copies a number of at most 8 bytes in the other byte order. For internal headers of C-Blosc2. */
static inline void swap_store(void *dest, const void *src, int size) {
  uint8_t swapped[8];
  for (int i = 0; i < size && i < 8; i++) {
    swapped[i] = ((const uint8_t *)src)[size - 1 - i];
  }
  memcpy(dest, swapped, (size_t)(size < 8 ? size : 8));
}

#ifdef __cplusplus
}
#endif

#endif
