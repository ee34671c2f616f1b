/* Opens frames by the functions of blosc2.h and b2nd.h: in memory and as files with locks, as super-chunks and as arrays. Each
   frame and each output has an allocation of its own. */
#include <b2nd.h>
#include <blosc2/blosc2-stdio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Bounds of the time: a short frame may have many equal chunks, or a chunk of 2 GiB. */
enum { MOST_BYTES = 1 << 20, MOST_CHUNKS = 16 };

static int opened, arrays, found;
static unsigned sum;

/* Any bytes that decoding left unset are found here. */
static void use(const void *bytes, int64_t len) {
    for (int64_t at = 0; at < len; at++) sum += ((const uint8_t *)bytes)[at];
}

static void chunks(blosc2_schunk *schunk) {
    for (int64_t at = 0; at < schunk->nchunks && at < MOST_CHUNKS; at++) {
        uint8_t *chunk;
        bool needs_free;
        int32_t nbytes, len = blosc2_schunk_get_chunk(schunk, at, &chunk, &needs_free);
        if (len < 0) continue;
        use(chunk, len);
        if (blosc2_cbuffer_sizes(chunk, &nbytes, NULL, NULL) >= 0 && nbytes >= 0 && nbytes <= MOST_BYTES) {
            uint8_t *out = malloc(nbytes + 1);
            use(out, blosc2_schunk_decompress_chunk(schunk, at, out, nbytes));
            free(out);
        }
        if (needs_free) free(chunk);
        if (blosc2_schunk_get_lazychunk(schunk, at, &chunk, &needs_free) >= 0 && needs_free) free(chunk);
    }
}

static void layers(blosc2_schunk *schunk) {
    static char *names[BLOSC2_MAX_VLMETALAYERS];
    uint8_t *content;
    int32_t len;
    for (int at = 0; at < schunk->nmetalayers; at++) {
        if (blosc2_meta_get(schunk, schunk->metalayers[at]->name, &content, &len) < 0) continue;
        use(content, len);
        free(content);
    }
    int count = blosc2_vlmeta_get_names(schunk, names);
    for (int at = 0; at < count; at++) {
        if (blosc2_vlmeta_get(schunk, names[at], &content, &len) < 0) continue;
        use(content, len);
        free(content);
    }
}

static void change(blosc2_schunk *schunk) {
    uint8_t zeros[256] = {0};
    blosc2_vlmeta_add(schunk, "new", zeros, sizeof zeros, NULL);
    blosc2_schunk_append_buffer(schunk, zeros, sizeof zeros);
    blosc2_schunk_delete_chunk(schunk, 0);
    blosc2_vlmeta_delete(schunk, "new");
}

static void items(blosc2_schunk *schunk) {
    if (schunk->typesize <= 0 || schunk->nbytes < schunk->typesize) return;
    int64_t last = schunk->nbytes / schunk->typesize - 1, coords[] = {last, 0, last / 2};
    uint8_t *out = calloc(3, schunk->typesize);
    if (blosc2_schunk_get_slice_buffer(schunk, last, last + 1, out) >= 0) use(out, schunk->typesize);
    if (blosc2_schunk_get_sparse_buffer(schunk, 3, coords, out) >= 0) use(out, 3 * (int64_t)schunk->typesize);
    blosc2_schunk_set_slice_buffer(schunk, last / 2, last / 2 + 1, out);
    free(out);
}

static void as_schunk(blosc2_schunk *schunk) {
    if (schunk == NULL) return;
    opened++;
    chunks(schunk);
    layers(schunk);
    if (schunk->typesize <= MOST_BYTES && schunk->nbytes <= MOST_BYTES && schunk->nchunks <= MOST_CHUNKS) items(schunk);
    if (schunk->nbytes <= MOST_BYTES && schunk->nchunks <= MOST_CHUNKS) {
        uint8_t *frame;
        bool needs_free;
        int64_t len = blosc2_schunk_to_buffer(schunk, &frame, &needs_free);
        use(frame, len);
        if (len > 0 && needs_free) free(frame);
        blosc2_schunk_free(blosc2_schunk_copy(schunk, NULL));
    }
    change(schunk);
    blosc2_schunk_free(schunk);
}

