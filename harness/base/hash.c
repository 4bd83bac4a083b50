#include "base/hash.h"

#include <errno.h>
#include <sha256.h>
#include <string.h>

/* The multiply-and-fold step of wyhash: 64x64 -> 128 bits, halves xored. */
static uint64_t
mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
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

uint64_t
hash_u64(uint64_t value)
{
	return mix(value ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
}

/* The tail of a text is read by overlapping loads, without a loop over its bytes. */
uint64_t
hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = len * 0x9e3779b97f4a7c15u;
	uint64_t a = 0;
	uint64_t b = 0;

	if (len >= 16) {
		size_t left = len;

		for (; left > 16; left -= 16, p += 16)
			h = mix(load64(p) ^ h, load64(p + 8) ^ 0xa0761d6478bd642fu);
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
	return mix(mix(a ^ h, b ^ 0xe7037ed1a0b428dbu), 0x8ebc6af09c88c6e3u);
}

void
hash_text(const void *bytes, size_t len, char text[HASH_TEXT_SIZE])
{
	SHA256Data(bytes, len, text);
}

int
hash_file(const char *path, char text[HASH_TEXT_SIZE], struct err *err)
{
	if (!SHA256File(path, text))
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", path);
	return 0;
}
