/*
 * Hashes: one for tables, under a key that is the process's own, so that nobody can prepare names
 * that collide; and SHA-256 (libmd) for telling whether a file has changed.
 *
 * Hashes for tables differ from process to process: nothing that is written, shown or decided may
 * depend on them or on their order.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Takes a random key. Call before anything is hashed; until then the key is fixed. */
void hash_take_key(void);

/* For `len` bytes, by a function that is chosen at random by the key: see hash.c. */
uint64_t hash_bytes(const void *bytes, size_t len);

/* The longest text that is hashed by multiplications; longer ones by SipHash. */
#define HASH_SHORT_BYTES 512

/* The key; for this module alone. */
struct hash_key {
	__uint128_t first; /* of numbers, as the next two */
	__uint128_t second;
	__uint128_t sum;
	__uint128_t length; /* of short texts, as the next one */
	uint64_t words[HASH_SHORT_BYTES / sizeof(uint64_t)];
	uint64_t siphash[2]; /* of long texts */
};
extern struct hash_key hash_key;

/*
 * For numbers: multiply-shift. Whatever two keys are, over all keys of the process they share any
 * given bits of their hashes as often as two random numbers would (strongly universal). Source: M.
 * Dietzfelbinger, "Universal hashing and k-wise independent random variables via integer arithmetic
 * without primes", STACS 1996.
 */
static inline uint64_t
hash_u64(uint64_t value)
{
	return (uint64_t)((hash_key.first * value + hash_key.sum) >> 64);
}

static inline uint64_t
hash_pair(uint64_t one, uint64_t other)
{
	return (uint64_t)((hash_key.first * one + hash_key.second * other + hash_key.sum) >> 64);
}

/* 64 hexadecimal digits and a terminator. */
#define HASH_TEXT_SIZE 65

/* SHA-256 (FIPS 180-4) of `len` bytes, as text that sha256sum would print. */
void hash_text(const void *bytes, size_t len, char text[HASH_TEXT_SIZE]);
/* HMAC-SHA-256 (RFC 2104): the same under a key, without which nobody can compute it. */
void hash_keyed(
	const void *key, size_t key_len, const void *bytes, size_t len, char text[HASH_TEXT_SIZE]);
/* SHA-256 of bytes that come in pieces; hash_stream_end() frees it. */
struct hash_stream;
struct hash_stream *hash_stream_new(void);
void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t len);
void hash_stream_end(struct hash_stream *stream, char text[HASH_TEXT_SIZE]);
/* The same of a file's contents. */
int hash_file(const char *path, char text[HASH_TEXT_SIZE], struct err *err);

#endif
