/*
 * The parts of the reader of perf.data files, for ingest_perfdata.c. This header declares, in this
 * order:
 *
 *     names of threads   comms.c
 *     phases             phase_marks.c
 *     label roots        label_roots.c
 *     slow operations    slow_operations.c
 *     their numbers      operation_tally.c
 *     timeline           timeline.c
 *     time range         selection.c
 *     views              event_choice.c
 *     event choice       event_choice.c
 *     group reads        group_reads.c
 *     system calls       call_times.c
 *     timings            timings.c
 *     gaps               perfdata_gaps.c
 */
#ifndef INGEST_PERFDATA_INTERNAL_H
#define INGEST_PERFDATA_INTERNAL_H

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/text_map.h"
#include "ingest/event_totals.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "ingest/wait_reason.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_cache;

/*
 * Names of threads: over time, by COMM and FORK records.
 */

struct comms {
	struct strtab names;
	struct key_map by_tid;
	str_id *entries; /* names by number in by_tid; owned */
	size_t capacity;
};

void comms_init(struct comms *comms);
void comms_release(struct comms *comms);

void comms_set(struct comms *comms, uint32_t tid, const char *name);
/* The thread starts with the name of the one that made it. */
void comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid);
/* Whether a record named the thread, or was of its parent. */
bool comms_know(const struct comms *comms, uint32_t tid);
/*
 * The thread's name with '_' for spaces; "(unnamed)" for an empty name; ":TID" where no record
 * named it, as perf script has it.
 */
const char *comms_name(struct comms *comms, uint32_t tid);
/* comms_name() as an id in `names`. */
str_id comms_name_id(struct comms *comms, uint32_t tid);

/*
 * Phases: of a program, by the marks that it set while it was recorded (capture --phases).
 *
 * A mark is a sample of the event "phase", whose raw data is the phase's name (empty: none), or of
 * an event "phase:NAME", of a probe in the program. A phase lasts, for all threads of the file,
 * until the next mark. Marks of threads that the file knows nothing else of are those of other
 * programs.
 */

struct phase_marks {
	const struct perfdata_reader *reader; /* borrowed */
	struct strtab names;
	str_id now; /* in `names`; 0: no phase */
	bool known; /* the file has marks */
};

void phase_marks_init(struct phase_marks *phases, const struct perfdata_reader *reader);
void phase_marks_release(struct phase_marks *phases);

/* Whether samples of an event of this name are marks. */
bool phase_marks_are_of(const char *event);

/* Whether the record is a mark; then it has been taken. */
bool phase_marks_take(
	struct phase_marks *phases, const struct comms *comms, const struct record *record);

/* An error if `options` ask for phases, and the file has none. */
int phase_marks_check(const struct phase_marks *phases, const struct ingest_options *options,
	const char *path, struct err *err);

/* Adds a note: the names of the phases so far, in the order in which they began first. */
void phase_marks_note(const struct phase_marks *phases, struct err *err);

/* The name of the present phase; NULL: there is none. */
const char *phase_marks_name(const struct phase_marks *phases);

/*
 * Label roots: the nodes that the stacks of a perf.data file stand below, with a frame for each
 * label that it is cut by.
 */

/* A label has up to three numbers: a name, and the ids beside it. */
#define LABEL_ROOT_WORDS (3 * LABELS_MAX)

struct label_roots {
	struct profile *profile;          /* borrowed, as all below */
	const struct labels *by;          /* at least one */
	struct comms *comms;              /* its names have ids */
	const struct phase_marks *phases; /* the present one is a sample's */
	struct text_map nodes;            /* by the numbers of all labels */
	uint32_t last[LABEL_ROOT_WORDS];
	node_id last_node; /* of these; CTREE_ROOT: there was none yet */
};

void label_roots_release(struct label_roots *roots);

/*
 * The node of a sample of this thread, now; CTREE_ROOT: it was not made yet. Changes nothing in the
 * profile.
 */
