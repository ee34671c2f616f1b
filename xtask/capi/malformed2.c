/* Decodes chunks by the functions of blosc2.h, as malformed.c does by those of blosc.h: with and without a context, items,
   masks, postfilters, and blocks of variable length. */
#include <blosc2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int accepted;
static unsigned sum;

/* Any bytes that decoding left unset are found here. */
static void use(const uint8_t *bytes, int len) {
    for (int at = 0; at < len; at++) sum += bytes[at];
}

static int copy(blosc2_postfilter_params *params) {
    memcpy(params->output, params->input, params->size);
    memset(params->ttmp, 0, params->ttmp_nbytes);
    return 0;
}

static void items(blosc2_context *context, const void *chunk, int32_t len, int32_t nbytes, size_t typesize, uint8_t *out) {
    int count = (int)(nbytes / typesize), starts[] = {0, count / 2, count - 1, count};
    int lens[] = {count, 1, 1, 1};
    for (int at = 0; at < 4; at++) {
        use(out, blosc2_getitem_ctx(context, chunk, len, starts[at], lens[at], out, nbytes));
        use(out, blosc2_getitem(chunk, len, starts[at], lens[at], out, nbytes));
    }
    use(out, blosc2_getitem_bytes_ctx(context, chunk, len, 0, nbytes, out, nbytes));
}

static void masked(blosc2_context *context, const void *chunk, int32_t len, int32_t nbytes, int32_t blocksize) {
    int nblocks = nbytes / blocksize + (nbytes % blocksize > 0);
    if (nblocks < 1 || nblocks > 1 << 20) return;
    bool *mask = calloc(nblocks, 1);
    uint8_t *out = calloc(nbytes, 1);
    mask[0] = true;
    blosc2_set_maskout(context, mask, nblocks);
    use(out, blosc2_decompress_ctx(context, chunk, len, out, nbytes));
    free(mask);
    free(out);
}

static void blocks(blosc2_context *context, const void *chunk, int32_t len) {
    void *dests[64];
    int32_t sizes[64], nblocks;
    uint8_t *block;
    if (blosc2_vlchunk_get_nblocks(chunk, len, &nblocks) < 0) return;
    int found = blosc2_vldecompress_ctx(context, chunk, len, dests, sizes, 64);
    for (int at = 0; at < found; at++) {
        use(dests[at], sizes[at]);
        free(dests[at]);
    }
    if (blosc2_vldecompress_block_ctx(context, chunk, len, nblocks - 1, &block, sizes) >= 0) {
        use(block, sizes[0]);
        free(block);
    }
}

static int decode(const void *chunk, int32_t len) {
    int32_t nbytes, cbytes, blocksize;
    size_t typesize, valid;
    int flags;
    if (len >= BLOSC_MIN_HEADER_LENGTH) {
        blosc2_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize);
        blosc2_cbuffer_complib(chunk);
    }
    if (blosc1_cbuffer_validate(chunk, len, &valid) == 0) accepted++;
    if (len < BLOSC_MIN_HEADER_LENGTH || nbytes < 0 || nbytes > 1 << 24) return 0;
    blosc2_postfilter_params filter = {0};
    blosc2_dparams params = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_context *context = blosc2_create_dctx(params);
    params.postfilter = copy;
    params.postparams = &filter;
    blosc2_context *filtered = blosc2_create_dctx(params);
    uint8_t *out = malloc(nbytes + 1);
    int done = blosc2_decompress(chunk, len, out, nbytes);
    use(out, done);
    use(out, blosc2_decompress_ctx(context, chunk, len, out, nbytes));
    use(out, blosc2_decompress_ctx(filtered, chunk, len, out, nbytes));
    blosc1_cbuffer_metainfo(chunk, &typesize, &flags);
    if (typesize > 0) items(context, chunk, len, nbytes, typesize, out);
    if (blocksize > 0) masked(context, chunk, len, nbytes, blocksize);
    blocks(context, chunk, len);
    blosc2_free_ctx(context);
    blosc2_free_ctx(filtered);
    free(out);
    return done > 0;
}

int main(int argc, char **argv) {
    FILE *file = argc >= 2 ? fopen(argv[1], "rb") : NULL;
    uint32_t len;
    int chunks = 0, decoded = 0;
    if (!file) return 2;
    blosc2_init();
    for (; fread(&len, sizeof len, 1, file) == 1; chunks++) {
        char *exact = malloc(len ? len : 1);
        if (fread(exact, 1, len, file) != len) return 2;
        decoded += decode(exact, (int32_t)len);
        free(exact);
    }
    fclose(file);
    blosc2_destroy();
    printf("%d chunks, %d with a valid header, %d decoded%s\n", chunks, accepted, decoded, sum == 1 ? " " : "");
    return 0;
}
