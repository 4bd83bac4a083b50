#include "history/import_suite.h"

#include "base/json_pull.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/unit.h"
#include "history/import_internal.h"
#include "history/time_text.h"
#include "ingest/ingest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds, bytes or counts: what is larger is a mistake. As nanoseconds it is 31 years. */
#define VALUE_MAX 1e18
#define NUMBER_TEXT_MAX 64

static struct location
place_in(const struct suite_reading *reading, const char *at)
{
	const struct import *import = &reading->import;

	return location_at(import->name, import->text, import->len, (size_t)(at - import->text));
}

int
suite_refuse(const struct suite_reading *reading, const char *at, const char *fmt, ...)
{
	const struct location where = place_in(reading, at);
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set_at(reading->err, &where, "%s", text);
}

void
suite_leave_out(struct suite_reading *reading, const char *at, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (reading->nleft_out++ > 0)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_warn("%s:%u: left out: %s", reading->import.name, place_in(reading, at).line, text);
}

double
suite_unit_ns(const char *text, size_t len)
{
	const struct unit *unit = unit_find(text, len);

	return unit && strcmp(unit->base, UNIT_NS) == 0 ? unit->scale : 0;
}

int
suite_add(struct suite_reading *reading, const struct suite_value *value)
{
	const bool is_zero = value->value == 0;
	const double cost = value->is_rate && !is_zero ? value->scale / value->value
						       : value->scale * value->value;

	if (!(value->value >= 0))
		return suite_refuse(reading, value->at, "expected a number of 0 or more");
	if (!(cost <= VALUE_MAX))
		return suite_refuse(reading, value->at, "expected a number of at most %g %s",
			VALUE_MAX, value->unit);
	if (value->benchmark[0] == '\0')
		return suite_refuse(reading, value->at, "expected a benchmark with a name");
	char *file_name = history_file_name(value->benchmark);

	free(file_name);
	if (!file_name) {
		suite_leave_out(reading, value->at, "the name '%s' is too long for a file",
			value->benchmark);
		return 0;
	}
	import_add(&reading->import,
		&(struct import_value){
			.machine_class = reading->suite->machine_class,
			.workload = value->benchmark,
			.function = "",
			.metric = value->metric,
			.unit = value->unit,
			.commit = "",
			.link = reading->suite->link,
			.value = cost,
			.error = value->error >= 0 && !is_zero ? cost * value->error / value->value
							       : NAN,
			.at = value->at,
		});
	return 0;
}

const char *
suite_next_value(const struct suite_reading *reading, const struct json_pull *json)
{
	const struct import *import = &reading->import;
	size_t at = json_pull_place(json).at;

	while (at < import->len && strchr(" \t\r\n", import->text[at]) && import->text[at])
		at++;
	return import->text + at;
}

struct suite_number
suite_take_number(const struct suite_reading *reading, struct json_pull *json)
{
	struct suite_number number = {.value = NAN, .at = suite_next_value(reading, json)};

	json_pull_number(json, &number.value);
	return number;
}

int
suite_refuse_value(const struct suite_reading *reading, const struct json_pull *json,
	const char *at, const char *expected)
{
	return json_pull_failed(json) ? -1 : suite_refuse(reading, at, "expected %s", expected);
}

/* Takes a time such as "2026-01-31T12:00:00+02:00" as the night's. */
static int
take_night(struct suite_reading *reading, struct json_pull *json)
{
	const char *at = suite_next_value(reading, json);
	char *text = NULL;
	int result = 0;

	if (json_pull_text_dup(json, &text) && !history_time(text, &reading->started))
		result = suite_refuse_value(
			reading, json, at, "a time such as 2026-01-31T12:00:00Z");
	free(text);
	return result;
}

int
suite_find_scale(const struct suite_reading *reading, const struct json_pull *json, const char *at,
	const char *unit, double *scale)
{
	*scale = unit ? suite_unit_ns(unit, strlen(unit)) : 0;
	return *scale > 0
		       ? 0
		       : suite_refuse_value(reading, json, at, "a unit of time: ns, us, ms or s");
}

