/*
 * Making hostile text safe for each place it is written to.
 *
 * Function names come out of files that anyone may have made: they can hold control characters,
 * invalid UTF-8, markup and terminal escapes. Every output escapes through this file and no other.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* How an output makes text safe: one of the functions below that append to a buffer. */
typedef void (*escape_text)(struct buf *out, const char *text, size_t len);

/*
 * In place, the same length: no line of the text is a command to a CI system whose log it goes to.
 * GitHub Actions takes "::NAME::TEXT" at the start of a line, whatever white space is before it
 * (runner: ActionCommand.TryParseV2()), and "##[NAME]TEXT" anywhere (TryParse()), Azure Pipelines
 * "##vso[NAME]TEXT" and TeamCity "##teamcity[NAME ...]" anywhere: the first ':' and the '[' become
 * '?'.
 */
void escape_commands(char *text, size_t len);

/*
 * In place, the same length: control characters other than newline and tab, invisible characters
 * (Unicode's Default_Ignorable_Code_Point: bidirectional overrides, zero-width ones) and invalid
 * UTF-8 become '?', so that no text can move the cursor or colour a terminal. Commands
 * are made harmless as by escape_commands().
 */
void escape_terminal(char *text, size_t len);

/*
 * Appends `text` as XML character data or attribute value: & < > " ' as references; characters that
 * XML 1.0 forbids (section 2.2, production [2]), invalid UTF-8 and invisible characters as U+FFFD.
 * Also safe as HTML text or quoted attribute.
 */
void escape_xml(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as valid UTF-8: each invalid byte, control character or invisible character
 * becomes U+FFFD. For formats whose own library does the rest of the escaping (JSON), and for
 * columns of text.
 */
void escape_utf8(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as GitHub-flavoured Markdown inside a table cell: escape_xml() and then a
 * backslash before each of \ ` * _ { } [ ] ( ) # + - . ! | ~ @.
 */
void escape_markdown(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as escape_markdown() does, for a comment on GitHub, which also turns names, issue
 * numbers and addresses in plain text into links, and '$' into formulas: the first character of
 * what would be one ('@', '#', "gh-", "www", ':' before '/', '$') stands in an element, as GitHub
 * documents for '$'. Nobody is notified, and what is copied from the comment is the text.
 */
void escape_comment(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as part of a URL: bytes other than / and the unreserved ones (RFC 3986, section
 * 2.3) percent-encoded. The result needs no further escape in XML, HTML or a Markdown link.
 */
void escape_url(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as escape_utf8() does, and as the message of a workflow command of GitHub Actions
 * ("::error ::MESSAGE"), which ends with its line; or as a property of one, which also ends at ','
 * and "::".
 */
void escape_command(struct buf *out, const char *text, size_t len);
void escape_command_property(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as escape_command() does, and as escape_commands(), for Azure Pipelines: as the
 * message of "##vso[task.logissue type=error]MESSAGE", or as one of its properties, which also ends
 * at ';' and ']'. The agent reads "%AZP25" as '%' (docs/design/percentEncoding.md).
 */
void escape_azure(struct buf *out, const char *text, size_t len);
void escape_azure_property(struct buf *out, const char *text, size_t len);

/*
 * Appends `text` as escape_utf8() does, newlines kept, and as a value of a service message of
 * TeamCity, "##teamcity[NAME key='VALUE']": '|' is before each | ' [ ] and, as "|n", stands for a
 * newline; other than ASCII is "|0xNNNN", a unit of UTF-16 each.
 */
void escape_teamcity(struct buf *out, const char *text, size_t len);

/* Appends `text` as escape_utf8() does, with a backslash before each " and \: a quoted string. */
void escape_quoted(struct buf *out, const char *text, size_t len);

/* Appends `text` as one word of a POSIX shell, in quotes where it needs them. */
void escape_shell_word(struct buf *out, const char *text);

/* Whether `text` has a control character of ASCII: a line end, a tab, an escape. */
bool escape_has_control(const char *text);

/*
 * Whether `text` has nothing but words as of escape_shell_word(), '~' and spaces, and no control
 * character: to a shell it is one program with its arguments.
 */
bool escape_is_shell_words(const char *text);

/*
 * Whether `text` is without control characters and without those that a shell acts upon outside of
 * quotes. Spaces, apostrophes and parentheses, which ordinary file names have, are allowed.
 */
bool escape_is_harmless(const char *text);

/*
 * Appends `text` as one frame of a folded line: ';' becomes ':', control characters and line ends
 * (newline and U+2028 included) become '?'. Spaces are kept: the weight is what follows the last
 * one.
 */
void escape_folded(struct buf *out, const char *text, size_t len);

#endif
