/*
 * The functions of libblosc: chunks of format 1.
 *
 * A chunk is a header of 16 bytes and compressed blocks. Functions that read one take its size from the header, so call
 * blosc_cbuffer_validate first for chunks that are not trusted.
 *
 * Every function may be called from several threads at once, and after a fork.
 */
#ifndef BLOSC_H
#define BLOSC_H

#include <limits.h>
#include <stdlib.h>
#include "blosc-export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of C-Blosc whose functions these are. */
#define BLOSC_VERSION_MAJOR 1
#define BLOSC_VERSION_MINOR 21
#define BLOSC_VERSION_RELEASE 7
#define BLOSC_VERSION_STRING "1.21.7"
#define BLOSC_VERSION_REVISION "$Rev$"
#define BLOSC_VERSION_DATE "$Date:: 2024-06-24 #$"

/* The version of the format. */
#define BLOSC_VERSION_FORMAT 2

/* Sizes in bytes: of a header; of a chunk beyond its data, at most; of the largest data. */
#define BLOSC_MIN_HEADER_LENGTH 16
#define BLOSC_MAX_OVERHEAD BLOSC_MIN_HEADER_LENGTH
#define BLOSC_MAX_BUFFERSIZE (INT_MAX - BLOSC_MAX_OVERHEAD)

/* A larger typesize counts as 1. */
#define BLOSC_MAX_TYPESIZE 255

/* Larger blocks are made this size. */
#define BLOSC_MAX_BLOCKSIZE ((INT_MAX - BLOSC_MAX_TYPESIZE * sizeof(int32_t)) / 3)

#define BLOSC_MAX_THREADS 256

/* Shuffles. */
#define BLOSC_NOSHUFFLE 0
#define BLOSC_SHUFFLE 1
#define BLOSC_BITSHUFFLE 2

/* Flags of blosc_cbuffer_metainfo: a shuffle was applied; the data is stored as it is; a bit shuffle was applied. */
#define BLOSC_DOSHUFFLE 0x1
#define BLOSC_MEMCPYED 0x2
#define BLOSC_DOBITSHUFFLE 0x4

/* Codecs: codes and names. */
#define BLOSC_BLOSCLZ 0
#define BLOSC_LZ4 1
#define BLOSC_LZ4HC 2
#define BLOSC_SNAPPY 3
#define BLOSC_ZLIB 4
#define BLOSC_ZSTD 5
#define BLOSC_BLOSCLZ_COMPNAME "blosclz"
#define BLOSC_LZ4_COMPNAME "lz4"
#define BLOSC_LZ4HC_COMPNAME "lz4hc"
#define BLOSC_SNAPPY_COMPNAME "snappy"
#define BLOSC_ZLIB_COMPNAME "zlib"
#define BLOSC_ZSTD_COMPNAME "zstd"

/* Libraries of codecs, which are also the formats of streams: codes, names, versions. */
#define BLOSC_BLOSCLZ_LIB 0
#define BLOSC_LZ4_LIB 1
#define BLOSC_SNAPPY_LIB 2
#define BLOSC_ZLIB_LIB 3
#define BLOSC_ZSTD_LIB 4
#define BLOSC_BLOSCLZ_LIBNAME "BloscLZ"
#define BLOSC_LZ4_LIBNAME "LZ4"
#define BLOSC_SNAPPY_LIBNAME "Snappy"
#define BLOSC_ZLIB_LIBNAME "Zlib"
#define BLOSC_ZSTD_LIBNAME "Zstd"
#define BLOSC_BLOSCLZ_FORMAT BLOSC_BLOSCLZ_LIB
#define BLOSC_LZ4_FORMAT BLOSC_LZ4_LIB
#define BLOSC_LZ4HC_FORMAT BLOSC_LZ4_LIB
#define BLOSC_SNAPPY_FORMAT BLOSC_SNAPPY_LIB
#define BLOSC_ZLIB_FORMAT BLOSC_ZLIB_LIB
#define BLOSC_ZSTD_FORMAT BLOSC_ZSTD_LIB
#define BLOSC_BLOSCLZ_VERSION_FORMAT 1
#define BLOSC_LZ4_VERSION_FORMAT 1
#define BLOSC_LZ4HC_VERSION_FORMAT 1
#define BLOSC_SNAPPY_VERSION_FORMAT 1
#define BLOSC_ZLIB_VERSION_FORMAT 1
#define BLOSC_ZSTD_VERSION_FORMAT 1

/* Whether blocks are split into one stream for each byte of an item. */
#define BLOSC_ALWAYS_SPLIT 1
#define BLOSC_NEVER_SPLIT 2
#define BLOSC_AUTO_SPLIT 3
#define BLOSC_FORWARD_COMPAT_SPLIT 4

/* Prepares the library. Every function does so where it needs to. */
BLOSC_EXPORT void blosc_init(void);

/* Ends the threads of the library. Settings remain. */
BLOSC_EXPORT void blosc_destroy(void);

