/*
 * The names of events: "cpu-clock", "cycles", from what perf_event_open(2) is told.
 */
#ifndef PERFDATA_EVENT_NAME_H
#define PERFDATA_EVENT_NAME_H

#include <linux/perf_event.h>
#include <stddef.h>

/* The name perf would show without a name from the user; "type 4 config 0x1c2" for others. */
void event_name_from_attr(const struct perf_event_attr *attr, char *name, size_t size);

#endif
