#include "elf/xz_size.h"

#include <string.h>

/*
 * Source: "The .xz File Format" 1.1.0, sections 2.1.1 and 3; for LZMA2, the Linux kernel's
 * lib/xz/xz_dec_lzma2.c.
 */
#define STREAM_HEADER_BYTES 12
#define FILTER_LZMA2 0x21

enum block_flag {
	BLOCK_FILTERS = 0x03, /* one less than there are */
	BLOCK_PACKED = 0x40,  /* sizes are given */
	BLOCK_UNPACKED = 0x80,
};

enum chunk {
	CHUNK_END = 0,
	CHUNK_PLAIN_RESET = 1,
	CHUNK_PLAIN = 2,
	CHUNK_LZMA = 0x80,
	CHUNK_LZMA_PROPERTIES = 0xc0,
};

struct reading {
	const unsigned char *at;
	size_t left;
	bool failed; /* cut short, or no xz */
};

static const unsigned char *
take(struct reading *reading, size_t len)
{
	static const unsigned char nothing[8];
	const unsigned char *at = reading->at;

	if (len > reading->left) {
		reading->failed = true;
		reading->left = 0;
		return nothing;
	}
	reading->at += len;
	reading->left -= len;
	return at;
}

/* A number of up to nine bytes. */
static uint64_t
take_number(struct reading *reading)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		const unsigned char byte = *take(reading, 1);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reading->failed = true;
	return 0;
}

/* Whether the last of the block's filters, the one that unpacks, is LZMA2. */
static bool
is_lzma2(struct reading header)
{
	const unsigned char flags = *take(&header, 1);
	uint64_t filter = 0;

	if (flags & BLOCK_PACKED)
		take_number(&header);
	if (flags & BLOCK_UNPACKED)
		take_number(&header);
	for (unsigned i = 0; i <= (flags & BLOCK_FILTERS); i++) {
		filter = take_number(&header);
		const uint64_t len = take_number(&header);

		take(&header, len < SIZE_MAX ? (size_t)len : SIZE_MAX);
	}
	return !header.failed && filter == FILTER_LZMA2;
}

/* What a block's data become. */
static uint64_t
take_chunks(struct reading *reading)
{
	uint64_t size = 0;
	unsigned control;

	while ((control = *take(reading, 1)) != CHUNK_END) {
		const unsigned char *head = take(reading, 2);
		const uint64_t bytes = ((uint64_t)head[0] << 8 | head[1]) + 1;

		if (control >= CHUNK_LZMA) {
			const unsigned char *packed = take(reading, 2);

			size += ((uint64_t)(control & 0x1f) << 16) + bytes;
			take(reading, ((size_t)packed[0] << 8 | packed[1]) + 1 +
					      (control >= CHUNK_LZMA_PROPERTIES));
		} else {
			reading->failed |= control > CHUNK_PLAIN;
			size += bytes;
			take(reading, (size_t)bytes);
		}
	}
	return size;
}

bool
xz_size(const unsigned char *bytes, size_t len, uint64_t *size)
{
	static const unsigned char check_bytes[16] = {
		0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
	static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	struct reading reading = {bytes, len, false};
	const unsigned char *header = take(&reading, STREAM_HEADER_BYTES);

	*size = 0;
	if (reading.failed || memcmp(header, magic, sizeof(magic)) != 0)
		return false;
	const size_t check = check_bytes[header[7] & 0x0f];

	/* The index begins with the size of no block. */
	while (reading.left > 0 && *reading.at != 0) {
		const unsigned char *block = reading.at;
		const size_t header_bytes = ((size_t)*block + 1) * 4;

		take(&reading, header_bytes);
		if (reading.failed ||
			!is_lzma2((struct reading){block + 1, header_bytes - 1, false}))
			return false;
		const unsigned char *data = reading.at;

		*size += take_chunks(&reading);
		take(&reading, (size_t) - (reading.at - data) % 4 + check);
	}
	return !reading.failed && reading.left > 0;
}
