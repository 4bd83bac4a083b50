/*
 * The timeline of threads: how long each waited and ran, from the context switches of a perf.data
 * file.
 */
#include "base/map.h"
#include "base/mem.h"
#include "ingest/event_totals.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_ENTRY SIZE_MAX
/* Waits with an end for each without one; a tracepoint of single threads has few of their ends. */
#define ENDED_MIN 9

struct thread {
	bool on;      /* on a CPU since `since_ns` */
	bool off;     /* off the CPUs since `since_ns` */
	bool has_end; /* it has exited: time off the CPUs after that is no wait */
	bool slow;    /* in a slow operation */
	uint64_t since_ns;
	uint64_t woken_ns;     /* when its wait was ended; 0: not yet */
	uint64_t losses;       /* timeline.losses at `since_ns` */
	uint64_t unsampled_ns; /* time on a CPU before `since_ns`, after the last clock sample */
	size_t opened;         /* the entry of its wait */
	size_t sampled;        /* the entry of its last switch sample, until it is known to wait */
	size_t clocked;        /* the entry of its last clock sample */
};

struct timeline {
	struct timeline_events events;
	bool tracepoint; /* switches are samples of a tracepoint; there may be records, too */
	uint64_t losses; /* places where records are missing */
	bool recorded;   /* each switch has a record: a wait may have no end in the file */
	uint64_t nended; /* waits whose end was recorded */
	uint64_t nlost;  /* waits whose end was not recorded, though the thread ran again */
	struct timeline_entry *entries;
	size_t count;
	size_t capacity;
	size_t next; /* index of the entry that timeline_take() gives next */
	struct key_map tids;
	struct thread *threads;
	size_t threads_capacity;
	uint64_t newest_ns;
};

static struct thread *
thread_of(struct timeline *timeline, uint32_t tid)
{
	size_t count = timeline->tids.count;
	uint32_t number = key_map_add(&timeline->tids, tid);

	if (timeline->tids.count > count) {
		timeline->threads = mem_grow(timeline->threads, &timeline->threads_capacity,
			timeline->tids.count, sizeof(*timeline->threads));
		timeline->threads[number] =
			(struct thread){.sampled = NO_ENTRY, .clocked = NO_ENTRY};
	}
	return &timeline->threads[number];
}

static size_t
add_entry(struct timeline *timeline)
{
	if (timeline->count == timeline->capacity)
		timeline->entries = mem_grow(timeline->entries, &timeline->capacity,
			timeline->count + 1, sizeof(*timeline->entries));
	timeline->entries[timeline->count] = (struct timeline_entry){.kind = WAIT_NONE};
	return timeline->count++;
}

static uint64_t
sum_ns(uint64_t a, uint64_t b)
{
	return b < TIMELINE_NS_MAX - a ? a + b : TIMELINE_NS_MAX;
}

static void
begin(const struct timeline *timeline, struct thread *thread, bool on, uint64_t now_ns)
{
	thread->on = on;
	thread->off = !on;
	thread->since_ns = now_ns;
	thread->woken_ns = 0;
	thread->losses = timeline->losses;
}

/* Whether the time of the thread's present state is wanted. */
static bool
counts(const struct timeline *timeline, const struct thread *thread)
{
	return !timeline->events.operations || thread->slow;
}

/*
 * How long the thread has been in its present state; 0 where that is not wanted, or where records
 * are missing since the state began: they may have ended it. A damaged file's time can go back.
 */
static uint64_t
lasted_ns(const struct timeline *timeline, const struct thread *thread, uint64_t now_ns)
{
	if (!counts(timeline, thread) || thread->losses != timeline->losses ||
		now_ns < thread->since_ns)
		return 0;
	return sum_ns(0, now_ns - thread->since_ns);
}

static void
add_ns(struct timeline *timeline, size_t entry, uint64_t ns)
{
	if (entry != NO_ENTRY)
		timeline->entries[entry].ns = sum_ns(timeline->entries[entry].ns, ns);
}

/* Ends the time on a CPU. */
static void
stop(const struct timeline *timeline, struct thread *thread, uint64_t now_ns)
{
	if (thread->on)
		thread->unsampled_ns =
			sum_ns(thread->unsampled_ns, lasted_ns(timeline, thread, now_ns));
	thread->on = false;
}

