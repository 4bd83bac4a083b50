/*
 * The flat profile that gprof prints: one line for each function of the program, with the time of
 * the samples in it. Callers are not read: gprof does not measure whose time a function's is, it
 * divides it by numbers of calls.
 *
 * Source: hist.c of GNU binutils' gprof, print_header() and print_line().
 */
#include "base/log.h"
#include "base/mem.h"
#include "elf/demangle.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "Flat profile:"
/* For gprof itself, where its standard error is in the same file. */
#define MESSAGE "gprof: "
#define NO_TIME "no time accumulated"
#define EACH_SAMPLE "Each sample counts as "
/* gprof does not know the name of the program. */
#define ROOT "(program)"
/* A function without counted calls has 29 blanks in their place, one with calls at most 8. */
#define CALLS_BLANKS 8
#define NUMBER_BYTES_MAX 40
#define SAMPLE_S_MIN 1e-9
/* Larger numbers are none of gprof. */
#define NUMBER_MAX 1e15
#define NS_PER_S 1e9

struct reading {
	struct profile *profile;
	const char *path;
	bool short_names;
	struct lines lines;
	struct line line; /* the current one */
	size_t column;
	node_id root;
	double sample_s; /* the time that each sample counts for */
	double samples;
	size_t messages;
};

static bool
detect_gprof(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line line;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &line)) {
		const struct line text = words_trim(line);

		if (text.len > 0 && !words_start(text, MESSAGE))
			return words_are(text, TITLE);
	}
	return false;
}

static int
refuse_gprof(const struct reading *reading, const char *at, const char *expected, struct err *err)
{
	const struct location location =
		lines_location(&reading->lines, reading->path, reading->line, at);

	return err_set_at(err, &location, "expected %s", expected);
}

/* Takes a number of 0 or more off `text`, which begins with it; false where there is none. */
static bool
take_number(struct line *text, double *number)
{
	char copy[NUMBER_BYTES_MAX + 1];
	struct line rest = *text;
	struct line word;
	char *end;

	*text = words_trim(*text);
	if (!words_take(&rest, &word) || word.len > NUMBER_BYTES_MAX || *word.at < '0' ||
		*word.at > '9')
		return false;
	memcpy(copy, word.at, word.len);
	copy[word.len] = '\0';
	*number = strtod(copy, &end);
	if (*end != '\0' || !(*number <= NUMBER_MAX))
		return false;
	*text = rest;
	return true;
}

/* "Each sample counts as 0.01 seconds." */
static int
read_period(struct reading *reading, struct err *err)
{
	struct line rest = reading->line;
	struct line word;

	rest.at += strlen(EACH_SAMPLE);
	rest.len -= strlen(EACH_SAMPLE);
	if (take_number(&rest, &reading->sample_s) && reading->sample_s >= SAMPLE_S_MIN &&
		words_take(&rest, &word) && words_start(word, "seconds"))
		return 0;
	return refuse_gprof(reading, reading->line.at + strlen(EACH_SAMPLE),
		"the seconds that a sample counts as, such as \"0.01 seconds.\"", err);
}

static void
add_samples(struct reading *reading, struct line name, double samples)
{
	struct ctree *tree = &reading->profile->tree;
	char *text = reading->short_names ? demangle_shorten(name.at, name.len)
					  : mem_dup(name.at, name.len);
	const frame_id frame = profile_frame(reading->profile, text, strlen(text), FRAME_USER);

	free(text);
	ctree_add(tree, reading->column, ctree_child(tree, reading->root, frame), samples);
	reading->samples += samples;
}

/*
 * "  %time cumulative self [calls self/call total/call]  name", where the three in brackets are
 * blank for a function whose calls are not counted.
 */
static int
read_function(struct reading *reading, struct err *err)
{
	struct line rest = reading->line;
	double numbers[3];
	double calls;
	size_t blanks = 0;

	for (size_t i = 0; i < 3; i++)
		if (!take_number(&rest, &numbers[i]))
			return refuse_gprof(reading, rest.at,
				"a function's time: three numbers ahead of its name", err);
	while (blanks < rest.len && words_blank(rest.at[blanks]))
		blanks++;
	for (size_t i = 0; i < 3 && blanks <= CALLS_BLANKS; i++)
		if (!take_number(&rest, &calls))
			return refuse_gprof(reading, rest.at,
				"the number of calls and the time of each, or none of them", err);
	rest = words_trim(rest);
	if (rest.len == 0)
		return refuse_gprof(reading, reading->line.at + reading->line.len, "a name", err);

	const double exact = numbers[2] / reading->sample_s;
	/* Times are printed with two decimals: that of a whole number of samples is one. */
	const double samples = fabs(exact - round(exact)) < 1e-6 * exact ? round(exact) : exact;

	if (!(samples > 0))
		return 0;
	add_samples(reading, rest, samples);
	return 0;
}

