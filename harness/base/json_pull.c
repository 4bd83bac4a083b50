#include "base/json_pull.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* So many bytes of a mapped file are kept behind the reading. */
#define RELEASE_BYTES ((size_t)1 << 20)

/* Powers of ten that doubles hold exactly. */
#define EXACT_TENS 22
/* An exponent beyond it is 0 or infinite for any mantissa that fits into a file. */
#define EXPONENT_MAX 100000000

bool
json_text_is(struct json_text text, const char *expected)
{
	return strncmp(text.at, expected, text.len) == 0 && expected[text.len] == '\0';
}

void
json_pull_init(struct json_pull *json, const char *path, const struct file_view *view)
{
	*json = (struct json_pull){.view = view,
		.path = path,
		.at = text_mark_len(view->data, view->len),
		.end = view->len};
}

void
json_pull_release(struct json_pull *json)
{
	buf_release(&json->decoded);
}

bool
json_pull_failed(const struct json_pull *json)
{
	return json->problem != NULL;
}

/* From here on there is nothing, so that all loops end. */
static bool
fail_at(struct json_pull *json, size_t at, const char *problem)
{
	if (json->problem)
		return false;
	json->problem = problem;
	json->at = at;
	json->end = at;
	return false;
}

static bool
fail(struct json_pull *json, const char *problem)
{
	return fail_at(json, json->at, problem);
}

/* The character here; NUL at the end, which is part of no JSON either. */
static inline char
here(const struct json_pull *json)
{
	if (json->at == json->end)
		return '\0';
	return json->view->data[json->at];
}

/* The same of the next one that is not blank. */
static inline char
next(struct json_pull *json)
{
	char c;

	while ((c = here(json)) == ' ' || c == '\n' || c == '\t' || c == '\r')
		json->at++;
	return c;
}

int
json_pull_end(struct json_pull *json, int result, const char *more, struct err *err)
{
	const struct file_view *view = json->view;

	if (!json->problem && result < 0)
		return result;
	next(json);
	if (!json->problem && json->at == json->end)
		return 0;
	const struct location where = location_at(json->path, view->data, view->len, json->at);

	return json->problem ? err_set_at(err, &where, "this is not JSON: %s", json->problem)
			     : err_set_at(err, &where, "%s", more);
}

static void
release_pages(struct json_pull *json)
{
	if (json->view->mapped)
		file_view_done(json->view, json->released, json->at);
	json->released = json->at;
}

static bool
enter(struct json_pull *json)
{
	if (json->depth == JSON_PULL_DEPTH_MAX)
		return fail(json, "its lists and objects are more than 1000 levels deep");
	json->depth++;
	json->at++;
	json->first = true;
	return true;
}

/* False, as said at the end of a list or an object. */
static bool
leave(struct json_pull *json)
{
	json->depth--;
	json->at++;
	json->first = false;
	return false;
}

/* The four digits at `at`, or -1. */
static long
read_unit(const struct json_pull *json, size_t at)
{
	long unit = 0;

	if (json->end - at < 4)
		return -1;
	for (size_t i = at; i < at + 4 && unit >= 0; i++) {
		const int digit = text_hex_digit(json->view->data[i]);

		unit = digit < 0 ? -1 : unit * 16 + digit;
	}
	return unit;
}

/* \uXXXX, and two of them for a character beyond U+FFFF. `at` is that of the backslash. */
static bool
decode_unit(struct json_pull *json, size_t *at)
{
	const char *data = json->view->data;
	const long high = read_unit(json, *at + 2);

	if (high < 0)
		return fail_at(json, *at, "expected four hexadecimal digits behind \\u");
	if (high < 0xd800 || high > 0xdfff) {
		buf_put_utf8(&json->decoded, (uint32_t)high);
		*at += 6;
		return true;
	}
	const bool pair = high < 0xdc00 && json->end - *at >= 12 && data[*at + 6] == '\\' &&
			  data[*at + 7] == 'u';
	const long low = pair ? read_unit(json, *at + 8) : -1;

	if (low < 0xdc00 || low > 0xdfff)
		return fail_at(json, *at, "a surrogate without its other half");
	buf_put_utf8(&json->decoded, 0x10000 + (uint32_t)((high - 0xd800) << 10 | (low - 0xdc00)));
	*at += 12;
	return true;
}

