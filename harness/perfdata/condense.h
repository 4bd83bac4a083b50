/*
 * Writes what a reader read as a smaller perf.data file: the registers and stack copies of its
 * samples give way to the call chains that were found from them, and the records are compressed as
 * `perf record -z` does it. perf report and perf script (since Linux 5.2) read it, and so do we.
 */
#ifndef PERFDATA_CONDENSE_H
#define PERFDATA_CONDENSE_H

#include "base/err.h"
#include "perfdata/reader.h"

#include <stddef.h>
#include <stdint.h>

struct perfdata_condenser;

/*
 * `source` is borrowed until the end. NULL on error. What perf's own records say of the events is
 * written as it is known now: another thread may go on reading the source while records are put.
 */
struct perfdata_condenser *perfdata_condenser_open(
	const char *path, const struct perfdata_reader *source, struct err *err);
/*
 * Before the first record: they are to be written as they are, for a perf that was built without
 * zstd (see perf version --build-options).
 */
void perfdata_condenser_expand(struct perfdata_condenser *condenser);
/*
 * Adds a record of the source, in the order they are read. Of a sample, `chain` is what it gets as
 * its call chain, leaf first, with PERF_CONTEXT_* markers; NULL keeps the one it has. Of a chain
 * that is too long for a record (8,000 frames) the last frames are left out.
 */
int perfdata_condenser_put(struct perfdata_condenser *condenser, const struct record *record,
	const uint64_t *chain, size_t nchain, struct err *err);
/* Puts the file in its place, whole or not at all. The condenser is then gone. */
int perfdata_condenser_finish(struct perfdata_condenser *condenser, struct err *err);
/* Leaves nothing behind. */
void perfdata_condenser_abandon(struct perfdata_condenser *condenser);

#endif
