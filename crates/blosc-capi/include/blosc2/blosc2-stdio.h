/*
 * Input and output of frames on a file system.
 */
#ifndef BLOSC_BLOSC2_BLOSC2_STDIO_H
#define BLOSC_BLOSC2_BLOSC2_STDIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "blosc2-export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open file. */
typedef struct {
  FILE *file;
} blosc2_stdio_file;

/* How frames are opened: the params of the input and output 0. NULL stands for the defaults.
 *
 * locking: whether this handle and the others that ask for it, also of other programs, wait for each other. Readers
 * share the lock of a frame, writers have it alone. It is on a file named .b2lock in the directory of the frame, or on
 * one next to the frame's file, whose name it extends by .b2lock. The environment variable BLOSC_LOCKING asks for it for all
 * frames that are opened or created, unless it is empty or "0". */
typedef struct {
  bool locking;
} blosc2_stdio_params;

static const blosc2_stdio_params BLOSC2_STDIO_PARAMS_DEFAULTS = {false};

/* Functions of the input and output 0, for functions of programs that build on them. Positions are offsets in the file,
 * in bytes. The memory of a read is that of the caller. */
BLOSC_EXPORT void *blosc2_stdio_open(const char *urlpath, const char *mode, void *params);
BLOSC_EXPORT int blosc2_stdio_close(void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_size(void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_write(const void *ptr, int64_t size, int64_t nitems, int64_t position, void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_read(void **ptr, int64_t size, int64_t nitems, int64_t position, void *stream);
BLOSC_EXPORT int blosc2_stdio_truncate(void *stream, int64_t size);
BLOSC_EXPORT int blosc2_stdio_destroy(void *params);

/* A file that is mapped into memory. */
typedef struct {
  const char *mode;            /* r, r+, w+ or c */
  size_t initial_mapping_size; /* bytes to map for writing */
  bool needs_free;             /* whether the structure is released with the stream */
  char *addr;                  /* the rest is set while the file is open */
  char *urlpath;
  size_t file_size;
  size_t mapping_size;
  bool is_memory_only;
  FILE *file;
  int fd;
  int64_t access_flags;
  int64_t map_flags;
} blosc2_stdio_mmap;

static const blosc2_stdio_mmap BLOSC2_STDIO_MMAP_DEFAULTS = {
    "r", (size_t)1 << 30, false, NULL, NULL, 0, 0, false, NULL, -1, -1, -1};

/* Functions of the input and output 1: a contiguous frame in a file that is mapped into memory. A stream is the
 * parameters. The file stays mapped until blosc2_stdio_mmap_destroy, which a super-chunk calls when it is released. A
 * read stores a pointer into the mapping. */
BLOSC_EXPORT void *blosc2_stdio_mmap_open(const char *urlpath, const char *mode, void *params);
BLOSC_EXPORT int blosc2_stdio_mmap_close(void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_mmap_size(void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_mmap_write(const void *ptr, int64_t size, int64_t nitems, int64_t position,
                                             void *stream);
BLOSC_EXPORT int64_t blosc2_stdio_mmap_read(void **ptr, int64_t size, int64_t nitems, int64_t position, void *stream);
BLOSC_EXPORT int blosc2_stdio_mmap_truncate(void *stream, int64_t size);
BLOSC_EXPORT int blosc2_stdio_mmap_destroy(void *params);

#ifdef __cplusplus
}
#endif

#endif
