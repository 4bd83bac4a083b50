#include "ingest/views.h"

#include "ingest/syscalls.h"
#include "ingest/timeline.h"

#include <stdint.h>
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

const struct view *
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

size_t
view_event(const struct perfdata_reader *reader, const struct view *view)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (is_of(view, perfdata_event(reader, i)))
			return i;
	return SIZE_MAX;
}
