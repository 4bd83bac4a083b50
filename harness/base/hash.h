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
#include <string.h>

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