/* Copies the whole array, its first and last item, and the last item along each axis. */
static void read_array(b2nd_array_t *array, uint8_t *out, int64_t size) {
    int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM], one[B2ND_MAX_DIM], *lists[B2ND_MAX_DIM];
    int32_t typesize = array->sc->typesize;
    if (b2nd_to_cbuffer(array, out, size) >= 0) use(out, size);
    for (int axis = 0; axis < array->ndim; axis++) {
        one[axis] = 1;
        start[axis] = (stop[axis] = array->shape[axis]) - 1;
        lists[axis] = &start[axis];
    }
    if (array->nitems == 0) return;
    if (b2nd_get_slice_cbuffer(array, start, stop, out, one, typesize) >= 0) use(out, typesize);
    if (b2nd_get_orthogonal_selection(array, lists, one, out, one, typesize) >= 0) use(out, typesize);
    if (b2nd_get_sparse_cbuffer(array, 1, &(int64_t){array->nitems - 1}, out, typesize) >= 0) use(out, typesize);
    b2nd_set_slice_cbuffer(out, one, typesize, start, stop, array);
    b2nd_set_orthogonal_selection(array, lists, one, out, one, typesize);
}

static void views(b2nd_array_t *array) {
    b2nd_array_t *view;
    bool axes[B2ND_MAX_DIM + 1] = {true};
    if (b2nd_squeeze(array, &view) >= 0) b2nd_free(view);
    if (array->ndim < B2ND_MAX_DIM && b2nd_expand_dims(array, &view, axes, (uint8_t)(array->ndim + 1)) >= 0) b2nd_free(view);
}

static void change_shape(b2nd_array_t *array, const uint8_t *items, int64_t size) {
    int64_t shape[B2ND_MAX_DIM];
    if (array->ndim == 0) return;
    memcpy(shape, array->shape, sizeof shape);
    shape[0] += array->chunkshape[0];
    b2nd_resize(array, shape, NULL);
    b2nd_delete(array, 0, 0, array->chunkshape[0]);
    b2nd_append(array, items, size, 0);
    b2nd_insert(array, items, size, 0, 0);
    b2nd_refresh(array);
}

static void as_array(b2nd_array_t *array) {
    arrays++;
    int64_t size = array->nitems > MOST_BYTES ? -1 : array->nitems * array->sc->typesize;
    bool is_small = array->extnitems <= MOST_BYTES && array->extchunknitems <= MOST_BYTES;
    if (size >= 0 && size <= MOST_BYTES && is_small && array->sc->nchunks <= MOST_CHUNKS) {
        uint8_t *out = calloc(size + 1, 1);
        read_array(array, out, size);
        views(array);
        change_shape(array, out, size);
        free(out);
    }
    b2nd_free(array);
}

/* Opens a file with locks, and changes it under one. */
static void as_file(const char *path, const void *frame, size_t len) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(frame, 1, len, file) != len || fclose(file) != 0) exit(2);
    blosc2_stdio_params params = {true};
    blosc2_io io = BLOSC2_IO_DEFAULTS;
    io.params = &params;
    blosc2_schunk *schunk = blosc2_schunk_open_udio(path, &io);
    if (schunk != NULL) {
        b2nd_array_t *array;
        blosc2_schunk_lock(schunk);
        blosc2_schunk_refresh(schunk);
        if (b2nd_from_schunk(schunk, &array) >= 0) {
            b2nd_refresh(array);
            blosc2_schunk_unlock(schunk);
            as_array(array);
        } else {
            change(schunk);
            blosc2_schunk_unlock(schunk);
            as_schunk(schunk);
        }
    }
    blosc2_remove_urlpath(path);
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    uint32_t len;
    if (!file) return 2;
    blosc2_init();
    for (; fread(&len, sizeof len, 1, file) == 1; found++) {
        b2nd_array_t *array;
        uint8_t *exact = malloc(len ? len : 1);
        if (fread(exact, 1, len, file) != len) return 2;
        as_schunk(blosc2_schunk_from_buffer(exact, len, false));
        as_schunk(blosc2_schunk_from_buffer(exact, len, true));
        if (b2nd_from_cframe(exact, len, true, &array) >= 0) as_array(array);
        as_file(argv[2], exact, len);
        free(exact);
    }
    fclose(file);
    blosc2_destroy();
    printf("%d frames, %d times opened, %d times as an array%s\n", found, opened, arrays, sum == 1 ? " " : "");
    return 0;
}