static bool
decode_escape(struct json_pull *json, size_t *at)
{
	static const char escapes[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	if (*at + 1 == json->end)
		return fail_at(json, *at, "there is no such escape");
	const char c = json->view->data[*at + 1];
	const char *escape = c != '\0' ? strchr(escapes, c) : NULL;

	if (c == 'u')
		return decode_unit(json, at);
	if (!escape)
		return fail_at(json, *at, "there is no such escape");
	buf_putc(&json->decoded, meanings[escape - escapes]);
	*at += 2;
	return true;
}

/* The text behind the quote at `start`, which has an escape. */
static bool
decode(struct json_pull *json, size_t start)
{
	const char *data = json->view->data;
	size_t from = start;

	buf_clear(&json->decoded);
	for (;;) {
		size_t at = from;

		while (at < json->end && data[at] != '"' && data[at] != '\\')
			at++;
		buf_put(&json->decoded, data + from, at - from);
		if (at == json->end)
			return fail_at(json, start - 1, "this text has no closing quote");
		if (data[at] == '"') {
			json->at = at + 1;
			return true;
		}
		if (!decode_escape(json, &at))
			return false;
		from = at;
	}
}

/* The text whose first quote is here. */
static bool
take_text(struct json_pull *json, struct json_text *text)
{
	const size_t start = json->at + 1;
	const char *from = json->view->data + start;
	const char *quote = memchr(from, '"', json->end - start);

	if (!quote)
		return fail(json, "this text has no closing quote");
	struct json_text taken = {from, (size_t)(quote - from)};

	if (memchr(from, '\\', taken.len)) {
		if (!decode(json, start))
			return false;
		taken = (struct json_text){buf_text(&json->decoded), json->decoded.len};
	} else {
		json->at = start + taken.len + 1;
	}
	const char *nul = memchr(taken.at, '\0', taken.len);

	if (nul)
		taken.len = (size_t)(nul - taken.at);
	*text = taken;
	return true;
}

bool
json_pull_text(struct json_pull *json, struct json_text *text)
{
	if (next(json) == '"')
		return take_text(json, text);
	json_pull_skip(json);
	return false;
}

bool
json_pull_text_dup(struct json_pull *json, char **text)
{
	struct json_text taken;

	if (!json_pull_text(json, &taken))
		return false;
	free(*text);
	*text = mem_dup(taken.at, taken.len);
	return true;
}

/* A number's digits, as far as they are needed: it is mantissa * 10^exponent. */
struct decimal {
	uint64_t mantissa;
	long exponent;
	bool negative;
	bool inexact; /* it has more digits than the mantissa */
};

/* Takes the digits here, at least one. */
static bool
take_digits(struct json_pull *json, struct decimal *decimal)
{
	const size_t start = json->at;
	const char *data = json->view->data;
	size_t at = start;

	while (at < json->end && text_is_digit(data[at])) {
		if (decimal->mantissa < UINT64_MAX / 10 - 1)
			decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(data[at] - '0');
		else
			decimal->inexact = true;
		at++;
	}
	json->at = at;
	return at > start ? true : fail(json, "expected a digit");
}

static bool
take_exponent(struct json_pull *json, struct decimal *decimal)
{
	long exponent = 0;

	json->at++;
	const bool negative = here(json) == '-';

	if (negative || here(json) == '+')
		json->at++;
	if (!text_is_digit(here(json)))
		return fail(json, "expected a digit");
	for (; text_is_digit(here(json)); json->at++)
		exponent = exponent < EXPONENT_MAX ? exponent * 10 + (here(json) - '0') : exponent;
	decimal->exponent += negative ? -exponent : exponent;
	return true;
}

/* The number here, by the grammar. */
static bool
take_decimal(struct json_pull *json, struct decimal *decimal)
{
	*decimal = (struct decimal){.negative = here(json) == '-'};
	if (decimal->negative)
		json->at++;
	if (here(json) == '0')
		json->at++;
	else if (!take_digits(json, decimal))
		return false;
	if (here(json) == '.') {
		const size_t point = json->at++;

		if (!take_digits(json, decimal))
			return false;
		decimal->exponent = -(long)(json->at - point - 1);
	}
	return here(json) == 'e' || here(json) == 'E' ? take_exponent(json, decimal) : true;
}

/*
 * Exact where the mantissa and the power of ten are: then the one operation rounds as strtod().
 * Source: W. D. Clinger, How to read floating point numbers accurately, 1990.
 */
static double
decimal_value(struct json_pull *json, const struct decimal *decimal, size_t start)
{
	static const double tens[EXACT_TENS + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
		1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const long exponent = decimal->exponent;

	if (decimal->inexact || decimal->mantissa > JSON_PULL_WHOLE_MAX || exponent < -EXACT_TENS ||
		exponent > EXACT_TENS) {
		buf_clear(&json->decoded);
		buf_put(&json->decoded, json->view->data + start, json->at - start);
		return strtod(buf_text(&json->decoded), NULL);
	}
	const double mantissa = (double)decimal->mantissa;
	const double value = exponent < 0 ? mantissa / tens[-exponent] : mantissa * tens[exponent];

	return decimal->negative ? -value : value;
}

/*
 * The digits here, up to 15 of them, without a sign, a fraction or an exponent: nearly all numbers
 * of a large file. False, with nothing taken, where they are anything else.
 */
static inline bool
take_short(struct json_pull *json, uint64_t *number)
{
	const char *data = json->view->data;
	const size_t start = json->at;
	const size_t most = json->end - start < 16 ? json->end : start + 16;
	size_t at = start;
	uint64_t value = 0;

	for (; at < most && text_is_digit(data[at]); at++)
		value = value * 10 + (uint64_t)(data[at] - '0');
	/* A leading 0 and what follows the digits are judged by the grammar. */
	if (at == start || at == most || data[at] == '.' || (data[at] | 0x20) == 'e' ||
		(data[start] == '0' && at > start + 1))
		return false;
	json->at = at;
	*number = value;
	return true;
}

bool
json_pull_number(struct json_pull *json, double *number)
{
	const char c = next(json);
	const size_t start = json->at;
	struct decimal decimal;
	uint64_t whole;

	if (take_short(json, &whole)) {
		*number = (double)whole;
		return true;
	}
	if (c != '-' && !text_is_digit(c)) {
		json_pull_skip(json);
		return false;
	}
	if (!take_decimal(json, &decimal))
		return false;
	*number = decimal_value(json, &decimal, start);
	return true;
}

bool
json_pull_whole(struct json_pull *json, uint64_t limit, uint64_t *number)
{
	double value;
	uint64_t whole;

	next(json);
	if (take_short(json, &whole)) {
		if (whole >= limit)
			return false;
		*number = whole;
		return true;
	}
	if (!json_pull_number(json, &value) || !(value >= 0) || !(value < (double)limit) ||
		value != (double)(uint64_t)value)
		return false;
	*number = (uint64_t)value;
	return true;
}

bool
json_pull_list(struct json_pull *json)
{
	if (next(json) == '[')
		return enter(json);
	json_pull_skip(json);
	return false;
}

bool
json_pull_object(struct json_pull *json)
{
	if (next(json) == '{')
		return enter(json);
	json_pull_skip(json);
	return false;
}

bool
json_pull_item(struct json_pull *json)
{
	const char c = next(json);

	if (json->at - json->released > RELEASE_BYTES)
		release_pages(json);
	if (c == ']')
		return leave(json);
	if (!json->first) {
		if (c != ',')
			return fail(json, "expected ',' or ']'");
		json->at++;
	}
	json->first = false;
	return !json->problem;
}

bool
json_pull_key(struct json_pull *json, struct json_text *key)
{
	char c = next(json);

	if (c == '}')
		return leave(json);
	if (!json->first) {
		if (c != ',')
			return fail(json, "expected ',' or '}'");
		json->at++;
		c = next(json);
	}
	json->first = false;
	if (c != '"')
		return fail(json, "expected a key in quotes");
	if (!take_text(json, key))
		return false;
	if (next(json) != ':')
		return fail(json, "expected ':' behind the key");
	json->at++;
	return true;
}

int
json_pull_field(struct json_pull *json, struct json_fields *fields)
{
	struct json_text key;

	while (json_pull_key(json, &key)) {
		int number = 0;

		while (fields->keys[number] && !json_text_is(key, fields->keys[number]))
			number++;
		if (fields->keys[number] && !json_fields_has(fields, number)) {
			fields->seen |= (uint32_t)1 << number;
			return number;
		}
		json_pull_skip(json);
	}
	return -1;
}

static bool
skip_word(struct json_pull *json)
{
	static const char *const words[] = {"true", "false", "null", NULL};

	for (const char *const *word = words; *word; word++) {
		const size_t len = strlen(*word);

		if (json->end - json->at >= len &&
			memcmp(json->view->data + json->at, *word, len) == 0) {
			json->at += len;
			return true;
		}
	}
	return fail(json, "expected a value");
}

/* One that is neither a list nor an object. */
static bool
skip_scalar(struct json_pull *json, char c)
{
	struct json_text text;
	struct decimal decimal;

	if (c == '"')
		return take_text(json, &text);
	return c == '-' || text_is_digit(c) ? take_decimal(json, &decimal) : skip_word(json);
}

void
json_pull_skip(struct json_pull *json)
{
	bool lists[JSON_PULL_DEPTH_MAX]; /* of those entered: it is a list */
	struct json_text key;
	size_t depth = 0;

	do {
		if (depth > 0 &&
			!(lists[depth - 1] ? json_pull_item(json) : json_pull_key(json, &key))) {
			depth--;
			continue;
		}
		const char c = next(json);

		if (c != '[' && c != '{')
			skip_scalar(json, c);
		else if (enter(json))
			lists[depth++] = c == '[';
	} while (depth > 0);
}

struct json_place
json_pull_place(const struct json_pull *json)
{
	return (struct json_place){json->at, json->first};
}

void
json_pull_go(struct json_pull *json, struct json_place place)
{
	if (json->problem)
		return;
	json->at = place.at;
	json->first = place.first;
	if (json->at < json->released)
		json->released = json->at;
}
