/*
 * The operations between the marks of a perf.data file, and how long each took.
 */
#include "base/map.h"
#include "base/mem.h"
#include "ingest/perfdata_internal.h"
#include "perfdata/writer.h"

#include <stdlib.h>
#include <string.h>

/* A mark, as the first pass over the file found it. */
struct entry {
	struct operation_mark mark;
	uint64_t returns_to; /* of a begin: the return address of its function; 0: not known */
	bool paired;         /* there is an end to the begin, or a begin to the end */
};

/* A begin whose end was not met yet. */
struct open {
	size_t entry;
	uint64_t stack; /* the stack pointer at the begin; 0: not known */
};

struct thread {
	struct open *open; /* the outermost first, which begins the operation */
	size_t depth;
	size_t open_capacity;
	uint64_t begin_ns;
	uint64_t losses;   /* slow_operations.losses at begin_ns */
	uint64_t *returns; /* what slow_operations_returns() gives, the outermost first */
	size_t nreturns;
	size_t returns_capacity;
};

struct slow_operations {
	struct operation_events events;
	char name[128];
	uint64_t slower_than_ns;
	struct entry *entries; /* one a mark, in the file's order */
	size_t count;
	size_t capacity;
	size_t next;     /* index of the mark that slow_operations_take() gives next */
	uint64_t losses; /* places where records are missing, so far */
	uint64_t newest_ns;
	struct operation_rest rest;
	struct key_map tids;
	struct thread *threads;
	size_t threads_capacity;
};

static size_t
find_event(const struct perfdata_reader *reader, const char *prefix)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (strncmp(perfdata_event(reader, i)->name, prefix, strlen(prefix)) == 0)
			return i;
	return SIZE_MAX;
}

struct operation_events
operation_events(const struct perfdata_reader *reader)
{
	const size_t returns = find_event(reader, OPERATION_RETURN_EVENT);

	return (struct operation_events){
		.begins = find_event(reader, OPERATION_BEGIN_EVENT),
		.ends = returns != SIZE_MAX ? returns : find_event(reader, OPERATION_END_EVENT),
		.are_returns = returns != SIZE_MAX,
	};
}

bool
slow_operations_is_mark(const struct slow_operations *operations, size_t event)
{
	return event == operations->events.begins || event == operations->events.ends;
}

bool
slow_operations_is_end(const struct slow_operations *operations, size_t event)
{
	return event == operations->events.ends;
}

static struct thread *
thread_of(struct slow_operations *operations, uint32_t tid)
{
	const size_t count = operations->tids.count;
	const uint32_t number = key_map_add(&operations->tids, tid);

	if (operations->tids.count > count) {
		operations->threads = mem_grow(operations->threads, &operations->threads_capacity,
			operations->tids.count, sizeof(*operations->threads));
		operations->threads[number] = (struct thread){.open = NULL};
	}
	return &operations->threads[number];
}

/* The thread of a mark; NULL: one of another program. */
static struct thread *
known_thread(struct slow_operations *operations, uint32_t tid)
{
	const uint32_t number = key_map_find(&operations->tids, tid);

	return number != KEY_MAP_NONE ? &operations->threads[number] : NULL;
}

static size_t
add_entry(struct slow_operations *operations)
{
	operations->entries = mem_grow(operations->entries, &operations->capacity,
		operations->count + 1, sizeof(*operations->entries));
	operations->entries[operations->count] = (struct entry){.mark.kind = OPERATION_NOTHING};
	return operations->count++;
}

/* The operation that a thread was in, if any, has no end. */
static void
leave(struct slow_operations *operations, struct thread *thread)
{
	operations->rest.unended += thread->depth > 0;
	thread->depth = 0;
}

/* Marks have the stack pointer and no other register. */
static uint64_t
stack_pointer(const struct record_sample *sample)
{
	return sample->nuser_regs > 0 && sample->user_regs ? sample->user_regs[0] : 0;
}

static void
take_begin(struct slow_operations *operations, struct thread *thread, size_t entry,
	const struct record *record)
{
	const uint64_t stack = stack_pointer(&record->u.sample);

	/* Stacks grow downwards: what called the outermost one has returned. */
	if (thread->depth > 0 && thread->open[0].stack != 0 && stack >= thread->open[0].stack)
		leave(operations, thread);
	if (thread->depth == 0) {
		thread->begin_ns = record->id.time_ns;
		thread->losses = operations->losses;
	}
	thread->open = mem_grow(
		thread->open, &thread->open_capacity, thread->depth + 1, sizeof(*thread->open));
	thread->open[thread->depth++] = (struct open){entry, stack};
}

/*
 * Takes the begin that belongs to an end from those that are open. A return pops the stack: calls
 * from below it have been left, or were too deep for the kernel to notice their return.
 */
static size_t
pop(const struct slow_operations *operations, struct thread *thread, uint64_t stack)
{
	size_t entry = thread->open[--thread->depth].entry;

	while (operations->events.are_returns && thread->depth > 0 &&
		thread->open[thread->depth - 1].stack < stack)
		entry = thread->open[--thread->depth].entry;
	return entry;
}

static void
end_operation(struct slow_operations *operations, size_t begin, size_t end, uint64_t ns)
{
	const struct operation_mark mark = {
		.ns = ns,
		.kind = OPERATION_BEGINS,
		.slow = ns > operations->slower_than_ns || operations->slower_than_ns == 0,
	};

	operations->entries[begin].mark = mark;
	operations->entries[end].mark = mark;
	operations->entries[end].mark.kind = OPERATION_ENDS;
}

