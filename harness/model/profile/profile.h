/*
 * A profile: one call tree with a column of weights for each run, and what is known of the runs.
 *
 * It is what every input format is read into, what a baseline stores, and what comparison and
 * pictures are computed from. A weight is a number of samples unless `unit` says otherwise: where
 * each sample weighs its period, `weight` says so, and runs[r].samples is how many there are. The
 * cost of something in run r is its share of the column times runs[r].cost_total.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/strtab.h"
#include "profile/ctree.h"
#include "profile/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which counters there are; counters.h says what they are. */
enum counter_id {
	COUNTER_CPU_TIME,
	COUNTER_USER_TIME,
	COUNTER_SYSTEM_TIME,
	COUNTER_PAGE_FAULTS,
	COUNTER_MINOR_FAULTS,
	COUNTER_MAJOR_FAULTS,
	COUNTER_MAX_RSS,
	COUNTER_CONTEXT_SWITCHES,
	COUNTER_MIGRATIONS,
	COUNTER_READ_BYTES,
	COUNTER_WRITE_BYTES,
	COUNTER_READ_CALLS,
	COUNTER_WRITE_CALLS,
	COUNTER_STORAGE_READ_BYTES,
	COUNTER_STORAGE_WRITE_BYTES,
	COUNTER_SYSCALLS,
	COUNTER_ALLOC_COUNT,
	COUNTER_ALLOC_PEAK,
	COUNTER_ALLOC_LIVE,
	COUNTER_CYCLES,
	COUNTER_INSTRUCTIONS,
	COUNTER_IPC,
	COUNTER_BRANCHES,
	COUNTER_BRANCH_MISSES,
	COUNTER_BRANCH_MPKI,
	COUNTER_CACHE_MISSES,
	COUNTER_CACHE_MPKI,
	COUNTER_PMU_RUNNING,
	/* In the order of enum latency_value (latency.h). */
	COUNTER_OPERATIONS,
	COUNTER_LATENCY_MEAN,
	COUNTER_LATENCY_P50,
	COUNTER_LATENCY_P90,
	COUNTER_LATENCY_P99,
	COUNTER_LATENCY_P99_9,
	COUNTER_LATENCY_MAX,
	COUNTER_CPU_PER_OP,
	COUNTER_OFFCPU_PER_OP,
	COUNTER_WALL_PER_OP,
	COUNTER_INSTRUCTIONS_PER_OP,
	COUNTER_SYSCALLS_PER_OP,
	COUNTER_ALLOC_PER_OP,
	COUNTER_CONTEXT_SWITCHES_PER_OP,
	COUNTER_WRITE_BYTES_PER_OP,
	COUNTER_LIMITED_TIME,
	COUNTER_LOADER,
	NCOUNTERS,
};

/* The part of struct run that holds them; all zero means that none is known. */
struct run_counters {
	uint64_t known; /* bit 1 << id: values[id] is set */
	double values[NCOUNTERS];
};

/*
 * One run: what it cost, and how far its column can be believed. Counts that are not known (a
 * folded file has none of them) are 0; `measured` says whether they are.
 */
struct run {
	bool measured;       /* captured by us or read back from a baseline that was */
	bool delivered;      /* `samples`, `lost` and `throttled` are known, if nothing else is */
	uint32_t session;    /* runs of one session share it; counts from 0 */
	uint32_t pair;       /* runs of both builds taken together share it; 0: not a pair */
	uint32_t stage;      /* 0: first runs; 1: confirming runs */
	uint64_t executions; /* of the program, one after the other; 0: not known, or not ours */
	double cost_total;   /* of one execution, in the metric's unit (cpu: ns of CPU time) */
	/* For all executions of the run together, as everything that follows: */
	uint64_t cpu_ns; /* user + system time of all its threads and children */
	uint64_t wall_ns;
	uint64_t period;         /* sampling period: ns for clocks, else events */
	double expected_samples; /* cpu_ns / period for clocks; 0 if not known */
	uint64_t samples;        /* delivered */
	/*
	 * Samples of equal weight that have as much information: (sum w)^2 / sum w^2 (Kish, Survey
	 * Sampling, 1965, section 11.7). 0: all weigh the same, or it is not known.
	 */
	double effective_samples;
	uint64_t lost;             /* records dropped by the kernel, as it counted them */
	uint64_t throttled;        /* PERF_RECORD_THROTTLE records */
	uint64_t broken_stacks;    /* samples whose stack is known to be incomplete ... */
	uint64_t truncated_stacks; /* ... and those of them that were cut short */
	uint64_t unknown_frames;   /* leaf frames without a name */
	uint64_t context_switches;
	uint64_t migrations;
	uint64_t harness_cpu_ns; /* CPU time profile_run itself used during the run */

