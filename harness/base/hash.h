/*
 * Hashes: a fast one for tables, and SHA-256 (libmd) for telling whether a file has changed.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* A 64-bit hash for tables in memory; never stored. */
uint64_t hash_bytes(const void *bytes, size_t len);
uint64_t hash_u64(uint64_t value);

/* 64 hexadecimal digits and a terminator. */
#define HASH_TEXT_SIZE 65

/* SHA-256 (FIPS 180-4) of `len` bytes, as text that sha256sum would print. */
void hash_text(const void *bytes, size_t len, char text[HASH_TEXT_SIZE]);
/* The same of a file's contents. */
int hash_file(const char *path, char text[HASH_TEXT_SIZE], struct err *err);

#endif
