/* Reads a history out of the JSON of github-action-benchmark or Bencher. */
#include "history/import_internal.h"

#include "base/mem.h"
#include "history/time_text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "" if there is no such text. */
static const char *
text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

static double
number_of(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* The number in "± 12.5", "+/- 2,802", "±0.32%" (of `value`) or 12.5; NAN where there is none. */
static double
read_range(const cJSON *range, double value)
{
	const char *text = cJSON_GetStringValue(range);
	struct buf digits = {0};
	char *end;

	if (cJSON_IsNumber(range))
		return range->valuedouble;
	if (!text)
		return NAN;
	text += strcspn(text, "0123456789");
	const size_t len = strspn(text, "0123456789.,eE-");

	for (size_t i = 0; i < len; i++) {
		if (text[i] != ',')
			buf_putc(&digits, text[i]);
	}
	double number = strtod(buf_text(&digits), &end);

	if (digits.len == 0 || *end != '\0')
		number = NAN;
	else if (text[len] == '%')
		number *= value / 100;
	buf_release(&digits);
	return number;
}

static int
refuse_json(const struct import *import, struct err *err, const char *where, size_t number,
	const char *expected)
{
	return err_set(err, ERR_INPUT, "%s: number %zu of '%s': expected %s", import->name, number,
		where, expected);
}

/* github-action-benchmark: suites of builds, each with its benches. */

/* How often a name has stood in a build, with this time. */
static uint32_t
count_name(struct text_map *names, const char *name)
{
	struct text_entry *entry = text_map_find(names, name, strlen(name));

	if (!entry)
		entry = text_map_add(names, name, strlen(name), 0);
	return ++entry->value;
}

/* "parse", with its suite where there are several: "suite/parse"; again in one build: "parse (2)".
 */
static char *
action_bench_name(const cJSON *suite, const char *name, uint32_t count)
{
	const bool several = suite->next || suite->prev != suite;
	char *full = mem_printf("%s%s%s", several ? suite->string : "", several ? "/" : "", name);

	if (count == 1)
		return full;
	char *numbered = mem_printf("%s (%u)", full, count);

	free(full);
	return numbered;
}

static bool
action_build_time(const cJSON *build, const cJSON *commit, int64_t *started)
{
	return history_epoch(number_of(build, "date"), started) ||
	       history_time(text_of(commit, "timestamp"), started);
}

/* A build of github-action-benchmark: {commit, date, tool, benches}. */
static int
action_read_build(struct import *import, const cJSON *suite, const cJSON *build, size_t number,
	struct err *err)
{
	const cJSON *commit = cJSON_GetObjectItemCaseSensitive(build, "commit");
	const cJSON *benches = cJSON_GetObjectItemCaseSensitive(build, "benches");
	const cJSON *bench;
	struct text_map names = {0};
	int64_t started;

	if (!cJSON_IsArray(benches))
		return refuse_json(import, err, suite->string, number, "a list 'benches'");
	if (!action_build_time(build, commit, &started))
		return refuse_json(
			import, err, suite->string, number, "a 'date' or a commit's 'timestamp'");
	cJSON_ArrayForEach(bench, benches)
	{
		const double value = number_of(bench, "value");
		char *name = action_bench_name(
			suite, text_of(bench, "name"), count_name(&names, text_of(bench, "name")));

		import_add(import,
			&(struct import_value){
				.machine_class = "",
				.workload = name,
				.function = "",
				.metric = "value",
				.unit = text_of(bench, "unit"),
				.commit = text_of(commit, "id"),
				.link = text_of(commit, "url"),
				.started = started,
				.value = value,
				.error = read_range(
					cJSON_GetObjectItemCaseSensitive(bench, "range"), value),
				.is_rate =
					strcmp(text_of(build, "tool"), "customBiggerIsBetter") == 0,
			});
		free(name);
	}
	text_map_release(&names);
	return 0;
}

static int
action_read_builds(struct import *import, const cJSON *suites, struct err *err)
{
	const cJSON *suite;
	const cJSON *build;

	cJSON_ArrayForEach(suite, suites)
	{
		size_t number = 0;

		cJSON_ArrayForEach(build, suite)
		{
			if (action_read_build(import, suite, build, ++number, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Bencher: results, each a series of metrics. */

/* Whether the results are of several branches. */
static bool
bencher_has_branches(const cJSON *results)
{
	const cJSON *each;
	const char *first = NULL;

	cJSON_ArrayForEach(each, results)
	{
		const char *name =
			text_of(cJSON_GetObjectItemCaseSensitive(each, "branch"), "name");

		if (first && strcmp(first, name) != 0)
			return true;
		first = name;
	}
	return false;
}

/* "parse", with its parameters: "parse {"size_mb":16}". */
static char *
bencher_benchmark_name(const cJSON *result)
{
	const cJSON *parameter = cJSON_GetObjectItemCaseSensitive(result, "parameter");
	const cJSON *set = cJSON_GetObjectItemCaseSensitive(parameter, "set");
	const char *name = text_of(cJSON_GetObjectItemCaseSensitive(result, "benchmark"), "name");

	if (!cJSON_IsObject(set) || !set->child)
		return mem_strdup(name);
	char *parameters = cJSON_PrintUnformatted(set);
	char *both = mem_printf("%s %s", name, parameters ? parameters : "");

	cJSON_free(parameters);
	return both;
}

/* A metric of Bencher: its value in 'metric' or, newer, in 'metrics'. */
static double
bencher_metric_value(const cJSON *metric)
{
	const cJSON *named = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(metric, "metrics"), "value");
	const double value = number_of(cJSON_GetObjectItemCaseSensitive(metric, "metric"), "value");

	return isnan(value) ? number_of(named, "value") : value;
}

/* A series of Bencher: {branch, testbed, benchmark, measure, metrics}. */
static int
bencher_read_series(
	struct import *import, const cJSON *result, struct import_value value, struct err *err)
{
	const cJSON *metric;
	size_t number = 0;

	cJSON_ArrayForEach(metric, cJSON_GetObjectItemCaseSensitive(result, "metrics"))
	{
		number++;
		value.value = bencher_metric_value(metric);
		value.commit = text_of(cJSON_GetObjectItemCaseSensitive(metric, "version"), "hash");
		if (!history_time(text_of(metric, "start_time"), &value.started))
			return refuse_json(import, err, value.workload, number, "a 'start_time'");
		import_add(import, &value);
	}
	return 0;
}

static int
bencher_read_results(struct import *import, const cJSON *results, struct err *err)
{
	const bool branches = bencher_has_branches(results);
	const cJSON *each;
	int status = 0;

	cJSON_ArrayForEach(each, results)
	{
		const cJSON *measure = cJSON_GetObjectItemCaseSensitive(each, "measure");
		const char *testbed =
			text_of(cJSON_GetObjectItemCaseSensitive(each, "testbed"), "name");
		const char *branch =
			text_of(cJSON_GetObjectItemCaseSensitive(each, "branch"), "name");
		char *class = branches ? mem_printf("%s, branch %s", testbed, branch)
				       : mem_strdup(testbed);
		char *name = bencher_benchmark_name(each);

		status = bencher_read_series(import, each,
			(struct import_value){
				.machine_class = class,
				.workload = name,
				.function = "",
				.metric = text_of(measure, "slug"),
				.unit = text_of(measure, "units"),
				.link = "",
				.error = NAN,
			},
			err);
		free(class);
		free(name);
		if (status < 0)
			break;
	}
	return status;
}

/* The JSON in "window.BENCHMARK_DATA = {...}", or all of it: from its first brace. */
static cJSON *
parse(const struct import *import, struct err *err)
{
	const char *text = memchr(import->text, '{', import->len);
	const size_t before = text ? (size_t)(text - import->text) : import->len;
	const char *end = NULL;
	cJSON *root =
		text ? cJSON_ParseWithLengthOpts(text, import->len - before, &end, false) : NULL;
	size_t at = end ? (size_t)(end - import->text) : import->len;

	while (root && at < import->len &&
		(isspace((unsigned char)import->text[at]) || import->text[at] == ';'))
		at++;
	if (root && at == import->len)
		return root;
	const struct location where = location_at(import->name, import->text, import->len, at);

	err_set_at(err, &where, root ? "the object ends before this" : "this is not JSON");
	cJSON_Delete(root);
	return NULL;
}

int
import_json(struct import *import, struct err *err)
{
	cJSON *root = parse(import, err);
	const cJSON *entries = cJSON_GetObjectItemCaseSensitive(root, "entries");
	const cJSON *results = cJSON_GetObjectItemCaseSensitive(root, "results");
	int status = -1;

	if (!root)
		return -1;
	if (cJSON_IsObject(entries))
		status = action_read_builds(import, entries, err);
	else if (cJSON_IsArray(results))
		status = bencher_read_results(import, results, err);
	else
		err_set(err, ERR_INPUT,
			"%s: expected data.js of github-action-benchmark ('entries') or the answer of "
			"Bencher's perf query ('results')",
			import->name);
	cJSON_Delete(root);
	return status;
}
