/*
 * Chooses the events of a perf.data file that are read, and as which view; and weighs their
 * records: by the values of a group, by the time or bytes of system calls, by the timeline.
 */
#include "ingest/perfdata_internal.h"

#include "base/map.h"
#include "base/mem.h"
#include "ingest/ingest_internal.h"
#include "ingest/sample_weights.h"
#include "ingest/syscalls.h"

#include <stdlib.h>
#include <string.h>

static const struct view views[] = {
	{"syscalls:time", VIEW_CALL_NS, "syscalls", "ns", "no system call ended"},
	{"io:bytes", VIEW_IO_BYTES, "io", "bytes", "no system call read or wrote a byte"},
	{"io:calls", VIEW_IO_NUMBER, "io", "calls", "no system call was to read or write"},
	{"locks:wait", VIEW_LOCK_NS, "locks", "ns", "no thread waited for a lock"},
	{"locks:number", VIEW_LOCK_NUMBER, "locks", "waits", "no thread waited for a lock"},
	{"locks:wakers", VIEW_LOCK_WAKERS, "locks", "ns",
		"no thread was seen to end another's wait for a lock"},
};

/* The view of this name; NULL if there is none, or `name` is NULL. */
static const struct view *
view_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(views) / sizeof(views[0]); i++)
		if (strcmp(views[i].name, name) == 0)
			return &views[i];
	return NULL;
}

/* The view to read the file as: `wanted` (--event), or if that is NULL that of its first event. */
static const struct view *
view_of(const struct perfdata_reader *reader, const char *wanted)
{
	return view_find(wanted ? wanted : perfdata_event(reader, 0)->name);
}

/* Whether it is of system calls, else of context switches. */
static bool
view_is_of_calls(const struct view *view)
{
	switch (view->kind) {
	case VIEW_CALL_NS:
	case VIEW_IO_BYTES:
	case VIEW_IO_NUMBER:
		return true;
	case VIEW_LOCK_NS:
	case VIEW_LOCK_NUMBER:
	case VIEW_LOCK_WAKERS:
		break;
	}
	return false;
}

static bool
is_of(const struct view *view, const struct perfdata_event *event)
{
	return view_is_of_calls(view) ? syscalls_are_counted(event) : timeline_is_switches(event);
}

/* The event that a view is of. SIZE_MAX: the file has none. */
static size_t
view_event(const struct perfdata_reader *reader, const struct view *view)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (is_of(view, perfdata_event(reader, i)))
			return i;
	return SIZE_MAX;
}

static bool
is_counted(const struct perfdata_event *event)
{
	return describe_counted(event) || syscalls_are_counted(event);
}

/* Events of the CPU's cores of several kinds have one name in older files. */
static uint32_t
pmu_of(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ? (uint32_t)(attr->config >> 32) : 0;
}

static void
make_totals(struct event_choice *choice, const struct perfdata_reader *reader)
{
	bool counted = false;

	choice->count = perfdata_nevents(reader);
	choice->totals = mem_zalloc(choice->count + 1, sizeof(*choice->totals));
	for (size_t i = 0; i < choice->count; i++) {
		const struct perfdata_event *event = perfdata_event(reader, i);
		const bool is_mark = phase_marks_are_of(event->name);

		choice->totals[i] = (struct event_total){
			.name = event->name,
			.pmu = pmu_of(&event->attr),
			.weight = event->period_sum,
			.samples = event->nsamples,
			/* Events behind a counted one are other views of the same. */
			.secondary = is_mark || counted || describe_is_off_cpu(event),
			.is_unlisted = is_mark,
		};
		counted |= is_counted(event) && event->nsamples > 0;
	}
}

/* The event that a view or a timeline is of; SIZE_MAX: `wanted` is neither. */
static int
find_view(const struct perfdata_reader *reader, const char *path, const char *wanted, size_t *event,
	struct err *err)
{
	const struct view *view = view_of(reader, wanted);

