/*
 * Synthesised records (perf's term): records in the kernel's format that profile_run writes itself.
 * They are of processes and mappings from before sampling began, read from /proc, and of phases.
 */
#ifndef CAPTURE_SYNTH_H
#define CAPTURE_SYNTH_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The trailer of a record: its time (0: ahead of all), and an event's id. */
struct synth_moment {
	uint64_t time_ns;
	uint64_t id;
};

/* A line of /proc/PID/maps (proc_pid_maps(5)) is no longer. */
#define SYNTH_LINE_MAX (4096 + 256)

/* A program's start: its name, and nothing of what was mapped before. */
void synth_exec(
	struct buf *records, const char *name, pid_t pid, const struct synth_moment *moment);
/* A phase's begin: a sample of the event `moment->id`, with its name of `len` bytes. */
void synth_phase(
	struct buf *records, const char *name, size_t len, const struct synth_moment *moment);
/* The end of sampling: a switch to the idle loop at that time, in which no thread takes part. */
void synth_end(struct buf *records, const struct synth_moment *moment);
/* The mapping in a line of /proc/PID/maps, if it is of code. The line is changed. */
void synth_map(struct buf *records, char *line, pid_t pid, const struct synth_moment *moment);
/* The kernel's code and its modules, as far as their addresses are readable. `id` is an event's. */
void synth_kernel(struct buf *records, uint64_t id);
/* All threads of a process, its first one first; free() them. NULL if there is no such process. */
pid_t *synth_tasks(pid_t pid, size_t *ntasks);
/* The names of a running process and its threads, and its mappings: of code, with `data` all. */
void synth_process(struct buf *records, pid_t pid, uint64_t id, bool data);
/*
 * The same, of code, of all processes that we may inspect. At most some 128 MiB of records; a
 * warning says what is left out.
 */
void synth_all_processes(struct buf *records, uint64_t id);

#endif
