/*
 * gate.counters: what each counter may be, and how much it may grow; and the sections that are
 * other names for some of them.
 */
#include "profile/counters.h"
#include "spec/sections_internal.h"
#include "spec/suggest.h"
#include "spec/units.h"

#include <math.h>
#include <string.h>

#define LIMIT(field) offsetof(struct counter_limit, field)

const struct key counter_keys[] = {
	{.name = "warn", THRESHOLD_AT(LIMIT(threshold.warn))},
	{.name = "fail", THRESHOLD_AT(LIMIT(threshold.fail))},
	{.name = "max", .type = KEY_COST, .offset = LIMIT(max), .max = HUGE_VAL},
	{.name = NULL},
};

static const struct {
	enum cost_unit unit;
	const char *example; /* for messages */
} units[] = {
	{COST_TIME, "a time such as 20ms"},
	{COST_BYTES, "bytes such as 64MiB"},
	{COST_COUNT, "a count such as 5000"},
};

static size_t
unit_of(const struct counter_kind *kind)
{
	if (!kind->unit)
		return 2;
	return strcmp(kind->unit, "ns") == 0 ? 0 : 1;
}

/* A section: the counters whose names are its keys, between a prefix and a suffix. */
struct family {
	const char *section;
	const char *what; /* a key of it names one */
	const char *example;
	const char *prefix;
	const char *suffix;
};

static const struct family all_counters = {
	"counters", "counter", "mapping of counters, such as {max_rss: {fail: 5%}}", "", ""};
static const struct family latencies = {
	"latency", "latency", "mapping of percentiles, such as {p99: {fail: 20%}}", "latency_", ""};
static const struct family per_op = {"per_op", "cost per operation",
	"mapping of metrics and counters, such as {cpu: {fail: 5%}}", "", "_per_op"};

/* The part of a counter's name that is a key of the section; NULL: it is in another. */
static const char *
key_of(const struct family *family, const char *name, struct arena *arena)
{
	const size_t prefix = strlen(family->prefix);
	const size_t suffix = strlen(family->suffix);
	const size_t len = strlen(name);

	if (len <= prefix + suffix || strncmp(name, family->prefix, prefix) != 0 ||
		strcmp(name + len - suffix, family->suffix) != 0)
		return NULL;
	return arena_printf(arena, "%.*s", (int)(len - prefix - suffix), name + prefix);
}

static void
refuse_unknown(
	const struct key_reader *reader, const struct family *family, const struct yaml_node *key)
{
	const char *names[NCOUNTERS];
	const char *known = "";
	size_t count = 0;

	for (size_t i = 0; i < NCOUNTERS; i++) {
		const char *name = key_of(family, counter_kinds[i].name, reader->arena);

		if (!name || counter_kinds[i].shown_only)
			continue;
		known = arena_printf(reader->arena, "%s%s%s", known, count > 0 ? ", " : "", name);
		names[count++] = name;
	}
	const char *nearest = suggest_nearest(key->text, names, count);

	if (nearest)
		keys_refuse(reader, key, "there is no %s '%s'; did you mean '%s'?", family->what,
			key->text, nearest);
	else
		keys_refuse(reader, key, "there is no %s '%s'", family->what, key->text);
	err_note(reader->err, "known: %s", known);
}

/* One that can be judged; NULL and an error where there is none. */
static const struct counter_kind *
find_kind(const struct key_reader *reader, const struct family *family, const struct yaml_node *key)
{
	int id = counter_find(
		arena_printf(reader->arena, "%s%s%s", family->prefix, key->text, family->suffix));

	if (id >= 0 && !counter_kinds[id].shown_only)
		return &counter_kinds[id];
	if (id >= 0)
		keys_refuse(reader, key, "the counter '%s' is only shown, not judged", key->text);
	else
		refuse_unknown(reader, family, key);
	return NULL;
}

static int
check_max(const struct key_reader *reader, const struct yaml_node *node,
	const struct counter_kind *kind)
{
	const struct yaml_node *max = keys_find(node, "max");
	const size_t unit = unit_of(kind);
	enum cost_unit found;
	const char *problem;
	double value;

	if (!max || units_cost(max->text, &value, &found, &problem) < 0 || found == COST_NONE ||
		found == units[unit].unit)
		return 0;
	return keys_refuse(reader, max, "'max' of '%s' must be %s; %s", node->key->text,
		units[unit].example, keys_found(reader, max));
}

