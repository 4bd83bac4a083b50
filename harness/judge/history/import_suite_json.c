/* Reads the JSON of benchmark suites (import_suite.h). */
#include "history/import_internal.h"

#include "base/json_pull.h"
#include "base/mem.h"
#include "base/unit.h"
#include "history/import_suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Criterion. Source: its Estimates, of which the slope is the better one where it was fitted.
 */

static struct suite_number
take_estimate(const struct suite_reading *reading, struct json_pull *json, double *error)
{
	static const char *const keys[] = {"point_estimate", "standard_error", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct suite_number estimate = {.value = NAN};
	int key;

	if (!json_pull_object(json))
		return estimate;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key == 0)
			estimate = suite_take_number(reading, json);
		else
			*error = suite_take_number(reading, json).value;
	}
	return estimate;
}

static int
read_estimates(struct suite_reading *reading, struct json_pull *json, void *context)
{
	static const char *const keys[] = {"mean", "slope", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct suite_number estimates[2] = {{.value = NAN}, {.value = NAN}};
	double errors[2] = {NAN, NAN};
	const char *at = suite_next_value(reading, json);
	int key;

	(void)context;
	if (!json_pull_object(json))
		return suite_refuse_value(reading, json, at, "an object");
	while ((key = json_pull_field(json, &fields)) >= 0)
		estimates[key] = take_estimate(reading, json, &errors[key]);
	const int best = estimates[1].at ? 1 : 0;

	if (!estimates[best].at || json_pull_failed(json))
		return suite_refuse_value(reading, json, at, "estimates: \"mean\" or \"slope\"");
	if (!reading->suite->benchmark)
		return suite_refuse(reading, at,
			"the name of the benchmark is not known: expected benchmark.json beside it");
	return suite_add_time(
		reading, reading->suite->benchmark, "wall", estimates[best], errors[best], 1);
}

int
suite_read_estimates(struct suite_reading *reading)
{
	return suite_read_text(reading, read_estimates, NULL);
}

char *
import_suite_full_id(const char *name, const char *text, size_t len, struct err *err)
{
	static const char *const keys[] = {"full_id", NULL};
	const struct file_view view = {.data = text, .len = len};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_pull json;
	char *full_id = NULL;

	json_pull_init(&json, name, &view);
	if (json_pull_object(&json)) {
		while (json_pull_field(&json, &fields) >= 0)
			json_pull_text_dup(&json, &full_id);
	}
	int result = json_pull_end(&json, 0, "expected the end of the file", err);

	json_pull_release(&json);
	if (result == 0 && full_id)
		return full_id;
	if (result == 0)
		err_set(err, ERR_INPUT, "%s: expected \"full_id\", the name of a benchmark", name);
	free(full_id);
	return NULL;
}

/*
 * pytest-benchmark.
 */

struct pytest_stats {
	struct suite_number mean;
	double sd;
	double rounds;
};

static void
pytest_take_stats(
	const struct suite_reading *reading, struct json_pull *json, struct pytest_stats *stats)
{
	static const char *const keys[] = {"mean", "stddev", "rounds", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	int key;

	if (!json_pull_object(json))
		return;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		const struct suite_number number = suite_take_number(reading, json);

		if (key == 0)
			stats->mean = number;
		else if (key == 1)
			stats->sd = number.value;
		else
			stats->rounds = number.value;
	}
}

static int
pytest_item(struct suite_reading *reading, struct json_pull *json, void *context)
{
	static const char *const keys[] = {"fullname", "stats", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct pytest_stats stats = {.sd = NAN, .rounds = NAN};
	const char *at = suite_next_value(reading, json);
	char *name = NULL;
	int key;
	int result;

	(void)context;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key == 0)
			json_pull_text_dup(json, &name);
		else
			pytest_take_stats(reading, json, &stats);
	}
	if (!name || !stats.mean.at || json_pull_failed(json))
		result = suite_refuse_value(
			reading, json, at, "\"fullname\", and \"stats\" with a \"mean\"");
	else
		result = suite_add_time(reading, name, "wall", stats.mean,
			stats.rounds > 1 ? stats.sd / sqrt(stats.rounds) : NAN, 1e9);
	free(name);
	return result;
}

int
suite_read_pytest(struct suite_reading *reading)
{
	struct suite_object top = {.list = "benchmarks",
		.time = "datetime",
		.commit = "commit_info",
		.item = pytest_item};

	return suite_read_text(reading, suite_read_object, &top);
}

/*
 * hyperfine.
 */

struct hyperfine_result {
	char *command; /* owned */
	struct suite_number mean;
	struct suite_number user;
	struct suite_number system;
	struct suite_number *times; /* of its runs; owned */
	size_t ntimes;
	size_t capacity;
};

