/*
 * The kinds of suites: how each lists its benchmarks, runs one, and reports iterations.
 */
#include "spec/suite.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Text of a suite, line by line.
 */

struct suite_line {
	const char *at;
	size_t len;
};

/* The next line without its end, also one of Windows; false: there is none. */
static bool
next_line(struct text_lines *text, struct suite_line *line)
{
	line->at = text_next_line(text, &line->len);
	if (line->at && line->len > 0 && line->at[line->len - 1] == '\r')
		line->len--;
	return line->at != NULL;
}

/* Takes `word` off the beginning of a line; false: it does not begin so. */
static bool
take_word(struct suite_line *line, const char *word)
{
	const size_t len = strlen(word);

	if (line->len < len || memcmp(line->at, word, len) != 0)
		return false;
	line->at += len;
	line->len -= len;
	return true;
}

static void
skip_blanks(struct suite_line *line)
{
	while (line->len > 0 && (line->at[0] == ' ' || line->at[0] == '\t')) {
		line->at++;
		line->len--;
	}
}

/* Takes a number of iterations off the beginning of a line; NAN: there is none, or one too large.
 */
static double
take_number(struct suite_line *line)
{
	double number = 0;
	size_t digits = 0;

	for (; digits < line->len && text_is_digit(line->at[digits]); digits++)
		number = number * 10 + (line->at[digits] - '0');
	line->at += digits;
	line->len -= digits;
	return digits > 0 && number <= (double)SUITE_ITERATIONS_MAX ? number : NAN;
}

static bool
is_at_end_of_word(const struct suite_line *line)
{
	return line->len == 0 || line->at[0] == ' ' || line->at[0] == '\t';
}

/*
 * Lists of benchmarks.
 */

static int
add_name(struct suite_listing *listing, const char *name, size_t len, struct err *err)
{
	if (len > SUITE_NAME_MAX)
		return err_set(err, ERR_MEASURE,
			"the suite lists a name of %zu bytes, at most %d are read: '%.40s...'", len,
			SUITE_NAME_MAX, name);
	if (!suite_is_plain(name, len)) {
		char *copy = mem_dup(name, len);

		escape_terminal(copy, len);
		err_set(err, ERR_MEASURE,
			"the suite lists a name with control characters or invalid UTF-8: '%s'",
			copy);
		free(copy);
		return -1;
	}
	listing->names = mem_grow(
		listing->names, &listing->capacity, listing->count + 1, sizeof(*listing->names));
	listing->names[listing->count++] = arena_dup(&listing->arena, name, len);
	return 0;
}

/* Drops names that come again: both would be one workload. */
static void
drop_repeated(struct suite_listing *listing)
{
	const char **sorted = mem_zalloc(listing->count + 1, sizeof(*sorted));
	size_t kept = 0;

	for (size_t i = 0; i < listing->count; i++)
		sorted[i] = listing->names[i];
	qsort(sorted, listing->count, sizeof(*sorted), text_order);
	for (size_t i = 0; i < listing->count; i++)
		if (kept == 0 || strcmp(sorted[i], sorted[kept - 1]) != 0)
			sorted[kept++] = sorted[i];
	if (kept < listing->count) {
		memcpy(listing->names, sorted, kept * sizeof(*sorted));
		listing->count = kept;
	}
	free(sorted);
}

int
suite_list_lines(struct suite_listing *listing, const char *text, size_t len, struct err *err)
{
	struct text_lines all = {text, text + len};
	struct suite_line line;

	while (next_line(&all, &line)) {
		while (line.len > 0 && isspace((unsigned char)line.at[line.len - 1]))
			line.len--;
		if (line.len > 0 && add_name(listing, line.at, line.len, err) < 0)
			return -1;
	}
	drop_repeated(listing);
	return 0;
}

void
suite_listing_release(struct suite_listing *listing)
{
	free(listing->names);
	arena_release(&listing->arena);
	*listing = (struct suite_listing){0};
}

/*
 * google-benchmark
 *
 * Source: src/benchmark.cc and src/benchmark_runner.cc of github.com/google/benchmark: with --v=2
 * each series of iterations is printed, those that only find the number of iterations included.
 */

/* The number behind "/threads:" of a name: each thread does the iterations. */
static double
threads_of(const char *benchmark)
{
	const char *found = strstr(benchmark, "/threads:");
	const long threads = found ? atol(found + strlen("/threads:")) : 1;

	return threads > 1 && threads < 100000 ? (double)threads : 1;
}