node_id label_roots_made(struct label_roots *roots, uint32_t pid, uint32_t tid);
/* The node, made if it is not there. */
node_id label_roots_make(struct label_roots *roots, uint32_t pid, uint32_t tid);

/* Whether a label of the present sample has this value. */
bool label_roots_are(struct label_roots *roots, enum label_kind kind, const char *value,
	uint32_t pid, uint32_t tid);

/*
 * Slow operations: those of a program that took longer than a threshold, by the marks of where each
 * begins and ends (capture/operation.h).
 *
 * An operation is one thread's, from a begin to the end that belongs to it. Begins inside it, as of
 * a function that calls itself, belong to the outermost one; the stack pointer of the mark tells
 * such a begin from one whose predecessor was left without an end, as by longjmp(3) or an
 * exception. Marks of threads that the file knows nothing else of are those of other programs.
 *
 * How long one takes is known only at its end, so that the file is read twice, as for the timeline:
 * slow_operations_read() goes through it first, slow_operations_take() then says it of each mark
 * in the same order.
 */

enum operation_mark_kind {
	OPERATION_NOTHING, /* it is inside an operation, or belongs to none */
	OPERATION_BEGINS,
	OPERATION_ENDS,
};

struct operation_mark {
	uint64_t ns; /* the whole operation */
	enum operation_mark_kind kind;
	bool slow; /* it took longer than the threshold */
};

struct slow_operations;

/* The events of marks: of begins and of ends; SIZE_MAX where there are none. */
struct operation_events {
	size_t begins;
	size_t ends;
	bool are_returns; /* of the function that begins there */
};

struct operation_events operation_events(const struct perfdata_reader *reader);

/* Reads the whole file, which `reader` reads, too. NULL on error, such as a file without marks. */
struct slow_operations *slow_operations_read(const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, uint64_t slower_than_ns, struct err *err);
void slow_operations_free(struct slow_operations *operations);

/* Whether samples of the event are marks. */
bool slow_operations_is_mark(const struct slow_operations *operations, size_t event);
bool slow_operations_is_end(const struct slow_operations *operations, size_t event);

/* Begins with the file's first mark again. */
void slow_operations_rewind(struct slow_operations *operations);
/* Whether the record is a mark, and then of what. To be called for each record in the file's order.
 */
bool slow_operations_take(struct slow_operations *operations, const struct record *record,
	struct operation_mark *mark);

/*
 * Where functions of the thread return to whose return addresses have been replaced, after the mark
 * that was taken last: at most `max`, the innermost first. Returns how many.
 */
size_t slow_operations_returns(
	const struct slow_operations *operations, uint32_t tid, uint64_t *addresses, size_t max);

/* The name of the operation: "BEGIN,END" or "FUNCTION". */
const char *slow_operations_name(const struct slow_operations *operations);
uint64_t slow_operations_slower_than_ns(const struct slow_operations *operations);

/* Operations of known threads that are not whole. */
struct operation_rest {
	uint64_t unended;       /* left without an end, or records were lost meanwhile */
	uint64_t unbegun;       /* ends without a begin */
	uint64_t unfinished;    /* at the end of the file */
	uint64_t unfinished_ns; /* ... how long the oldest of them had taken */
};
struct operation_rest slow_operations_rest(const struct slow_operations *operations);

/*
 * Their numbers: how many operations there were, as the file is read, and their times. All zeros:
 * none yet.
 */
struct operation_tally {
	double *times; /* of each operation, slow or not, in ns */
	size_t count;
	size_t capacity;
	size_t nslow;
	double on_ns;  /* on the CPU, in slow ones */
	double off_ns; /* ... and off it */
};

void operation_tally_add(struct operation_tally *tally, struct operation_mark mark);
/* A time of a slow operation. */
void operation_tally_add_time(struct operation_tally *tally, uint64_t ns, bool on_cpu);
void operation_tally_release(struct operation_tally *tally);

/* An error if there was no operation, or none was slow unless that `may_be_empty`. */
int operation_tally_check(struct operation_tally *tally, const struct slow_operations *operations,
	const char *path, bool may_be_empty, struct err *err);