int
suite_add_time(struct suite_reading *reading, const char *benchmark, const char *metric,
	struct suite_number time, double error, double scale)
{
	return suite_add(reading, &(struct suite_value){.benchmark = benchmark,
					  .metric = metric,
					  .unit = UNIT_NS,
					  .value = time.value,
					  .error = error,
					  .scale = scale,
					  .at = time.at});
}

int
suite_read_list(
	struct suite_reading *reading, struct json_pull *json, suite_item item, void *context)
{
	const char *at = suite_next_value(reading, json);
	int result = 0;

	if (!json_pull_list(json))
		return suite_refuse_value(reading, json, at, "a list of benchmarks");
	while (result == 0 && json_pull_item(json)) {
		at = suite_next_value(reading, json);
		result = json_pull_object(json) ? item(reading, json, context)
						: suite_refuse_value(reading, json, at,
							  "an object, of a benchmark");
	}
	return result;
}

int
suite_read_text(struct suite_reading *reading, suite_item top, void *context)
{
	const struct file_view view = {.data = reading->import.text, .len = reading->import.len};
	struct json_pull json;

	json_pull_init(&json, reading->import.name, &view);
	int result = top(reading, &json, context);

	result = json_pull_end(&json, result, "expected the end of the file", reading->err);
	json_pull_release(&json);
	return result;
}

