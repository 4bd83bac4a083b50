/*
 * Which lines of a function became slower from one side to the other, as a sentence.
 */
#ifndef ANALYSIS_ANNOTATION_GROWTH_H
#define ANALYSIS_ANNOTATION_GROWTH_H

#include "analysis/annotation.h"
#include "base/buf.h"

/*
 * Appends which lines have most of what the function grew by, and the instruction that most of the
 * first one's weight is at: "work.c:9 +12 ms, other lines +1 ms of +13 ms; ...". Nothing where no
 * line has a fifth of it.
 */
void annotation_put_growth(const struct annotation_rows *rows, struct buf *out);

/*
 * Appends, of a function that did not grow, the line that has more of it than before: "work.c:9
 * grew from 20 % to 31 % of the function, which shrank by 12 ms; ...". So it is where the machine
 * was faster after, or another part of the function became quicker. Lines whose part is larger only
 * because others shrank are not named: a line is compared with what became of the function's lines
 * by the median. Nothing where none has 5 % of the function more than that.
 */
void annotation_put_shift(const struct annotation_rows *rows, struct buf *out);

#endif
