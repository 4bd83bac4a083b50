#include "output/gzip.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

/* For deflateInit2(): the largest window, in the format of gzip. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8
#define PIECE_BYTES 16384
#define INPUT_MAX ((size_t)1 << 30)

static void *
take(void *context, unsigned count, unsigned size)
{
	(void)context;
	return mem_zalloc(count, size);
}

static void
give_back(void *context, void *memory)
{
	(void)context;
	free(memory);
}

void
gzip_put(const struct buf *bytes, struct buf *out)
{
	z_stream stream = {.zalloc = take, .zfree = give_back};
	unsigned char piece[PIECE_BYTES];
	size_t done = 0;

	int ready = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
		GZIP_MEMORY, Z_DEFAULT_STRATEGY);

	assert(ready == Z_OK); /* only wrong settings fail: take() does not */
	(void)ready;
	do {
		size_t left = bytes->len - done;

		stream.next_in = (unsigned char *)bytes->data + done;
		stream.avail_in = (unsigned)(left < INPUT_MAX ? left : INPUT_MAX);
		done += stream.avail_in;
		do {
			stream.next_out = piece;
			stream.avail_out = sizeof(piece);
			deflate(&stream, done == bytes->len ? Z_FINISH : Z_NO_FLUSH);
			buf_put(out, piece, sizeof(piece) - stream.avail_out);
		} while (stream.avail_out == 0);
	} while (done < bytes->len);
	deflateEnd(&stream);
}
