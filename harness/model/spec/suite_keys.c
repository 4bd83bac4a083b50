/* The keys `suite`, `include` and `exclude` of a workload. */
#include "spec/suite.h"

#include "base/buf.h"
#include "spec/keys.h"
#include "spec/sections_internal.h"
#include "spec/workload.h"

#include <string.h>

#define PATTERNS_MAX 64
#define NO_PRESET "one"

/* Sets *preset by its name; NO_PRESET, where `may_be_one`, is NULL. */
static int
preset_read(const struct key_reader *reader, const struct yaml_node *node, bool may_be_one,
	const struct suite_preset **preset)
{
	const char *name = keys_text(reader, node, "the name of a kind of suite");
	struct buf known = {0};

	*preset = NULL;
	if (!name)
		return -1;
	if (may_be_one && strcmp(name, NO_PRESET) == 0)
		return 0;
	for (size_t i = 0; suite_presets[i]; i++) {
		buf_printf(&known, "%s'%s'", i > 0 ? ", " : "", suite_presets[i]->name);
		if (strcmp(name, suite_presets[i]->name) == 0)
			*preset = suite_presets[i];
	}
	if (!*preset)
		keys_refuse(reader, node, "there is no kind of suite '%.80s': known are %s%s", name,
			buf_text(&known), may_be_one ? " and '" NO_PRESET "'" : "");
	buf_release(&known);
	return *preset ? 0 : -1;
}

static int
iterations_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	return preset_read(reader, node, true, into);
}

static const struct key suite_keys[] = {
	{.name = "list",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct suite, list),
		.read = command_read},
	{.name = "run",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct suite, run),
		.read = command_read},
	{.name = "iterations",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct suite, preset),
		.read = iterations_read},
	{.name = NULL},
};

int
suite_key_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct suite **made = into;
	struct suite *suite = arena_alloc(reader->arena, sizeof(*suite));

	*suite = (struct suite){0};
	*made = suite;
	if (node->kind == YAML_SCALAR)
		return preset_read(reader, node, false, &suite->preset);
	if (node->kind != YAML_MAPPING)
		return keys_refuse(reader, node,
			"'suite' must be the name of a kind of suite, or a mapping of 'list', 'run' "
			"and 'iterations'; %s",
			keys_found(reader, node));
	suite->by_hand = true;
	if (keys_read(reader, node, "'suite'", suite_keys, suite) < 0)
		return -1;
	if (!suite->list)
		return keys_refuse(reader, node,
			"'list' is missing: the command that lists the benchmarks, one a line");
	return 0;
}

int
suite_patterns_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***patterns = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'%s' must be a list of patterns of benchmarks, such as [\"parse/*\"]; %s",
			node->key->text, keys_found(reader, node));
	if (yaml_count(node) > PATTERNS_MAX)
		return keys_refuse(reader, node, "'%s' has at most %d patterns", node->key->text,
			PATTERNS_MAX);
	const char **all = arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*all));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		all[count] = keys_text(reader, at, "a text: a pattern of benchmarks");
		if (!all[count++])
			return -1;
	}
	all[count] = NULL;
	*patterns = all;
	return 0;
}

/* The first of these keys that is in the file; NULL: none is. */
static const struct yaml_node *
find_first(const struct yaml_node *root, const char *const *keys)
{
	const struct yaml_node *found = NULL;

	for (size_t i = 0; keys[i] && !found; i++)
		found = keys_find(root, keys[i]);
	return found;
}

/* Whether a word of a command has {name}; without one every run would be of all benchmarks. */
static bool
has_name(const char *const *run)
{
	for (size_t i = 0; run[i]; i++)
		if (strstr(run[i], "{name}"))
			return true;
	return false;
}

int
suite_keys_check(const struct key_reader *reader, struct workload *workload)
{
	static const char *const of_suites[] = {"include", "exclude", NULL};
	static const char *const other[] = {"service", "latency", "stdout", NULL};
	const struct yaml_node *root = reader->file->root;
	struct suite *suite = workload->suite;
	const struct yaml_node *node = find_first(root, suite ? other : of_suites);

	if (node && !suite)
		return keys_refuse(reader, node->key,
			"'%s' needs a key 'suite' in the workload, which lists benchmarks",
			node->key->text);
	if (!suite)
		return 0;
	if (node)
		return keys_refuse(reader, node->key,
			"'%s' and 'suite' cannot be combined: the suite prints its iterations there",
			node->key->text);
	suite->include = workload->include;
	suite->exclude = workload->exclude;
	node = keys_find(root, "suite");
	if (suite->run && workload->run)
		return keys_refuse(reader, keys_find(root, "run")->key,
			"'run' stands in 'suite', too: leave one of them out");
	workload->run = suite->run ? suite->run : workload->run;
	if (!workload->run)
		return 0;
	if (strcmp(workload->run[0], "/bin/sh") == 0)
		return keys_refuse(reader, node,
			"'run' of a suite must be a list: names of benchmarks do not go through a "
			"shell");
	if (suite->by_hand && !has_name(workload->run))
		return keys_refuse(reader, node,
			"no argument of 'run' has {name}, in whose place the benchmark's name goes");
	return 0;
}
