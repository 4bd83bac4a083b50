/*
 * Writes a capture as a trace of Chrome: a complete event for each call.
 */
#include "output/exported.h"

#include "base/map.h"
#include "base/mem.h"
#include "profile/chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000

static const char *
category_of(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
		return "program";
	case FRAME_KERNEL:
		return "kernel";
	case FRAME_INLINED:
		return "inlined";
	case FRAME_JIT:
		return "jit";
	case FRAME_WAIT:
		break;
	}
	return "wait";
}

/* `what` is "process_name" or "thread_name". */
static void
put_event_name(struct buf *out, const struct sample_times *times, const char *what,
	const struct timed_thread *thread, const struct timed_thread *named)
{
	buf_printf(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{", what,
		(unsigned)thread->pid, (unsigned)thread->tid);
	exported_put_field(out, "name", strtab_str(&times->names, named->name),
		strtab_len(&times->names, named->name));
	buf_puts(out, "}},\n");
}

/* The threads that processes have their names from: the first one of each, if that was sampled. */
struct first_threads {
	struct key_map by_pid;
	uint32_t *threads;
};

static void
first_threads_init(struct first_threads *first, const struct sample_times *times)
{
	*first = (struct first_threads){
		.threads = mem_zalloc(sample_times_nthreads(times), sizeof(*first->threads))};
	for (size_t i = 0; i < sample_times_nthreads(times); i++) {
		const struct timed_thread *thread = &times->threads[i];
		const size_t nprocesses = first->by_pid.count;
		const uint32_t process = key_map_add(&first->by_pid, thread->pid);

		if (process == nprocesses || thread->tid == thread->pid)
			first->threads[process] = (uint32_t)i;
	}
}

static void
first_threads_release(struct first_threads *first)
{
	key_map_release(&first->by_pid);
	free(first->threads);
}

static const struct timed_thread *
first_thread(const struct first_threads *first, const struct sample_times *times, uint32_t pid)
{
	return &times->threads[first->threads[key_map_find(&first->by_pid, pid)]];
}

static void
put_calls(struct buf *out, const struct chart *chart, const struct timed_thread *thread)
{
	const struct profile *profile = &chart->profile;
	const struct ctree *tree = &profile->tree;
	double *lengths = mem_zalloc(tree->nnodes, sizeof(*lengths));

	/* Whole numbers: readers add ts and dur, and calls must end within their callers. */

	ctree_sum(tree, 0, 1, lengths);
	ctree_totals(tree, lengths);
	for (size_t node = 1; node < tree->nnodes && exported_fits(out); node++) {
		const struct frame *frame = &profile->frames.frames[tree->nodes[node].frame];
		const uint64_t begin_us = chart->begins_ns[node] / NS_PER_US;
		const uint64_t end_us =
			(chart->begins_ns[node] + (uint64_t)lengths[node]) / NS_PER_US;

		if (end_us == begin_us)
			continue;
		buf_puts(out, "{\"ph\":\"X\",");
		exported_put_field(out, "name", strtab_str(&profile->strings, frame->name),
			strtab_len(&profile->strings, frame->name));
		buf_printf(out,
			",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
			"},\n",
			category_of(frame->kind), (unsigned)thread->pid, (unsigned)thread->tid,
			begin_us, end_us - begin_us);
	}
	free(lengths);
}

bool
chrome_trace_put(const struct profile *profile, const struct sample_times *times, struct buf *out)
{
	const str_id title = profile->workload ? profile->workload : profile->command;
	const uint64_t interval_ns = sample_times_interval_ns(times, profile);
	struct first_threads first;

	first_threads_init(&first, times);
	buf_puts(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{"
		      "\"exporter\":\"profile_run " PROFILE_RUN_VERSION "\",");
	exported_put_field(out, "command", strtab_str(&profile->strings, title),
		strtab_len(&profile->strings, title));
	buf_puts(out, "},\n\"traceEvents\":[\n");
	for (size_t i = 0; i < sample_times_nthreads(times) && exported_fits(out); i++) {
		const struct timed_thread *thread = &times->threads[i];
		struct chart chart;

		put_event_name(out, times, "process_name", thread,
			first_thread(&first, times, thread->pid));
		put_event_name(out, times, "thread_name", thread, thread);
		chart_init(&chart, profile, times, i, interval_ns);
		put_calls(out, &chart, thread);
		chart_release(&chart);
	}
	first_threads_release(&first);
	/* No comma behind the last. */
	if (sample_times_nthreads(times) > 0)
		out->len -= 2;
	buf_puts(out, "\n]}\n");
	return exported_fits(out);
}
