/*
 * Words of a line of text: shared by the readers of text formats.
 */
#ifndef INGEST_WORDS_H
#define INGEST_WORDS_H

#include "base/lines.h"

#include <stdbool.h>
#include <string.h>

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

#endif
