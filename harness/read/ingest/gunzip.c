/*
 * Expands what gzip compressed, within a bound.
 */
#include "base/allowance.h"
#include "base/buf.h"
#include "ingest/ingest_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Input is constant. */
#define ZLIB_CONST
#include <zlib.h>

/* For inflateInit2(): the largest window, in the format of gzip. */
#define GZIP_WINDOW (15 + 16)
#define PIECE_BYTES 65536
#define INPUT_MAX ((size_t)1 << 30)
#define EXPANDED_MIN ((size_t)16 << 20)
#define RATIO_MAX 32

bool
gunzip_is(const char *bytes, size_t len)
{
	return len > 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0;
}

static bool
begin_gunzip(z_stream *stream)
{
	*stream = (z_stream){.zalloc = Z_NULL, .zfree = Z_NULL};
	return inflateInit2(stream, GZIP_WINDOW) == Z_OK;
}

size_t
gunzip_head(const char *bytes, size_t len, char *out, size_t room)
{
	z_stream stream;

	if (!begin_gunzip(&stream))
		return 0;
	stream.next_in = (const unsigned char *)bytes;
	stream.avail_in = (unsigned)(len < INPUT_MAX ? len : INPUT_MAX);
	stream.next_out = (unsigned char *)out;
	stream.avail_out = (unsigned)(room < INPUT_MAX ? room : INPUT_MAX);
	const size_t wanted = stream.avail_out;

	inflate(&stream, Z_SYNC_FLUSH);
	inflateEnd(&stream);
	return wanted - stream.avail_out;
}

/*
 * Expands the next piece; Z_OK as long as there is more to do. A gzip file may be several files,
 * one after the other.
 */
static int
expand_gzip(z_stream *stream, struct buf *out)
{
	static _Thread_local unsigned char piece[PIECE_BYTES];

	stream->next_out = piece;
	stream->avail_out = sizeof(piece);
	int status = inflate(stream, Z_NO_FLUSH);

	buf_put(out, piece, sizeof(piece) - stream->avail_out);
	if (status == Z_STREAM_END && stream->avail_in > 0)
		return inflateReset(stream);
	return status;
}

int
gunzip(const char *bytes, size_t len, const char *path, struct buf *out, struct err *err)
{
	const struct allowance allowance = allowance_of(EXPANDED_MIN, len, RATIO_MAX);
	z_stream stream;
	size_t given = 0;
	int status = begin_gunzip(&stream) ? Z_OK : Z_MEM_ERROR;

	stream.next_in = (const unsigned char *)bytes;
	while (status == Z_OK && out->len <= allowance.left) {
		if (stream.avail_in == 0) {
			stream.avail_in =
				(unsigned)(len - given < INPUT_MAX ? len - given : INPUT_MAX);
			given += stream.avail_in;
		}
		status = expand_gzip(&stream, out);
	}
	inflateEnd(&stream);
	if (out->len > allowance.left)
		return err_set(err, ERR_INPUT,
			"%s: expands to more than %zu MiB and %d times its size: it is no profile",
			path, EXPANDED_MIN >> 20, RATIO_MAX);
	if (status == Z_STREAM_END)
		return 0;
	if (status == Z_MEM_ERROR)
		return err_set(err, ERR_SYSTEM, "%s: there is no memory to expand it", path);
	return err_set(err, ERR_INPUT, "%s: its gzip data are %s", path,
		status == Z_BUF_ERROR ? "cut" : "damaged");
}
