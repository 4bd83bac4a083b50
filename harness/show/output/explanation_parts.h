/*
 * The sections of an explanation, each added by one function, and what these share.
 */
#ifndef OUTPUT_EXPLANATION_PARTS_H
#define OUTPUT_EXPLANATION_PARTS_H

#include "base/arena.h"
#include "output/report_view.h"

#include <stdbool.h>
#include <stddef.h>

/* In this order. */
enum explanation_part {
	EXPLAIN_EFFECT,
	EXPLAIN_CAUSE,
	EXPLAIN_EVIDENCE,
	EXPLAIN_STACKS,
	EXPLAIN_LINES,
	EXPLAIN_DIFF,
	EXPLAIN_CALLERS,
	EXPLAIN_CODE,
	EXPLAIN_EXCLUDED,
	EXPLAIN_REPRODUCE,
	EXPLAIN_LIMITS,
	EXPLAIN_PARTS,
};

/* Texts are plain: not yet escaped, and of any length. */
struct explanation_section {
	const char **lines; /* owned; texts are the arena's */
	size_t nlines;
	size_t capacity;
	bool is_prose;   /* its lines are sentences, also where others are source or code */
	size_t left_out; /* items that the report itself leaves out, or that are not listed here */
};

struct explanation {
	const struct report_view *view;
	const struct workload_view *workload; /* NULL: the report has none */
	const struct finding_view *finding;   /* NULL: no finding is listed */
	size_t number;               /* of the finding, from 1; 0: it is none that is listed */
	size_t count;                /* of listed findings */
	const struct causes *causes; /* of the finding's growth; NULL: none are known */
	struct arena arena;
	struct explanation_section sections[EXPLAIN_PARTS];
};

/* Adds a line to a section; nothing for NULL and "". */
void explanation_add(struct explanation *explanation, enum explanation_part part, const char *text);
void explanation_addf(struct explanation *explanation, enum explanation_part part, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));
/* Adds a text of several lines, each behind `indent`. */
void explanation_add_lines(struct explanation *explanation, enum explanation_part part,
	const char *indent, const char *text);

/* The effect by which the finding is judged: its own, or that of what grew with it. */
const struct effect *explanation_effect(const struct explanation *explanation);

/* Of an explanation with a finding. */
void explain_lines(struct explanation *explanation);
void explain_diff(struct explanation *explanation);
void explain_code(struct explanation *explanation);
void explain_excluded(struct explanation *explanation);
void explain_limits(struct explanation *explanation);

#endif