static void
switch_out(struct timeline *timeline, struct thread *thread, size_t entry, enum wait_kind kind,
	uint64_t now_ns)
{
	if (thread->has_end)
		return;
	timeline->nlost += thread->off;
	stop(timeline, thread, now_ns);
	begin(timeline, thread, false, now_ns);
	thread->opened = thread->sampled != NO_ENTRY ? thread->sampled : entry;
	thread->sampled = NO_ENTRY;
	timeline->entries[thread->opened].kind = kind;
}

/* Ends a wait, of which the part after the wake-up was for a CPU. */
static void
end_wait(struct timeline *timeline, struct thread *thread, uint64_t now_ns)
{
	struct timeline_entry *entry = &timeline->entries[thread->opened];
	uint64_t ns = lasted_ns(timeline, thread, now_ns);
	uint64_t queued_ns = 0;

	if (thread->woken_ns >= thread->since_ns && now_ns > thread->woken_ns)
		queued_ns = now_ns - thread->woken_ns;
	if (queued_ns > ns)
		queued_ns = ns;
	add_ns(timeline, thread->opened, ns - queued_ns);
	entry->queued_ns = sum_ns(entry->queued_ns, queued_ns);
}

static void
switch_in(struct timeline *timeline, struct thread *thread, uint64_t now_ns)
{
	if (thread->on || thread->has_end)
		return;
	if (thread->off) {
		end_wait(timeline, thread, now_ns);
		timeline->nended++;
	}
	begin(timeline, thread, true, now_ns);
}

/* The fields of sched_waking that are needed, where they always were. */
struct sched_waking {
	char before[24]; /* common fields, comm */
	uint32_t pid;
};

/*
 * A wake-up is often recorded twice: for who wakes and for who is woken. The first one counts, and
 * none of a thread that could run already.
 */
static void
take_wake(struct timeline *timeline, const struct record *record)
{
	const size_t entry = timeline->events.of_wakers ? add_entry(timeline) : NO_ENTRY;
	struct sched_waking fields;

	if (record->u.sample.raw_data_bytes < sizeof(fields))
		return;
	memcpy(&fields, record->u.sample.raw_data, sizeof(fields));
	uint32_t number = key_map_find(&timeline->tids, fields.pid);
	struct thread *thread = number != KEY_MAP_NONE ? &timeline->threads[number] : NULL;

	if (!thread || !thread->off || thread->woken_ns != 0 ||
		timeline->entries[thread->opened].kind != WAIT_FOR_EVENT)
		return;
	thread->woken_ns = record->id.time_ns;
	add_ns(timeline, entry, lasted_ns(timeline, thread, record->id.time_ns));
}

/* The time since the last sample of the clock; the period where it is not known. */
static void
take_clock(struct timeline *timeline, struct thread *thread, const struct record *record)
{
	uint64_t now_ns = record->id.time_ns;
	uint64_t ns = counts(timeline, thread) ? sum_ns(0, record->u.sample.period) : 0;

	thread->clocked = add_entry(timeline);
	if (thread->on && thread->losses == timeline->losses)
		ns = sum_ns(thread->unsampled_ns, lasted_ns(timeline, thread, now_ns));
	add_ns(timeline, thread->clocked, ns);
	thread->unsampled_ns = 0;
	begin(timeline, thread, true, now_ns);
}

/*
 * A mark of an operation, which the thread came to while it ran. The time on the CPU is that of the
 * operation from its begin on, and until its end.
 */
static void
take_mark(struct timeline *timeline, struct thread *thread, const struct record *record)
{
	const bool ends = slow_operations_is_end(timeline->events.operations, record->event);
	const size_t entry = ends ? add_entry(timeline) : NO_ENTRY;
	struct operation_mark mark;

	if (!slow_operations_take(timeline->events.operations, record, &mark) || !mark.slow ||
		!thread || thread->has_end)
		return;
	stop(timeline, thread, record->id.time_ns);
	if (ends && thread->clocked == NO_ENTRY && thread->unsampled_ns > 0)
		timeline->entries[entry].kind = WAIT_UNSAMPLED;
	if (ends && timeline->events.clock != SIZE_MAX)
		add_ns(timeline, thread->clocked != NO_ENTRY ? thread->clocked : entry,
			thread->unsampled_ns);
	thread->slow = mark.kind == OPERATION_BEGINS;
	thread->unsampled_ns = 0;
	thread->clocked = NO_ENTRY;
	begin(timeline, thread, true, record->id.time_ns);
}

