#include "spec/rule_keys.h"

#include <math.h>
#include <string.h>

#define RULES_MAX 256

/* A rule as it is written, before it is known to make sense. */
struct rule_text {
	const char *function;
	const char *subtree;
	int of; /* enum quantity */
	struct threshold threshold;
	double max_share;
};

static const char *const of_choices[] = {"self", "total", NULL};

#define RULE(field) offsetof(struct rule_text, field)

static const struct key rule_keys[] = {
	{.name = "function", .type = KEY_TEXT, .offset = RULE(function)},
	{.name = "subtree", .type = KEY_TEXT, .offset = RULE(subtree)},
	{.name = "of", .type = KEY_CHOICE, .offset = RULE(of), .choices = of_choices},
	{.name = "warn",
		.type = KEY_THRESHOLD,
		.offset = RULE(threshold.warn),
		.min = 0.001,
		.max = 100},
	{.name = "fail",
		.type = KEY_THRESHOLD,
		.offset = RULE(threshold.fail),
		.min = 0.001,
		.max = 100},
	{.name = "max_share", .type = KEY_PERCENT, .offset = RULE(max_share), .min = 0, .max = 1},
	{.name = NULL},
};

int
threshold_check(const struct key_reader *reader, const struct yaml_node *node,
	const struct threshold *threshold)
{
	/* "never" is NAN and above nothing. */
	if (!(threshold->warn > threshold->fail))
		return 0;
	const struct yaml_node *warn = keys_find(node, "warn");
	const struct yaml_node *fail = keys_find(node, "fail");
	const struct yaml_node *at = warn ? warn : fail;

	keys_refuse(reader, at ? at : node, "'warn' (%.10g%%) is above 'fail' (%.10g%%)",
		threshold->warn * 100, threshold->fail * 100);
	if (!warn || !fail)
		err_note(reader->err, "'%s' comes from the defaults; set it here too",
			warn ? "fail" : "warn");
	return -1;
}

static int
rule_check(
	const struct key_reader *reader, const struct yaml_node *node, const struct rule_text *rule)
{
	const struct yaml_node *of = keys_find(node, "of");

	if (!rule->function && !rule->subtree)
		return keys_refuse(reader, node,
			"a rule needs 'function' or 'subtree': the pattern of the functions it is about");
	if (rule->function && rule->subtree)
		return keys_refuse(reader, keys_find(node, "subtree")->key,
			"a rule has either 'function' or 'subtree', not both: make it two rules");
	if (rule->subtree && of)
		return keys_refuse(reader, of->key,
			"'of' goes with 'function' only: a subtree is always its total");
	/* "warn: never" alone asks for nothing either. */
	if (isnan(rule->threshold.warn) && isnan(rule->threshold.fail) && isnan(rule->max_share))
		return keys_refuse(reader, node,
			"this rule asks for nothing: give it 'warn', 'fail' or 'max_share'");
	return threshold_check(reader, node, &rule->threshold);
}

static int
rule_read(
	const struct key_reader *reader, const struct yaml_node *node, struct gate_rule_spec *rule)
{
	struct rule_text text = {
		.of = QUANTITY_SELF,
		.threshold = {.warn = NAN, .fail = NAN},
		.max_share = NAN,
	};

	if (keys_read(reader, node, "a rule", rule_keys, &text) < 0 ||
		rule_check(reader, node, &text) < 0)
		return -1;
	*rule = (struct gate_rule_spec){
		.kind = text.function ? RULE_FUNCTION : RULE_SUBTREE,
		.pattern = text.function ? text.function : text.subtree,
		.of = text.function ? (enum quantity)text.of : QUANTITY_TOTAL,
		.threshold = text.threshold,
		.max_share = text.max_share,
		.file = arena_strdup(reader->arena, reader->file->path),
		.line = node->line,
	};
	return 0;
}

int
rules_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct gate_policy *gate = into;
	size_t nrules = gate->nrules;

	if (node->kind != YAML_SEQUENCE)
		return keys_refuse(reader, node, "'rules' must be a list of rules; %s",
			keys_found(reader, node));
	for (const struct yaml_node *at = node->first; at; at = at->next)
		nrules++;
	if (nrules > RULES_MAX)
		return keys_refuse(reader, node, "%zu rules are too many; at most %d are taken",
			nrules, RULES_MAX);
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
