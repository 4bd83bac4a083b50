/*
 * The attributes of a profile that describe its capture: event, unit, times and host.
 */
#include "ingest/ingest_internal.h"

#include "base/buf.h"
#include "base/unit.h"
#include "ingest/syscalls.h"
#include "perfdata/format.h"

#include <string.h>
#include <strings.h>

bool
describe_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool
describe_is_off_cpu(const struct perfdata_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
	       strcmp(event->name, "offcpu-time") == 0;
}

static bool
is_cycles(const struct perfdata_event *event)
{
	/* The upper half of the config says which of several kinds of CPU is meant. */
	return (event->attr.type == PERF_TYPE_HARDWARE &&
		       (uint32_t)event->attr.config == PERF_COUNT_HW_CPU_CYCLES) ||
	       strstr(event->name, "cycles") != NULL;
}

static const struct counted_event counted_events[] = {
	{"alloc:bytes", "alloc", "bytes"},
	{"alloc:count", "alloc", "allocations"},
	{"alloc:live", "alloc", "bytes"},
	{"alloc:peak", "alloc", "bytes"},
};

const struct counted_event *
describe_counted(const struct perfdata_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Tracepoints and probes of others may have such names. */
	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != COUNTED_EVENT_CONFIG)
		return NULL;
	for (size_t i = 0; i < sizeof(counted_events) / sizeof(counted_events[0]); i++)
		if (strcmp(event->name, counted_events[i].name) == 0)
			return &counted_events[i];
	return NULL;
}

/* Whether the text is this word, in any case and number. */
static bool
is_word(const char *text, size_t len, const char *word)
{
	const size_t n = strlen(word);

	return (len == n || (len == n + 1 && (text[n] == 's' || text[n] == 'S'))) &&
	       strncasecmp(text, word, n) == 0;
}

double
describe_unit(struct profile *profile, const char *name, size_t len)
{
	const struct unit *unit = unit_find(name, len);

	if (profile->unit == 0 && unit)
		profile->unit = strtab_intern_str(&profile->strings, unit->base);
	else if (profile->unit == 0 && is_word(name, len, "sample"))
		profile->unit = strtab_intern_str(&profile->strings, "samples");
	else if (profile->unit == 0 && !is_word(name, len, "none") && !is_word(name, len, "count"))
		profile->unit = strtab_intern(&profile->strings, name, len);
	return unit ? unit->scale : 1;
}

void
describe_set(struct profile *profile, str_id *attribute, const char *text)
{
	if (*attribute == 0 && text && *text)
		*attribute = strtab_intern_str(&profile->strings, text);
}

void
describe_times(struct profile *profile, bool all)
{
	describe_set(profile, &profile->metric, all ? "wall" : "offcpu");
	describe_set(profile, &profile->unit, "ns");
	describe_set(profile, &profile->cost_unit, "ns");
}

static void
describe_host(struct profile *profile, const struct perfdata_reader *reader)
{
	const struct perfdata_texts *texts = perfdata_texts(reader);
	const char *const parts[] = {
		texts->hostname, texts->os_release, texts->arch, texts->cpu_model};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] && *parts[i])
			buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", parts[i]);
	describe_set(profile, &profile->host, buf_text(&text));
	buf_release(&text);
}

void
describe_capture(struct profile *profile, const struct perfdata_reader *reader, size_t which,
	uint64_t first_ns)
{
	const struct perfdata_event *event = perfdata_event(reader, which);
	const struct perf_event_attr *attr = &event->attr;
	const char *command = perfdata_texts(reader)->command;
	const struct counted_event *counted = describe_counted(event);
	bool clock = describe_is_clock(attr);
	bool chains = (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	/* A condensed file has the size of the copies that its chains were found from. */
	bool copies = (attr->sample_type & PERF_SAMPLE_STACK_USER) != 0 ||
		      (chains && attr->sample_stack_user > 0);

	describe_set(profile, &profile->command, command);
	describe_set(profile, &profile->workload, command);
	describe_set(profile, &profile->event, event->name);
	if (syscalls_are_counted(event)) {
		describe_set(profile, &profile->metric, "syscalls");
		describe_set(profile, &profile->unit, "calls");
		describe_set(profile, &profile->cost_unit, "calls");
	}
	if (counted) {
		describe_set(profile, &profile->metric, counted->metric);
		describe_set(profile, &profile->unit, counted->unit);
		describe_set(profile, &profile->cost_unit, counted->unit);
		describe_set(profile, &profile->callgraph, "dwarf");
	}
	describe_set(profile, &profile->metric, clock || is_cycles(event) ? "cpu" : event->name);
	describe_set(profile, &profile->unit, "samples");
	describe_set(profile, &profile->callgraph, copies ? "dwarf" : chains ? "fp" : "none");
	describe_host(profile, reader);
	if (profile->started == 0)
		profile->started = perfdata_date(reader, which, first_ns);
	if (clock)
		describe_set(profile, &profile->cost_unit, "ns");
	if (profile->frequency_hz == 0 && attr->freq)
		profile->frequency_hz = (double)attr->sample_freq;
	else if (profile->frequency_hz == 0 && clock && attr->sample_period > 0)
		profile->frequency_hz = 1e9 / (double)attr->sample_period;
}
