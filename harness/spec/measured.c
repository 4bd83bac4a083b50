#include "spec/measured.h"

#include "profile/metric.h"
#include "spec/suggest.h"

#include <string.h>

static int
refuse_metric(const struct key_reader *reader, const struct yaml_node *node, const char *name)
{
	const char *names[MEASURE_METRICS_MAX];
	const char *known = "";
	size_t count = 0;

	for (; metrics[count].name; count++) {
		names[count] = metrics[count].name;
		known = arena_printf(
			reader->arena, "%s%s%s", known, count > 0 ? ", " : "", names[count]);
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

/* Of the keys of `gate`, those that say how much a cost may grow. */
static bool
is_threshold(const char *key)
{
	static const char *const keys[] = {"total", "functions", "rules", "counters", "leaks",
		"peak", "paired", "stored", "counted"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	return false;
}

const struct yaml_node *
measure_common_gate(const struct yaml_node *gate, bool is_further, struct arena *arena)
{
	if (!gate || gate->kind != YAML_MAPPING)
		return gate;
	struct yaml_node *common = arena_alloc(arena, sizeof(*common));
	struct yaml_node **end = &common->first;

	*common = *gate;
	for (const struct yaml_node *at = gate->first; at; at = at->next) {
		if (metric_find(at->key->text) || (is_further && is_threshold(at->key->text)))
			continue;
		struct yaml_node *copy = arena_alloc(arena, sizeof(*copy));

		*copy = *at;
		*end = copy;
		end = &copy->next;
	}
	*end = NULL;
	return common;
}

const struct yaml_node *
measure_gate_of(const struct yaml_node *gate, const char *metric)
{
	return metric_find(metric) ? keys_find(gate, metric) : NULL;
}

int
measure_check_gate(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured)
{
	for (const struct yaml_node *at = gate ? gate->first : NULL; at; at = at->next) {
		size_t i = 0;

		if (!at->key || !metric_find(at->key->text))
			continue;
		while (measured[i] && strcmp(measured[i], at->key->text) != 0)
			i++;
		if (!measured[i])
			return keys_refuse(reader, at->key,
				"'%s' is not measured: add it to 'measure', as in measure: [%s, %s]",
				at->key->text, measured[0], at->key->text);
	}
	return 0;
}
