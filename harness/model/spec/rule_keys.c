/*
 * The keys of single subjects within `gate`: its rules (for functions, modules and system calls)
 * and its limits of counters.
 */
#include "profile/counters.h"
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/suggest.h"
#include "spec/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define RULES_MAX 256

/* Ways to name the subject of a rule. */
static const struct subject {
	const char *key;
	enum rule_kind kind;
	const char *of; /* why `of` does not go with it; NULL where it does */
} subjects[] = {
	{"function", RULE_FUNCTION, NULL},
	{"subtree", RULE_SUBTREE, "a subtree is always its total"},
	{"module", RULE_MODULE, "a module is always the self cost of its functions"},
	{"each", RULE_EACH, "each function is judged by its self cost"},
	{"call", RULE_CALL, "system calls call nothing"},
	{"symbol", RULE_FUNCTION, "a symbol's size is its own"},
};

#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

/* A rule as written, before it is checked. */
struct rule_text {
	const char *patterns[SUBJECTS]; /* in the order of subjects[] */
	double max;                     /* of calls and symbols; NAN: not set */
	struct gate_rule_spec rule;
};

static const char *const of_choices[] = {"self", "total", NULL};

#define RULE(field) offsetof(struct rule_text, field)

const struct key rule_keys[] = {
	{.name = "function", .type = KEY_TEXT, .offset = RULE(patterns[0])},
	{.name = "subtree", .type = KEY_TEXT, .offset = RULE(patterns[1])},
	{.name = "module", .type = KEY_TEXT, .offset = RULE(patterns[2])},
	{.name = "each", .type = KEY_TEXT, .offset = RULE(patterns[3])},
	{.name = "call", .type = KEY_TEXT, .offset = RULE(patterns[4])},
	{.name = "symbol", .type = KEY_TEXT, .offset = RULE(patterns[5])},
	{.name = "of", .type = KEY_CHOICE, .offset = RULE(rule.of), .choices = of_choices},
	{.name = "warn", THRESHOLD_AT(RULE(rule.threshold.warn))},
	{.name = "fail", THRESHOLD_AT(RULE(rule.threshold.fail))},
	{.name = "max_share",
		.type = KEY_PERCENT,
		.offset = RULE(rule.max_share),
		.min = 0,
		.max = 1},
	{.name = "max_cost", .type = KEY_COST, .offset = RULE(rule.max_cost), .max = HUGE_VAL},
	{.name = "max", .type = KEY_COST, .offset = RULE(max), .max = HUGE_VAL},
	{.name = NULL},
};

/* The index of the rule's subject in subjects[]; -1 and an error unless there is exactly one. */
static int
rule_subject(
	const struct key_reader *reader, const struct yaml_node *node, const struct rule_text *rule)
{
	int found = -1;

	for (int i = 0; i < (int)SUBJECTS; i++) {
		if (!rule->patterns[i])
			continue;
		if (found >= 0)
			return keys_refuse(reader, keys_find(node, subjects[i].key)->key,
				"a rule has either '%s' or '%s', not both: make it two rules",
				subjects[found].key, subjects[i].key);
		found = i;
	}
	if (found < 0)
		return keys_refuse(reader, node,
			"a rule needs a pattern: 'function', 'subtree', 'module', 'each', 'call' or 'symbol'");
	return found;
}

