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

uint64_t
hash_u64(uint64_t value)
{
	return mix(value ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
}

uint64_t
hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = len * 0x9e3779b97f4a7c15u;
	uint64_t tail = 0;

	for (; len >= 16; len -= 16, p += 16)
		h = mix(load64(p) ^ h, load64(p + 8) ^ 0xa0761d6478bd642fu);
	if (len >= 8) {
		h = mix(load64(p) ^ h, 0xe7037ed1a0b428dbu);
		p += 8;
		len -= 8;
	}
	for (size_t i = 0; i < len; i++)
		tail |= (uint64_t)p[i] << (8 * i);
	return mix(h ^ tail, 0x8ebc6af09c88c6e3u);
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
