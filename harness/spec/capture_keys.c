#include "spec/sections_internal.h"
#include "spec/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CPU_NUMBER_MAX 8191

static int
metric_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *const *metric = into;

	/* It names a folder of the baselines. */
	if (keys_is_name(*metric) && strlen(*metric) < 32)
		return 0;
	return keys_refuse(
		reader, node, "'metric' must be a name such as cpu; %s", keys_found(reader, node));
}

static int
event_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *const *event = into;
	size_t len = strspn(
		*event, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-:/=,");

	if ((*event)[len] == '\0' && len < 64 && isalnum((unsigned char)(*event)[0]))
		return 0;
	return keys_refuse(reader, node,
		"'event' must be auto or the name of an event such as cycles or cpu-clock; %s",
		keys_found(reader, node));
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

static int
pin_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *text = *(const char *const *)into;

	if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0)
		return 0;
	while (scan_cpus(&text)) {
		if (*text == '\0')
			return 0;
		if (*text++ != ',')
			break;
	}
	return keys_refuse(reader, node,
		"'pin' must be auto, none or a list of CPUs such as 2-3,5; %s",
		keys_found(reader, node));
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

#define CAPTURE(field) offsetof(struct capture_policy, field)

const struct key capture_keys[] = {
	{.name = "metric",
		.type = KEY_TEXT,
		.offset = CAPTURE(metric),
		.read = metric_check,
		.defaults = {"cpu"}},
	{.name = "event",
		.type = KEY_TEXT,
		.offset = CAPTURE(event),
		.read = event_check,
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
	{.name = "pin",
		.type = KEY_TEXT,
		.offset = CAPTURE(pin),
		.read = pin_check,
		.defaults = {"auto"}},
	{.name = "timeout",
		.type = KEY_DURATION,
		.offset = CAPTURE(timeout_s),
		.min = 0.1,
		.max = 86400,
		.defaults = {"60s"}},
	{.name = NULL},
};

/* What is counted is the same in each run; of what is sampled three tell how it varies. */
#define LEAST_RUNS 3
#define RUNS_COUNTED 2

static int
check_few_runs(const struct key_reader *reader, const struct yaml_node *node,
	struct capture_policy *capture)
{
	static const char *const names[] = {"runs", "max_runs"};
	const unsigned values[] = {capture->runs, capture->max_runs};

	if (strcmp(capture->metric, "instructions") == 0) {
		if (!keys_find(node, "runs"))
			capture->runs =
				capture->max_runs < RUNS_COUNTED ? capture->max_runs : RUNS_COUNTED;
		return 0;
	}
	for (size_t i = 0; i < 2; i++) {
		const struct yaml_node *at = keys_find(node, names[i]);

		if (values[i] < LEAST_RUNS)
			return keys_refuse(reader, at ? at : node,
				"'%s' must be at least %d, unless the metric is instructions; it "
				"is %u",
				names[i], LEAST_RUNS, values[i]);
	}
	return 0;
}

int
capture_keys_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct capture_policy *capture = into;

	if (check_few_runs(reader, node, capture) < 0)
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
