/*
 * Shared by the readers of the formats: words of a line, bytes of an input, the limit of a tree,
 * and the description of a profile.
 */
#ifndef INGEST_INGEST_INTERNAL_H
#define INGEST_INGEST_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/lines.h"
#include "perfdata/reader.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Words of a line of text: shared by the readers of text formats.
 */

static inline bool
words_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The text without the blanks around it. */
static inline struct line
words_trim(struct line text)
{
	while (text.len > 0 && words_blank(*text.at)) {
		text.at++;
		text.len--;
	}
	while (text.len > 0 && words_blank(text.at[text.len - 1]))
		text.len--;
	return text;
}

/* Takes the first word off `text`, empty at its end; returns whether there is one. */
static inline bool
words_take(struct line *text, struct line *word)
{
	*text = words_trim(*text);
	*word = (struct line){text->at, 0};
	while (word->len < text->len && !words_blank(text->at[word->len]))
		word->len++;
	text->at += word->len;
	text->len -= word->len;
	return word->len > 0;
}

static inline bool
words_are(struct line text, const char *wanted)
{
	return text.len == strlen(wanted) && memcmp(text.at, wanted, text.len) == 0;
}

static inline bool
words_start(struct line text, const char *with)
{
	return text.len >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

/*
 * Whether a file that starts with these bytes is text in UTF-16, as PowerShell writes it when
 * output is redirected to a file, which is converted to UTF-8 ahead of all readers of text: by its
 * byte order mark, or by eight characters of ASCII, each beside a zero.
 */
bool utf16_is(const char *bytes, size_t len);
/*
 * Appends the text in UTF-8, without a byte order mark; `bytes` begin as utf16_is() tells. Halves
 * of pairs that stand alone, and half a character at the end, become U+FFFD.
 */
void utf16_decode(const char *bytes, size_t len, struct buf *out);

/*
 * Expands what gzip compressed (RFC 1952), and appends it. It is an error if it is damaged, cut, or
 * expands to more than 64 MiB and a hundred times its size: no profile does. `path` is for
 * messages.
 */
int gunzip(const char *bytes, size_t len, const char *path, struct buf *out, struct err *err);

/* Whether these are the first bytes of a gzip file. */
bool gunzip_is(const char *bytes, size_t len);
/* Expands at most `room` bytes from the beginning into `out`: how many. The input may be cut. */
size_t gunzip_head(const char *bytes, size_t len, char *out, size_t room);

/* The error where something follows the object of JSON that a file is. */
#define JSON_FILE_MORE "the object ends ahead of this: give each of several files by itself"

/*
 * How large a call tree may become by reading a file. Formats that name a frame by a number of a
 * byte, or a stack's frames by one address, can make many more nodes than they have bytes, above
 * all when the file is packed.
 */

#define TREE_LIMIT_LEAST ((size_t)2 << 20)

/* The nodes that the tree may have when a file of this size, as it is stored, has been read. */
static inline size_t
tree_limit(const struct profile *profile, size_t file_bytes)
{
	return profile->tree.nnodes + TREE_LIMIT_LEAST + file_bytes;
}

/* `path` is for the message. */
static inline int
tree_limit_check(const struct profile *profile, size_t limit, const char *path, struct err *err)
{
	if (profile->tree.nnodes <= limit)
		return 0;
	return err_set(
		err, ERR_INPUT, "%s: its stacks have more frames than a file of this size", path);
}

/*
 * The description of a profile in a perf.data file: command, event, machine, frequency.
 */

/* Whether the event counts CPU time: its period is in ns. */
bool describe_is_clock(const struct perf_event_attr *attr);

/* Whether each sample states how long a thread waited: of perf record --off-cpu. */
bool describe_is_off_cpu(const struct perfdata_event *event);

/*
 * Events that profile_run counted, each sample of which is a stack with all that it did: the weight
 * of such a sample is its period.
 */
struct counted_event {
	const char *name;
	const char *metric;
	const char *unit;
};

/* NULL for an event of samples. */
const struct counted_event *describe_counted(const struct perfdata_event *event);

/* Sets an attribute of the profile unless it is known, or there is no text. */
void describe_set(struct profile *profile, str_id *attribute, const char *text);
/*
 * Sets the unit of the weights, unless it is known, from the name that a file has for it: of times
 * and sizes to the base of their quantity; "count" and "none" are no unit. Returns how many of that
 * one of the file's is.
 */
double describe_unit(struct profile *profile, const char *name, size_t len);
/* For times that threads waited, and with `all` also ran: before describe_capture(). */
void describe_times(struct profile *profile, bool all);
/*
 * Fills in what `profile` does not say yet; `event` is the one whose samples it holds, the first of
 * them at `first_ns`.
 */
void describe_capture(struct profile *profile, const struct perfdata_reader *reader, size_t event,
	uint64_t first_ns);

#endif
