/*
 * How long system calls took, or how many bytes they moved: from the sample of
 * raw_syscalls:sys_enter to the next one of raw_syscalls:sys_exit in the same thread.
 */
#include "base/map.h"
#include "base/mem.h"
#include "ingest/event_totals.h"
#include "ingest/perfdata_internal.h"
#include "ingest/syscalls.h"

#include <stdlib.h>
#include <string.h>

/* A thread is in no call. */
#define NO_CALL SIZE_MAX

struct thread {
	size_t call; /* the call that the thread is in: an index of `ns` */
	uint64_t since_ns;
	uint64_t losses; /* call_times.losses at since_ns */
};

struct call_times {
	enum view_kind kind;
	const char *arch; /* borrowed */
	size_t start;     /* the event of the starts of calls */
	size_t end;       /* the event of their ends */
	uint64_t *ns;     /* of each call, in the file's order: its time, its bytes, or 1 */
	size_t count;
	size_t capacity;
	size_t next;     /* index of the call that call_times_take() gives next */
	uint64_t losses; /* places where records are missing, so far */
	struct key_map tids;
	struct thread *threads;
	size_t threads_capacity;
};

size_t
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

void
call_times_free(struct call_times *times)
{
	if (!times)
		return;
	key_map_release(&times->tids);
	free(times->threads);
	free(times->ns);
	free(times);
}

struct call_times *
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

bool
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
