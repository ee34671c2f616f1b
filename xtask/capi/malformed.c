/* Decodes chunks by the functions of blosc.h. Each chunk and each output is an allocation of its own, so that a memory
   checker sees every access outside it. Input: for each chunk its length, 4 bytes, and its bytes. */
#include <blosc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int accepted;

static int decode(const void *chunk, size_t len) {
    size_t nbytes, plain, cbytes, blocksize, typesize;
    int flags;
    if (len < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(chunk, len, &nbytes) != 0) return 0;
    blosc_cbuffer_sizes(chunk, &plain, &cbytes, &blocksize);
    blosc_cbuffer_metainfo(chunk, &typesize, &flags);
    if (nbytes > 1 << 24) return 0;
    accepted++;
    char *out = malloc(nbytes + 1);
    int done = blosc_decompress(chunk, out, nbytes);
    if (typesize > 0 && nbytes / typesize > 0) {
        int items = (int)(nbytes / typesize);
        blosc_getitem(chunk, 0, items, out);
        blosc_getitem(chunk, items / 2, 1, out);
        blosc_getitem(chunk, items - 1, 1, out);
        blosc_getitem(chunk, items, 1, out);
    }
    /* Any bytes that decoding left unset are found here. */
    unsigned sum = 0;
    for (int at = 0; at < done; at++) sum += (unsigned char)out[at];
    free(out);
    if (sum == 1) putchar(' ');
    return done > 0;
}

int main(int argc, char **argv) {
    FILE *file = argc >= 2 ? fopen(argv[1], "rb") : NULL;
    uint32_t len;
    int chunks = 0, decoded = 0;
    if (!file) return 2;
    for (; fread(&len, sizeof len, 1, file) == 1; chunks++) {
        char *exact = malloc(len ? len : 1);
        if (fread(exact, 1, len, file) != len) return 2;
        decoded += decode(exact, len);
        free(exact);
    }
    fclose(file);
    printf("%d chunks, %d with a valid header, %d decoded\n", chunks, accepted, decoded);
    return 0;
}