/*
 * Compresses nbytes bytes of src, with the settings of the process. Returns the size of the chunk, 0 if it does not fit
 * into destsize bytes (nbytes + BLOSC_MAX_OVERHEAD are always enough), or a negative code: -10 for an argument out of
 * range, -5 for a codec that does not exist, -1 else. src and dest must not overlap.
 *
 * clevel is 0 to 9, doshuffle a shuffle, typesize the size of an item in bytes.
 *
 * Environment variables are read at each call: BLOSC_CLEVEL, BLOSC_SHUFFLE (NOSHUFFLE, SHUFFLE, BITSHUFFLE) and
 * BLOSC_TYPESIZE replace arguments; BLOSC_COMPRESSOR, BLOSC_BLOCKSIZE, BLOSC_NTHREADS and BLOSC_SPLITMODE
 * (FORWARD_COMPAT, AUTO, ALWAYS, NEVER) call the function that sets them; BLOSC_WARN of 1 or more prints why sizes are
 * refused. BLOSC_NOLOCK has no effect, because there is no lock.
 */
BLOSC_EXPORT int blosc_compress(int clevel, int doshuffle, size_t typesize, size_t nbytes, const void *src, void *dest,
                                size_t destsize);

/* As blosc_compress, with the given settings only. A blocksize of 0 is chosen automatically. */
BLOSC_EXPORT int blosc_compress_ctx(int clevel, int doshuffle, size_t typesize, size_t nbytes, const void *src,
                                    void *dest, size_t destsize, const char *compressor, size_t blocksize,
                                    int numinternalthreads);

/*
 * Decompresses a chunk. Returns the number of bytes, or a negative code: -9 for streams of another version, -5 for an
 * unknown codec, -1 for damage or too small an output. BLOSC_NTHREADS is read at each call.
 */
BLOSC_EXPORT int blosc_decompress(const void *src, void *dest, size_t destsize);

/* As blosc_decompress, with a number of threads. */
BLOSC_EXPORT int blosc_decompress_ctx(const void *src, void *dest, size_t destsize, int numinternalthreads);

/* Copies nitems items from start on. Only their blocks are decoded. Returns the number of bytes, or a negative code. */
BLOSC_EXPORT int blosc_getitem(const void *src, int start, int nitems, void *dest);

/* The number of threads, 1 by default. The second returns the previous one. */
BLOSC_EXPORT int blosc_get_nthreads(void);
BLOSC_EXPORT int blosc_set_nthreads(int nthreads);

/* The codec, "blosclz" by default. The second returns its code, or -1 for an unknown name. */
BLOSC_EXPORT const char *blosc_get_compressor(void);
BLOSC_EXPORT int blosc_set_compressor(const char *compname);

/* Codecs by code and name. Both return the code, or -1 for a codec that does not exist. */
BLOSC_EXPORT int blosc_compcode_to_compname(int compcode, const char **compname);
BLOSC_EXPORT int blosc_compname_to_compcode(const char *compname);

/* The names of all codecs, separated by commas. Not to be freed. */
BLOSC_EXPORT const char *blosc_list_compressors(void);

/* The version of C-Blosc whose functions these are. Not to be freed. */
BLOSC_EXPORT const char *blosc_get_version_string(void);

/* The name and the version of the library of a codec, which the caller frees unless it passes NULL for them. Returns
 * the code of the library, or -1. */
BLOSC_EXPORT int blosc_get_complib_info(const char *compname, char **complib, char **version);

/* Ends idle threads. Returns 0, or -1 if the library is not in use. */
BLOSC_EXPORT int blosc_free_resources(void);

/* The sizes in a header; zeros for another version of the format. */
BLOSC_EXPORT void blosc_cbuffer_sizes(const void *cbuffer, size_t *nbytes, size_t *cbytes, size_t *blocksize);

/* Returns 0 and the number of uncompressed bytes if a chunk of cbytes bytes may be decompressed, else -1. */
BLOSC_EXPORT int blosc_cbuffer_validate(const void *cbuffer, size_t cbytes, size_t *nbytes);

/* The typesize and the flags in a header; zeros for another version of the format. */
BLOSC_EXPORT void blosc_cbuffer_metainfo(const void *cbuffer, size_t *typesize, int *flags);

/* The versions of the format and of the streams. */
BLOSC_EXPORT void blosc_cbuffer_versions(const void *cbuffer, int *version, int *compversion);

/* The name of the format of the streams; NULL for an unknown one. Not to be freed. */
BLOSC_EXPORT const char *blosc_cbuffer_complib(const void *cbuffer);

/* The block size; 0 is chosen automatically. */
BLOSC_EXPORT int blosc_get_blocksize(void);
BLOSC_EXPORT void blosc_set_blocksize(size_t blocksize);

/* Sets the split mode, BLOSC_FORWARD_COMPAT_SPLIT by default. */
BLOSC_EXPORT void blosc_set_splitmode(int splitmode);

#ifdef __cplusplus
}
#endif

#endif