	*event = view ? view_event(reader, view) : SIZE_MAX;
	if (view && *event >= perfdata_nevents(reader))
		return err_set(err, ERR_INPUT, "%s: has no event '%s'", path, view->name);
	if (view || !wanted || strcmp(wanted, TIMELINE_SWITCHES) != 0)
		return 0;
	/* A file that is written for a view has its name. */
	for (size_t i = 0; i < perfdata_nevents(reader) && *event == SIZE_MAX; i++)
		if (timeline_is_switches(perfdata_event(reader, i)) ||
			event_name_is(wanted, perfdata_event(reader, i)->name))
			*event = i;
	return 0;
}

void
event_choice_set(struct event_choice *choice, size_t event)
{
	for (size_t i = 0; i < choice->count; i++)
		choice->totals[i].chosen = i == event;
	choice->event = event;
}

int
event_choose(struct event_choice *choice, const struct perfdata_reader *reader, const char *path,
	const char *wanted, struct err *err)
{
	size_t event;

	make_totals(choice, reader);
	if (find_view(reader, path, wanted, &event, err) < 0)
		return -1;
	if (event != SIZE_MAX)
		event_choice_set(choice, event);
	else if (event_totals_choose(
			 choice->totals, choice->count, path, wanted, &choice->event, err) < 0)
		return -1;
	if (!perfdata_event(reader, choice->event)->lbr)
		return 0;
	err_set(err, ERR_INPUT,
		"%s: the call chains of %s are the processor's last branches (--call-graph lbr)",
		path, perfdata_event(reader, choice->event)->name);
	return err_note(err,
		"these hold 8 to 32 calls, and deeper stacks are truncated: record with --call-graph fp or dwarf");
}

void
event_choice_release(struct event_choice *choice)
{
	free(choice->totals);
	*choice = (struct event_choice){0};
}

bool
event_is_group_read(const struct perfdata_event *event)
{
	return (event->attr.sample_type & PERF_SAMPLE_READ) &&
	       (event->attr.read_format & PERF_FORMAT_GROUP);
}

bool
event_group_is_usable(const struct perfdata_event *event)
{
	return (event->attr.read_format & PERF_FORMAT_ID) && !event->attr.inherit;
}

void
group_reads_init(struct group_reads *reads, const struct perfdata_reader *reader,
	const struct event_choice *choice)
{
	*reads = (struct group_reads){0};
	for (size_t i = 0; i < choice->count; i++) {
		const struct perfdata_event *event = perfdata_event(reader, i);

		if (!event_choice_has(choice, i) || event->nsamples > 0 ||
			!event_is_group_read(event) || !event_group_is_usable(event))
			continue;
		for (size_t k = 0; k < event->nids; k++)
			key_map_add(&reads->ids, event->ids[k]);
	}
	reads->last = mem_zalloc(reads->ids.count + 1, sizeof(*reads->last));
}

void
group_reads_release(struct group_reads *reads)
{
	key_map_release(&reads->ids);
	free(reads->last);
	*reads = (struct group_reads){0};
}

uint64_t
group_reads_take(struct group_reads *reads, const struct record_sample *sample)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sample->nvalues; i++) {
		const uint64_t *value = sample->values + i * sample->value_words;
		const uint32_t number = key_map_find(&reads->ids, value[1]);

		if (number == KEY_MAP_NONE)
			continue;
		/* Smaller ones are of a damaged file. */
		if (value[0] > reads->last[number])
			sum += value[0] - reads->last[number];
		reads->last[number] = value[0];
	}
	return sum;
}

/*
 * How long system calls took, or how many bytes they moved: from the sample of
 * raw_syscalls:sys_enter to the next one of raw_syscalls:sys_exit in the same thread.
 *
 * That is known only at the end of a call, so that the file is read twice, as for the timeline:
 * call_times_read() goes through it first, call_times_take() then gives the time, or the bytes, of
 * each call in the same order. A call that does not return, and one during which records were lost,
 * takes no time and moves nothing.
 */

