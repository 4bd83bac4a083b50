#include "base/hash.h"

#include "base/siphash.h"

#include <string.h>
#include <sys/random.h>

#define WIDE(high, low) ((__uint128_t)UINT64_C(high) << 64 | UINT64_C(low))

/* Digits of pi where there is no other key: in tests. */
struct hash_key hash_key = {
	.first = WIDE(0x243f6a8885a308d3, 0x13198a2e03707344),
	.second = WIDE(0xa4093822299f31d0, 0x082efa98ec4e6c89),
	.sum = WIDE(0x452821e638d01377, 0xbe5466cf34e90c6d),
	.length = WIDE(0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917),
	.words = {0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
		0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
		0xa458fea3f4933d7e, 0x0d95748f728eb658, 0x718bcd5882154aee, 0x7b54a41dc25a59b5,
		0x9c30d5392af26013, 0xc5d1b023286085f0, 0xca417918b8db38ef, 0x8e79dcb0603a180e},
	.siphash = {0x6c9e0e8bb01e8a3e, 0xd71577c1bd314b27},
};

void
hash_take_key(void)
{
	struct hash_key key;

	/* So few bytes come at once or, where a sandbox refuses the call, not at all. */
	if (getrandom(&key, sizeof(key), 0) == (ssize_t)sizeof(key))
		hash_key = key;
}

static uint64_t
load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t
load32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static __uint128_t
product(uint64_t a, uint64_t b)
{
	return (__uint128_t)a * b;
}

/*
 * NH: the sum of products of pairs of words, each with its part of the key added. Two texts of one
 * length have the same sum with a probability of at most 2^-64 over all keys, and so have, through
 * the product with the length, two of different ones. Source: J. Black et al., "UMAC: fast and
 * secure message authentication", CRYPTO 1999, section 4 and theorem 4.2 (RFC 4418).
 *
 * The last words are read by overlapping loads, without a loop over bytes: for one length each text
 * still has its own words.
 */
static __uint128_t
sum_of_short(const unsigned char *p, size_t len)
{
	const uint64_t *key = hash_key.words;
	__uint128_t sum = hash_key.length * len;
	uint64_t a = 0;
	uint64_t b = 0;

	if (len >= 16) {
		size_t left = len;

		for (; left > 16; left -= 16, p += 16, key += 2)
			sum += product(load64(p) + key[0], load64(p + 8) + key[1]);
		a = load64(p + left - 16);
		b = load64(p + left - 8);
	} else if (len >= 8) {
		a = load64(p);
		b = load64(p + len - 8);
	} else if (len >= 4) {
		a = load32(p) << 32 | load32(p + len - 4);
	} else if (len > 0) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
	}
	return sum + product(a + key[0], b + key[1]);
}

/*
 * SipHash would add a tenth to the time of reading perf script's text, whose names are short. For
 * short texts NH is proven as safe: whoever writes a file cannot see a hash of the process that
 * will read it.
 */
uint64_t
hash_bytes(const void *bytes, size_t len)
{
	if (len > HASH_SHORT_BYTES)
		return siphash(hash_key.siphash, bytes, len, 1, 3);
	__uint128_t sum = sum_of_short(bytes, len);

	return hash_pair((uint64_t)sum, (uint64_t)(sum >> 64));
}
