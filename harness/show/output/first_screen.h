/*
 * The first screen: what a gate, a comparison, `merge` and `replay` print. It says what failed, by
 * how much, where, and how that is known, and what can be done; everything else is in report.txt
 * and index.html of the report.
 *
 * At most 4 lines for each failing finding, 1 for each other workload, and 4 for all of them, of
 * 100 columns. Nothing in a name or a message can break a line or control a terminal.
 */
#ifndef OUTPUT_FIRST_SCREEN_H
#define OUTPUT_FIRST_SCREEN_H

#include "base/buf.h"
#include "output/report_view.h"

/*
 * Appends the screen of a report whose files are in `folder`, as a user knows it from here:
 * "reports/latest"; NULL: they were not written.
 */
void first_screen_write(const struct report *report, const char *folder, struct buf *out);

#define FIRST_SCREEN_COLUMNS 100 /* of every line of the screen */

/*
 * The last lines of the screen, which first_screen_write() puts: the totals, the report, and what
 * can be done. Appends 4 lines at most. Texts are made safe, commands are quoted for a shell; one
 * that does not fit is said to stand in report.txt. `folder` is as above.
 */
void first_screen_put_total(const struct report_view *view, const char *folder, struct buf *out);

/*
 * Shared by the lines of workloads (first_screen.c) and those of failing findings
 * (first_screen_failures.c).
 */

#define FIRST_SCREEN_SUBJECT_LEAST 20 /* columns that a function has at least */

struct first_screen {
	const struct report_view *view;
	const char *folder; /* NULL: no report is written */
	size_t label_columns;
	size_t name_columns;
	struct buf *out;
};

/* The columns behind the verdict and the workload. */
size_t first_screen_room(const struct first_screen *screen);
/* The beginning of a workload's line: "PASS  parse  ". */
void first_screen_put_head(const struct first_screen *screen, const struct workload_view *workload);
/* The name of a function and the rest of its line: the name gets the room that is left. */
void first_screen_put_named(
	const struct first_screen *screen, const char *subject, const char *rest);
/* The first sentence or line of a text, without its full stop; free() it. */
char *first_screen_sentence(const char *text);

/* The failing findings of a workload: four lines at most for each. */
void first_screen_put_failures(
	const struct first_screen *screen, const struct workload_view *workload);

#endif