	/*
	 * Other load of the machine meanwhile (machine/disturb.h; profile/disturbance.h says it in
	 * words). Numbers of CPUs are 0 where what follows them is not known.
	 */
	uint32_t program_cpus; /* those that the program could run on, and that were watched */
	uint32_t sibling_cpus; /* the other threads of their cores */
	uint32_t outside_cpus; /* all others */
	uint64_t steal_ns;     /* of the program's CPUs, given to others by the hypervisor */
	uint64_t others_ns;    /* of the program's CPUs, taken by other processes */
	uint64_t sibling_ns;   /* in which the siblings were at work */
	uint64_t outside_ns;   /* in which the CPUs outside were, ourselves left out */
	uint64_t pressure_ns; /* in which some task of the machine waited for a CPU; 0: or not known
			       */
	double begin_mhz;     /* mean clock of the program's CPUs when it began; 0: not known */
	double end_mhz;       /* ... and ended, still warm from its work */

	struct run_counters counters; /* of one execution */
};

#define WEIGHT_PERIOD "period"

/* The number of samples for statistics: where their weights differ, the effective one. */
static inline double
run_effective_samples(const struct run *run)
{
	return run->effective_samples > 0 ? run->effective_samples : (double)run->samples;
}

struct profile {
	struct strtab strings;
	struct frame_table frames;
	struct ctree tree;
	struct run *runs; /* one per column of the tree */
	size_t nruns;
	size_t runs_capacity;

	/* Where it comes from; strings are interned in `strings`, 0 where not known. */
	str_id workload; /* its name, or the command */
	str_id command;
	str_id event;         /* "cpu-clock", "cycles", ... */
	str_id metric;        /* "cpu" */
	str_id unit;          /* of the weights: "samples" by default */
	str_id weight;        /* WEIGHT_PERIOD: that of a sample is its period; 0: it is not */
	str_id cost_unit;     /* of run.cost_total: "ns" for cpu */
	str_id callgraph;     /* "fp", "dwarf", "none" */
	str_id callgraph_why; /* why so, and how each module's stacks were found: one line */
	uint32_t stack_bytes; /* of stack copied with each sample; 0: none, or not known */
	str_id host;          /* machine description, one line */
	str_id operations;    /* those that the weights are of, in a sentence; 0: of all that ran */
	str_id files;         /* what ran, as files.h has it */
	str_id code;          /* the same files by what they execute: program_digest.h of code/ */
	str_id missing; /* the files of code that could not be read, a line "PATH TAB CAUSE" each */
	str_id unsteady;   /* what changes in the course of a run; 0: nothing */
	str_id cpu_choice; /* files that choose their code by the CPU, where counts depend on it:
			      a name a line */
	str_id variants;   /* functions that a file chose, as canonical.h has them */
	str_id by; /* the labels that the first frames of each stack are: "phase,thread"; 0: none,
		      or not known */
	double frequency_hz; /* nominal sampling frequency; 0 if not known */
	int64_t started;     /* seconds since 1970 UTC; 0 if not known */
	double duration_s;   /* wall time that was observed, all runs together; 0 if not known */
	/*
	 * Of files, which do not state the CPU time: processes and threads that ended without a
	 * sample, and how many samples these would have had if they had used all of their time, up
	 * to a period each. Only an analysis of the files themselves reads it.
	 */
	uint64_t unsampled_tasks;
	double unsampled_most;
};

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);

/* Adds an empty column with a zero struct run, and returns its index. */
size_t profile_add_run(struct profile *profile);

/* Interns a frame by name; `len` bytes of `name`, without suffix. */
frame_id profile_frame(struct profile *profile, const char *name, size_t len, enum frame_kind kind);
/* The same from a folded file's text, whose suffix is the kind. */
frame_id profile_frame_text(struct profile *profile, const char *text, size_t len);

