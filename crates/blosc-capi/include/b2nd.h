/*
 * The functions of libblosc2 for n-dimensional arrays.
 *
 * An array is a super-chunk with the metalayer "b2nd". Its chunks are a grid in C order, and each chunk is a grid of
 * blocks. The items of a block are in C order. Chunks at the end of an axis are padded, and so are blocks.
 *
 * Shapes, starts and stops have one number for each axis, and at most B2ND_MAX_DIM. Buffers are in C order.
 *
 * Functions that return an int return 0 or a positive number, or a negative BLOSC2_ERROR_ code. If a function that
 * creates an array fails, it stores NULL. An array belongs to one call at a time.
 */
#ifndef BLOSC_B2ND_H
#define BLOSC_B2ND_H

#include <stdio.h>
#include <stdlib.h>
#include "blosc2.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define B2ND_DEPRECATED(msg) __attribute__((deprecated(msg)))
#else
#define B2ND_DEPRECATED(msg)
#endif

#define B2ND_METALAYER_VERSION 0
#define B2ND_MAX_DIM 16
#define B2ND_MAX_METALAYERS (BLOSC2_MAX_METALAYERS - 1)

/* The data type of items, as NumPy writes it. */
#define DTYPE_NUMPY_FORMAT 0
#define B2ND_DEFAULT_DTYPE "|u1"
#define B2ND_DEFAULT_DTYPE_FORMAT DTYPE_NUMPY_FORMAT

/* Not used: arrays have no cache. */
struct chunk_cache_s {
  uint8_t *data;
  int64_t nchunk;
};

typedef struct b2nd_context_s b2nd_context_t;

/* An array. Other axes than the first ndim have a length of 1. */
typedef struct {
  blosc2_schunk *sc;
  int64_t shape[B2ND_MAX_DIM];
  int32_t chunkshape[B2ND_MAX_DIM];
  int64_t extshape[B2ND_MAX_DIM]; /* shape, rounded up to whole chunks */
  int32_t blockshape[B2ND_MAX_DIM];
  int64_t extchunkshape[B2ND_MAX_DIM]; /* chunkshape, rounded up to whole blocks */
  int64_t nitems;
  int32_t chunknitems;
  int64_t extnitems;
  int32_t blocknitems;
  int64_t extchunknitems;
  int8_t ndim;
  struct chunk_cache_s chunk_cache;
  int64_t item_array_strides[B2ND_MAX_DIM];
  int64_t item_chunk_strides[B2ND_MAX_DIM];
  int64_t item_extchunk_strides[B2ND_MAX_DIM];
  int64_t item_block_strides[B2ND_MAX_DIM];
  int64_t block_chunk_strides[B2ND_MAX_DIM];
  int64_t chunk_array_strides[B2ND_MAX_DIM];
  char *dtype;
  int8_t dtype_format;
  int64_t last_tick;
} b2nd_array_t;

/* Parameters of new arrays, NULL if they cannot be used. A NULL storage stands for the defaults, a NULL dtype for bytes
 * of the typesize. What the storage and the metalayers point to must stay valid, except for the cparams. */
BLOSC_EXPORT b2nd_context_t *b2nd_create_ctx(const blosc2_storage *b2_storage, int8_t ndim, const int64_t *shape,
                                             const int32_t *chunkshape, const int32_t *blockshape, const char *dtype,
                                             int8_t dtype_format, const blosc2_metalayer *metalayers,
                                             int32_t nmetalayers);
BLOSC_EXPORT int b2nd_free_ctx(b2nd_context_t *ctx);

/* Create arrays of items that were never written, of zeros (b2nd_empty too), of not-a-numbers (typesize 4 or 8), of one
 * value, and of the items in a buffer. */
