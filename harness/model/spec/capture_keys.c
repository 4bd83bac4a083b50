/*
 * How a workload is measured: its keys `measure` (the list of its metrics) and `capture`.
 */
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/suggest.h"
#include "spec/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CPU_NUMBER_MAX 8191

/* The error for an unknown metric: it suggests the nearest name, and lists all. */
static int
refuse_metric(const struct key_reader *reader, const struct yaml_node *node, const char *name)
{
	const char *names[MEASURE_METRICS_MAX];
	const char *known = "";
	size_t count = 0;

	for (const struct metric *metric = metrics; metric->name; metric++) {
		known = arena_printf(
			reader->arena, "%s%s%s", known, count > 0 ? ", " : "", metric->name);
		names[count++] = metric->name;
	}
	const char *nearest = suggest_nearest(name, names, count);

	if (nearest)
		keys_refuse(
			reader, node, "there is no metric '%s'; did you mean '%s'?", name, nearest);
	else
		keys_refuse(reader, node, "there is no metric '%s'", name);
	return err_note(reader->err, "known: %s", known);
}

static int
read_metric(const struct key_reader *reader, const struct yaml_node *node, const char **measured,
	size_t count)
{
	const char *name = keys_text(reader, node, "the name of a metric, such as cpu");

	if (!name)
		return -1;
	if (!metric_find(name))
		return refuse_metric(reader, node, name);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(measured[i], name) == 0)
			return keys_refuse(reader, node, "'%s' is in the list twice", name);
	}
	measured[count] = name;
	return 0;
}

int
measure_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *const **list = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'measure' must be a list of metrics, such as [cpu, alloc]; %s",
			keys_found(reader, node));
	const char **measured =
		arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*measured));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		if (read_metric(reader, at, measured, count++) < 0)
			return -1;
	}
	measured[count] = NULL;
	*list = measured;
	return 0;
}

const char *
measure_metric(const struct yaml_file *file, size_t index)
{
	const struct yaml_node *list = keys_find(file->root, "measure");
	const struct yaml_node *at = list && list->kind == YAML_SEQUENCE ? list->first : NULL;

	while (at && index-- > 0)
		at = at->next;
	return at && at->kind == YAML_SCALAR ? at->text : NULL;
}

static bool
is_event(const char *text)
{
	size_t len = strspn(
		text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-:/=,");

	return len < 64 && text[len] == '\0' && isalnum((unsigned char)text[0]);
}

/* The kernel keeps 15 bytes of a name (PR_SET_NAME of prctl(2)). */
static bool
is_thread(const char *text)
{
	return *text != '\0' && strlen(text) <= 15;
}

/* Whether it can be a value of `phases`: only the length is checked here. */
static bool
is_phases(const char *text)
{
	return *text != '\0' && strlen(text) < 1024;
}

/* One CPU or a range of them; moves *text behind it. */
static bool
scan_cpus(const char **text)
{
	unsigned long first = 0;
	unsigned long last = 0;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	first = last = strtoul(*text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		last = strtoul(end + 1, &end, 10);
	}
	*text = end;
	return first <= last && last <= CPU_NUMBER_MAX;
}

static bool
is_pin(const char *text)
{
	if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0)
		return true;
	while (scan_cpus(&text)) {
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			break;
	}
	return false;
}

static const char *const callgraph_choices[] = {"auto", "fp", "dwarf", "none", NULL};

static int
stack_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	unsigned *bytes = into;
	const char *problem;
	const char *text = keys_text(reader, node, "auto, or a size such as 16KiB");

	if (!text)
		return -1;
	if (strcmp(text, "auto") == 0) {
		*bytes = 0;
		return 0;
	}
	if (units_stack_size(text, bytes, &problem) == 0)
		return 0;
	return keys_refuse(reader, node, "'stack' must be auto, or a size such as 16KiB; '%s' %s",
		text, problem);
}

static int
repeat_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *problem;
	const char *text = keys_text(reader, node, "auto, or a number of executions");

	if (!text)
		return -1;
	if (units_repeat(text, into, &problem) == 0)
		return 0;
	return keys_refuse(reader, node, "'repeat' %s; it is '%s'", problem, text);
}

#define CAPTURE(field) offsetof(struct capture_policy, field)