/* Frame name (no suffix), and the same with its suffix appended to `out`. */
const char *profile_frame_name(const struct profile *profile, frame_id frame);
void profile_put_frame(const struct profile *profile, frame_id frame, struct buf *out);

/* Their order by name, then kind; as strcmp(). */
int profile_compare_frames(const struct profile *profile, frame_id a, frame_id b);

/* The comment of a pprof file of ours: behind this, the labels of `by`; without any the first one.
 */
#define PROFILE_COMMENT "profile_run"
#define PROFILE_BY_COMMENT PROFILE_COMMENT " by "
/*
 * A further comment of such a file, of samples that weigh their periods: behind this their number,
 * the effective number, and the unit.
 */
#define PROFILE_PERIODS_COMMENT PROFILE_COMMENT " periods "
/* The same of complete counts: the type's name is that of their metric. */
#define PROFILE_COUNTS_COMMENT PROFILE_COMMENT " counts"
/* How many frames at the root of each stack are labels: those of `by`, or one. */
size_t profile_nlabels(const struct profile *profile);

/* The sum of a column, and of all runs. */
double profile_column_total(const struct profile *profile, size_t column);
double profile_total(const struct profile *profile);

/*
 * Copies from `from` the strings and the frequency that `into` does not have yet, and the earlier
 * start; adds the durations.
 */
void profile_describe(struct profile *into, const struct profile *from);

/* One with the runs and the description of another, and the total of each column, at the root. */
void profile_init_brief(struct profile *brief, const struct profile *profile);

/*
 * Cuts the names of the workload, event, metric, units and labels of a file: outputs have them with
 * each number. PROFILE_NAME_MAX bytes are more than any of them needs.
 */
#define PROFILE_NAME_MAX 256
void profile_shorten_names(struct profile *profile);

/* The string `id` of `from` in `into`. */
str_id profile_copy_string(struct profile *into, const struct profile *from, str_id id);

/*
 * Gives `frame` of `into` the module, file and line of `theirs`, a frame of `from`, where it has
 * none; with `anew` they replace those that it has.
 */
void profile_place_frame(struct profile *into, frame_id frame, const struct profile *from,
	const struct frame *theirs, bool anew);

/*
 * Interns every frame of `from` in `into`, with its name before canonical_join(), if `into` has
 * none, and its place, as profile_place_frame() does. Returns the frames of `into` by frame of
 * `from`; free() it.
 */
frame_id *profile_append_frames(struct profile *into, const struct profile *from, bool anew);

/*
 * Adds every run of `from` as a new column of `into`; nodes[i] is the node of `into` that gets the
 * weights of node i. Returns the first new column.
 */
size_t profile_append_runs(struct profile *into, const struct profile *from, const node_id *nodes);

/*
 * Adds every run of `from` as a new column of `into` (same frames, same nodes), and takes over the
 * description where `into` has none. Returns the first new column.
 */
size_t profile_append(struct profile *into, const struct profile *from);

/* The same without stacks that have no weight in any run, and without frames of these alone. */
size_t profile_append_used(struct profile *into, const struct profile *from);

/* Removes the runs from `count` on, with their columns. */
void profile_drop_runs(struct profile *profile, size_t count);

/*
 * Orders siblings by frame name, then kind, so that walks and everything written are the same
 * whatever the order of arrival. Node ids do not change.
 */
void profile_sort(struct profile *profile);

/*
 * Some runs of a profile as a separate profile, without copying weights: cheap enough for
 * simulations that resample runs thousands of times.
 */

/*
 * `profile` is to be read only, and lives as long as the profile that it is a view of, which must
 * not change meanwhile. Release it only with run_view_release().
 */
struct run_view {
	struct profile profile;
	const struct profile *of; /* borrowed */
};

/* A view without runs; there is room for as many as `of` has. */
void run_view_init(struct run_view *view, const struct profile *of);
void run_view_release(struct run_view *view);

/* Takes all runs out. */
void run_view_clear(struct run_view *view);
/* Adds the run of this column; the copy of its struct run may be renumbered. */
struct run *run_view_add(struct run_view *view, size_t column);

#endif
