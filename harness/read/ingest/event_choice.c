/*
 * Chooses the events of a perf.data file that are read, and as which view.
 */
#include "base/mem.h"
#include "ingest/event_totals.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"
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

const struct view *
view_of(const struct perfdata_reader *reader, const char *wanted)
{
	return view_find(wanted ? wanted : perfdata_event(reader, 0)->name);
}

bool
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
