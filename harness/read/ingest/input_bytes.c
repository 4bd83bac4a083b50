#include "ingest/input_bytes.h"

#include "base/allowance.h"

#include <stdint.h>
#include <string.h>

#define MARK 0xfeff
#define REPLACEMENT 0xfffd
/* Characters of ASCII at the start that tell such text without a mark. */
#define TELLING 8

struct units {
	const unsigned char *at;
	size_t left;  /* bytes */
	unsigned low; /* which byte of a unit is its lower one */
};

static struct units
units_of(const char *bytes, size_t len, bool big_endian)
{
	return (struct units){(const unsigned char *)bytes, len, big_endian};
}

static uint32_t
peek(const struct units *units)
{
	if (units->left < 2)
		return REPLACEMENT;
	return units->at[units->low] | (uint32_t)units->at[1 - units->low] << 8;
}

static uint32_t
take_unit(struct units *units)
{
	const uint32_t unit = peek(units);
	const size_t bytes = units->left < 2 ? units->left : 2;

	units->at += bytes;
	units->left -= bytes;
	return unit;
}

/* Lines of text, without control characters. */
static bool
is_plain(uint32_t unit)
{
	return (unit >= ' ' && unit < 0x7f) || unit == '\t' || unit == '\n' || unit == '\r';
}

static bool
is_order(const char *bytes, size_t len, bool big_endian)
{
	struct units units = units_of(bytes, len, big_endian);

	if (len >= 2 && peek(&units) == MARK)
		return true;
	if (len < (size_t)TELLING * 2)
		return false;
	for (size_t i = 0; i < TELLING; i++)
		if (!is_plain(take_unit(&units)))
			return false;
	return true;
}

bool
utf16_is(const char *bytes, size_t len)
{
	return is_order(bytes, len, false) || is_order(bytes, len, true);
}

static uint32_t
take_character(struct units *units)
{
	const uint32_t unit = take_unit(units);

	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	const uint32_t next = peek(units);

	if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff)
		return REPLACEMENT;
	take_unit(units);
	return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}

static void
put_utf8(struct buf *out, uint32_t code)
{
	const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};

	buf_putc(out, (char)(leads[more] | code >> (6 * more)));
	for (unsigned i = more; i-- > 0;)
		buf_putc(out, (char)(0x80 | (code >> (6 * i) & 0x3f)));
}

void
utf16_decode(const char *bytes, size_t len, struct buf *out)
{
	struct units units = units_of(bytes, len, is_order(bytes, len, true));

	if (peek(&units) == MARK)
		take_unit(&units);
	while (units.left > 0)
		put_utf8(out, take_character(&units));
}

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
begin(z_stream *stream)
{
	*stream = (z_stream){.zalloc = Z_NULL, .zfree = Z_NULL};
	return inflateInit2(stream, GZIP_WINDOW) == Z_OK;
}

size_t
gunzip_head(const char *bytes, size_t len, char *out, size_t room)
{
	z_stream stream;

	if (!begin(&stream))
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

/* One step; Z_OK as long as there is more to do. A file may be several ones, one after the other.
 */
static int
expand(z_stream *stream, struct buf *out)
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
	int status = begin(&stream) ? Z_OK : Z_MEM_ERROR;

	stream.next_in = (const unsigned char *)bytes;
	while (status == Z_OK && out->len <= allowance.left) {
		if (stream.avail_in == 0) {
			stream.avail_in =
				(unsigned)(len - given < INPUT_MAX ? len - given : INPUT_MAX);
			given += stream.avail_in;
		}
		status = expand(&stream, out);
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