const struct key capture_keys[] = {
	{.name = "metric", .type = KEY_TEXT, .offset = CAPTURE(metric), .defaults = {"cpu"}},
	{.name = "event",
		.type = KEY_TEXT,
		.offset = CAPTURE(event),
		.valid = is_event,
		.wants = "auto or the name of an event such as cycles or cpu-clock",
		.defaults = {"auto"}},
	{.name = "frequency",
		.type = KEY_FREQUENCY,
		.offset = CAPTURE(frequency_hz),
		.min = 1,
		.max = 100000,
		.defaults = {"4999"}},
	{.name = "callgraph",
		.type = KEY_TEXT,
		.offset = CAPTURE(callgraph),
		.choices = callgraph_choices,
		.defaults = {"auto"}},
	{.name = "stack", .type = KEY_CUSTOM, .offset = CAPTURE(stack_bytes), .read = stack_read},
	{.name = "runs",
		.type = KEY_COUNT,
		.offset = CAPTURE(runs),
		.min = 1,
		.max = 1000,
		.defaults = {"10"}},
	{.name = "max_runs",
		.type = KEY_COUNT,
		.offset = CAPTURE(max_runs),
		.min = 1,
		.max = 1000,
		.defaults = {"30"}},
	{.name = "warmup",
		.type = KEY_COUNT,
		.offset = CAPTURE(warmup),
		.min = 0,
		.max = 100,
		.defaults = {"1"}},
	{.name = "repeat", .type = KEY_CUSTOM, .offset = CAPTURE(repeat), .read = repeat_read},
	{.name = "thread",
		.type = KEY_TEXT,
		.offset = CAPTURE(thread),
		.valid = is_thread,
		.wants = "auto, all, main or the name of a thread",
		.defaults = {"auto"}},
	{.name = "phases",
		.type = KEY_TEXT,
		.offset = CAPTURE(phases),
		.valid = is_phases,
		.wants = "none, pipe, or marks such as parse=app:parse_begin",
		.defaults = {"none"}},
	{.name = "pin",
		.type = KEY_TEXT,
		.offset = CAPTURE(pin),
		.valid = is_pin,
		.wants = "auto, none or a list of CPUs such as 2-3,5",
		.defaults = {"auto"}},
	{.name = "skip",
		.type = KEY_DURATION,
		.offset = CAPTURE(skip_s),
		.min = 0.001,
		.max = 3600},
	{.name = "timeout",
		.type = KEY_DURATION,
		.offset = CAPTURE(timeout_s),
		.min = 0.1,
		.max = 86400,
		.defaults = {"60s"}},
	{.name = NULL},
};

/* Fewer runs do not show how much samples vary. Counts are the same in each run. */
#define LEAST_RUNS 3

/*
 * Refuses too few runs of a metric that is sampled. For a metric that is counted, sets the number
 * of runs where the mapping does not.
 */
static int
settle_runs(const struct key_reader *reader, const struct yaml_node *node,
	struct capture_policy *capture)
{
	static const char *const names[] = {"runs", "max_runs"};
	const unsigned values[] = {capture->runs, capture->max_runs};
	const struct metric *metric = metric_find(capture->metric);

	if (metric->counted) {
		if (!keys_find(node, "runs"))
			capture->runs = capture->max_runs < CAPTURE_RUNS_COUNTED
						? capture->max_runs
						: CAPTURE_RUNS_COUNTED;
		return 0;
	}
	for (size_t i = 0; i < 2; i++) {
		const struct yaml_node *at = keys_find(node, names[i]);

		if (values[i] < LEAST_RUNS)
			return keys_refuse(reader, at ? at : node,
				"'%s' must be at least %d, unless the metric is counted; it "
				"is %u",
				names[i], LEAST_RUNS, values[i]);
	}
	return 0;
}

/* Refuses `skip` where the beginning cannot be skipped: only sampling can begin later. */
static int
check_skip(const struct key_reader *reader, const struct yaml_node *node,
	struct capture_policy *capture)
{
	const struct metric *metric = metric_find(capture->metric);
	const struct yaml_node *at = keys_find(node, "skip");

	if (!(capture->skip_s > 0))
		return 0;
	if (metric->counted)
		return keys_refuse(reader, at ? at : node,
			"'skip' needs a metric that is sampled; '%s' is counted from the program's "
			"start",
			capture->metric);
	if (capture->repeat > 1)
		return keys_refuse(reader, at ? at : node,
			"'skip' and 'repeat' cannot be combined: a run with a skipped beginning is "
			"one execution");
	return 0;
}

int
capture_keys_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct capture_policy *capture = into;
	const struct yaml_node *metric = keys_find(node, "metric");

	if (!metric_find(capture->metric))
		return refuse_metric(reader, metric ? metric : node, capture->metric);
	if (settle_runs(reader, node, capture) < 0 || check_skip(reader, node, capture) < 0)
		return -1;
	if (capture->runs <= capture->max_runs)
		return 0;
	const struct yaml_node *runs = keys_find(node, "runs");
	const struct yaml_node *max_runs = keys_find(node, "max_runs");

	if (runs || max_runs)
		node = runs ? runs : max_runs;
	keys_refuse(reader, node, "'runs' (%u) is above 'max_runs' (%u)", capture->runs,
		capture->max_runs);
	if (!runs || !max_runs)
		err_note(reader->err, "'%s' comes from the defaults; set it here too",
			runs ? "max_runs" : "runs");
	return -1;
}
