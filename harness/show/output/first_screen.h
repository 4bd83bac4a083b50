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

#endif