static void
hyperfine_take_times(
	const struct suite_reading *reading, struct json_pull *json, struct hyperfine_result *into)
{
	if (!json_pull_list(json))
		return;
	while (json_pull_item(json)) {
		into->times = mem_grow(
			into->times, &into->capacity, into->ntimes + 1, sizeof(*into->times));
		into->times[into->ntimes++] = suite_take_number(reading, json);
	}
}

static int
hyperfine_add(struct suite_reading *reading, const struct hyperfine_result *from)
{
	const struct suite_number cpu = {from->user.value + from->system.value, from->user.at};
	int result = 0;

	for (size_t i = 0; result == 0 && i < from->ntimes; i++)
		result = suite_add_time(reading, from->command, "wall", from->times[i], NAN, 1e9);
	if (result == 0 && from->ntimes == 0)
		result = suite_add_time(reading, from->command, "wall", from->mean, NAN, 1e9);
	if (result == 0 && from->user.at && from->system.at)
		result = suite_add_time(reading, from->command, "cpu", cpu, NAN, 1e9);
	return result;
}

static int
hyperfine_item(struct suite_reading *reading, struct json_pull *json, void *context)
{
	static const char *const keys[] = {"command", "mean", "user", "system", "times", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct hyperfine_result found = {.command = NULL};
	struct suite_number *const numbers[] = {NULL, &found.mean, &found.user, &found.system};
	const char *at = suite_next_value(reading, json);
	int key;

	(void)context;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key == 0)
			json_pull_text_dup(json, &found.command);
		else if (key == 4)
			hyperfine_take_times(reading, json, &found);
		else
			*numbers[key] = suite_take_number(reading, json);
	}
	const int result =
		found.command && found.mean.at && !json_pull_failed(json)
			? hyperfine_add(reading, &found)
			: suite_refuse_value(reading, json, at, "\"command\" and \"mean\"");

	free(found.command);
	free(found.times);
	return result;
}

int
suite_read_hyperfine(struct suite_reading *reading)
{
	struct suite_object top = {.list = "results", .item = hyperfine_item};

	return suite_read_text(reading, suite_read_object, &top);
}

/*
 * JMH. Source: its JSONResultFormat.
 */

struct jmh_metric {
	struct suite_number score;
	char *unit; /* owned */
	const char *unit_at;
	double count; /* of the iterations of all forks */
	double mean;
	double squares; /* of their distances from the mean */
};

/* Adds the iterations of a fork, by Welford's method. */
static void
jmh_take_fork(const struct suite_reading *reading, struct json_pull *json, struct jmh_metric *into)
{
	if (!json_pull_list(json))
		return;
	while (json_pull_item(json)) {
		const double value = suite_take_number(reading, json).value;
		const double before = value - into->mean;

		into->count++;
		into->mean += before / into->count;
		into->squares += before * (value - into->mean);
	}
}

static void
jmh_take_metric(
	const struct suite_reading *reading, struct json_pull *json, struct jmh_metric *into)
{
	static const char *const keys[] = {"score", "scoreUnit", "rawData", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	int key;

	if (!json_pull_object(json))
		return;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key == 0) {
			into->score = suite_take_number(reading, json);
		} else if (key == 1) {
			into->unit_at = suite_next_value(reading, json);
			json_pull_text_dup(json, &into->unit);
		} else if (json_pull_list(json)) {
			while (json_pull_item(json))
				jmh_take_fork(reading, json, into);
		}
	}
}

/* " (size=10, kind=a)"; in the order of the file, which is JMH's. */
static void
jmh_take_parameters(struct json_pull *json, struct buf *out)
{
	struct json_text text;
	const char *before = " (";

	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &text)) {
		buf_puts(out, before);
		buf_put(out, text.at, text.len);
		buf_putc(out, '=');
		if (json_pull_text(json, &text))
			buf_put(out, text.at, text.len);
		before = ", ";
	}
	if (before[0] == ',')
		buf_putc(out, ')');
}

/* "ns/op" is a time, "ops/ms" a rate, which becomes the time of one. */
static int
jmh_add(struct suite_reading *reading, const char *benchmark, const char *mode,
	const struct jmh_metric *from)
{
	const char *slash = from->unit ? strchr(from->unit, '/') : NULL;
	const size_t before = slash ? (size_t)(slash - from->unit) : 0;
	const bool is_rate = slash && strncmp(from->unit, "ops/", 4) == 0;
	double scale = 0;

	if (is_rate)
		scale = suite_unit_ns(slash + 1, strlen(slash + 1));
	else if (slash && strcmp(slash, "/op") == 0)
		scale = suite_unit_ns(from->unit, before);
	const char *metric = strcmp(mode, "avgt") == 0    ? "wall"
			     : strcmp(mode, "thrpt") == 0 ? "throughput"
							  : mode;

	if (scale == 0)
		return suite_refuse(reading, from->unit_at ? from->unit_at : from->score.at,
			"expected a \"scoreUnit\" such as ns/op or ops/s");
	const double relative =
		from->count > 1 ? sqrt(from->squares / (from->count - 1) / from->count) / from->mean
				: NAN;

	return suite_add(reading, &(struct suite_value){.benchmark = benchmark,
					  .metric = metric,
					  .unit = UNIT_NS,
					  .value = from->score.value,
					  .error = relative * from->score.value,
					  .scale = scale,
					  .is_rate = is_rate,
					  .at = from->score.at});
}

