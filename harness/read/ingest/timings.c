/*
 * Chooses what the records of a perf.data file weigh where that is not one or a period each: the
 * time of a wait or of a system call, or the bytes that one moved.
 */
#include "base/mem.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"

#include <string.h>

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
