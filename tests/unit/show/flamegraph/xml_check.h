/*
 * A small judge of well-formed XML, for what our own pictures use of it: a declaration, elements
 * with quoted attributes, the five references that we write, CDATA. Anything else is an error, and
 * so are control characters and bytes that are no UTF-8.
 */
#ifndef UNIT_FLAMEGRAPH_XML_CHECK_H
#define UNIT_FLAMEGRAPH_XML_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define XML_DEPTH_MAX 64

struct xml_check {
	const char *at;
	const char *end;
	const char *open[XML_DEPTH_MAX]; /* names of the open elements */
	size_t open_len[XML_DEPTH_MAX];
	size_t depth;
	size_t nelements;
};

static inline bool
xml_starts(const struct xml_check *check, const char *with)
{
	size_t len = strlen(with);

	return (size_t)(check->end - check->at) >= len && memcmp(check->at, with, len) == 0;
}

/* One character of UTF-8 that XML allows; moves behind it. */
static inline bool
xml_character(struct xml_check *check)
{
	unsigned char c = (unsigned char)*check->at++;
	int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;

	if (more < 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
		return false;
	for (; more > 0; more--, check->at++)
		if (check->at == check->end || ((unsigned char)*check->at & 0xc0) != 0x80)
			return false;
	return true;
}

static inline bool
xml_reference(struct xml_check *check)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (xml_starts(check, known[i])) {
			check->at += strlen(known[i]);
			return true;
		}
	}
	return false;
}

/* Text up to `stop`, which is not taken; `<` ends it in any case. */
static inline bool
xml_text(struct xml_check *check, char stop)
{
	while (check->at < check->end && *check->at != stop && *check->at != '<') {
		if (xml_starts(check, "]]>"))
			return false;
		if (!(*check->at == '&' ? xml_reference(check) : xml_character(check)))
			return false;
	}
	return true;
}

static inline size_t
xml_name(const struct xml_check *check)
{
	size_t len = 0;

	while (check->at + len < check->end && check->at[len] != '\0' &&
		strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:",
			check->at[len]))
		len++;
	return len;
}

static inline bool
xml_attributes(struct xml_check *check)
{
	while (check->at < check->end && (*check->at == ' ' || *check->at == '\n')) {
		check->at++;
		size_t len = xml_name(check);

		check->at += len;
		if (len == 0 || !xml_starts(check, "=\""))
			return false;
		check->at += 2;
		if (!xml_text(check, '"') || !xml_starts(check, "\""))
			return false;
		check->at++;
	}
	return true;
}

static inline bool
xml_tag(struct xml_check *check)
{
	bool closing = check->at[1] == '/';

	check->at += closing ? 2 : 1;
	const char *name = check->at;
	size_t len = xml_name(check);

	check->at += len;
	if (closing) {
		if (check->depth == 0 || len != check->open_len[--check->depth] ||
			memcmp(name, check->open[check->depth], len) != 0 ||
			!xml_starts(check, ">"))
			return false;
		check->at++;
		return true;
	}
	if (len == 0 || check->depth == XML_DEPTH_MAX || !xml_attributes(check))
		return false;
	check->nelements++;
	if (xml_starts(check, "/>")) {
		check->at += 2;
		return true;
	}
	check->open[check->depth] = name;
	check->open_len[check->depth++] = len;
	bool closed = xml_starts(check, ">");

	check->at++;
	return closed;
}

/* Whether `text` is one element with all that is in it, behind an XML declaration. */
static inline bool
xml_is_well_formed(const char *text, size_t len)
{
	struct xml_check check = {.at = text, .end = text + len};
	const char *declared = strstr(text, "?>\n");

	if (!xml_starts(&check, "<?xml version=\"1.0\"") || !declared)
		return false;
	check.at = declared + 3;
	while (check.at < check.end) {
		if (xml_starts(&check, "<![CDATA[")) {
			const char *end = strstr(check.at, "]]>");

			if (!end || check.depth == 0)
				return false;
			check.at = end + 3;
		} else if (*check.at == '<') {
			if (!xml_tag(&check))
				return false;
		} else if (check.depth == 0) {
			return strcmp(check.at, "\n") == 0 && check.nelements > 0;
		} else if (!xml_text(&check, '<')) {
			return false;
		}
	}
	return false;
}

#endif