/* Sets profile->operations. */
void operation_tally_describe(struct operation_tally *tally,
	const struct slow_operations *operations, struct profile *profile);

/*
 * Timeline: when threads gave their CPU away and got it back, as the context switches of a
 * perf.data file tell. It has how long each of these took, and the time on the CPU that each sample
 * of a clock stands for.
 *
 * The length of a wait is known only at its end, so that the file is read twice: timeline_read()
 * goes through it first, timeline_take() then gives the times of the records in the same order.
 *
 * Threads begin to wait at a PERF_RECORD_SWITCH (perf_event_attr.context_switch), whose stack is
 * that of the sample of `context-switches` just before it, or at a sample of sched:sched_switch. A
 * wait ends with the thread's next switch to a CPU. If the thread has none until the end, it lasts
 * until the last record; a thread's exit is no wait. Waits during which records were lost are left
 * out: the lost ones may have ended them.
 *
 * Where there are samples of sched:sched_waking, too, a wait for an event ends with the thread's
 * wake-up; from there on it waits for a CPU.
 */

/* The state of a thread. */
enum wait_kind {
	WAIT_NONE,      /* it ran */
	WAIT_FOR_EVENT, /* it could not go on */
	WAIT_FOR_CPU,   /* it could, but others had the CPU */
	WAIT_UNSAMPLED, /* it ran, for too short to be sampled */
};

/* Longer than any wait. */
#define TIMELINE_NS_MAX ((UINT64_C(1) << 58) - 1)

struct timeline_entry {
	uint64_t ns : 62; /* with queued_ns 0: nothing begins with the record */
	enum wait_kind kind : 2;
	uint64_t queued_ns : 58;   /* behind that: it waited for a CPU */
	enum wait_reason lock : 6; /* if it waits at a futex: what kind; 0: that is not known */
};

struct timeline;

/*
 * Which events of a file have times: the first of the context switches, and with it the first of a
 * clock, and the wake-ups. SIZE_MAX where there is none.
 */
struct timeline_events {
	size_t switches;
	size_t clock;
	size_t wakes;
	bool of_wakers; /* times are of the wake-ups, not of what waited: of the waits they ended */
	struct slow_operations
		*operations; /* borrowed: only the times within its slow operations; NULL: all */
};

/*
 * A thread comes to the marks of an operation while it runs, so that a wait lies in one or in none.
 * The time on the CPU inside a slow one belongs to its samples of the clock; if there are none, to
 * its end.
 */

/* The event of context switches. */
#define TIMELINE_SWITCHES "context-switches"

/* Whether the event is one of context switches. */
bool timeline_is_switches(const struct perfdata_event *event);

/*
 * The events for reading `wanted` (--event; NULL: what the file is of). No `switches` where neither
 * asks for times: those of a clock only, or a counter, are plain samples.
 */
struct timeline_events timeline_events(const struct perfdata_reader *reader, const char *wanted);

/* Reads the whole file. NULL on error. */
struct timeline *timeline_read(const struct file_view *view, const char *path,
	const struct timeline_events *events, struct err *err);
void timeline_free(struct timeline *timeline);

/* Whether waits have an end in this file: else the switches have no times, and are only counted. */
bool timeline_is_known(const struct timeline *timeline);

/*
 * Whether the record belongs to the timeline, and then what begins with it, or ends with a clock's
 * sample. To be called for each record in the file's order.
 */
bool timeline_take(
	struct timeline *timeline, const struct record *record, struct timeline_entry *entry);

/*
 * Time range: a part of a capture's time (--from, --to), which samples lie in it, and how much of
 * each time.
 */

