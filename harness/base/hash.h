/*
 * Hashes: one for tables, under a key that is the process's own, so that nobody can prepare names
 * that collide; SipHash; and SHA-256 (libmd) for telling whether a file has changed.
 *
 * Hashes for tables differ from process to process: nothing that is written, shown or decided may
 * depend on them or on their order.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * SipHash: a hash of bytes under a secret key, without which nobody can choose inputs that collide.
 * Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF",
 * INDOCRYPT 2012, section 2.
 *
 * SipHash-1-3, with one round a word and three at the end, is what the hash tables of Rust, Python
 * and Ruby take; its authors propose SipHash-2-4 where hashes are seen by others.
 */

struct siphash_state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t
siphash_rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static inline void
siphash_rounds(struct siphash_state *s, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = siphash_rotate(s->v1, 13) ^ s->v0;
		s->v3 = siphash_rotate(s->v3, 16) ^ s->v2;
		s->v0 = siphash_rotate(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = siphash_rotate(s->v1, 17) ^ s->v2;
		s->v3 = siphash_rotate(s->v3, 21) ^ s->v0;
		s->v2 = siphash_rotate(s->v2, 32);
	}
}

static inline void
siphash_take(struct siphash_state *s, uint64_t word, unsigned rounds)
{
	s->v3 ^= word;
	siphash_rounds(s, rounds);
	s->v0 ^= word;
}

static inline uint64_t
siphash_load(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The last bytes, fewer than 8, below the length's last byte. Read without a loop over them. */
static inline uint64_t
siphash_last_word(const unsigned char *at, size_t left, size_t len)
{
	uint64_t word = (uint64_t)len << 56;

	if (left == 0)
		return word;
	/* The word that ends with them begins with bytes that were taken already. */
	if (len >= 8)
		return word | siphash_load(at + left - 8) >> (64 - 8 * left);
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

/* With `word_rounds` a word and `end_rounds` at the end: 2 and 4, or 1 and 3. */
static inline uint64_t
siphash(const uint64_t key[2], const void *bytes, size_t len, unsigned word_rounds,
	unsigned end_rounds)
{
	const unsigned char *at = bytes;
	const unsigned char *end = at + len - len % 8;
	struct siphash_state s = {
		.v0 = key[0] ^ UINT64_C(0x736f6d6570736575),
		.v1 = key[1] ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key[0] ^ UINT64_C(0x6c7967656e657261),
		.v3 = key[1] ^ UINT64_C(0x7465646279746573),
	};

	for (; at < end; at += 8)
		siphash_take(&s, siphash_load(at), word_rounds);
	siphash_take(&s, siphash_last_word(at, len % 8, len), word_rounds);
	s.v2 ^= 0xff;
	siphash_rounds(&s, end_rounds);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#endif
