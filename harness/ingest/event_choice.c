#include "ingest/event_choice.h"

#include "ingest/describe.h"
#include "ingest/phase_marks.h"
#include "ingest/selection.h"
#include "ingest/timeline.h"
#include "ingest/views.h"

#include <stdbool.h>
#include <string.h>

static void
put_name(const struct perfdata_reader *reader, size_t event, struct buf *out)
{
	buf_printf(out, "%s%s", out->len > 0 ? ", " : "", perfdata_event(reader, event)->name);
}

void
event_put_others(const struct perfdata_reader *reader, size_t event, struct buf *out)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (i != event && perfdata_event(reader, i)->nsamples > 0 &&
			!phase_marks_are_of(perfdata_event(reader, i)->name))
			put_name(reader, i, out);
}

static int
err_no_event(
	const struct perfdata_reader *reader, const char *path, const char *wanted, struct err *err)
{
	struct buf names = {0};

	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		put_name(reader, i, &names);
	err_set(err, ERR_INPUT, "%s: has no event '%s'", path, wanted);
	err_note(err, "its events are: %s", buf_text(&names));
	buf_release(&names);
	return -1;
}

/* The last one where none has any. Marks are no samples. */
static size_t
first_with_samples(const struct perfdata_reader *reader)
{
	const size_t nevents = perfdata_nevents(reader);
	size_t last = 0;

	for (size_t i = 0; i < nevents; i++) {
		if (phase_marks_are_of(perfdata_event(reader, i)->name))
			continue;
		last = i;
		if (perfdata_event(reader, i)->nsamples > 0)
			break;
	}
	return last;
}

static int
find(const struct perfdata_reader *reader, const char *path, const char *wanted, size_t *event,
	struct err *err)
{
	const struct view *view = view_of(reader, wanted);
	size_t nevents = perfdata_nevents(reader);

	*event = view ? view_event(reader, view) : 0;
	if (view)
		return *event < nevents ? 0 : err_no_event(reader, path, wanted, err);
	if (!wanted) {
		*event = first_with_samples(reader);
		return 0;
	}
	for (; *event < nevents; ++*event) {
		const struct perfdata_event *of = perfdata_event(reader, *event);

		/* A file that is written for a view has its name. */
		if (selection_event(wanted, of->name, strlen(of->name)) ||
			(strcmp(wanted, TIMELINE_SWITCHES) == 0 && timeline_is_switches(of)))
			return 0;
	}
	return err_no_event(reader, path, wanted, err);
}

int
event_choose(const struct perfdata_reader *reader, const char *path, const char *wanted,
	size_t *event, struct err *err)
{
	if (find(reader, path, wanted, event, err) < 0)
		return -1;
	if (!perfdata_event(reader, *event)->lbr)
		return 0;
	err_set(err, ERR_INPUT,
		"%s: the call chains of %s are the processor's last branches (--call-graph lbr)",
		path, perfdata_event(reader, *event)->name);
	return err_note(err,
		"these hold 8 to 32 calls, and deeper stacks are truncated: record with --call-graph fp or dwarf");
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

int
event_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err)
{
	const struct perfdata_event *of = perfdata_event(reader, event);

	err_set(err, ERR_INPUT, "%s: holds no samples of %s", path, of->name);
	if (describe_is_clock(&of->attr) && !event_begins_with_exec(reader))
		return err_note(err, "nothing that was recorded used as much CPU time as lies "
				     "between two samples: record for longer, or, of a process "
				     "that waits, 'capture --metric offcpu --pid PID'");
	if (describe_is_clock(&of->attr))
		return err_note(err,
			"each process ran for less than one sampling period: raise the frequency, or "
			"execute it repeatedly ('capture --repeat auto')");
	return err_note(err, "nothing ran while it was recorded, or the event does not count on "
			     "that machine (cpu-clock does on every one)");
}
