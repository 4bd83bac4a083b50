/*
 * From the shim's files, one a process, to one perf.data file: a sample for each stack and event,
 * whose period is what was counted.
 */
#include "base/buf.h"
#include "base/file.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "perfdata/writer.h"
#include "shim/shim.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

const char *const alloc_event_names[ALLOC_EVENTS] = {
	[ALLOC_EVENT_BYTES] = "alloc:bytes",
	[ALLOC_EVENT_COUNT] = "alloc:count",
	[ALLOC_EVENT_LIVE] = "alloc:live",
	[ALLOC_EVENT_PEAK] = "alloc:peak",
};

/* Records are handed to the writer in pieces of about this. */
#define RECORDS_PIECE_BYTES ((size_t)256 << 10)

/* One perf.data file in the making. */
struct joining {
	struct perf_event_attr attr;
	uint64_t ids[ALLOC_EVENTS];
	struct written_event events[ALLOC_EVENTS];
	struct perfdata_writer writer;
	struct buf records;
	uint64_t time_ns; /* counts records: their order is all that is known */
	struct alloc_totals *totals;
};

/* A file of the shim, checked as far as its records go. */
struct shim_file {
	const char *path;
	struct file_view view;
	struct alloc_file head;
	uint32_t generations;
};

static int
broken(const struct shim_file *file, uint64_t at, struct err *err)
{
	return err_set(err, ERR_MEASURE,
		"%s: not as the allocation shim writes it, at byte %llu: the program may have "
		"overwritten its memory",
		file->path, (unsigned long long)at);
}

/* The record at `at`, whole within the file; NULL where there is none. */
static const struct alloc_record *
record_at(const struct shim_file *file, uint64_t at)
{
	const struct alloc_record *record = (const void *)(file->view.data + at);

	if (file->head.used - at < sizeof(*record) || record->bytes % 8 != 0 ||
		record->bytes < sizeof(*record) || record->bytes > file->head.used - at)
		return NULL;
	return record;
}

static const struct alloc_stack *
stack_of(const struct alloc_record *record)
{
	const struct alloc_stack *stack = (const void *)record;

	if (record->kind != ALLOC_STACK || record->bytes < sizeof(*stack) ||
		stack->nframes > ALLOC_FRAMES_MAX ||
		stack->nframes > (record->bytes - sizeof(*stack)) / sizeof(stack->pcs[0]))
		return NULL;
	return stack;
}

static const struct alloc_maps *
maps_of(const struct alloc_record *record)
{
	const struct alloc_maps *maps = (const void *)record;

	if (record->kind != ALLOC_MAPS || record->bytes < sizeof(*maps) ||
		maps->text_bytes > record->bytes - sizeof(*maps) ||
		maps->text_bytes >= SYNTH_LINE_MAX)
		return NULL;
	return maps;
}

/* Opens a file of the shim: 0 with *made false where the process ended before it was begun. */
static int
open_file(struct shim_file *file, const char *path, bool *made, struct err *err)
{
	*file = (struct shim_file){.path = path};
	if (file_view_open(&file->view, path, err) < 0)
		return -1;
	*made = file->view.len >= sizeof(file->head);
	if (!*made)
		return 0;
	memcpy(&file->head, file->view.data, sizeof(file->head));
	*made = file->head.magic == ALLOC_FILE_MAGIC;
	file->head.comm[sizeof(file->head.comm) - 1] = '\0';
	if (*made && (file->head.used < sizeof(file->head) || file->head.used > file->view.len))
		return broken(file, offsetof(struct alloc_file, used), err);
	for (uint64_t at = sizeof(file->head); *made && at < file->head.used;) {
		const struct alloc_record *record = record_at(file, at);
		const struct alloc_stack *stack = record ? stack_of(record) : NULL;
		const struct alloc_maps *maps = record ? maps_of(record) : NULL;

		if (!stack && !maps)
			return broken(file, at, err);
		uint32_t generation = stack ? stack->generation : maps->generation;

		/* They grow one by one. */
		if (generation > file->generations)
			return broken(file, at, err);
		file->generations += generation == file->generations;
		at += record->bytes;
	}
	return 0;
}

static int
flush(struct joining *to, size_t above, struct err *err)
{
	struct buf *records = &to->records;

	if (records->len <= above)
		return 0;
	int status = perfdata_writer_put(&to->writer, records->data, records->len, err);

	buf_clear(records);
	return status;
}

/*
 * A sample: IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN. The chain's first address is taken
 * as it is, the others as return addresses; the shim's are all return addresses.
 */