BLOSC_EXPORT int b2nd_uninit(b2nd_context_t *ctx, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_empty(b2nd_context_t *ctx, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_zeros(b2nd_context_t *ctx, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_nans(b2nd_context_t *ctx, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_full(b2nd_context_t *ctx, b2nd_array_t **array, const void *fill_value);
BLOSC_EXPORT int b2nd_from_cbuffer(b2nd_context_t *ctx, b2nd_array_t **array, const void *buffer, int64_t buffersize);

/* Releases an array and its super-chunk. */
BLOSC_EXPORT int b2nd_free(b2nd_array_t *array);

/* Arrays of super-chunks, frames in memory, and files. A super-chunk belongs to the array if there is no error. */
BLOSC_EXPORT int b2nd_from_schunk(blosc2_schunk *schunk, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_from_cframe(uint8_t *cframe, int64_t cframe_len, bool copy, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_open(const char *urlpath, b2nd_array_t **array);
BLOSC_EXPORT int b2nd_open_offset(const char *urlpath, b2nd_array_t **array, int64_t offset);

/* The contiguous frame of an array, see blosc2_schunk_to_buffer. A copy at another path. A copy at the end of a file:
 * returns its offset. */
BLOSC_EXPORT int b2nd_to_cframe(const b2nd_array_t *array, uint8_t **cframe, int64_t *cframe_len, bool *needs_free);
BLOSC_EXPORT int b2nd_save(const b2nd_array_t *array, char *urlpath);
BLOSC_EXPORT int64_t b2nd_save_append(const b2nd_array_t *array, const char *urlpath);

/* Copies all items to a buffer. */
BLOSC_EXPORT int b2nd_to_cbuffer(const b2nd_array_t *array, void *buffer, int64_t buffersize);

/* Copy the items from start to stop to a buffer, or replace them. The buffer may be longer than the slice along each axis.
 * Other bytes of the output become zeros. */
BLOSC_EXPORT int b2nd_get_slice_cbuffer(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
                                        void *buffer, const int64_t *buffershape, int64_t buffersize);
BLOSC_EXPORT int b2nd_set_slice_cbuffer(const void *buffer, const int64_t *buffershape, int64_t buffersize,
                                        const int64_t *start, const int64_t *stop, b2nd_array_t *array);

/* Copies items by their numbers in C order. */
BLOSC_EXPORT int b2nd_get_sparse_cbuffer(const b2nd_array_t *array, int64_t ncoords, const int64_t *coords,
                                         void *buffer, int64_t buffersize);

/* Copy and replace the items whose numbers along axis i are the selection_size[i] numbers selection[i]. */
BLOSC_EXPORT int b2nd_get_orthogonal_selection(const b2nd_array_t *array, int64_t **selection,
                                               int64_t *selection_size, void *buffer, int64_t *buffershape,
                                               int64_t buffersize);
BLOSC_EXPORT int b2nd_set_orthogonal_selection(b2nd_array_t *array, int64_t **selection, int64_t *selection_size,
                                               const void *buffer, int64_t *buffershape, int64_t buffersize);

/* Create arrays of the items from start to stop, and of all items, with the chunks and the storage of ctx, whose shape is
 * replaced. */
BLOSC_EXPORT int b2nd_get_slice(b2nd_context_t *ctx, b2nd_array_t **array, const b2nd_array_t *src,
                                const int64_t *start, const int64_t *stop);
BLOSC_EXPORT int b2nd_copy(b2nd_context_t *ctx, const b2nd_array_t *src, b2nd_array_t **array);

/* Joins two arrays along an axis: in a copy of the first one, or in the first one itself. */
BLOSC_EXPORT int b2nd_concatenate(b2nd_context_t *ctx, const b2nd_array_t *src1, const b2nd_array_t *src2, int8_t axis,
                                  bool copy, b2nd_array_t **array);

/* Create views: arrays with the same chunks, without axes of length 1 (all, or where index is true), or with new ones
 * (where axis is true). The array must stay valid as long as its views, and keep its shape. */
BLOSC_EXPORT int b2nd_squeeze(b2nd_array_t *array, b2nd_array_t **view);
BLOSC_EXPORT int b2nd_squeeze_index(b2nd_array_t *array, b2nd_array_t **view, const bool *index);
BLOSC_EXPORT int b2nd_expand_dims(const b2nd_array_t *array, b2nd_array_t **view, const bool *axis,
                                  const uint8_t final_dims);

/* Changes the shape. New items and removed ones are at the end, or from start on, where they must be whole chunks. */
BLOSC_EXPORT int b2nd_resize(b2nd_array_t *array, const int64_t *new_shape, const int64_t *start);

/* Insert, append and remove items along an axis. Not at the end, they must be whole chunks. */
BLOSC_EXPORT int b2nd_insert(b2nd_array_t *array, const void *buffer, int64_t buffersize, int8_t axis,
                             int64_t insert_start);
BLOSC_EXPORT int b2nd_append(b2nd_array_t *array, const void *buffer, int64_t buffersize, int8_t axis);
BLOSC_EXPORT int b2nd_delete(b2nd_array_t *array, int8_t axis, int64_t delete_start, int64_t delete_len);

/* Reads the shape again if another handle changed it on disk, as other functions do. Returns 1 if it did. */
BLOSC_EXPORT int b2nd_refresh(b2nd_array_t *array);

/* Prints the metalayer of an array. */
BLOSC_EXPORT int b2nd_print_meta(const b2nd_array_t *array);

/* Creates the content of the metalayer, which the caller frees. Returns its length. */
BLOSC_EXPORT int b2nd_serialize_meta(int8_t ndim, const int64_t *shape, const int32_t *chunkshape,
                                     const int32_t *blockshape, const char *dtype, int8_t dtype_format,
                                     uint8_t **smeta);

/* Reads the content of the metalayer. The shapes have room for B2ND_MAX_DIM numbers. The caller frees the dtype. dtype
 * and dtype_format may be NULL. Returns the number of bytes that were read. */
BLOSC_EXPORT int b2nd_deserialize_meta(const uint8_t *smeta, int32_t smeta_len, int8_t *ndim, int64_t *shape,
                                       int32_t *chunkshape, int32_t *blockshape, char **dtype, int8_t *dtype_format);

/* Copies ndim markers and numbers of size bytes, after the marker of their list. Returns the position after them, or -1
 * if the content is cut off. */
static inline int32_t b2nd_read_numbers(const uint8_t *smeta, int32_t smeta_len, int32_t at, int8_t ndim, void *numbers,
                                        int size) {
  if (smeta_len - at < 1 + ndim * (1 + size)) {
    return -1;
  }
  for (int axis = 0; axis < ndim; axis++) {
    swap_store((uint8_t *)numbers + axis * size, smeta + at + 2 + axis * (1 + size), size);
  }
  return at + 1 + ndim * (1 + size);
}

/* The same without a call, for plugins that do not link this library. */
static inline int b2nd_deserialize_meta_inline(const uint8_t *smeta, int32_t smeta_len, int8_t *ndim, int64_t *shape,
                                               int32_t *chunkshape, int32_t *blockshape, char **dtype,
                                               int8_t *dtype_format) {
  if (smeta == NULL || ndim == NULL || shape == NULL || chunkshape == NULL || blockshape == NULL) {
    return BLOSC2_ERROR_NULL_POINTER;
  }
  if (dtype != NULL) {
    *dtype = NULL;
  }
  if (dtype_format != NULL) {
    *dtype_format = 0;
  }
  if (smeta_len < 3 || smeta[2] > B2ND_MAX_DIM) {
    return BLOSC2_ERROR_FAILURE;
  }
  *ndim = (int8_t)smeta[2];
  int32_t at = b2nd_read_numbers(smeta, smeta_len, 3, *ndim, shape, 8);
  at = at < 0 ? at : b2nd_read_numbers(smeta, smeta_len, at, *ndim, chunkshape, 4);
  at = at < 0 ? at : b2nd_read_numbers(smeta, smeta_len, at, *ndim, blockshape, 4);
  if (at < 0) {
    return BLOSC2_ERROR_FAILURE;
  }
  if (dtype == NULL || dtype_format == NULL || at == smeta_len) {
    return at;
  }
  int32_t len;
  if (smeta_len - at < 6 || smeta[at + 1] != 0xdb) {
    return BLOSC2_ERROR_FAILURE;
  }
  swap_store(&len, smeta + at + 2, 4);
  if (len < 0 || len > smeta_len - at - 6) {
    return BLOSC2_ERROR_FAILURE;
  }
  *dtype = (char *)malloc((size_t)len + 1);
  if (*dtype == NULL) {
    return BLOSC2_ERROR_MEMORY_ALLOC;
  }
  memcpy(*dtype, smeta + at + 6, (size_t)len);
  (*dtype)[len] = '\0';
  *dtype_format = (int8_t)smeta[at];
  return at + 6 + len;
}

/* Copy the items from src_start to src_stop of a buffer to another buffer, where they start at dst_start. The buffers have
 * all items of their shapes, and do not overlap. */
B2ND_DEPRECATED("b2nd_copy_buffer2 has items of any size")
BLOSC_EXPORT int b2nd_copy_buffer(int8_t ndim, uint8_t itemsize, const void *src, const int64_t *src_pad_shape,
                                  const int64_t *src_start, const int64_t *src_stop, void *dst,
                                  const int64_t *dst_pad_shape, const int64_t *dst_start);
BLOSC_EXPORT int b2nd_copy_buffer2(int8_t ndim, int32_t itemsize, const void *src, const int64_t *src_pad_shape,
                                   const int64_t *src_start, const int64_t *src_stop, void *dst,
                                   const int64_t *dst_pad_shape, const int64_t *dst_start);

#ifdef __cplusplus
}
#endif

#endif
