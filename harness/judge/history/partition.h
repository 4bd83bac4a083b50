/*
 * The division of a series into levels that fits best, for a penalty on each further level: optimal
 * partitioning (Jackson et al., "An algorithm for optimal partitioning of data on an interval",
 * IEEE Signal Processing Letters 12, 2005), the dynamic program that PELT (Killick, Fearnhead and
 * Eckley, JASA 107, 2012) prunes. All levels are found together: one that begins and ends hides no
 * other. Of a level of more than 512 values not all beginnings are tried, and the one found is
 * refined beside its neighbours: time grows with n log n, memory is linear. (PELT's time is
 * quadratic where few levels change.)
 */
#ifndef HISTORY_PARTITION_H
#define HISTORY_PARTITION_H

#include <stddef.h>

/*
 * Minimizes the squared deviations of values[n] from the means of their levels, plus `penalty` for
 * each level after the first; a level has `least` values at least. Writes where the levels after
 * the first begin, ascending, to starts[n / least], and returns how many.
 */
size_t partition_find(const double *values, size_t n, size_t least, double penalty, size_t *starts);

#endif