/* "-- LOG(2): Running NAME for 100" */
static bool
read_google_series(struct suite_line line, const char *benchmark, struct suite_report *report)
{
	double number;

	if (!take_word(&line, "-- LOG(2): Running ") || !take_word(&line, benchmark) ||
		!take_word(&line, " for ") || isnan(number = take_number(&line)) || line.len > 0)
		return false;
	report->iterations += number * threads_of(benchmark);
	return true;
}

/* "NAME  213915 ns  194793 ns  1404", the table's line; NAN: it is none. */
static double
read_google_row(struct suite_line line, const char *benchmark)
{
	if (!take_word(&line, benchmark) || !is_at_end_of_word(&line))
		return NAN;
	/* A time, its unit, CPU time, its unit. */
	for (size_t word = 0; word < 4; word++) {
		skip_blanks(&line);
		while (line.len > 0 && !is_at_end_of_word(&line)) {
			line.at++;
			line.len--;
		}
	}
	skip_blanks(&line);
	const double number = take_number(&line);

	return is_at_end_of_word(&line) ? number : NAN;
}

/* "NAME    ERROR OCCURRED: 'no data'", or "SKIPPED:" of newer versions. */
static int
refuse_google_failure(struct suite_line line, const char *benchmark, struct err *err)
{
	if (!take_word(&line, benchmark) || !is_at_end_of_word(&line))
		return 0;
	skip_blanks(&line);
	if (take_word(&line, "ERROR OCCURRED: "))
		return err_set(err, ERR_MEASURE, "the benchmark failed: %.*s",
			(int)(line.len < 200 ? line.len : 200), line.at);
	if (take_word(&line, "SKIPPED: "))
		return err_set(err, ERR_MEASURE, "the benchmark skipped itself: %.*s",
			(int)(line.len < 200 ? line.len : 200), line.at);
	return 0;
}

static int
google_read(const char *benchmark, const char *text, size_t len, struct suite_report *report,
	struct err *err)
{
	struct text_lines all = {text, text + len};
	struct suite_line line;
	double rows = 0;

	while (next_line(&all, &line)) {
		if (read_google_series(line, benchmark, report))
			continue;
		if (refuse_google_failure(line, benchmark, err) < 0)
			return -1;
		const double found = read_google_row(line, benchmark);

		rows += isnan(found) ? 0 : found;
	}
	/* Without --v=2 there is the table only. */
	if (!(report->iterations > 0) && rows > 0)
		report->iterations = rows;
	return 0;
}

static const char *const google_list_options[] = {"--benchmark_list_tests=true", NULL};
static const char *const google_run_options[] = {"--benchmark_filter=^{name}$",
	"--benchmark_min_time={amount}", "--benchmark_color=false", "--v=2", NULL};
static const char *const google_begins[] = {"benchmark::internal::BenchmarkInstance::Run", NULL};
/* The dynamic linker, constructors and main(); threads that wait for one another. */
static const char *const google_own[] = {"_dl_start", "_dl_start_user", "_start", "main",
	"benchmark::internal::(anonymous namespace)::RunInThread", NULL};

/* With a parameter `benchmark::State &`; and the classes that hold what RegisterBenchmark() takes.
 */
static const char *const google_entered_by[] = {"N9benchmark5StateE", "3RunERNS_5StateE", NULL};
static const char *const google_callers[] = {"_ZNSt", "_ZNKSt", "_ZSt",
	"_ZN9benchmark17RegisterBenchmark", "_ZN9benchmark8internal17FunctionBenchmark",
	"_ZN9benchmark17FunctionBenchmark", "_ZN9benchmark7Fixture3Run", NULL};

static const struct suite_preset google_benchmark = {
	.name = "google-benchmark",
	.help = "--benchmark_list_tests",
	.list_options = google_list_options,
	.run_options = google_run_options,
	.amount = {.by_time = "0.2s", .fixed = "x"},
	/* Since 1.8; what is no number of seconds to an older one is an error. */
	.probe = "--benchmark_min_time=1x",
	.older = {.by_time = "0.2"},
	.list = suite_list_lines,
	.put_name = suite_put_regex,
	.read = google_read,
	.threads = threads_of,
	.begins = google_begins,
	.own = google_own,
	.library = "libbenchmark.so",
	.entered_by = google_entered_by,
	.callers = google_callers,
	.registers = "benchmark::",
};

/*
 * go test -bench
 *
 * Source: src/testing/benchmark.go of Go. Benchmarks within a benchmark are known only once it has
 * run, so that a list is one iteration of each.
 */