/* `max` is a number of calls, or the bytes of symbols. */
static int
max_check(const struct key_reader *reader, const struct yaml_node *node, const char *subject)
{
	const bool is_size = strcmp(subject, "symbol") == 0;
	const struct yaml_node *max = keys_find(node, "max");
	const struct yaml_node *max_cost = keys_find(node, "max_cost");
	enum cost_unit unit;
	const char *problem;
	double cost;

	if (!max)
		return 0;
	if (!is_size && strcmp(subject, "call") != 0)
		return keys_refuse(reader, max->key,
			"'max' needs 'call' or 'symbol'; the largest cost of functions is 'max_cost'");
	if (max_cost)
		return keys_refuse(reader, max_cost->key,
			"'max' is the 'max_cost' of %ss: give one of them", subject);
	if (units_cost(max->text, &cost, &unit, &problem) < 0)
		return 0;
	if (is_size && !(cost > 0))
		return keys_refuse(reader, max, "'max' of symbols must be above 0");
	if (unit != COST_NONE && unit != (is_size ? COST_BYTES : COST_COUNT))
		return keys_refuse(reader, max, "'max' must be %s; %s",
			is_size ? "bytes such as 40KiB" : "a number of calls such as 8",
			keys_found(reader, max));
	return 0;
}

static bool
is_measured(const char *const *measured, const char *metric)
{
	while (measured && *measured && strcmp(*measured, metric) != 0)
		measured++;
	return measured && *measured;
}

/* Keys that hold for one metric only are an error where `metric` is another. */
static int
refuse_keys_of(const struct key_reader *reader, const struct yaml_node *gate,
	const struct metric *of, const char *metric, const char *const *measured)
{
	static const char refusal[] = "'%s' needs the metric '%s'; here it is '%s'";
	const struct yaml_node *rules = keys_find(gate, "rules");

	for (const char *const *key = of->gate_keys; key && *key; key++) {
		const struct yaml_node *at = keys_find(gate, *key);

		if (at)
			return keys_refuse(reader, at->key, refusal, *key, of->name, metric);
	}
	if (!of->rule_key || is_measured(measured, of->name))
		return 0;
	for (const struct yaml_node *at = rules ? rules->first : NULL; at; at = at->next) {
		const struct yaml_node *found = keys_find(at, of->rule_key);

		if (found)
			return keys_refuse(
				reader, found->key, refusal, of->rule_key, of->name, metric);
	}
	return 0;
}

int
rules_check_metric(const struct key_reader *reader, const struct yaml_node *gate,
	const char *metric, const char *const *measured)
{
	for (const struct metric *other = metrics; gate && other->name; other++)
		if (strcmp(other->name, metric) != 0 &&
			refuse_keys_of(reader, gate, other, metric, measured) < 0)
			return -1;
	/* A section named as a metric is that metric's. */
	for (const struct yaml_node *at = gate ? gate->first : NULL; at; at = at->next)
		if (at->kind == YAML_MAPPING && metric_find(at->key->text) &&
			rules_check_metric(reader, at, at->key->text, NULL) < 0)
			return -1;
	return 0;
}

static int
rule_check(const struct key_reader *reader, const struct yaml_node *node,
	const struct subject *subject, const struct gate_rule_spec *rule)
{
	const struct yaml_node *of = keys_find(node, "of");
	const struct yaml_node *max_cost = keys_find(node, "max_cost");
	const struct yaml_node *max_share = keys_find(node, "max_share");
	const struct yaml_node *max = keys_find(node, "max");
	const struct yaml_node *budget = max_share ? max_share : max_cost ? max_cost : max;

	if (max_cost && !(rule->max_cost > 0))
		return keys_refuse(reader, max_cost, "'max_cost' must be above 0");
	if (of && subject->of)
		return keys_refuse(reader, of->key, "'of' needs 'function': %s", subject->of);
	if (subject->kind == RULE_EACH) {
		if (budget)
			return keys_refuse(reader, budget->key,
				"'%s' cannot be combined with 'each': use 'function'",
				budget->key->text);
		/* "never" for both is valid here: these functions are not judged. */
		if (!keys_find(node, "warn") && !keys_find(node, "fail"))
			return keys_refuse(reader, node,
				"this rule has no threshold: give it 'warn' or 'fail'");
	} else if (isnan(rule->threshold.warn) && isnan(rule->threshold.fail) && !budget) {
		/* "warn: never" alone is no threshold either. */
		return keys_refuse(reader, node,
			keys_find(node, "max") || subject->kind == RULE_CALL ||
					strcmp(subject->key, "symbol") == 0
				? "this rule has no threshold: give it 'warn', 'fail' or 'max'"
				: "this rule has no threshold: give it 'warn', 'fail', 'max_share' "
				  "or 'max_cost'");
	}
	return threshold_check_mapping(reader, node, &rule->threshold);
}