/* The fields of sched_switch that are needed, where they always were. */
struct sched_switch {
	char before[24]; /* common fields, prev_comm */
	uint32_t prev_pid;
	uint32_t prev_priority;
	uint64_t prev_state; /* 0, or a bit that says so: it could go on */
	char next_comm[16];
	uint32_t next_pid;
	uint32_t next_priority;
};

/* TASK_REPORT_MAX of include/linux/sched.h: preempted. */
#define STATE_PREEMPTED 0x100

static void
take_tracepoint(struct timeline *timeline, struct thread *thread, const struct record *record)
{
	size_t entry = add_entry(timeline);
	struct sched_switch fields;

	if (record->u.sample.raw_data_bytes < sizeof(fields))
		return;
	memcpy(&fields, record->u.sample.raw_data, sizeof(fields));
	bool runs = (fields.prev_state & ~(uint64_t)STATE_PREEMPTED) == 0;

	if (thread && fields.prev_pid == record->id.tid)
		switch_out(timeline, thread, entry, runs ? WAIT_FOR_CPU : WAIT_FOR_EVENT,
			record->id.time_ns);
	if (fields.next_pid != 0)
		switch_in(timeline, thread_of(timeline, fields.next_pid), record->id.time_ns);
}

static bool
is_switch(const struct record *record)
{
	return record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

/* Whether the record has an entry: the same in both passes. */
static bool
has_entry(const struct timeline *timeline, const struct record *record)
{
	const struct timeline_events *events = &timeline->events;

	if (record->type == PERF_RECORD_SAMPLE)
		return record->event == events->switches || record->event == events->clock ||
		       (events->of_wakers && record->event == events->wakes) ||
		       (events->operations &&
			       slow_operations_is_end(events->operations, record->event));
	return is_switch(record) && record->misc & PERF_RECORD_MISC_SWITCH_OUT;
}

static void
take_switch(struct timeline *timeline, struct thread *thread, const struct record *record)
{
	if (!(record->misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		if (thread)
			switch_in(timeline, thread, record->id.time_ns);
		return;
	}
	size_t entry = add_entry(timeline);
	bool runs = (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;

	if (thread && !(timeline->tracepoint && thread->off))
		switch_out(timeline, thread, entry, runs ? WAIT_FOR_CPU : WAIT_FOR_EVENT,
			record->id.time_ns);
}

static bool
is_mark(const struct timeline *timeline, const struct record *record)
{
	return timeline->events.operations &&
	       slow_operations_is_mark(timeline->events.operations, record->event);
}

static void
take_sample(struct timeline *timeline, struct thread *thread, const struct record *record)
{
	if (is_mark(timeline, record))
		take_mark(timeline, thread, record);
	else if (record->event == timeline->events.wakes)
		take_wake(timeline, record);
	else if (record->event == timeline->events.switches && timeline->tracepoint)
		take_tracepoint(timeline, thread, record);
	else if (!thread)
		add_entry(timeline);
	else if (record->event == timeline->events.clock)
		take_clock(timeline, thread, record);
	else
		thread->sampled = add_entry(timeline);
}

/* The rest of a thread's time on the CPU belongs to its last sample. */
static void
end_thread(struct timeline *timeline, struct thread *thread, uint64_t now_ns)
{
	stop(timeline, thread, now_ns);
	add_ns(timeline, thread->clocked, thread->unsampled_ns);
	*thread = (struct thread){.has_end = true, .sampled = NO_ENTRY, .clocked = NO_ENTRY};
}

static void
take_record(struct timeline *timeline, const struct record *record)
{
	uint64_t now_ns = record->id.time_ns;
	/* Thread 0 is every CPU's idle loop. */
	struct thread *thread = record->id.tid ? thread_of(timeline, record->id.tid) : NULL;

	if (now_ns > timeline->newest_ns)
		timeline->newest_ns = now_ns;
	if (record->type == PERF_RECORD_SAMPLE &&
		(has_entry(timeline, record) || record->event == timeline->events.wakes ||
			is_mark(timeline, record)))
		take_sample(timeline, thread, record);
	else if (is_switch(record))
		take_switch(timeline, thread, record);
	else if (record->type == PERF_RECORD_EXIT)
		end_thread(timeline, thread_of(timeline, record->u.task.tid), now_ns);
	else if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES)
		timeline->losses++;
	else if (record->type == PERF_RECORD_FORK)
		*thread_of(timeline, record->u.task.tid) =
			(struct thread){.sampled = NO_ENTRY, .clocked = NO_ENTRY};
	/* The capture begins with it: it runs. */
	else if (record->type == PERF_RECORD_COMM && record->u.comm.is_exec && thread)
		switch_in(timeline, thread, now_ns);
}

/* Ends the waits that last when the file ends, and the time on the CPU since the last samples. */
static void
end_threads(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->tids.count; i++) {
		struct thread *thread = &timeline->threads[i];

		if (thread->off)
			end_wait(timeline, thread, timeline->newest_ns);
		else
			end_thread(timeline, thread, timeline->newest_ns);
	}
}

static bool
has_records(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (perfdata_event(reader, i)->attr.context_switch)
			return true;
	return false;
}

struct timeline *
timeline_read(const struct file_view *view, const char *path, const struct timeline_events *events,
	struct err *err)
{
	struct timeline *timeline = mem_zalloc(1, sizeof(*timeline));
	struct perfdata_reader *reader = perfdata_open(view, path, err);
	struct record record;
	int status = -1;

	timeline->events = *events;
	if (events->operations)
		slow_operations_rewind(events->operations);
	if (reader) {
		timeline->tracepoint =
			perfdata_event(reader, events->switches)->attr.type == PERF_TYPE_TRACEPOINT;
		timeline->recorded = has_records(reader);
		while ((status = perfdata_next(reader, &record, err)) > 0)
			take_record(timeline, &record);
	}
	perfdata_close(reader);
	if (status < 0) {
		timeline_free(timeline);
		return NULL;
	}
	end_threads(timeline);
	return timeline;
}

void
timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	key_map_release(&timeline->tids);
	free(timeline->threads);
	free(timeline->entries);
	free(timeline);
}