static void
put_sample(struct joining *to, const struct shim_file *file, const struct alloc_stack *stack,
	uint64_t id, uint64_t period)
{
	struct buf *out = &to->records;
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	size_t at = out->len;
	/* Incomplete ones end as those of condensed files do: ingest/call_chain.c. */
	const unsigned nmarkers = stack->flags & ALLOC_BROKEN      ? 2
				  : stack->flags & ALLOC_TRUNCATED ? 1
								   : 0;

	buf_put(out, &header, sizeof(header));
	buf_put_u64(out, id);
	buf_put_u64(out, stack->pcs[0] - 1);
	buf_put_u32(out, file->head.pid);
	buf_put_u32(out, file->head.pid);
	buf_put_u64(out, to->time_ns);
	buf_put_u64(out, 0);
	buf_put_u64(out, period);
	const size_t nchain_at = out->len;

	buf_put_u64(out, 0);
	buf_put_u64(out, PERF_CONTEXT_USER);
	buf_put_u64(out, stack->pcs[0] - 1);
	/* The shim's own frames, of functions that it calls the program's through, are left out. */
	for (unsigned i = 1; i < stack->nframes; i++)
		if (stack->pcs[i] <= file->head.own_start || stack->pcs[i] > file->head.own_end)
			buf_put_u64(out, stack->pcs[i]);
	for (unsigned i = 0; i < nmarkers; i++)
		buf_put_u64(out, PERF_CONTEXT_USER);

	const uint64_t nchain = (out->len - nchain_at) / sizeof(nchain) - 1;
	uint16_t size = (uint16_t)(out->len - at);

	memcpy(out->data + nchain_at, &nchain, sizeof(nchain));

	memcpy(out->data + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static void
put_alloc_stack(struct joining *to, const struct shim_file *file, const struct alloc_stack *stack)
{
	/* What changed after the last peak was kept before; what did not is as it was. */
	uint64_t peak = stack->stamp == file->head.epoch ? stack->peak_bytes : stack->live_bytes;
	const uint64_t weights[ALLOC_EVENTS] = {
		[ALLOC_EVENT_BYTES] = stack->bytes,
		[ALLOC_EVENT_COUNT] = stack->count,
		[ALLOC_EVENT_LIVE] = stack->live_bytes,
		[ALLOC_EVENT_PEAK] = peak,
	};

	/* Killed while it was added. */
	if (stack->nframes == 0)
		return;
	to->totals->stacks++;
	to->totals->broken_stacks += stack->flags != 0;
	for (size_t i = 0; i < ALLOC_EVENTS; i++) {
		to->totals->events[i] += (double)weights[i];
		if (weights[i] == 0)
			continue;
		to->time_ns++;
		put_sample(to, file, stack, to->ids[i], weights[i]);
	}
}

static void
put_maps(struct joining *to, const struct shim_file *file, const struct alloc_maps *maps)
{
	const struct synth_moment moment = {++to->time_ns, to->ids[0]};
	char line[SYNTH_LINE_MAX];

	memcpy(line, maps->text, maps->text_bytes);
	line[maps->text_bytes] = '\0';
	synth_map(&to->records, line, (pid_t)file->head.pid, &moment);
}

/* The records of one generation: its maps first. */
static int
put_generation(struct joining *to, const struct shim_file *file, uint32_t generation,
	enum alloc_record_kind kind, struct err *err)
{
	for (uint64_t at = sizeof(file->head); at < file->head.used;) {
		const struct alloc_record *record = record_at(file, at);
		const struct alloc_stack *stack = stack_of(record);
		const struct alloc_maps *maps = maps_of(record);

		if (kind == ALLOC_MAPS && maps && maps->generation == generation)
			put_maps(to, file, maps);
		if (kind == ALLOC_STACK && stack && stack->generation == generation)
			put_alloc_stack(to, file, stack);
		if (flush(to, RECORDS_PIECE_BYTES, err) < 0)
			return -1;
		at += record->bytes;
	}
	return 0;
}

static int
put_file(struct joining *to, const char *path, pid_t first, struct err *err)
{
	struct shim_file file;
	bool made;
	int result = open_file(&file, path, &made, err);

	if (result == 0 && made) {
		const struct synth_moment moment = {++to->time_ns, to->ids[0]};
		struct alloc_totals *totals = to->totals;

		totals->processes++;
		totals->first_seen |= file.head.pid == (uint32_t)first;
		totals->overridden |= (file.head.flags & ALLOC_OVERRIDDEN) != 0;
		totals->not_counted += file.head.missed + file.head.no_room;
		synth_exec(&to->records, file.head.comm, (pid_t)file.head.pid, &moment);
		for (uint32_t i = 0; i < file.generations && result == 0; i++)
			if (put_generation(to, &file, i, ALLOC_MAPS, err) < 0 ||
				put_generation(to, &file, i, ALLOC_STACK, err) < 0)
				result = -1;
	}
	file_view_close(&file.view);
	return result;
}

/* The events, that which a reader takes by default first. */
static void
make_events(struct joining *to, enum alloc_event first)
{
	to->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = COUNTED_EVENT_CONFIG,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
		.exclude_kernel = 1,
	};
	for (size_t i = 0; i < ALLOC_EVENTS; i++) {
		size_t at = i == first ? 0 : i < (size_t)first ? i + 1 : i;

		to->ids[i] = i + 1;
		to->events[at] =
			(struct written_event){alloc_event_names[i], &to->attr, &to->ids[i], 1};
	}
}

static int
put_all(struct joining *to, const struct left_files *files, pid_t pid, struct err *err)
{
	for (size_t i = 0; i < files->count; i++)
		if (put_file(to, files->paths[i], pid, err) < 0)
			return -1;
	return flush(to, 0, err);
}

int
alloc_files_join(const char *dir, pid_t pid, const char *const *command, enum alloc_event first,
	const char *into, struct alloc_totals *totals, struct err *err)
{
	struct joining to = {.totals = totals};
	struct perfdata_description description = {.command = command};
	struct left_files files;

	*totals = (struct alloc_totals){.processes = 0};
	make_events(&to, first);
	int result = left_files_list(&files, dir, pid, err);

	if (result == 0)
		result = perfdata_writer_open(&to.writer, into, to.events, ALLOC_EVENTS, err);
	if (result == 0) {
		result = put_all(&to, &files, pid, err);
		description.first_sample_ns = 1;
		description.last_sample_ns = to.time_ns;
		if (result == 0)
			result = perfdata_writer_finish(&to.writer, &description, err);
		else
			perfdata_writer_abandon(&to.writer);
	}
	buf_release(&to.records);
	left_files_release(&files);
	return result;
}