static int
read_context(struct suite_reading *reading, struct json_pull *json, const char *time)
{
	const char *const keys[] = {time, NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	int result = 0;

	if (!json_pull_object(json))
		return 0;
	while (json_pull_field(json, &fields) >= 0 && result == 0)
		result = take_night(reading, json);
	return result;
}

static void
take_commit(struct suite_reading *reading, struct json_pull *json)
{
	static const char *const keys[] = {"id", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_text id;

	if (!json_pull_object(json))
		return;
	while (json_pull_field(json, &fields) >= 0) {
		/* pytest-benchmark writes "unversioned" outside of a repository. */
		if (json_pull_text(json, &id) && !json_text_is(id, "unversioned"))
			reading->commit = arena_dup(&reading->import.history->arena, id.at, id.len);
	}
}

int
suite_read_object(struct suite_reading *reading, struct json_pull *json, void *context)
{
	const struct suite_object *top = context;
	const char *at = suite_next_value(reading, json);
	struct json_text key;
	bool found = false;
	int result = 0;

	if (!json_pull_object(json))
		return suite_refuse_value(reading, json, at, "an object");
	while (result == 0 && json_pull_key(json, &key)) {
		if (!found && json_text_is(key, top->list)) {
			found = true;
			result = suite_read_list(reading, json, top->item, top->state);
		} else if (top->context && json_text_is(key, top->context)) {
			result = read_context(reading, json, top->time);
		} else if (top->time && !top->context && json_text_is(key, top->time)) {
			result = take_night(reading, json);
		} else if (top->commit && json_text_is(key, top->commit)) {
			take_commit(reading, json);
		} else {
			json_pull_skip(json);
		}
	}
	if (result < 0 || found || json_pull_failed(json))
		return result;
	return suite_refuse(
		reading, at, "expected a member \"%s\", a list of benchmarks", top->list);
}

/* A line of text, and the word of it that was taken last. */
struct words {
	const char *at;
	const char *end;
	const char *word;
	size_t len;
};

static bool
next_word(struct words *words)
{
	while (words->at < words->end && (*words->at == ' ' || *words->at == '\t'))
		words->at++;
	words->word = words->at;
	while (words->at < words->end && *words->at != ' ' && *words->at != '\t')
		words->at++;
	words->len = (size_t)(words->at - words->word);
	return words->len > 0;
}

static bool
word_is(const struct words *words, const char *expected)
{
	return words->len == strlen(expected) && memcmp(words->word, expected, words->len) == 0;
}

/* The number that the last word is, with commas between its digits; false where it is none. */
static bool
word_number(const struct words *words, double *number)
{
	char text[NUMBER_TEXT_MAX];
	size_t n = 0;
	char *rest;

	for (size_t i = 0; i < words->len && n < sizeof(text) - 1; i++) {
		if (words->word[i] != ',')
			text[n++] = words->word[i];
	}
	text[n] = '\0';
	*number = strtod(text, &rest);
	return n > 0 && *rest == '\0' && strspn(text, "0123456789.eE+-") == n;
}

/* Sets *line to the next line of the text from *at on; false at its end. */
static bool
next_line(const struct import *import, const char **at, struct words *line)
{
	const char *end = import->text + import->len;

	if (*at == end)
		return false;
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	const char *stop = newline ? newline : end;

	*line = (struct words){.at = *at, .end = stop};
	if (stop > *at && stop[-1] == '\r')
		line->end--;
	*at = newline ? newline + 1 : end;
	return true;
}

/* A quantity of `go test -bench`. */
struct go_unit {
	const char *name;
	const char *metric;
	const char *unit;
};

static const struct go_unit *
find_go_unit(const struct words *words)
{
	static const struct go_unit known[] = {
		{"ns/op", "wall", UNIT_NS},
		{"B/op", "alloc", UNIT_BYTES},
		{"allocs/op", "allocations", "allocations"},
		/* Follows from the time. */
		{"MB/s", NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (word_is(words, known[i].name))
			return &known[i];
	}
	return NULL;
}

/* "12.3 ns/op  45 B/op ...". */
static int
read_go_values(struct suite_reading *reading, struct words *words, const char *benchmark)
{
	while (next_word(words)) {
		const char *at = words->word;
		double value;

		if (!word_number(words, &value))
			return suite_refuse(reading, at, "expected a number");
		if (!next_word(words))
			return suite_refuse(reading, words->at, "expected a unit such as ns/op");
		const struct go_unit *unit = find_go_unit(words);

		if (!unit) {
			suite_leave_out(reading, words->word,
				"the unit '%.*s' of '%s' is not known", (int)words->len,
				words->word, benchmark);
			continue;
		}
		/* Most benchmarks allocate nothing: nobody is to hear of it. */
		if (!unit->metric || (value == 0 && strcmp(unit->unit, UNIT_NS) != 0))
			continue;
		if (suite_add(reading, &(struct suite_value){.benchmark = benchmark,
					       .metric = unit->metric,
					       .unit = unit->unit,
					       .value = value,
					       .error = NAN,
					       .scale = 1,
					       .at = at}) < 0)
			return -1;
	}
	return 0;
}

/*
 * "BenchmarkParse/small-8  1000  12.3 ns/op": name, iterations, values. Lines that begin so without
 * a number after the name are other output. Source: the Go benchmark data format.
 */
static int
read_go_line(struct suite_reading *reading, struct words *words, const char *package)
{
	double iterations;
	struct words name = *words;

	if (!next_word(words) || !word_number(words, &iterations))
		return 0;
	char *benchmark =
		mem_printf("%s%s%.*s", package, package[0] ? "." : "", (int)name.len, name.word);
	const int result = read_go_values(reading, words, benchmark);

	free(benchmark);
	return result;
}

static int
read_go(struct suite_reading *reading)
{
	const char *at = reading->import.text;
	char *package = mem_strdup("");
	struct words words;
	int result = 0;

	while (result == 0 && next_line(&reading->import, &at, &words)) {
		if (!next_word(&words))
			continue;
		if (word_is(&words, "pkg:") && next_word(&words)) {
			free(package);
			package = mem_dup(words.word, words.len);
		} else if (text_begins_within(words.word, words.len, "Benchmark")) {
			result = read_go_line(reading, &words, package);
		}
	}
	free(package);
	return result;
}

/* "1,234 ns/iter (+/- 56)", behind "bench:": the range is no standard error. */
static int
read_bench_value(struct suite_reading *reading, struct words *words, const char *benchmark)
{
	double value;

	if (!next_word(words) || !word_number(words, &value))
		return suite_refuse(reading, words->word, "expected a number");
	const char *at = words->word;

	next_word(words);
	const char *slash = memchr(words->word, '/', words->len);
	const double ns = slash ? suite_unit_ns(words->word, (size_t)(slash - words->word)) : 0;

	if (!slash || ns == 0 || !text_begins_within(slash, (size_t)(words->end - slash), "/iter"))
		return suite_refuse(reading, words->word, "expected a unit such as ns/iter");
	return suite_add(reading, &(struct suite_value){.benchmark = benchmark,
					  .metric = "wall",
					  .unit = UNIT_NS,
					  .value = value,
					  .error = NAN,
					  .scale = ns,
					  .at = at});
}

/* "test NAME ... bench:  1,234 ns/iter (+/- 56)"; names may have blanks. */
static int
read_bench_text(struct suite_reading *reading)
{
	static const char mark[] = " bench:";
	const char *at = reading->import.text;
	struct words words;
	int result = 0;

	while (result == 0 && next_line(&reading->import, &at, &words)) {
		if (!next_word(&words) || !word_is(&words, "test"))
			continue;
		const char *name = words.at;
		const char *found =
			memmem(name, (size_t)(words.end - name), mark, sizeof(mark) - 1);

		if (!found)
			continue;
		const char *end = found;

		while (end > name && (end[-1] == ' ' || end[-1] == '.'))
			end--;
		while (name < end && *name == ' ')
			name++;
		char *benchmark = mem_dup(name, (size_t)(end - name));

		words.at = found + sizeof(mark) - 1;
		result = read_bench_value(reading, &words, benchmark);
		free(benchmark);
	}
	return result;
}

static int
read_criterion(struct suite_reading *reading)
{
	const struct import *import = &reading->import;

	return json_file_begins(import->text, import->len) ? suite_read_estimates(reading)
							   : read_bench_text(reading);
}

static const char *const format_names[] = {"google-benchmark", "criterion", "go",
	"pytest-benchmark", "jmh", "hyperfine", "bencher", NULL};
static int (*const readers[])(struct suite_reading *reading) = {suite_read_google, read_criterion,
	read_go, suite_read_pytest, suite_read_jmh, suite_read_hyperfine, suite_read_bencher};

const char *const *
import_suite_formats(void)
{
	return format_names;
}

/* All entries are of one night. */
static void
set_night(const struct suite_reading *reading)
{
	const struct import_suite *suite = reading->suite;
	struct history *history = reading->import.history;
	const int64_t found = reading->started ? reading->started : suite->else_started;
	const char *known = suite->commit     ? suite->commit
			    : reading->commit ? reading->commit
					      : suite->else_commit;
	const char *commit = arena_strdup(&history->arena, known);

	for (size_t i = 0; i < history->nfiles; i++) {
		for (size_t k = 0; k < history->files[i].nentries; k++) {
			struct history_entry *entry = &history->files[i].entries[k];

			entry->started = suite->started ? suite->started : found;
			entry->commit = commit;
		}
	}
}

int
import_suite_text(struct history *history, const struct import_suite *suite, const char *text,
	size_t len, struct import_skipped *skipped, struct err *err)
{
	struct suite_reading reading = {
		.import = {.history = history, .name = suite->name, .text = text, .len = len},
		.suite = suite,
		.err = err,
	};
	size_t format = 0;

	*history = (struct history){0};
	*skipped = (struct import_skipped){0};
	while (strcmp(format_names[format], suite->format) != 0)
		format++;
	int result = readers[format](&reading);

	text_map_release(&reading.import.series);
	if (reading.nleft_out > 1)
		log_warn("%s: left out: %zu more", suite->name, reading.nleft_out - 1);
	if (result == 0 && !suite->started && !reading.started && !suite->else_started)
		result = err_set(err, ERR_INPUT,
			"%s: it does not say when it was measured: expected --time", suite->name);
	if (result == 0 && history->nfiles == 0)
		result = err_set(err, ERR_INPUT, "%s: there is no value above 0 in it%s",
			suite->name, reading.nleft_out > 0 ? " that is not left out" : "");
	if (result < 0) {
		history_release(history);
		return -1;
	}
	set_night(&reading);
	import_finish(&reading.import, skipped);
	return 0;
}