/* "5%" is {fail: 5%}, and any other value {max: VALUE}. */
static const struct yaml_node *
write_out(const struct key_reader *reader, const struct yaml_node *node)
{
	const size_t len = node->kind == YAML_SCALAR ? strlen(node->text) : 0;
	struct yaml_node *limit = arena_alloc(reader->arena, 3 * sizeof(*limit));

	if (len == 0 || yaml_is_null(node))
		return node;
	const bool grows = node->text[len - 1] == '%' || strcmp(node->text, "never") == 0;

	limit[2] = *node->key;
	limit[2].text = grows ? "fail" : "max";
	limit[1] = *node;
	limit[1].key = &limit[2];
	limit[1].next = NULL;
	limit[0] = *node;
	limit[0].kind = YAML_MAPPING;
	limit[0].first = &limit[1];
	return limit;
}

static int
limit_read(const struct key_reader *reader, const struct yaml_node *node,
	const struct counter_kind *kind, struct counter_limit *limit)
{
	limit->name = kind->name;
	limit->file = arena_strdup(reader->arena, reader->file->path);
	limit->line = node->key->line;
	if (keys_read(reader, node, arena_printf(reader->arena, "'%s'", node->key->text),
		    counter_keys, limit) < 0 ||
		check_max(reader, node, kind) < 0)
		return -1;
	if (!keys_find(node, "warn") && !keys_find(node, "fail") && !keys_find(node, "max"))
		return keys_refuse(reader, node->key,
			"'%s' has no limit: give it 'warn', 'fail' or 'max'", node->key->text);
	return keys_find(node, "warn") || keys_find(node, "fail")
		       ? threshold_check_mapping(reader, node, &limit->threshold)
		       : 0;
}

/* That of this counter, which may come from another file; else a new one. */
static struct counter_limit *
find_limit(struct counter_limit *limits, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(limits[i].name, name) == 0)
			return &limits[i];
	limits[*count] = (struct counter_limit){
		.threshold = {.warn = NAN, .fail = NAN},
		.max = NAN,
	};
	return &limits[(*count)++];
}

/* Lays the limit over those of the gate, which may be of a configuration that others share. */
static int
put_limit(const struct key_reader *reader, const struct yaml_node *node,
	const struct counter_kind *kind, struct gate_policy *gate)
{
	struct counter_limit *limits = arena_alloc(reader->arena, NCOUNTERS * sizeof(*limits));
	size_t count = gate->ncounters;

	if (count > 0)
		memcpy(limits, gate->counters, count * sizeof(*limits));
	if (limit_read(reader, write_out(reader, node), kind,
		    find_limit(limits, &count, kind->name)) < 0)
		return -1;
	gate->counters = limits;
	gate->ncounters = count;
	return 0;
}

static int
read_family(const struct key_reader *reader, const struct family *family,
	const struct yaml_node *node, struct gate_policy *gate)
{
	if (node->kind != YAML_MAPPING)
		return keys_refuse(reader, node, "'%s' must be a %s; %s", family->section,
			family->example, keys_found(reader, node));
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		const struct counter_kind *kind = find_kind(reader, family, at->key);

		if (!kind || put_limit(reader, at, kind, gate) < 0)
			return -1;
	}
	return 0;
}

int
counters_read(const struct key_reader *reader, const struct yaml_node *node, void *gate)
{
	return read_family(reader, &all_counters, node, gate);
}

int
counters_read_latency(const struct key_reader *reader, const struct yaml_node *node, void *gate)
{
	return read_family(reader, &latencies, node, gate);
}

int
counters_read_per_op(const struct key_reader *reader, const struct yaml_node *node, void *gate)
{
	return read_family(reader, &per_op, node, gate);
}

int
counters_read_leaks(const struct key_reader *reader, const struct yaml_node *node, void *gate)
{
	return put_limit(reader, node, &counter_kinds[COUNTER_ALLOC_LIVE], gate);
}

int
counters_read_peak(const struct key_reader *reader, const struct yaml_node *node, void *gate)
{
	return put_limit(reader, node, &counter_kinds[COUNTER_ALLOC_PEAK], gate);
}
