#include "replay/codec.h"

#include "base/escape.h"

#include <math.h>
#include <string.h>

/* A byte of LEB128 holds seven bits; the highest says that more follow. */
#define MORE 0x80

struct codec
codec_writer(struct buf *out)
{
	return (struct codec){.out = out, .format = RECORD_FORMAT};
}

struct codec
codec_reader(const void *bytes, size_t len, struct arena *arena, size_t memory)
{
	return (struct codec){
		.arena = arena,
		.next = bytes,
		.left = len,
		.memory = {memory},
		.format = RECORD_FORMAT,
	};
}

void
codec_fail(struct codec *codec, const char *problem)
{
	if (!codec->problem)
		codec->problem = problem;
	codec->left = 0;
}

bool
codec_take(struct codec *codec, size_t count, size_t size)
{
	if (size > 0 &&
		(count > SIZE_MAX / size || !allowance_take(&codec->memory, count * size))) {
		codec_fail(codec, "more than a reader can hold");
		return false;
	}
	return true;
}

/* The next bytes; NULL, with a problem, if there are not so many. */
static const char *
read_bytes(struct codec *codec, size_t len)
{
	const char *bytes = codec->next;

	if (len > codec->left) {
		codec_fail(codec, "it ends too early");
		return NULL;
	}
	codec->next += len;
	codec->left -= len;
	return bytes;
}

static uint64_t
read_uint(struct codec *codec, uint64_t most)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const char *byte = read_bytes(codec, 1);
		uint64_t bits = byte ? (unsigned char)*byte & (MORE - 1) : 0;

		if (!byte)
			return 0;
		value |= bits << shift;
		if ((unsigned char)*byte & MORE)
			continue;
		if (value <= most && value >> shift == bits)
			return value;
		break;
	}
	codec_fail(codec, "a number out of range");
	return 0;
}

void
codec_uint(struct codec *codec, uint64_t *value, uint64_t most)
{
	if (codec_is_reading(codec)) {
		*value = read_uint(codec, most);
		return;
	}
	uint64_t rest = *value;

	for (; rest >= MORE; rest >>= 7)
		buf_putc(codec->out, (char)(rest | MORE));
	buf_putc(codec->out, (char)rest);
}

void
codec_u64(struct codec *codec, uint64_t *value)
{
	codec_uint(codec, value, UINT64_MAX);
}

void
codec_u32(struct codec *codec, uint32_t *value)
{
	CODEC_WHOLE(codec, *value, UINT32_MAX);
}

void
codec_i64(struct codec *codec, int64_t *value)
{
	CODEC_WHOLE(codec, *value, UINT64_MAX);
}

void
codec_bool(struct codec *codec, bool *value)
{
	CODEC_WHOLE(codec, *value, 1);
}

void
codec_double(struct codec *codec, double *value)
{
	uint64_t bits = 0;

	if (codec_is_reading(codec)) {
		const char *bytes = read_bytes(codec, sizeof(bits));

		for (unsigned i = 0; bytes && i < sizeof(bits); i++)
			bits |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
		memcpy(value, &bits, sizeof(bits));
		return;
	}
	memcpy(&bits, value, sizeof(bits));
	for (unsigned i = 0; i < sizeof(bits); i++)
		buf_putc(codec->out, (char)(bits >> 8 * i));
}

void
codec_amount(struct codec *codec, double *value)
{
	codec_double(codec, value);
	if (codec_is_reading(codec) && !(*value >= 0 && isfinite(*value))) {
		codec_fail(codec, "an amount out of range");
		*value = 0;
	}
}

void
codec_bytes(struct codec *codec, const char **bytes, size_t *len)
{
	CODEC_WHOLE(codec, *len, SIZE_MAX);
	if (codec_is_reading(codec)) {
		*bytes = read_bytes(codec, *len);
		*len = *bytes ? *len : 0;
	} else {
		buf_put(codec->out, *bytes, *len);
	}
}

void
codec_text(struct codec *codec, const char **text)
{
	const char *bytes = *text;
	size_t len = codec_is_reading(codec) || !bytes ? 0 : strlen(bytes);

	codec_bytes(codec, &bytes, &len);
	if (!codec_is_reading(codec))
		return;
	*text = "";
	if (len > 0 && strnlen(bytes, len) < len)
		codec_fail(codec, "a text with a zero byte");
	else if (len > 0 && codec_take(codec, len + 1, 1))
		*text = arena_dup(codec->arena, bytes, len);
}

void
codec_text_or_null(struct codec *codec, const char **text)
{
	if (codec_has(codec, *text != NULL))
		codec_text(codec, text);
	else
		*text = NULL;
}

static bool
is_command(const char *text)
{
	static const char *const begins[] = {"profile_run gate", "profile_run compare",
		"profile_run bisect", "profile_run baseline update", "git fetch"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		const size_t len = strlen(begins[i]);

		if (strncmp(text, begins[i], len) == 0 && (text[len] == ' ' || text[len] == '\0'))
			return escape_is_shell_words(text);
	}
	return *text == '\0';
}

/* A text that is refused where it does not pass. */
static void
checked_text(
	struct codec *codec, const char **text, bool (*passes)(const char *), const char *problem)
{
	codec_text(codec, text);
	if (codec_is_reading(codec) && !passes(*text)) {
		codec_fail(codec, problem);
		*text = "";
	}
}

void
codec_command(struct codec *codec, const char **text)
{
	checked_text(codec, text, is_command, "a command that no report shows");
}

void
codec_command_or_null(struct codec *codec, const char **text)
{
	if (codec_has(codec, *text != NULL))
		codec_command(codec, text);
	else
		*text = NULL;
}

void
codec_path(struct codec *codec, const char **text)
{
	checked_text(
		codec, text, escape_is_harmless, "a name with characters of control or of a shell");
}

void
codec_chars(struct codec *codec, char *text, size_t size)
{
	const char *bytes = text;
	size_t len = codec_is_reading(codec) ? 0 : strnlen(text, size - 1);

	codec_bytes(codec, &bytes, &len);
	if (!codec_is_reading(codec))
		return;
	memset(text, 0, size);
	if (len >= size || (len > 0 && strnlen(bytes, len) < len))
		codec_fail(codec, "a text that does not fit");
	else if (len > 0)
		memcpy(text, bytes, len);
}

bool
codec_has(struct codec *codec, bool there)
{
	codec_bool(codec, &there);
	return there;
}

void
codec_count(struct codec *codec, size_t *count, size_t least_bytes)
{
	CODEC_WHOLE(codec, *count, SIZE_MAX);
	if (codec_is_reading(codec) && *count > codec->left / least_bytes) {
		codec_fail(codec, "more items than it has bytes for");
		*count = 0;
	}
}

void *
codec_array(struct codec *codec, const void *items, size_t *count, size_t size, codec_item *item)
{
	char *array = (char *)items;

	codec_count(codec, count, 1);
	if (*count == 0)
		return NULL;
	if (codec_is_reading(codec)) {
		if (!codec_take(codec, *count, size)) {
			*count = 0;
			return NULL;
		}
		array = arena_alloc(codec->arena, *count * size);
	}
	for (size_t i = 0; i < *count; i++)
		item(codec, array + i * size);
	return array;
}
