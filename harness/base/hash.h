/*
 * Hashes for hash tables, under a random key of the process, so that nobody can prepare names that
 * collide: of numbers and short texts by multiplication, of longer texts by SipHash. They differ
 * from process to process: nothing that is written, shown or decided may depend on them or on their
 * order. base/sha256.h says whether a file has changed.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Takes a random key. Call before anything is hashed; until then the key is fixed. */
void hash_take_key(void);

/* Of `len` bytes: NH and a product for short texts (see hash.c), SipHash-1-3 for longer ones. */
uint64_t hash_bytes(const void *bytes, size_t len);

/* The longest text that is hashed by NH. */
#define HASH_SHORT_BYTES 512

/* The key. It is in the header for the inline functions below; nobody else reads it. */
struct hash_key {
	/* Factors of the first and the second number, and the summand: */
	__uint128_t first;
	__uint128_t second;
	__uint128_t sum;
	/* The factor of a short text's length, and the summand of each of its words: */
	__uint128_t length;
	uint64_t words[HASH_SHORT_BYTES / sizeof(uint64_t)];
	/* The key for longer texts: */
	uint64_t siphash[2];
};
extern struct hash_key hash_key;

/*
 * Of a number: multiply-shift. Over all keys of the process, the hashes of two different numbers
 * agree in any given bits as often as two random numbers do (strongly universal). Source: M.
 * Dietzfelbinger, "Universal hashing and k-wise independent random variables via integer arithmetic
 * without primes", STACS 1996.
 */
static inline uint64_t
hash_u64(uint64_t value)
{
	return (uint64_t)((hash_key.first * value + hash_key.sum) >> 64);
}

/* Of two numbers, in this order. */
static inline uint64_t
hash_pair(uint64_t one, uint64_t other)
{
	return (uint64_t)((hash_key.first * one + hash_key.second * other + hash_key.sum) >> 64);
}

#endif