static int
rule_read(
	const struct key_reader *reader, const struct yaml_node *node, struct gate_rule_spec *rule)
{
	struct rule_text text = {
		.max = NAN,
		.rule =
			{
				.of = QUANTITY_SELF,
				.threshold = {.warn = NAN, .fail = NAN},
				.max_share = NAN,
				.max_cost = NAN,
				.file = arena_strdup(reader->arena, reader->file->path),
				.line = node->line,
			},
	};

	if (keys_read(reader, node, "a rule", rule_keys, &text) < 0)
		return -1;
	int subject = rule_subject(reader, node, &text);

	*rule = text.rule;
	if (subject < 0 || max_check(reader, node, subjects[subject].key) < 0)
		return -1;
	if (!isnan(text.max))
		rule->max_cost = text.max;
	if (rule_check(reader, node, &subjects[subject], rule) < 0)
		return -1;
	rule->kind = subjects[subject].kind;
	for (const struct metric *of = metrics; of->name; of++)
		if (of->rule_key && strcmp(of->rule_key, subjects[subject].key) == 0)
			rule->metric = of->name;
	rule->pattern = text.patterns[subject];
	if (rule->kind == RULE_SUBTREE)
		rule->of = QUANTITY_TOTAL;
	return 0;
}

int
rules_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct gate_policy *gate = into;

	if (node->kind != YAML_SEQUENCE)
		return keys_refuse(reader, node, "'rules' must be a list of rules; %s",
			keys_found(reader, node));
	size_t nrules = gate->nrules + yaml_count(node);

	if (nrules > RULES_MAX)
		return keys_refuse(
			reader, node, "%zu rules are too many; the limit is %d", nrules, RULES_MAX);
	struct gate_rule_spec *rules = arena_alloc(reader->arena, (nrules + 1) * sizeof(*rules));
	size_t count = gate->nrules;

	if (count > 0)
		memcpy(rules, gate->rules, count * sizeof(*rules));
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		if (rule_read(reader, at, &rules[count++]) < 0)
			return -1;
	}
	gate->rules = rules;
	gate->nrules = nrules;
	return 0;
}

void
rules_select(struct arena *arena, struct gate_policy *gate, const char *metric)
{
	struct gate_rule_spec *rules = arena_alloc(arena, (gate->nrules + 1) * sizeof(*rules));
	size_t count = 0;

	for (size_t i = 0; i < gate->nrules; i++)
		if (!gate->rules[i].metric || strcmp(gate->rules[i].metric, metric) == 0)
			rules[count++] = gate->rules[i];
	gate->rules = rules;
	gate->nrules = count;
}

/*
 * gate.counters: what each counter may be, and how much it may grow; and the sections that are
 * other names for some of them.
 */

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

static const struct family families[] = {
	{"counters", "counter", "mapping of counters, such as {max_rss: {fail: 5%}}", "", ""},
	{"latency", "latency", "mapping of percentiles, such as {p99: {fail: 20%}}", "latency_",
		""},
	{"per_op", "cost per operation",
		"mapping of metrics and counters, such as {cpu: {fail: 5%}}", "", "_per_op"},
};

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
	const char *section = node->key->text;

	if (strcmp(section, "leaks") == 0)
		return put_limit(reader, node, &counter_kinds[COUNTER_ALLOC_LIVE], gate);
	if (strcmp(section, "peak") == 0)
		return put_limit(reader, node, &counter_kinds[COUNTER_ALLOC_PEAK], gate);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcmp(section, families[i].section) == 0)
			return read_family(reader, &families[i], node, gate);
	assert(false);
	return -1;
}
