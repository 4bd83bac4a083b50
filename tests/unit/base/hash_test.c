#include "base/hash.h"

#include "base/siphash.h"
#include "unit.h"

#include <string.h>

void suite_base_hash(void);

#define LENGTHS 25

/*
 * For the bytes 0, 1, ..., 15 as a key and 0, 1, ..., n - 1 as input, by n. Source: vectors.h of
 * the authors' reference implementation (github.com/veorq/SipHash).
 */
static const uint64_t two_four[LENGTHS] = {
	0x726fdb47dd0e0e31,
	0x74f839c593dc67fd,
	0x0d6c8009d9a94f5a,
	0x85676696d7fb7e2d,
	0xcf2794e0277187b7,
	0x18765564cd99a68d,
	0xcbc9466e58fee3ce,
	0xab0200f58b01d137,
	0x93f5f5799a932462,
	0x9e0082df0ba9e4b0,
	0x7a5dbbc594ddb9f3,
	0xf4b32f46226bada7,
	0x751e8fbc860ee5fb,
	0x14ea5627c0843d90,
	0xf723ca908e7af2ee,
	0xa129ca6149be45e5,
	0x3f2acc7f57c29bdb,
	0x699ae9f52cbe4794,
	0x4bc1b3f0968dd39c,
	0xbb6dc91da77961bd,
	0xbed65cf21aa2ee98,
	0xd0f2cbb02e3b67c7,
	0x93536795e3a33e88,
	0xa80c038ccd5ccec8,
	0xb8ad50c6f649af94,
};

/* The same of SipHash-1-3. Source: the tests of Rust's library,
 * library/coretests/tests/hash/sip.rs. */
static const uint64_t one_three[LENGTHS] = {
	0xabac0158050fc4dc,
	0xc9f49bf37d57ca93,
	0x82cb9b024dc7d44d,
	0x8bf80ab8e7ddf7fb,
	0xcf75576088d38328,
	0xdef9d52f49533b67,
	0xc50d2b50c59f22a7,
	0xd3927d989bb11140,
	0x369095118d299a8e,
	0x25a48eb36c063de4,
	0x79de85ee92ff097f,
	0x70c118c1f94dc352,
	0x78a384b157b4d9a2,
	0x306f760c1229ffa7,
	0x605aa111c0f95d34,
	0xd320d86d2a519956,
	0xcc4fdd1a7d908b66,
	0x9cf2689063dbd80c,
	0x8ffc389cb473e63e,
	0xf21f9de58d297d1c,
	0xc0dc2f46a6cce040,
	0xb992abfe2b45f844,
	0x7ffe7b9ba320872e,
	0x525a0e7fdae6c123,
	0xf464aeb267349c8c,
};

static void
siphash_gives_its_authors_values(void)
{
	static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	unsigned char bytes[LENGTHS];

	for (size_t n = 0; n < LENGTHS; n++) {
		bytes[n] = (unsigned char)n;
		CU_ASSERT_EQUAL(siphash(key, bytes, n, 2, 4), two_four[n]);
		CU_ASSERT_EQUAL(siphash(key, bytes, n, 1, 3), one_three[n]);
	}
}

static void
a_hash_depends_on_every_byte(void)
{
	char text[40];

	memset(text, 'a', sizeof(text));
	for (size_t len = 1; len <= sizeof(text); len++) {
		uint64_t whole = hash_bytes(text, len);

		for (size_t i = 0; i < len; i++) {
			text[i] = 'b';
			CU_ASSERT_NOT_EQUAL(hash_bytes(text, len), whole);
			text[i] = 'a';
		}
		CU_ASSERT_NOT_EQUAL(hash_bytes(text, len - 1), whole);
	}
}

/* a * value + b by parts of 32 bits, as on paper. */
static uint64_t
upper_half_of_sum(__uint128_t factor, uint64_t value, __uint128_t sum)
{
	__uint128_t product = sum;

	for (unsigned part = 0; part < 64; part += 32)
		product += (factor * (uint32_t)(value >> part)) << part;
	return (uint64_t)(product >> 64);
}

static void
numbers_are_hashed_by_multiply_shift(void)
{
	static const uint64_t values[] = {0, 1, 2, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX};
	const struct hash_key *key = &hash_key;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		CU_ASSERT_EQUAL(
			hash_u64(values[i]), upper_half_of_sum(key->first, values[i], key->sum));
		CU_ASSERT_EQUAL(hash_pair(values[i], 0), hash_u64(values[i]));
		CU_ASSERT_EQUAL(hash_pair(0, values[i]),
			upper_half_of_sum(key->second, values[i], key->sum));
	}
}

/* Other suites use the fixed key: it is put back. */
static void
a_new_key_gives_other_hashes(void)
{
	const struct hash_key fixed = hash_key;
	uint64_t bytes = hash_bytes("name", 4);
	uint64_t number = hash_u64(1);

	hash_take_key();
	CU_ASSERT_NOT_EQUAL(hash_bytes("name", 4), bytes);
	CU_ASSERT_NOT_EQUAL(hash_u64(1), number);
	hash_key = fixed;
}

void
suite_base_hash(void)
{
	static const struct unit_case cases[] = {
		{"siphash_gives_its_authors_values", siphash_gives_its_authors_values},
		{"a_hash_depends_on_every_byte", a_hash_depends_on_every_byte},
		{"numbers_are_hashed_by_multiply_shift", numbers_are_hashed_by_multiply_shift},
		{"a_new_key_gives_other_hashes", a_new_key_gives_other_hashes},
		{0},
	};

	unit_suite("base/hash", cases);
}
