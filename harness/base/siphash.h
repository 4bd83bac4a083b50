/*
 * SipHash: a hash of bytes under a secret key, without which nobody can choose inputs that collide.
 * Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF",
 * INDOCRYPT 2012, section 2.
 *
 * SipHash-1-3, with one round a word and three at the end, is what the hash tables of Rust, Python
 * and Ruby take; its authors propose SipHash-2-4 where hashes are seen by others.
 */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
	struct siphash_state s = {
		.v0 = key[0] ^ UINT64_C(0x736f6d6570736575),
		.v1 = key[1] ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key[0] ^ UINT64_C(0x6c7967656e657261),
		.v3 = key[1] ^ UINT64_C(0x7465646279746573),
	};

	/* Counted by words: `bytes` may be NULL where there are none. */
	for (size_t words = len / 8; words > 0; words--, at += 8)
		siphash_take(&s, siphash_load(at), word_rounds);
	siphash_take(&s, siphash_last_word(at, len % 8, len), word_rounds);
	s.v2 ^= 0xff;
	siphash_rounds(&s, end_rounds);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#endif