/* Takes the name off "BenchmarkSort/n=10-8  \t" or "BenchmarkSort/n=10  \t"; 0: it is none. */
static size_t
go_name_len(const struct suite_line *line)
{
	struct suite_line rest = *line;

	if (!take_word(&rest, "Benchmark"))
		return 0;
	while (!is_at_end_of_word(&rest)) {
		rest.at++;
		rest.len--;
	}
	return (size_t)(rest.at - line->at);
}

/* Whether a line has the result of a benchmark behind its name: "  100  123 ns/op". */
static double
take_go_result(struct suite_line line)
{
	skip_blanks(&line);
	const double number = take_number(&line);

	skip_blanks(&line);
	return line.len > 0 && (text_is_digit(line.at[0]) || line.at[0] == '.') &&
			       memmem(line.at, line.len, "ns/op", 5)
		       ? number
		       : NAN;
}

static int
go_list(struct suite_listing *listing, const char *text, size_t len, struct err *err)
{
	struct text_lines all = {text, text + len};
	struct suite_line line;
	struct suite_line open = {0}; /* a name whose result is to come, behind what it prints */

	while (next_line(&all, &line)) {
		struct suite_line failed = line;

		skip_blanks(&failed);
		if (take_word(&failed, "--- FAIL: ")) {
			const size_t failed_len = go_name_len(&failed);

			if (failed_len > 0 && add_name(listing, failed.at, failed_len, err) < 0)
				return -1;
			continue;
		}
		const size_t name_len = go_name_len(&line);
		struct suite_line rest = {line.at + name_len, line.len - name_len};

		if (name_len > 0)
			open = (struct suite_line){line.at, name_len};
		if (open.len == 0 || isnan(take_go_result(rest)))
			continue;
		if (add_name(listing, open.at, open.len, err) < 0)
			return -1;
		open.len = 0;
	}
	drop_repeated(listing);
	return 0;
}

/* Each part of the name, and nothing else: "^BenchmarkSort$/^n=10$". */
static void
go_put_name(struct buf *out, const char *name)
{
	struct buf part = {0};

	buf_puts(out, "^");
	for (size_t len; *name; name += len + (name[len] == '/')) {
		len = strcspn(name, "/");
		buf_clear(&part);
		buf_put(&part, name, len);
		suite_put_regex(out, buf_text(&part));
		buf_puts(out, name[len] == '/' ? "$/^" : "$");
	}
	buf_release(&part);
}

/* Whether the line begins with the benchmark's name, with its number of CPUs or without. */
static bool
take_go_name(struct suite_line *line, const char *benchmark)
{
	struct suite_line rest = *line;

	if (!take_word(&rest, benchmark))
		return false;
	if (take_word(&rest, "-") && isnan(take_number(&rest)))
		return false;
	if (!is_at_end_of_word(&rest))
		return false;
	*line = rest;
	return true;
}

static int
go_read(const char *benchmark, const char *text, size_t len, struct suite_report *report,
	struct err *err)
{
	struct text_lines all = {text, text + len};
	struct suite_line line;
	bool open = false;

	while (next_line(&all, &line)) {
		struct suite_line failed = line;

		skip_blanks(&failed);
		if (take_word(&failed, "--- FAIL: ") && take_go_name(&failed, benchmark))
			return err_set(err, ERR_MEASURE, "the benchmark failed");
		if (take_word(&failed, "--- SKIP: ") && take_go_name(&failed, benchmark))
			return err_set(err, ERR_MEASURE, "the benchmark skipped itself");
		open = take_go_name(&line, benchmark) || open;
		const double number = open ? take_go_result(line) : NAN;

		if (isnan(number))
			continue;
		/* The first of all is done before, by itself. */
		report->iterations += number > 1 ? number + 1 : number;
		open = false;
	}
	return 0;
}

static const char *const go_list_options[] = {
	"-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.cpu=1", NULL};
static const char *const go_run_options[] = {
	"-test.run=^$", "-test.bench={name}", "-test.benchtime={amount}", NULL};

static const char *const go_begins[] = {"testing.(*B).runN", NULL};
/* The goroutine of main(), and the one that a benchmark is called in. */
static const char *const go_own[] = {"runtime.main", "testing.(*B).run1.func1",
	"testing.(*B).launch", "runtime.schedinit", NULL};

static const struct suite_preset go_bench = {
	.name = "go",
	.help = "-test.bench",
	.list_options = go_list_options,
	.run_options = go_run_options,
	.amount = {.by_time = "0.2s", .fixed = "x"},
	.list_runs = true,
	.list_may_fail = true,
	.list = go_list,
	.put_name = go_put_name,
	.read = go_read,
	.begins = go_begins,
	.own = go_own,
};

const struct suite_preset *const suite_presets[] = {&google_benchmark, &go_bench, NULL};