static int
jmh_item(struct suite_reading *reading, struct json_pull *json, void *context)
{
	static const char *const keys[] = {"benchmark", "mode", "params", "primaryMetric", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct jmh_metric metric = {.score = {.value = NAN}};
	struct buf parameters = {0};
	const char *at = suite_next_value(reading, json);
	char *names[2] = {NULL, NULL};
	int key;
	int result;

	(void)context;
	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key < 2)
			json_pull_text_dup(json, &names[key]);
		else if (key == 2)
			jmh_take_parameters(json, &parameters);
		else
			jmh_take_metric(reading, json, &metric);
	}
	if (!names[0] || !names[1] || !metric.score.at || json_pull_failed(json)) {
		result = suite_refuse_value(reading, json, at,
			"\"benchmark\", \"mode\", and \"primaryMetric\" with a \"score\"");
	} else {
		char *benchmark = mem_printf("%s%s", names[0], buf_text(&parameters));

		result = jmh_add(reading, benchmark, names[1], &metric);
		free(benchmark);
	}
	buf_release(&parameters);
	free(metric.unit);
	free(names[0]);
	free(names[1]);
	return result;
}

static int
jmh_read(struct suite_reading *reading, struct json_pull *json, void *context)
{
	return suite_read_list(reading, json, jmh_item, context);
}

int
suite_read_jmh(struct suite_reading *reading)
{
	return suite_read_text(reading, jmh_read, NULL);
}

/*
 * The Bencher Metric Format: benchmarks, each with measures. Units are those of Bencher's own
 * measures; nothing says those of others.
 */

struct bencher_measure {
	const char *name;
	const char *metric;
	const char *unit;
	double scale;
	bool is_rate;
};

static const struct bencher_measure *
bencher_find(struct json_text name)
{
	static const struct bencher_measure measures[] = {
		{"latency", "wall", UNIT_NS, 1, false},
		{"throughput", "throughput", UNIT_NS, 1e9, true},
		{"build-time", "build-time", UNIT_NS, 1e9, false},
		{"file-size", "file-size", UNIT_BYTES, 1, false},
		{"instructions", "instructions", "instructions", 1, false},
		{"estimated-cycles", "estimated_cycles", "cycles", 1, false},
	};

	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
		if (json_text_is(name, measures[i].name))
			return &measures[i];
	}
	return NULL;
}

static int
bencher_read_measure(struct suite_reading *reading, struct json_pull *json, const char *benchmark,
	const struct bencher_measure *measure)
{
	static const char *const keys[] = {"value", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct suite_number number = {.value = NAN};
	const char *at = suite_next_value(reading, json);

	if (!json_pull_object(json))
		return suite_refuse_value(reading, json, at, "an object with a \"value\"");
	while (json_pull_field(json, &fields) >= 0)
		number = suite_take_number(reading, json);
	if (!number.at || json_pull_failed(json))
		return suite_refuse_value(reading, json, at, "a \"value\"");
	return suite_add(reading, &(struct suite_value){.benchmark = benchmark,
					  .metric = measure->metric,
					  .unit = measure->unit,
					  .value = number.value,
					  .error = NAN,
					  .scale = measure->scale,
					  .is_rate = measure->is_rate,
					  .at = number.at});
}

static int
bencher_read_benchmark(struct suite_reading *reading, struct json_pull *json, const char *benchmark)
{
	const char *at = suite_next_value(reading, json);
	struct json_text key;
	int result = 0;

	if (!json_pull_object(json))
		return suite_refuse_value(reading, json, at, "an object, of measures");
	while (result == 0 && json_pull_key(json, &key)) {
		const struct bencher_measure *measure = bencher_find(key);

		if (measure) {
			result = bencher_read_measure(reading, json, benchmark, measure);
			continue;
		}
		suite_leave_out(reading, suite_next_value(reading, json),
			"the measure '%.*s' of '%s' is not known", (int)key.len, key.at, benchmark);
		json_pull_skip(json);
	}
	return result;
}

static int
bencher_read(struct suite_reading *reading, struct json_pull *json, void *context)
{
	const char *at = suite_next_value(reading, json);
	struct json_text key;
	int result = 0;

	(void)context;
	if (!json_pull_object(json))
		return suite_refuse_value(reading, json, at, "an object, of benchmarks");
	while (result == 0 && json_pull_key(json, &key)) {
		char *benchmark = mem_dup(key.at, key.len);

		result = bencher_read_benchmark(reading, json, benchmark);
		free(benchmark);
	}
	return result;
}

int
suite_read_bencher(struct suite_reading *reading)
{
	return suite_read_text(reading, bencher_read, NULL);
}