/* A thread is in no call. */
#define NO_CALL SIZE_MAX

struct thread {
	size_t call; /* whose end is awaited: an index of `ns` */
	uint64_t since_ns;
	uint64_t losses; /* ... when there were so many gaps in the file */
};

struct call_times {
	enum view_kind kind;
	const char *arch; /* borrowed */
	size_t start;     /* events */
	size_t end;
	uint64_t *ns; /* by call, in the file's order: or bytes, or 1 */
	size_t count;
	size_t capacity;
	size_t next; /* of call_times_take() */
	uint64_t losses;
	struct key_map tids;
	struct thread *threads;
	size_t threads_capacity;
};

/* The event of the ends of calls whose starts are samples of `start`. SIZE_MAX: there is none. */
static size_t
call_times_end(const struct perfdata_reader *reader, size_t start)
{
	if (!syscalls_are_counted(perfdata_event(reader, start)))
		return SIZE_MAX;
	for (size_t i = 0; i < perfdata_nevents(reader); i++) {
		const char *name = perfdata_event(reader, i)->name;

		if (event_name_is(CALL_TIMES_END, name))
			return i;
	}
	return SIZE_MAX;
}

static struct thread *
thread_of(struct call_times *times, uint32_t tid)
{
	const size_t count = times->tids.count;
	const uint32_t number = key_map_add(&times->tids, tid);

	if (times->tids.count > count) {
		times->threads = mem_grow(times->threads, &times->threads_capacity,
			times->tids.count, sizeof(*times->threads));
		times->threads[number] = (struct thread){.call = NO_CALL};
	}
	return &times->threads[number];
}

/* Whether the call reads or writes, and returns how many bytes it did. */
static bool
moves_bytes(const struct record_sample *sample, const char *arch)
{
	static const char *const names[] = {"read", "write", "pread64", "pwrite64", "readv",
		"writev", "preadv", "pwritev", "preadv2", "pwritev2", "recv", "send", "recvfrom",
		"sendto", "recvmsg", "sendmsg", "sendfile", "sendfile64", "splice", "tee",
		"vmsplice", "copy_file_range"};
	enum syscall_table table;
	uint64_t number;
	const char *name =
		syscalls_number(sample, arch, &table, &number) ? syscall_name(table, number) : NULL;

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Where the fields of raw_syscalls:sys_exit have the result, a long (its `format` in tracefs). */
#define RESULT_AT 16

/* How many a sample of raw_syscalls:sys_exit says; 0 where the call failed. */
static uint64_t
bytes_moved(const struct record_sample *sample)
{
	int64_t result;

	if (sample->raw_data_bytes < RESULT_AT + sizeof(result))
		return 0;
	memcpy(&result, sample->raw_data + RESULT_AT, sizeof(result));
	return result > 0 ? (uint64_t)result : 0;
}

static void
take_start(struct call_times *times, struct thread *thread, const struct record *record)
{
	const struct record_sample *sample = &record->u.sample;

	if (times->count == times->capacity)
		times->ns =
			mem_grow(times->ns, &times->capacity, times->count + 1, sizeof(*times->ns));
	const bool wanted = times->kind == VIEW_CALL_NS || moves_bytes(sample, times->arch);
	const size_t call = times->count++;

	times->ns[call] = wanted && times->kind == VIEW_IO_NUMBER ? 1 : 0;
	*thread = (struct thread){wanted ? call : NO_CALL, record->id.time_ns, times->losses};
}

/* A damaged file's time can go back. */
static void
take_end(struct call_times *times, struct thread *thread, const struct record *record)
{
	const uint64_t now_ns = record->id.time_ns;
	const size_t call = thread->call;

	thread->call = NO_CALL;
	if (call == NO_CALL || thread->losses != times->losses || now_ns < thread->since_ns)
		return;
	if (times->kind == VIEW_CALL_NS)
		times->ns[call] = now_ns - thread->since_ns;
	else if (times->kind == VIEW_IO_BYTES)
		times->ns[call] = bytes_moved(&record->u.sample);
}

static void
take_record(struct call_times *times, const struct record *record)
{
	if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES)
		times->losses++;
	/* Its number may be another one's later. */
	else if (record->type == PERF_RECORD_EXIT)
		thread_of(times, record->u.task.tid)->call = NO_CALL;
	else if (record->type == PERF_RECORD_SAMPLE && record->event == times->start)
		take_start(times, thread_of(times, record->id.tid), record);
	else if (record->type == PERF_RECORD_SAMPLE && record->event == times->end)
		take_end(times, thread_of(times, record->id.tid), record);
}

