/*
 * A second opinion on the unwinding of stack copies: folds a perf.data file like `profile_run
 * convert --no-inline` does, but walks the stacks with libdw. Reading and naming are ours, so that
 * what differs is the walk.
 *
 * usage: libdw_unwind PERF_DATA FOLDED
 *
 * For x86-64. VERBOSE=1 tells of each stack that did not reach its root.
 */
#include "base/file.h"
#include "ingest/call_chain.h"
#include "ingest/perfdata_internal.h"
#include "libdw_walk.h"
#include "perfdata/reader.h"
#include "profile/folded.h"
#include "symbols/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct reading {
	struct perfdata_reader *reader;
	struct symbolizer *symbolizer;
	struct profile profile;
	struct comms comms;
	struct stacks stacks;
	struct libdw_walk *walk;
	struct libdw_stack stack;
	size_t column;
	size_t event;
	size_t ends[LIBDW_BROKEN + 1];
	size_t without_copy;
	bool verbose;
};

static void
take_map(struct reading *reading, const struct record *record)
{
	const struct record_mmap *map = &record->u.mmap;
	struct symbol_map to = {
		.pid = map->pid,
		.start = map->start,
		.size = map->size,
		.file_offset = map->file_offset,
		.path = map->path,
		.build_id = map->build_id,
		.build_id_len = map->build_id_len,
		.inode = map->inode,
		/* libdw would take a data mapping that begins in a page of code for the code. */
		.data = map->prot && !(map->prot & PROT_EXEC),
		.kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
	};

	if (!to.build_id)
		to.build_id_len = perfdata_build_id(
			reading->reader, to.kernel ? "[kernel.kallsyms]" : map->path, &to.build_id);
	symbolizer_map(reading->symbolizer, &to);
}

static enum stack_shape
push_copy(struct reading *reading, const struct record *record, const struct space *space)
{
	static const enum stack_shape shapes[] = {
		[LIBDW_ROOT] = STACK_WHOLE,
		[LIBDW_TRUNCATED] = STACK_TRUNCATED,
		[LIBDW_BROKEN] = STACK_BROKEN,
	};
	const struct record_sample *sample = &record->u.sample;
	struct libdw_stack *stack = &reading->stack;
	uint64_t mask = perfdata_event(reading->reader, record->event)->attr.sample_regs_user;

	libdw_walk_sample(reading->walk, space, mask, sample, stack);
	call_chain_push(&reading->stacks, sample, CHAIN_KERNEL);
	for (size_t i = 0; i < stack->count; i++)
		stacks_push(&reading->stacks, stack->frames[i].address,
			stack->frames[i].exact ? STACK_EXACT : 0);
	if (stack->count == 0)
		stacks_push(&reading->stacks, sample->ip, STACK_EXACT);
	reading->ends[stack->end]++;
	if (reading->verbose && stack->end != LIBDW_ROOT)
		fprintf(stderr, "%llu.%09llu tid %u: %s after %zu frames at %#llx\n",
			(unsigned long long)(record->id.time_ns / 1000000000),
			(unsigned long long)(record->id.time_ns % 1000000000), record->id.tid,
			stack->why, stack->count,
			stack->count ? (unsigned long long)stack->frames[stack->count - 1].address
				     : 0);
	return shapes[stack->end];
}

static void
take_sample(struct reading *reading, const struct record *record)
{
	const struct record_sample *sample = &record->u.sample;
	uint32_t pid = record->id.pid;
	const struct space *space = symbolizer_maps(reading->symbolizer, pid);
	const char *name = comms_name(&reading->comms, record->id.tid);
	node_id root = ctree_child(&reading->profile.tree, CTREE_ROOT,
		profile_frame(&reading->profile, name, strlen(name), FRAME_USER));
	enum stack_shape shape;

	if (record->event != reading->event)
		return;
	stacks_begin(&reading->stacks, space);
	if (space && sample->user_stack && sample->user_regs &&
		sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_64) {
		shape = push_copy(reading, record, space);
	} else {
		reading->without_copy++;
		shape = call_chain_push(&reading->stacks, sample, CHAIN_KERNEL | CHAIN_USER);
	}
	ctree_add(&reading->profile.tree, reading->column,
		stacks_end(&reading->stacks, root, shape).node, 1);
}

static void
take_record(struct reading *reading, const struct record *record)
{
	const struct record_task *task = &record->u.task;
	const struct record_comm *comm = &record->u.comm;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(reading, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(reading, record);
		break;
	case PERF_RECORD_COMM:
		comms_set(&reading->comms, comm->tid, comm->name);
		if (comm->is_exec)
			symbolizer_exec(reading->symbolizer, comm->pid);
		break;
	case PERF_RECORD_FORK:
		comms_fork(&reading->comms, task->tid, task->parent_tid);
		symbolizer_fork(reading->symbolizer, task->pid, task->parent_pid);
		break;
	default:
		break;
	}
}

static int
read_all(struct reading *reading, struct err *err)
{
	struct record record;
	int status;

	while (reading->event + 1 < perfdata_nevents(reading->reader) &&
		perfdata_event(reading->reader, reading->event)->nsamples == 0)
		reading->event++;
	while ((status = perfdata_next(reading->reader, &record, err)) > 0)
		take_record(reading, &record);
	return status;
}

static int
fold(struct reading *reading, const char *path, struct err *err)
{
	struct buf out = {0};
	int status;

	profile_sort(&reading->profile);
	folded_write(&reading->profile, FOLDED_SUM, &out);
	status = file_write(path, buf_text(&out), out.len, err);
	buf_release(&out);
	printf("%zu to the root, %zu truncated, %zu broken, %zu without a copy\n",
		reading->ends[LIBDW_ROOT], reading->ends[LIBDW_TRUNCATED],
		reading->ends[LIBDW_BROKEN], reading->without_copy);
	return status;
}

int
main(int argc, char **argv)
{
	static struct reading reading;
	struct symbol_cache *cache = symbol_cache_new();
	struct file_view view;
	struct err err = {0};
	int status = -1;

	if (argc != 3) {
		fprintf(stderr, "usage: libdw_unwind PERF_DATA FOLDED\n");
		return 64;
	}
	reading.verbose = getenv("VERBOSE") != NULL;
	if (file_view_open(&view, argv[1], &err) < 0)
		goto fail;
	reading.reader = perfdata_open(&view, argv[1], &err);
	if (!reading.reader)
		goto fail;
	reading.symbolizer = symbolizer_new(cache);
	reading.walk = libdw_walk_new();
	profile_init(&reading.profile);
	reading.column = profile_add_run(&reading.profile);
	comms_init(&reading.comms);
	stacks_init(&reading.stacks, &reading.profile, reading.symbolizer);
	const char *release = perfdata_texts(reading.reader)->os_release;

	if (release)
		symbolizer_set_os_release(reading.symbolizer, release);
	status = read_all(&reading, &err) < 0 ? -1 : fold(&reading, argv[2], &err);
	libdw_walk_free(reading.walk);
fail:
	if (status < 0)
		fprintf(stderr, "%s\n", err.text);
	return status < 0;
}
