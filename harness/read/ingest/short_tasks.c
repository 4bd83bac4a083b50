#include "ingest/short_tasks.h"

#include "base/mem.h"
#include "ingest/ingest_internal.h"

#include <math.h>
#include <stdlib.h>

/* Events of all CPUs are not inherited, or were enabled before the program: their period goes on.
 */
void
short_tasks_init(struct short_tasks *tasks, const struct perf_event_attr *attr)
{
	*tasks = (struct short_tasks){0};
	if (!attr->inherit || !attr->enable_on_exec)
		return;
	if (attr->freq)
		tasks->period_ns = attr->sample_freq > 0 ? 1e9 / (double)attr->sample_freq : 0;
	else if (describe_is_clock(attr))
		tasks->period_ns = (double)attr->sample_period;
}

void
short_tasks_release(struct short_tasks *tasks)
{
	key_map_release(&tasks->ids);
	free(tasks->tasks);
}

/* A tid may be used again after its thread has ended. */
static void
begin_task(struct short_tasks *tasks, uint32_t tid, uint64_t time_ns)
{
	const uint32_t id = key_map_add(&tasks->ids, tid);

	tasks->last_sampled = 0;
	tasks->tasks =
		mem_grow(tasks->tasks, &tasks->capacity, (size_t)id + 1, sizeof(*tasks->tasks));
	tasks->tasks[id] = (struct short_task){.began_ns = time_ns};
}

static void
end_task(struct short_tasks *tasks, struct short_task *task, uint64_t time_ns)
{
	if (!task->has_sample && task->began_ns > 0 && time_ns > task->began_ns) {
		tasks->unsampled++;
		tasks->missing += fmin((double)(time_ns - task->began_ns) / tasks->period_ns, 1);
	}
	task->began_ns = 0;
}

void
short_tasks_take(struct short_tasks *tasks, const struct record *record)
{
	if (!(tasks->period_ns > 0))
		return;
	if (record->type == PERF_RECORD_FORK) {
		begin_task(tasks, record->u.task.tid, record->id.time_ns);
		return;
	}
	const bool is_exit = record->type == PERF_RECORD_EXIT;

	if (!is_exit &&
		(record->type != PERF_RECORD_SAMPLE || record->id.tid == tasks->last_sampled))
		return;
	tasks->last_sampled = is_exit ? 0 : record->id.tid;
	const uint32_t id =
		key_map_find(&tasks->ids, is_exit ? record->u.task.tid : record->id.tid);

	if (id == KEY_MAP_NONE)
		return;
	if (is_exit)
		end_task(tasks, &tasks->tasks[id], record->id.time_ns);
	else
		tasks->tasks[id].has_sample = true;
}

void
short_tasks_describe(const struct short_tasks *tasks, struct profile *profile)
{
	profile->unsampled_tasks += tasks->unsampled;
	profile->unsampled_most += tasks->missing;
}