static void
call_times_free(struct call_times *times)
{
	if (!times)
		return;
	key_map_release(&times->tids);
	free(times->threads);
	free(times->ns);
	free(times);
}

/*
 * Reads the whole file, which `reader` reads, too; `kind` is one of system calls. NULL on error,
 * such as a file without the ends of the calls of `start`.
 */
static struct call_times *
call_times_read(const struct perfdata_reader *reader, const struct file_view *view,
	const char *path, size_t start, enum view_kind kind, struct err *err)
{
	const size_t end = call_times_end(reader, start);
	struct record record;
	int status = -1;

	if (end == SIZE_MAX) {
		err_set(err, ERR_INPUT, "%s: has no ends of system calls, only their number", path);
		err_note(err,
			"`capture --metric syscalls --event syscalls:time` records both, as does perf record -e " CALL_TIMES_START
			"," CALL_TIMES_END);
		return NULL;
	}
	struct perfdata_reader *again = perfdata_open(view, path, err);
	struct call_times *times = mem_zalloc(1, sizeof(*times));

	const char *arch = perfdata_texts(reader)->arch;

	times->kind = kind;
	times->arch = arch ? arch : "";
	times->start = start;
	times->end = end;
	while (again && (status = perfdata_next(again, &record, err)) > 0)
		take_record(times, &record);
	perfdata_close(again);
	if (status == 0)
		return times;
	call_times_free(times);
	return NULL;
}

/*
 * Whether the record is the start of a call, and then what that weighs, as `ns`. To be called for
 * each record in the file's order.
 */
static bool
call_times_take(struct call_times *times, const struct record *record, struct timeline_entry *entry)
{
	if (record->type != PERF_RECORD_SAMPLE || record->event != times->start ||
		times->next >= times->count)
		return false;
	const uint64_t ns = times->ns[times->next++];

	*entry = (struct timeline_entry){
		.ns = ns < TIMELINE_NS_MAX ? ns : TIMELINE_NS_MAX,
		.kind = WAIT_NONE,
	};
	return true;
}

static int
find_calls(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, struct err *err)
{
	timings->calls =
		call_times_read(reader, view, path, timings->event, timings->view->kind, err);
	return timings->calls ? 0 : -1;
}

static int
find_waits(struct timings *timings, const struct file_view *view, const char *path, size_t *event,
	struct err *err)
{
	timings->timeline = timeline_read(view, path, &timings->events, err);
	if (!timings->timeline)
		return -1;
	if (!timeline_is_known(timings->timeline)) {
		timeline_free(timings->timeline);
		timings->timeline = NULL;
		return 0;
	}
	*event = timings->events.clock != SIZE_MAX ? timings->events.clock
						   : timings->events.switches;
	return 0;
}

