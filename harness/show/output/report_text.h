/*
 * Text in columns for a console and a log, for report.txt and for the results of calibrate.
 */
#ifndef OUTPUT_REPORT_TEXT_H
#define OUTPUT_REPORT_TEXT_H

#include "base/buf.h"
#include "output/report.h"

/* Appends `text` wrapped to 100 columns, every line after `indent` spaces. */
void text_wrap(struct buf *out, const char *text, size_t indent);
/* The same, its first line after `first` spaces and `label`, which take no more than `indent`. */
void text_wrap_behind(
	struct buf *out, size_t first, const char *label, const char *text, size_t indent);
/* `fmt` and its arguments as one sentence, wrapped behind `label`. */
void text_sentence(struct buf *out, size_t first, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Appends, as "  name    value" lines, the environments of both sides. */
void text_environment(const struct report *report, struct buf *out);

#endif
