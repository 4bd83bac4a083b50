/* The last lines of the first screen (first_screen.h): the totals, the report, and what can be
 * done. */
#ifndef OUTPUT_FIRST_SCREEN_TOTAL_H
#define OUTPUT_FIRST_SCREEN_TOTAL_H

#include "base/buf.h"
#include "output/report_view.h"

#define FIRST_SCREEN_COLUMNS 100 /* of every line of the screen */

/*
 * Appends 4 lines at most. Texts are made safe, commands are quoted for a shell; one that does not
 * fit is said to stand in report.txt. `folder` is as in first_screen_write().
 */
void first_screen_put_total(const struct report_view *view, const char *folder, struct buf *out);

#endif