static int
find_locks(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, size_t *event, struct err *err)
{
	const bool wakers = timings->view->kind == VIEW_LOCK_WAKERS;

	timings->events = timeline_events(reader, TIMELINE_SWITCHES);
	timings->events.of_wakers = wakers;
	timings->events.operations = timings->only_operations ? timings->operations : NULL;
	if (wakers && timings->events.wakes == SIZE_MAX)
		return err_set(
			err, ERR_INPUT, "%s: has no wake-ups: these need root and tracefs", path);
	if (find_waits(timings, view, path, event, err) < 0)
		return -1;
	if (!timings->timeline)
		return err_set(err, ERR_INPUT,
			"%s: has context switches, but not when threads came back", path);
	*event = wakers ? timings->events.wakes : *event;
	return 0;
}

static int
find_times(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, const char *wanted, size_t *event,
	struct err *err)
{
	timings->view = view_of(reader, wanted);
	if (timings->view && view_is_of_calls(timings->view))
		return find_calls(timings, reader, view, path, err);
	if (timings->view)
		return find_locks(timings, reader, view, path, event, err);
	timings->stated = describe_is_off_cpu(perfdata_event(reader, *event));
	timings->events = timeline_events(reader, wanted);
	timings->events.operations = timings->only_operations ? timings->operations : NULL;
	if (timings->stated || timings->events.switches == SIZE_MAX)
		return 0;
	return find_waits(timings, view, path, event, err);
}

int
timings_find(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, const struct ingest_options *options,
	size_t *event, struct err *err)
{
	*timings = (struct timings){
		.event = *event,
		.ends = call_times_end(reader, *event),
		.only_operations = options->only_operations,
	};
	if (options->only_operations || operation_events(reader).begins != SIZE_MAX) {
		timings->operations =
			slow_operations_read(reader, view, path, options->slower_than_ns, err);
		if (!timings->operations)
			return -1;
	}
	if (find_times(timings, reader, view, path, options->event, event, err) < 0)
		return -1;
	if (timings->operations)
		slow_operations_rewind(timings->operations);
	if (timings->timeline || !timings->only_operations)
		return 0;
	return err_set(err, ERR_INPUT,
		"%s: has no times on and off the CPU that could belong to operations: "
		"`capture --metric wall` records them",
		path);
}

void
timings_release(struct timings *timings)
{
	timeline_free(timings->timeline);
	slow_operations_free(timings->operations);
	call_times_free(timings->calls);
	timings->timeline = NULL;
	timings->operations = NULL;
	timings->calls = NULL;
}

bool
timings_are_known(const struct timings *timings)
{
	return timings->timeline || timings->calls || timings->stated;
}

bool
timings_take(struct timings *timings, const struct record *record, struct timeline_entry *entry)
{
	if (timings->timeline)
		return timeline_take(timings->timeline, record, entry);
	if (timings->calls)
		return call_times_take(timings->calls, record, entry);
	if (!timings->stated || record->type != PERF_RECORD_SAMPLE ||
		record->event != timings->event)
		return false;
	*entry = (struct timeline_entry){
		.ns = record->u.sample.period & TIMELINE_NS_MAX, .kind = WAIT_FOR_EVENT};
	return true;
}

bool
timings_are_times(const struct timings *timings)
{
	return timings_are_known(timings) &&
	       (!timings->view || strcmp(timings->view->unit, "ns") == 0);
}

bool
timings_are_of_locks(const struct timings *timings)
{
	return timings->view && timings->timeline;
}

bool
timings_need(const struct timings *timings, size_t event)
{
	return event == timings->ends || (timings->timeline && event == timings->events.wakes) ||
	       (timings->operations && slow_operations_is_mark(timings->operations, event));
}

static void
describe_view(const struct view *view, struct profile *profile)
{
	describe_set(profile, &profile->metric, view->metric);
	describe_set(profile, &profile->event, view->name);
	describe_set(profile, &profile->unit, view->unit);
	describe_set(profile, &profile->cost_unit, view->unit);
}

void
timings_describe(const struct timings *timings, struct profile *profile)
{
	if (timings->view)
		describe_view(timings->view, profile);
	else if (timings_are_known(timings))
		describe_times(profile, timings->timeline && timings->events.clock != SIZE_MAX);
}