static void
take_end(struct slow_operations *operations, struct thread *thread, size_t end,
	const struct record *record)
{
	const uint64_t now_ns = record->id.time_ns;

	if (thread->depth == 0) {
		operations->rest.unbegun++;
		return;
	}
	/* A damaged file's time can go back. */
	if (thread->losses != operations->losses || now_ns < thread->begin_ns) {
		leave(operations, thread);
		return;
	}
	const size_t begin = pop(operations, thread, stack_pointer(&record->u.sample));

	operations->entries[begin].returns_to =
		operations->events.are_returns ? record->u.sample.ip : 0;
	operations->entries[begin].paired = operations->entries[end].paired = true;
	if (thread->depth == 0)
		end_operation(operations, begin, end, now_ns - thread->begin_ns);
}

static void
take_mark(struct slow_operations *operations, const struct record *record)
{
	const size_t mark = add_entry(operations);
	struct thread *thread = known_thread(operations, record->id.tid);

	if (thread && record->event == operations->events.begins)
		take_begin(operations, thread, mark, record);
	else if (thread)
		take_end(operations, thread, mark, record);
}

static void
take_record(struct slow_operations *operations, const struct record *record)
{
	if (record->id.time_ns > operations->newest_ns)
		operations->newest_ns = record->id.time_ns;
	if (record->type == PERF_RECORD_SAMPLE &&
		slow_operations_is_mark(operations, record->event))
		take_mark(operations, record);
	else if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES)
		operations->losses++;
	/* Its number may be another one's later. */
	else if (record->type == PERF_RECORD_EXIT || record->type == PERF_RECORD_FORK)
		leave(operations, thread_of(operations, record->u.task.tid));
	else if (record->type == PERF_RECORD_COMM) {
		struct thread *thread = thread_of(operations, record->u.comm.tid);

		if (record->u.comm.is_exec)
			leave(operations, thread);
	}
}

static void
end_threads(struct slow_operations *operations)
{
	for (size_t i = 0; i < operations->tids.count; i++) {
		const struct thread *thread = &operations->threads[i];

		if (thread->depth == 0 || operations->newest_ns < thread->begin_ns)
			continue;
		const uint64_t ns = operations->newest_ns - thread->begin_ns;

		operations->rest.unfinished++;
		if (ns > operations->rest.unfinished_ns)
			operations->rest.unfinished_ns = ns;
	}
}

struct slow_operations *
slow_operations_read(const struct perfdata_reader *reader, const struct file_view *view,
	const char *path, uint64_t slower_than_ns, struct err *err)
{
	const struct operation_events events = operation_events(reader);
	struct record record;
	int status = -1;

	if (events.begins == SIZE_MAX) {
		err_set(err, ERR_INPUT, "%s: does not say when operations began and ended", path);
		err_note(err, "`capture --operation BEGIN,END` records that");
		return NULL;
	}
	struct perfdata_reader *again = perfdata_open(view, path, err);
	struct slow_operations *operations = mem_zalloc(1, sizeof(*operations));
	const char *name =
		perfdata_event(reader, events.begins)->name + strlen(OPERATION_BEGIN_EVENT);

	operations->events = events;
	operations->slower_than_ns = slower_than_ns;
	memcpy(operations->name, name, strlen(name) + 1);
	while (again && (status = perfdata_next(again, &record, err)) > 0)
		take_record(operations, &record);
	perfdata_close(again);
	end_threads(operations);
	if (status == 0)
		return operations;
	slow_operations_free(operations);
	return NULL;
}

void
slow_operations_free(struct slow_operations *operations)
{
	if (!operations)
		return;
	for (size_t i = 0; i < operations->tids.count; i++) {
		free(operations->threads[i].open);
		free(operations->threads[i].returns);
	}
	key_map_release(&operations->tids);
	free(operations->threads);
	free(operations->entries);
	free(operations);
}

void
slow_operations_rewind(struct slow_operations *operations)
{
	operations->next = 0;
	for (size_t i = 0; i < operations->tids.count; i++)
		operations->threads[i].nreturns = 0;
}

static void
move_return(
	struct slow_operations *operations, const struct record *record, const struct entry *entry)
{
	struct thread *thread = known_thread(operations, record->id.tid);

	if (!thread || !entry->paired)
		return;
	if (record->event == operations->events.ends) {
		thread->nreturns -= thread->nreturns > 0;
		return;
	}
	thread->returns = mem_grow(thread->returns, &thread->returns_capacity, thread->nreturns + 1,
		sizeof(*thread->returns));
	thread->returns[thread->nreturns++] = entry->returns_to;
}

bool
slow_operations_take(struct slow_operations *operations, const struct record *record,
	struct operation_mark *mark)
{
	if (record->type != PERF_RECORD_SAMPLE ||
		!slow_operations_is_mark(operations, record->event) ||
		operations->next >= operations->count)
		return false;
	const struct entry *entry = &operations->entries[operations->next++];

	*mark = entry->mark;
	if (operations->events.are_returns)
		move_return(operations, record, entry);
	return true;
}

size_t
slow_operations_returns(
	const struct slow_operations *operations, uint32_t tid, uint64_t *addresses, size_t max)
{
	const uint32_t number = key_map_find(&operations->tids, tid);
	size_t count = 0;

	if (number == KEY_MAP_NONE)
		return 0;
	const struct thread *thread = &operations->threads[number];

	while (count < max && count < thread->nreturns) {
		addresses[count] = thread->returns[thread->nreturns - 1 - count];
		count++;
	}
	return count;
}

const char *
slow_operations_name(const struct slow_operations *operations)
{
	return operations->name;
}

uint64_t
slow_operations_slower_than_ns(const struct slow_operations *operations)
{
	return operations->slower_than_ns;
}

struct operation_rest
slow_operations_rest(const struct slow_operations *operations)
{
	return operations->rest;
}
