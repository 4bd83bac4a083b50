/* Parts that the lines of the first screen (first_screen.h) have in common. */
#ifndef OUTPUT_FIRST_SCREEN_INTERNAL_H
#define OUTPUT_FIRST_SCREEN_INTERNAL_H

#include "output/first_screen_total.h"
#include "output/line_parts.h"
#include "output/report_view.h"

#define FIRST_SCREEN_SUBJECT 20 /* columns that a function has at least */

struct first_screen {
	const struct report_view *view;
	const char *folder; /* NULL: no report is written */
	size_t label_columns;
	size_t name_columns;
	struct buf *out;
};

/* The columns behind the verdict and the workload. */
size_t first_screen_room(const struct first_screen *screen);
/* "PASS  parse  " */
void first_screen_put_head(const struct first_screen *screen, const struct workload_view *workload);
/* The name of a function and the rest of its line: the name gets the room that is left. */
void first_screen_put_subject(
	const struct first_screen *screen, const char *subject, const char *rest);
/* The first sentence or line, without its full stop; free() it. */
char *first_screen_sentence(const char *text);

/* A workload that failed: four lines at most for each finding. */
void first_screen_put_failures(
	const struct first_screen *screen, const struct workload_view *workload);

#endif
