/*
 * How much a stream of xz becomes, by the heads of its pieces: without unpacking it, and without
 * believing the index at its end, which the library compares only once all is unpacked.
 */
#ifndef ELF_XZ_SIZE_H
#define ELF_XZ_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these bytes begin with a stream of xz, which becomes *size bytes. */
bool xz_size(const unsigned char *bytes, size_t len, uint64_t *size);

#endif
