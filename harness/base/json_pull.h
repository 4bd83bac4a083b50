/*
 * JSON, read value by value in one pass over a text in memory. There is no tree: its user takes
 * each value as what he expects, and one of another kind is skipped.
 *
 *     json_pull_init(&json, path, &view);
 *     for (int key; (key = json_pull_field(&json, &fields)) >= 0;)
 *         ...
 *     result = json_pull_end(&json, result, "...", err);
 *     json_pull_release(&json);
 *
 * Text that is no JSON stops the reading: from then on every call returns false, and
 * json_pull_end() the error with its line and column. A complaint about missing values is therefore
 * for after json_pull_failed().
 *
 * Source: RFC 8259. Text may hold any bytes but quotes and backslashes. Of several members with
 * one key json_pull_field() takes the first.
 */
#ifndef BASE_JSON_PULL_H
#define BASE_JSON_PULL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lists and objects within one another. */
#define JSON_PULL_DEPTH_MAX 1000
/* A double holds every whole number below it. */
#define JSON_PULL_WHOLE_MAX ((uint64_t)1 << 53)

struct json_pull {
	const struct file_view *view; /* borrowed */
	const char *path;             /* borrowed; for the error */
	size_t at;
	size_t end;
	size_t released; /* bytes of the view that take no memory any more */
	unsigned depth;
	bool first;          /* nothing was read of the innermost list or object */
	const char *problem; /* NULL: none; `at` is its place */
	struct buf decoded;  /* the last text with an escape */
};

/*
 * Text without its quotes, ending ahead of its first NUL, "\u0000", if it has one. Not terminated;
 * borrowed until the next text, key or value is read.
 */
struct json_text {
	const char *at;
	size_t len;
};

bool json_text_is(struct json_text text, const char *expected);

/* At the first value, behind a byte order mark. Parts of a mapped view that were read are released.
 */
void json_pull_init(struct json_pull *json, const char *path, const struct file_view *view);
void json_pull_release(struct json_pull *json);

bool json_pull_failed(const struct json_pull *json);
/*
 * The result of reading the file, where `result` is that of its user: -1, with the error, also
 * where the text is no JSON, or anything follows the value, about which `more` says so.
 */
int json_pull_end(struct json_pull *json, int result, const char *more, struct err *err);

/*
 * The next value. Each returns whether it is of this kind; else it is skipped, and what the
 * pointer points at stays as it was.
 */

bool json_pull_text(struct json_pull *json, struct json_text *text);
/* The same as a copy in the place of *text, which is freed; free() it. */
bool json_pull_text_dup(struct json_pull *json, char **text);
/* Infinite where it is larger than any double. */
bool json_pull_number(struct json_pull *json, double *number);
/* A number of 0 or more without a fraction, below `limit`, which is at most JSON_PULL_WHOLE_MAX. */
bool json_pull_whole(struct json_pull *json, uint64_t limit, uint64_t *number);
/* Enters it: json_pull_item() has to be called until it returns false. */
bool json_pull_list(struct json_pull *json);
/* The same of json_pull_key() or json_pull_field(). */
bool json_pull_object(struct json_pull *json);
void json_pull_skip(struct json_pull *json);

/* Whether the list goes on: the next value has to be taken, or skipped. */
bool json_pull_item(struct json_pull *json);
/* The same of an object; the value is that of the key. */
bool json_pull_key(struct json_pull *json, struct json_text *key);

/* The keys of an object, at most 32; `seen` is 0 at its begin. */
struct json_fields {
	const char *const *keys; /* NULL-ended */
	uint32_t seen;           /* bits */
};

#define JSON_FIELDS(list) ((struct json_fields){.keys = (list)})

static inline bool
json_fields_has(const struct json_fields *fields, int key)
{
	return fields->seen >> key & 1;
}

/*
 * The number of the object's next key, whose value has to be taken; -1 at its end. Members with
 * other keys, and with one that was there before, are skipped.
 */
int json_pull_field(struct json_pull *json, struct json_fields *fields);

/*
 * A value that has to wait for another one: skip it, and come back with json_pull_go(). From the
 * value that was gone to, go back to where the reading was.
 */
struct json_place {
	size_t at;
	bool first;
};

struct json_place json_pull_place(const struct json_pull *json);
void json_pull_go(struct json_pull *json, struct json_place place);

#endif
