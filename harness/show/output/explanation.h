/*
 * One finding explained on one page, for a person in a hurry and for a program: what is known of it
 * by the report, and why other things are not. It is made as sections of lines; writing them bounds
 * the whole to EXPLANATION_BYTES_MAX, whatever the report has.
 */
#ifndef OUTPUT_EXPLANATION_H
#define OUTPUT_EXPLANATION_H

#include "base/buf.h"
#include "base/err.h"
#include "output/explanation_parts.h"
#include "output/report_view.h"

#define EXPLANATION_BYTES_MAX 16384

/*
 * Explains a finding of a report: of those listed the one with a number, the severest workload's
 * first, or that of a function's name, listed or not; NULL: the first one. An error, which lists
 * some, where there is no such finding. `view` must outlive the explanation.
 */
int explanation_init(struct explanation *explanation, const struct report_view *view,
	const char *wanted, struct err *err);
void explanation_release(struct explanation *explanation);

/* Appends it, at most EXPLANATION_BYTES_MAX bytes. */
void explanation_put_text(const struct explanation *explanation, struct buf *out);
/* The same as a JSON object with a line end. */
void explanation_put_json(const struct explanation *explanation, struct buf *out);

#endif