/* Up to the heading's second line, which ends in "name". */
static int
read_heading(struct reading *reading, struct err *err)
{
	int more;

	while ((more = lines_next(&reading->lines, &reading->line, err)) > 0) {
		const struct line text = words_trim(reading->line);

		if (words_start(text, MESSAGE)) {
			reading->messages++;
			continue;
		}
		if (words_start(reading->line, EACH_SAMPLE)) {
			if (read_period(reading, err) < 0)
				return -1;
			continue;
		}
		if (text.len > 4 && memcmp(text.at + text.len - 4, "name", 4) == 0 &&
			memmem(text.at, text.len, "seconds", strlen("seconds")))
			break;
		if (text.len > 0 && !words_are(text, TITLE) && !words_are(text, NO_TIME) &&
			*text.at != '%')
			return refuse_gprof(reading, reading->line.at,
				"the heading of a flat profile: \"" EACH_SAMPLE
				"...\" and the names of its columns",
				err);
	}
	if (more < 0)
		return -1;
	if (more == 0)
		return err_set(err, ERR_INPUT,
			"%s: a flat profile of gprof without its table of functions",
			reading->path);
	if (reading->sample_s > 0)
		return 0;
	return err_set(err, ERR_INPUT,
		"%s: a flat profile of gprof without the line \"" EACH_SAMPLE "... seconds.\"",
		reading->path);
}

/* Skips the text behind the table, which must not be another table. */
static int
read_rest(struct reading *reading, struct err *err)
{
	int more;

	while ((more = lines_next(&reading->lines, &reading->line, err)) > 0) {
		if (words_are(words_trim(reading->line), TITLE))
			return refuse_gprof(reading, reading->line.at,
				"one flat profile: give each of several by itself", err);
		lines_done(&reading->lines, reading->line.at);
	}
	return more;
}

/* The table ends with an empty line or a form feed; explanations and the call graph follow it. */
static int
read_table(struct reading *reading, struct err *err)
{
	int more;

	while ((more = lines_next(&reading->lines, &reading->line, err)) > 0) {
		const struct line text = words_trim(reading->line);

		if (text.len == 0 || *text.at == '\f')
			break;
		if (read_function(reading, err) < 0)
			return -1;
	}
	if (more < 0 || read_rest(reading, err) < 0)
		return -1;
	if (reading->samples > 0)
		return 0;
	err_set(err, ERR_INPUT, "%s: holds no samples", reading->path);
	return err_note(err, "a sample counts as %g s: the program has to run for longer",
		reading->sample_s);
}

static int
read_flat(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {
		.profile = profile,
		.path = path,
		.short_names = options->short_names,
	};

	lines_init(&reading.lines, view);
	reading.column = profile_add_run(profile);
	reading.root = ctree_child(
		&profile->tree, CTREE_ROOT, profile_frame(profile, ROOT, strlen(ROOT), FRAME_USER));
	if (read_heading(&reading, err) < 0 || read_table(&reading, err) < 0)
		return -1;
	if (reading.messages > 0)
		log_warn("%s: messages of gprof skipped: %zu", path, reading.messages);
	struct run *run = &profile->runs[reading.column];

	describe_set(profile, &profile->event, "gprof");
	describe_set(profile, &profile->metric, "cpu");
	describe_set(profile, &profile->unit, "samples");
	run->cost_total = reading.samples * reading.sample_s * NS_PER_S;
	if (profile->frequency_hz == 0)
		profile->frequency_hz = 1 / reading.sample_s;
	return 0;
}

const struct input_format ingest_gprof = {
	.name = "gprof",
	.summary = "the flat profile that gprof prints",
	.detect = detect_gprof,
	.read = read_flat,
	.streams = true,
};