/* By the capture's clock: from this on, and before that. */
struct time_range {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* The range of `options` in a capture that starts at `start_ns`. */
struct time_range time_range_at(const struct ingest_options *options, uint64_t start_ns);

static inline bool
time_range_has(const struct time_range *range, uint64_t time_ns)
{
	return time_ns >= range->from_ns && time_ns < range->to_ns;
}

/*
 * When the time of a record at `time_ns` begins and ends: a wait begins with its record, a time on
 * the CPU ends with it. What it waited for a CPU, `queued_ns`, follows.
 */
uint64_t timed_entry_begin(uint64_t time_ns, struct timeline_entry entry);

/* Shortens the entry to the part that lies in the range. Returns the time at which that begins. */
uint64_t time_range_clip(
	const struct time_range *range, uint64_t time_ns, struct timeline_entry *entry);

/*
 * Views: an event of a perf.data file can be read as something else than its samples (--event). A
 * view is requested, or a file is written for it: its first event has the view's name.
 *
 * To add one: a line of views[], and its weights, in timings_find() and timings_take().
 */

enum view_kind {
	VIEW_CALL_NS,     /* of system calls, how long each took */
	VIEW_IO_BYTES,    /* of those that read or write, how many bytes each moved */
	VIEW_IO_NUMBER,   /* ... one each */
	VIEW_LOCK_NS,     /* of waits for locks, how long */
	VIEW_LOCK_NUMBER, /* ... one each */
	VIEW_LOCK_WAKERS, /* how long, by the stacks that ended them */
};

struct view {
	const char *name;
	enum view_kind kind;
	const char *metric; /* of the profile */
	const char *unit;   /* of its weights */
	const char *missed; /* without any of it: "no thread waited ..." */
};

/* The view to read the file as: `wanted` (--event), or if that is NULL that of its first event. */
const struct view *view_of(const struct perfdata_reader *reader, const char *wanted);
/* Whether it is of system calls, else of context switches. */
bool view_is_of_calls(const struct view *view);

/*
 * Event choice: which events of a file are read.
 */

struct event_choice {
	struct event_total *totals; /* of all events, in the file's order; owned */
	size_t count;
	size_t event; /* that describes what is read: of those that are, the one of most weight */
};

/*
 * Chooses `wanted`; if that is NULL the event of the largest weight, or of a file with what
 * profile_run counted its first one. It is an error if there is none of that name, or if its call
 * chains are branch stacks (LBR), which hold only as many calls as the processor has room for.
 * `path` is for messages. event_choice_release() is needed in any case.
 */
int event_choose(struct event_choice *choice, const struct perfdata_reader *reader,
	const char *path, const char *wanted, struct err *err);
void event_choice_release(struct event_choice *choice);

/* Chooses this event alone. */
void event_choice_set(struct event_choice *choice, size_t event);

/* Whether samples of the event are read. */
static inline bool
event_choice_has(const struct event_choice *choice, size_t event)
{
	return event < choice->count && choice->totals[event].chosen;
}

/* Whether the event is read in the samples of a group's leader. */
bool event_is_group_read(const struct perfdata_event *event);
/*
 * Whether its values can be distinguished: each has its id, and is of one thread or CPU. Those of
 * inherited events are of the thread that was sampled.
 */
bool event_group_is_usable(const struct perfdata_event *event);

/*
 * Group reads: the members of a group of events that is read together, '{a,b}:S'. The leader's
 * samples have the values of all. These are totals, so that a sample weighs what was counted since
 * the one before.
 *
 * Source: perf_event_open(2), PERF_FORMAT_GROUP; deliver_sample_group() of
 * tools/perf/util/session.c.
 */

/* All zeros: no member is read. */
struct group_reads {
	struct key_map ids; /* of the members that are read */
	uint64_t *last;     /* by number: the value of the sample before */
};

/* Reads the chosen events that have no samples of their own. */
void group_reads_init(struct group_reads *reads, const struct perfdata_reader *reader,
	const struct event_choice *choice);
void group_reads_release(struct group_reads *reads);

static inline bool
group_reads_are_any(const struct group_reads *reads)
{
	return reads->ids.count > 0;
}

/* Takes each sample, in the order of time; returns what it weighs, 0: nothing was counted. */
uint64_t group_reads_take(struct group_reads *reads, const struct record_sample *sample);

/*
 * System calls: how long they took, or how many bytes they moved.
 *
 * That is known only at the end of a call, so that the file is read twice, as for the timeline:
 * call_times_read() goes through it first, call_times_take() then gives the time, or the bytes, of
 * each call in the same order. A call that does not return, and one during which records were lost,
 * takes no time and moves nothing.
 */

/* The samples that system calls begin and end with. */
#define CALL_TIMES_START "raw_syscalls:sys_enter"
#define CALL_TIMES_END "raw_syscalls:sys_exit"

struct call_times;

/* The event of the ends of calls whose starts are samples of `start`. SIZE_MAX: there is none. */
size_t call_times_end(const struct perfdata_reader *reader, size_t start);
/*
 * Reads the whole file, which `reader` reads, too; `kind` is one of system calls. NULL on error,
 * such as a file without the ends of the calls of `start`.
 */
struct call_times *call_times_read(const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, size_t start, enum view_kind kind,
	struct err *err);
/*
 * Whether the record is the start of a call, and then what that weighs, as `ns`. To be called for
 * each record in the file's order.
 */
bool call_times_take(
	struct call_times *times, const struct record *record, struct timeline_entry *entry);
void call_times_free(struct call_times *times);

/*
 * Timings: the weights of records that are not one or a period each, such as the times of waits and
 * of system calls.
 */

/* All zeros: records weigh nothing of their own. */
struct timings {
	const struct view *view;            /* NULL: none is wanted */
	struct timeline *timeline;          /* NULL: no waits are wanted */
	struct timeline_events events;      /* of the timeline */
	struct slow_operations *operations; /* the marks of operations; NULL: there are none */
	bool only_operations;               /* only times in slow ones of these are wanted */
	struct call_times *calls; /* of system calls, in place of their number; NULL: not wanted */
	bool stated;              /* the samples of `event` state their times */
	size_t event;
	size_t ends; /* the event of the ends of calls; SIZE_MAX: there is none */
};

/*
 * Finds them for options->event (NULL: what the file is of) and the operations of `options`, where
 * *event is the event that was chosen; it becomes the one that describes what is read.
 * timings_release() is needed in any case.
 */
int timings_find(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, const struct ingest_options *options,
	size_t *event, struct err *err);
void timings_release(struct timings *timings);

/* Whether there are any: then a record without one is no sample. */
bool timings_are_known(const struct timings *timings);

/*
 * Whether the record has a time, and then which. To be called for each record in the file's order.
 */
bool timings_take(
	struct timings *timings, const struct record *record, struct timeline_entry *entry);

/* Whether they are times, in ns. */
bool timings_are_times(const struct timings *timings);

/* Whether only those of locks are wanted, as the names of functions tell. */
bool timings_are_of_locks(const struct timings *timings);

/* Whether the samples of `event` only help to find those of others. */
bool timings_need(const struct timings *timings, size_t event);

/* Sets what the weights are in the profile: before describe_capture(). */
void timings_describe(const struct timings *timings, struct profile *profile);

/*
 * Gaps: errors and warnings about what a file lacks, with the way to record it.
 */

/*
 * Whether recording began with the exec of the program that it is of: else it is of a process that
 * ran before, of a whole system, or of a program without its beginning.
 */
bool perfdata_begins_with_exec(const struct perfdata_reader *reader);

/* The error of a file without times, or any of a view. `path` is for messages, as below. */
int perfdata_refuse_without_times(const char *path, const struct view *view, struct err *err);
/* The error of a file without samples of `event`. */
int perfdata_refuse_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err);

/* Warns where many stacks of the run are truncated; `attr` is of the event that was read. */
void perfdata_warn_of_truncated(
	const struct run *run, const struct perf_event_attr *attr, const char *path);
/*
 * Warns where the event that was read, `read`, is one of a group that is read together: its samples
 * have the values of the other members.
 */
void perfdata_warn_of_group(const struct perfdata_reader *reader, size_t read, const char *path);

/*
 * Sets profile->missing: which files could not be read, and why. What follows from that is no
 * property of the program.
 */
void perfdata_describe_missing(const struct symbol_cache *symbols, struct profile *profile);

#endif
