/*
 * The way of a perf.data file's samples: from the records, through the maps of their process
 * (ingest_cache.c, code_maps.c, data_maps.c), unwinding and symbolizing (samples.c), to weights in
 * the call tree, to the survey of stacks and to a condensed file (sample_sink.c).
 */
#ifndef INGEST_SAMPLES_H
#define INGEST_SAMPLES_H

#include "base/err.h"
#include "base/map.h"
#include "base/stages.h"
#include "ingest/call_chain.h"
#include "ingest/frame_limit.h"
#include "ingest/ingest.h"
#include "ingest/perfdata_internal.h"
#include "ingest/sample_weights.h"
#include "ingest/stacks.h"
#include "ingest/wait_reason.h"
#include "perfdata/condense.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "profile/profile.h"
#include "profile/sample_times.h"
#include "symbols/spaces.h"
#include "symbols/symbolizer.h"
#include "unwind/unwind_batch.h"
#include "unwind/unwind_machine.h"
#include "unwind/unwinder.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The cache of one session: modules with their names, and unwind rows by module (ingest_cache.c).
 */

struct module;

struct ingest_cache {
	struct symbol_cache *symbols;
	struct kept_table *tables;
	size_t ntables;
	size_t tables_capacity;
};

/*
 * The unwind rows of `file`, mapped in `symbolizer`; made at the first call. NULL where it has
 * none.
 */
struct unwind_table *ingest_cache_rows(struct ingest_cache *cache, struct symbolizer *symbolizer,
	const struct unwind_machine *machine, struct mapped_file *file);

/*
 * The mappings of processes, for unwinding, for symbolizing and for finding locks. Of code there is
 * one unchanging copy for each state of an address space that a sample was taken in. Copies share
 * what they have in common (code_maps.c).
 */

struct file_rows;

/* A process's maps at a moment. */
struct code_space {
	struct space maps; /* as they were */
	struct unwind_space unwind;
};

/* At first all zeros but for the borrowed members. A symbolizer can have one of these only. */
struct code_maps {
	struct symbolizer *symbolizer; /* borrowed, as the others */
	struct ingest_cache *cache;
	const struct unwind_machine *machine;
	struct code_space **spaces; /* by space.id */
	size_t capacity;
	struct key_map by_file;  /* mapped files met so far, by their address */
	struct file_rows *files; /* by number in by_file; owned */
	size_t files_capacity;
	struct arena arena; /* of what is known of each mapping */
};

void code_maps_release(struct code_maps *maps);

/* The maps of `pid` as of now if code_maps_of() has made them, else NULL; changes nothing. */
const struct code_space *code_maps_made(const struct code_maps *maps, uint32_t pid);
/*
 * Whether code_maps_of(pid) needs no module that is not loaded yet. Where it loads modules, nothing
 * may be symbolized meanwhile.
 */
bool code_maps_are_loaded(const struct code_maps *maps, uint32_t pid);
/* The maps of `pid` as of now; NULL if nothing is known of it. Valid until the release. */
const struct code_space *code_maps_of(struct code_maps *maps, uint32_t pid);

/* The range of a map that was found in `space`, for symbolizing. */
struct symbol_range code_space_range(const struct code_space *space, const struct unwind_map *map);

/* Visits the files met so far that have rows, in no order. */
typedef void (*code_maps_visitor)(
	void *context, const char *path, const struct unwind_table *table);
void code_maps_each(const struct code_maps *maps, code_maps_visitor visit, void *context);

/*
 * Which memory a lock is in, by the mappings of the processes: those of data, too, where the
 * capture has them (data_maps.c).
 */

/* All zeros: nothing is mapped. */
struct data_maps {
	struct spaces spaces;
};

void data_maps_release(struct data_maps *maps);

/* The records of a capture, in order of time. */
void data_maps_add(struct data_maps *maps, const struct record_mmap *map);
void data_maps_fork(struct data_maps *maps, uint32_t pid, uint32_t parent_pid);
void data_maps_exec(struct data_maps *maps, uint32_t pid);

/*
 * The kind of memory that holds the lock of the system call that the sample's thread is in, if that
 * waits at a futex; `attr` is what it was sampled by. WAIT_UNKNOWN where the registers are not
 * known (`machine` NULL: of none).
 */
enum wait_reason data_maps_lock_of(const struct data_maps *maps,
	const struct unwind_machine *machine, const struct perf_event_attr *attr,
	const struct record *record);

/*
 * Where samples end: their stacks are symbolized, and their weights go into the call tree, their
 * stacks into the survey and, as call chains, into a condensed file.
 */

struct stack_survey;

