#include "ingest/tail.h"

#include "base/key_map.h"
#include "base/mem.h"
#include "perfdata/writer.h"

#include <stdlib.h>
#include <string.h>

/* A mark, and what belongs to it. */
struct entry {
	struct tail_mark mark;
	uint64_t returns_to; /* of a begin: where its function does; 0: not known */
	bool paired;         /* there is an end to the begin, or a begin to the end */
};

/* A begin without an end yet. */
struct open {
	size_t entry;
	uint64_t stack; /* its stack pointer; 0: not known */
};

struct thread {
	struct open *open; /* the outermost first: what that begins is the operation */
	size_t depth;
	size_t open_capacity;
	uint64_t begin_ns;
	uint64_t losses;   /* when there were so many gaps in the file */
	uint64_t *returns; /* of tail_take(): the outermost first */
	size_t nreturns;
	size_t returns_capacity;
};

struct tail {
	struct tail_events events;
	char name[128];
	uint64_t slower_than_ns;
	struct entry *entries; /* one a mark, in the file's order */
	size_t count;
	size_t capacity;
	size_t next; /* of tail_take() */
	uint64_t losses;
	uint64_t newest_ns;
	struct tail_rest rest;
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

struct tail_events
tail_events(const struct perfdata_reader *reader)
{
	const size_t returns = find_event(reader, OPERATION_RETURN_EVENT);

	return (struct tail_events){
		.begins = find_event(reader, OPERATION_BEGIN_EVENT),
		.ends = returns != SIZE_MAX ? returns : find_event(reader, OPERATION_END_EVENT),
		.are_returns = returns != SIZE_MAX,
	};
}

bool
tail_is_mark(const struct tail *tail, size_t event)
{
	return event == tail->events.begins || event == tail->events.ends;
}

bool
tail_is_end(const struct tail *tail, size_t event)
{
	return event == tail->events.ends;
}

static struct thread *
thread_of(struct tail *tail, uint32_t tid)
{
	const size_t count = tail->tids.count;
	const uint32_t number = key_map_add(&tail->tids, tid);

	if (tail->tids.count > count) {
		tail->threads = mem_grow(tail->threads, &tail->threads_capacity, tail->tids.count,
			sizeof(*tail->threads));
		tail->threads[number] = (struct thread){.open = NULL};
	}
	return &tail->threads[number];
}

/* The thread of a mark; NULL: one of another program. */
static struct thread *
known_thread(struct tail *tail, uint32_t tid)
{
	const uint32_t number = key_map_find(&tail->tids, tid);

	return number != KEY_MAP_NONE ? &tail->threads[number] : NULL;
}

static size_t
add_entry(struct tail *tail)
{
	tail->entries =
		mem_grow(tail->entries, &tail->capacity, tail->count + 1, sizeof(*tail->entries));
	tail->entries[tail->count] = (struct entry){.mark.kind = TAIL_NOTHING};
	return tail->count++;
}

/* The operation that a thread was in, if any, has no end. */
static void
leave(struct tail *tail, struct thread *thread)
{
	tail->rest.unended += thread->depth > 0;
	thread->depth = 0;
}

/* Marks have the stack pointer and no other register. */
static uint64_t
stack_pointer(const struct record_sample *sample)
{
	return sample->nuser_regs > 0 && sample->user_regs ? sample->user_regs[0] : 0;
}

static void
take_begin(struct tail *tail, struct thread *thread, size_t entry, const struct record *record)
{
	const uint64_t stack = stack_pointer(&record->u.sample);

	/* Stacks grow downwards: what called the outermost one has returned. */
	if (thread->depth > 0 && thread->open[0].stack != 0 && stack >= thread->open[0].stack)
		leave(tail, thread);
	if (thread->depth == 0) {
		thread->begin_ns = record->id.time_ns;
		thread->losses = tail->losses;
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
pop(const struct tail *tail, struct thread *thread, uint64_t stack)
{
	size_t entry = thread->open[--thread->depth].entry;

	while (tail->events.are_returns && thread->depth > 0 &&
		thread->open[thread->depth - 1].stack < stack)
		entry = thread->open[--thread->depth].entry;
	return entry;
}

static void
end_operation(struct tail *tail, size_t begin, size_t end, uint64_t ns)
{
	const struct tail_mark mark = {
		.ns = ns,
		.kind = TAIL_BEGINS,
		.slow = ns > tail->slower_than_ns || tail->slower_than_ns == 0,
	};

	tail->entries[begin].mark = mark;
	tail->entries[end].mark = mark;
	tail->entries[end].mark.kind = TAIL_ENDS;
}

static void
take_end(struct tail *tail, struct thread *thread, size_t end, const struct record *record)
{
	const uint64_t now_ns = record->id.time_ns;

	if (thread->depth == 0) {
		tail->rest.unbegun++;
		return;
	}
	/* A damaged file's time can go back. */
	if (thread->losses != tail->losses || now_ns < thread->begin_ns) {
		leave(tail, thread);
		return;
	}
	const size_t begin = pop(tail, thread, stack_pointer(&record->u.sample));

	tail->entries[begin].returns_to = tail->events.are_returns ? record->u.sample.ip : 0;
	tail->entries[begin].paired = tail->entries[end].paired = true;
	if (thread->depth == 0)
		end_operation(tail, begin, end, now_ns - thread->begin_ns);
}

static void
take_mark(struct tail *tail, const struct record *record)
{
	const size_t mark = add_entry(tail);
	struct thread *thread = known_thread(tail, record->id.tid);

	if (thread && record->event == tail->events.begins)
		take_begin(tail, thread, mark, record);
	else if (thread)
		take_end(tail, thread, mark, record);
}

static void
take_record(struct tail *tail, const struct record *record)
{
	if (record->id.time_ns > tail->newest_ns)
		tail->newest_ns = record->id.time_ns;
	if (record->type == PERF_RECORD_SAMPLE && tail_is_mark(tail, record->event))
		take_mark(tail, record);
	else if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES)
		tail->losses++;
	/* Its number may be another one's later. */
	else if (record->type == PERF_RECORD_EXIT || record->type == PERF_RECORD_FORK)
		leave(tail, thread_of(tail, record->u.task.tid));
	else if (record->type == PERF_RECORD_COMM) {
		struct thread *thread = thread_of(tail, record->u.comm.tid);

		if (record->u.comm.is_exec)
			leave(tail, thread);
	}
}

static void
end_threads(struct tail *tail)
{
	for (size_t i = 0; i < tail->tids.count; i++) {
		const struct thread *thread = &tail->threads[i];

		if (thread->depth == 0 || tail->newest_ns < thread->begin_ns)
			continue;
		const uint64_t ns = tail->newest_ns - thread->begin_ns;

		tail->rest.unfinished++;
		if (ns > tail->rest.unfinished_ns)
			tail->rest.unfinished_ns = ns;
	}
}

struct tail *
tail_read(const struct perfdata_reader *reader, const struct file_view *view, const char *path,
	uint64_t slower_than_ns, struct err *err)
{
	const struct tail_events events = tail_events(reader);
	struct record record;
	int status = -1;

	if (events.begins == SIZE_MAX) {
		err_set(err, ERR_INPUT, "%s: does not say when operations began and ended", path);
		err_note(err, "`capture --operation BEGIN,END` records that");
		return NULL;
	}
	struct perfdata_reader *again = perfdata_open(view, path, err);
	struct tail *tail = mem_zalloc(1, sizeof(*tail));
	const char *name =
		perfdata_event(reader, events.begins)->name + strlen(OPERATION_BEGIN_EVENT);

	tail->events = events;
	tail->slower_than_ns = slower_than_ns;
	memcpy(tail->name, name, strlen(name) + 1);
	while (again && (status = perfdata_next(again, &record, err)) > 0)
		take_record(tail, &record);
	perfdata_close(again);
	end_threads(tail);
	if (status == 0)
		return tail;
	tail_free(tail);
	return NULL;
}

void
tail_free(struct tail *tail)
{
	if (!tail)
		return;
	for (size_t i = 0; i < tail->tids.count; i++) {
		free(tail->threads[i].open);
		free(tail->threads[i].returns);
	}
	key_map_release(&tail->tids);
	free(tail->threads);
	free(tail->entries);
	free(tail);
}

void
tail_rewind(struct tail *tail)
{
	tail->next = 0;
	for (size_t i = 0; i < tail->tids.count; i++)
		tail->threads[i].nreturns = 0;
}

static void
move_return(struct tail *tail, const struct record *record, const struct entry *entry)
{
	struct thread *thread = known_thread(tail, record->id.tid);

	if (!thread || !entry->paired)
		return;
	if (record->event == tail->events.ends) {
		thread->nreturns -= thread->nreturns > 0;
		return;
	}
	thread->returns = mem_grow(thread->returns, &thread->returns_capacity, thread->nreturns + 1,
		sizeof(*thread->returns));
	thread->returns[thread->nreturns++] = entry->returns_to;
}

bool
tail_take(struct tail *tail, const struct record *record, struct tail_mark *mark)
{
	if (record->type != PERF_RECORD_SAMPLE || !tail_is_mark(tail, record->event) ||
		tail->next >= tail->count)
		return false;
	const struct entry *entry = &tail->entries[tail->next++];

	*mark = entry->mark;
	if (tail->events.are_returns)
		move_return(tail, record, entry);
	return true;
}

size_t
tail_returns(const struct tail *tail, uint32_t tid, uint64_t *addresses, size_t max)
{
	const uint32_t number = key_map_find(&tail->tids, tid);
	size_t count = 0;

	if (number == KEY_MAP_NONE)
		return 0;
	const struct thread *thread = &tail->threads[number];

	while (count < max && count < thread->nreturns) {
		addresses[count] = thread->returns[thread->nreturns - 1 - count];
		count++;
	}
	return count;
}

const char *
tail_name(const struct tail *tail)
{
	return tail->name;
}

uint64_t
tail_slower_than_ns(const struct tail *tail)
{
	return tail->slower_than_ns;
}

struct tail_rest
tail_rest(const struct tail *tail)
{
	return tail->rest;
}