bool
timeline_is_known(const struct timeline *timeline)
{
	return timeline->recorded || timeline->nended > ENDED_MIN * timeline->nlost;
}

bool
timeline_take(struct timeline *timeline, const struct record *record, struct timeline_entry *entry)
{
	if (!has_entry(timeline, record) || timeline->next >= timeline->count)
		return false;
	*entry = timeline->entries[timeline->next++];
	if (timeline->events.of_wakers && record->event != timeline->events.wakes)
		*entry = (struct timeline_entry){.kind = WAIT_NONE};
	return true;
}

/* Which events of a file its times are found from. */

#define SWITCH_TRACEPOINT "sched:sched_switch"
#define WAKE_TRACEPOINT "sched:sched_waking"

bool
timeline_is_switches(const struct perfdata_event *event)
{
	return (event->attr.type == PERF_TYPE_SOFTWARE &&
		       event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES) ||
	       strcmp(event->name, SWITCH_TRACEPOINT) == 0;
}

static bool
is_clock(const struct perfdata_event *event)
{
	return describe_is_clock(&event->attr);
}

static bool
is_wakes(const struct perfdata_event *event)
{
	return strcmp(event->name, WAKE_TRACEPOINT) == 0;
}

static size_t
find_event(const struct perfdata_reader *reader, bool (*is)(const struct perfdata_event *event))
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (is(perfdata_event(reader, i)))
			return i;
	return SIZE_MAX;
}

struct timeline_events
timeline_events(const struct perfdata_reader *reader, const char *wanted)
{
	struct timeline_events events = {
		.switches = find_event(reader, timeline_is_switches),
		.clock = find_event(reader, is_clock),
		.wakes = find_event(reader, is_wakes),
	};

	if (events.switches == SIZE_MAX)
		return events;
	const struct perfdata_event *switches = perfdata_event(reader, events.switches);

	if (wanted &&
		(strcmp(wanted, TIMELINE_SWITCHES) == 0 || event_name_is(wanted, switches->name)))
		events.clock = SIZE_MAX;
	else if (wanted || (events.clock == SIZE_MAX && events.switches > 0))
		events.switches = SIZE_MAX;
	return events;
}
