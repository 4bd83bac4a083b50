/*
 * Function names for people: made safe, measured in columns, and shortened so that the parts that
 * distinguish functions stay. Their places in the source are in format/place.h.
 */
#ifndef FORMAT_NAME_FIT_H
#define FORMAT_NAME_FIT_H

#include "base/buf.h"
#include "base/escape.h"

#include <stdbool.h>
#include <stddef.h>

/* How names are written in one kind of output. */
struct name_style {
	const char *ellipsis; /* stands for the parts left out; needs no escape */
	bool narrow;          /* for the boxes of a picture: see name_fit_as() */
	escape_text escape;
};

extern const struct name_style name_plain;    /* "..." */
extern const struct name_style name_html;     /* "...", escaped for XML and HTML */
extern const struct name_style name_markdown; /* "...", escaped for a cell of a table */
extern const struct name_style name_picture;  /* one character for "...", narrow, for XML */

/* The number of terminal columns that `text`, valid UTF-8, takes. */
size_t name_columns(const char *text, size_t len);
/* The length in bytes of the longest beginning of `text`, valid UTF-8, of at most `columns`. */
size_t name_head(const char *text, size_t len, size_t columns);

/*
 * Appends `text` made valid UTF-8 and at most `columns` wide (4 at least). A longer name loses, in
 * this order and only as far as needed: the contents of parameter lists, the contents of template
 * arguments, its scopes from the outermost on or the folders of its import path, and its middle.
 */
void name_fit(struct buf *out, const char *text, size_t len, size_t columns);

/*
 * Appends a name as name_fit() does, but in a style, escaped. In a narrow one a parameter list is
 * lost with its brackets; a path loses its beginning, which it shares with its neighbours; and in
 * 16 columns and more all other names lose their middle. In fewer, C++ and Rust names lose their
 * scope, and then, if still too long, their end. flamegraph/assets/label.js does the same.
 */
void name_fit_as(struct buf *out, const char *text, size_t len, size_t columns,
	const struct name_style *style);

/*
 * Appends a name, valid UTF-8, at most `columns` wide (16 at least): the part around byte `at`,
 * where it differs from another name, and its end.
 */
void name_fit_around(struct buf *out, const char *text, size_t len, size_t at, size_t columns);

/* Whether a name is a word that a verdict is given in ("error", "pass"), and so needs quotes. */
bool name_is_verdict(const char *text, size_t len);

/* Appends `text`, escaped; if longer than `bytes` it loses its middle. */
void name_put(struct buf *out, const char *text, size_t len, size_t bytes,
	const struct name_style *style);

#endif