/* One thread at a time may use it. */
struct sample_sink {
	struct profile *profile; /* borrowed */
	const char *path;        /* of the file, in messages; borrowed */
	size_t limit;            /* of the tree (tree_limit()) */
	size_t column;
	struct sample_weights weights;
	bool by_period;        /* ... but a sample's weight is what was counted or timed */
	bool timed;            /* ... which is a time: what is counted of a run are still samples */
	bool locks;            /* only waits for locks are taken, and what ended them */
	bool numbers;          /* ... each of which weighs 1 */
	uint64_t locks_weight; /* of those taken; their number is counted.samples */
	struct run *run;       /* borrowed: `counted` is added to it at the end */
	struct run counted;
	struct stacks stacks;
	struct stack_survey *survey; /* NULL: not wanted */
	struct function_lines lines;
	struct sample_times *times; /* NULL: not wanted */
	bool clock;                 /* a sample stands for the time of its period before it */
	struct timed_sample moment; /* of the sample that is being put */
	struct perfdata_condenser *condenser; /* NULL: nothing is condensed */
	struct call_chain chain;              /* for it */
	const char
		*syscall_arch; /* NULL, or samples are system calls on such a machine: uname -m */
};

/* A sample, and what is known of it. */
struct sink_sample {
	struct record record;
	node_id root; /* CTREE_ROOT: it weighs nothing, and only goes into the condensed file */
	struct timeline_entry wait;
	const struct code_space *space; /* NULL: nothing is known of its process */
};

/* The time of the capture's clock since its start. */
uint64_t sink_since_start(const struct sample_sink *sink, uint64_t time_ns);
/* Puts a sample whose stack was unwound. */
int sink_put_unwound(struct sample_sink *sink, const struct sink_sample *known,
	const struct unwind_sample *unwound, struct err *err);
/*
 * Puts a sample with a call chain, or only its address; it does not go into the condensed file.
 * `cut`: the kernel ended the chain before its outermost frame.
 */
void sink_put_chain(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait, bool cut);
/* Puts a time without a stack, of this record; not into the condensed file either. */
void sink_put_wait(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait);

/*
 * Samples that carry a copy of their stack are collected into batches: several are unwound at once,
 * and one at a time, in order, is symbolized (base/stages.h). All others go straight into the tree.
 * Each sample keeps the maps of its process as of samples_put(), so that these may change
 * meanwhile. Everything else in the profile and the symbolizer may change only after
 * samples_wait(), the kernel's names only after samples_flush().
 */

struct batch;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): padding keeps writers apart. */
struct samples {
	const struct perfdata_reader *reader;     /* borrowed */
	const struct slow_operations *operations; /* borrowed: marks of operations; NULL: none */
	const struct unwind_machine *machine;     /* NULL: not known how to unwind its stacks */
	struct code_maps maps;
	struct call_chain leaf;
	struct frame_limit frames; /* of chains that the kernel found; the caller sets it */
	unsigned threads;
	struct stages *stages;       /* that batches go through; NULL until a sample needs it */
	struct unwinder **unwinders; /* by thread */
	unsigned nunwinders;
	struct batch *batches;
	struct batch *filling; /* being collected */

	/* On cache lines of its own: its writer shares none with other threads. */
	_Alignas(64) struct sample_sink sink;
	int symbolized; /* -1: symbolizing failed, with: */
	struct err err;
};

/* The caller sets `reader`, `frames` and the sink's `column` and borrowed members; the rest is made
 * here. */
int samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err);
void samples_release(struct samples *samples);

/*
 * Adds a sample, below the node `root`. `column` is that of its event. `wait`: what begins there,
 * which a frame at its leaf then names; the sample's period is its `ns`.
 */
int samples_put(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err);
/* Adds a wait of `ns` that began at a record without a stack. */
int samples_put_wait(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err);
/* A phase begins at this time of the capture's clock; NULL: none does, one ends. */
void samples_put_phase(struct samples *samples, uint64_t time_ns, const char *name);
/*
 * Takes another record, or a sample that was not selected: it only goes into the condensed file.
 * Every record that is read must be put or forwarded, so that waiting ones are symbolized before
 * the reader reuses their memory.
 */
int samples_forward(struct samples *samples, const struct record *record, struct err *err);
/* Waits until nothing is being symbolized; nothing is until the next record is put or forwarded. */
int samples_wait(struct samples *samples, struct err *err);
/* Flushes all batches and waits; call it before the kernel's names change. */
int samples_flush(struct samples *samples, struct err *err);
/* Flushes everything, ends the condensed file and fills in the survey. */
int samples_finish(struct samples *samples, struct err *err);

#endif
