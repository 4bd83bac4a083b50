#include "ingest/event_choice.h"

#include "base/mem.h"
#include "ingest/describe.h"
#include "ingest/sample_labels.h"
#include "ingest/syscalls.h"
#include "ingest/timeline.h"

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
			/* Those that follow what was counted are other views of the same. */
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
event_begins_with_exec(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (perfdata_event(reader, i)->attr.enable_on_exec)
			return true;
	return false;
}

int
event_without_times(const char *path, const struct view *view, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: %s while it was recorded", path,
		view ? view->missed : "no thread waited");
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

int
event_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err)
{
	const struct perfdata_event *of = perfdata_event(reader, event);

	err_set(err, ERR_INPUT, "%s: holds no samples of %s", path, of->name);
	if (event_is_group_read(of) && !event_group_is_usable(of))
		return err_note(err,
			"its values are in the samples of a group's leader ('{a,b}:S'), and are "
			"of each thread: record it without :S, or with --no-inherit");
	if (describe_is_clock(&of->attr) && !event_begins_with_exec(reader))
		return err_note(err,
			"the recorded processes ran for less than one sampling "
			"period: record for longer, or, for a process that waits, 'capture --metric offcpu --pid PID'");
	if (describe_is_clock(&of->attr))
		return err_note(err,
			"each process ran for less than one sampling period: raise the frequency, or "
			"execute it repeatedly ('capture --repeat auto')");
	return err_note(err, "nothing ran while it was recorded, or the event does not count on "
			     "that machine (cpu-clock does on every one)");
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
