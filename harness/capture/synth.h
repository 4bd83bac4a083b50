/*
 * Records that tell what was mapped before sampling began, made by us from /proc in the form the
 * kernel would have written: perf's name for it is synthesising.
 */
#ifndef CAPTURE_SYNTH_H
#define CAPTURE_SYNTH_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/types.h>

/* The kernel's code and its modules, as far as their addresses are readable. `id` is an event's. */
void synth_kernel(struct buf *records, uint64_t id);
/* The names of a running process and its threads, and its executable mappings. */
void synth_process(struct buf *records, pid_t pid, uint64_t id);
/*
 * The same of all processes that there are, those that we may look into. At most some 128 MiB of
 * records; what is left out then is told by a warning.
 */
void synth_all_processes(struct buf *records, uint64_t id);

#endif
