#include "base/lines.h"
#include "base/log.h"
#include "base/mem.h"
#include "profile/fields.h"
#include "profile/folded.h"
#include "profile/folded_walk.h"
#include "profile/weights.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* More runs than any gate takes; bounds what a header can make us allocate. */
#define RUNS_MAX 10000
/* Each run keeps a weight for each node of the tree: this many take 1 GiB. */
#define WEIGHTS_MAX ((size_t)1 << 27)
/* What a number of samples can hold. */
#define SAMPLES_MAX 9e18

/* A line for an error after the last one. */
struct kept_line {
	char *text; /* owned; NULL: none */
	size_t len;
	unsigned number;
	size_t at; /* the column of the error, from 0 */
};

struct reader {
	struct profile *profile;
	const char *file;
	struct err *err;
	struct lines lines;
	struct line line; /* the one being read */
	size_t first_run;
	size_t nruns;
	double *weights; /* of the line; NULL before the first stack */
	double *totals;  /* of the runs */
	/* Of the runs, as the header has them; NULL: it does not. */
	double *samples;
	double *effective_samples;
	bool has_runs; /* the header says how many: it is one of ours */
	bool stacks_begun;
	size_t messages; /* of the tool that wrote the stacks; they are left out */
	bool pair;       /* a difference is wanted: two weights a line */
	bool is_folded;  /* a header or a stack of several frames: no other text has that */

	/* The first line, if all so far ended in two weights; NULL: they did not. */
	struct kept_line first_pair;  /* at the first weight */
	struct kept_line first_words; /* the first stack with a blank, unless it is folded */

	struct folded_walk walk;
};

static int
fail_at(struct reader *reader, const char *at, const char *what)
{
	struct location location = lines_location(&reader->lines, reader->file, reader->line, at);

	return err_set_at(reader->err, &location, "%s", what);
}

static void
keep_line(const struct reader *reader, struct kept_line *kept, size_t at)
{
	*kept = (struct kept_line){
		.text = mem_dup(reader->line.at, reader->line.len),
		.len = reader->line.len,
		.number = reader->lines.number,
		.at = at,
	};
}

static void
drop_line(struct kept_line *kept)
{
	free(kept->text);
	kept->text = NULL;
}

static int
fail_at_kept(struct reader *reader, const struct kept_line *kept, const char *what)
{
	const struct location location = {
		.file = reader->file,
		.line = kept->number,
		.column = (unsigned)kept->at + 1,
		.line_text = kept->text,
		.line_len = kept->len,
	};

	return err_set_at(reader->err, &location, "%s", what);
}

static bool
parse_weight(const char *text, size_t len, double *weight)
{
	char copy[64];
	char *end;
	uint64_t whole = 0;
	size_t i = 0;

	for (; i < len && i < 15 && text[i] >= '0' && text[i] <= '9'; i++)
		whole = whole * 10 + (uint64_t)(text[i] - '0');
	if (i == len && len > 0) {
		*weight = (double)whole;
		return true;
	}
	if (len == 0 || len >= sizeof(copy) || (text[0] != '.' && !isdigit((unsigned char)text[0])))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*weight = strtod(copy, &end);
	return end == copy + len && isfinite(*weight) && *weight >= 0 && !strpbrk(copy, "xXpP");
}

/* "# key: value": the key's length, 0 if the line is not of that form. */
static size_t
header_key_len(const char *line, size_t len)
{
	size_t n = 2;

	if (len < 5 || line[0] != '#' || line[1] != ' ')
		return 0;
	while (n < len && (islower((unsigned char)line[n]) || line[n] == '_'))
		n++;
	if (n == 2 || n + 1 >= len || line[n] != ':' || line[n + 1] != ' ')
		return 0;
	return n - 2;
}

static bool
key_is(const char *line, size_t key_len, const char *key)
{
	return strlen(key) == key_len && memcmp(line + 2, key, key_len) == 0;
}

/* The field of a profile that a line of that form sets; NULL: none. */
static const struct field *
find_field(const char *line, size_t key_len)
{
	for (const struct field *field = profile_fields; field->name; field++)
		if ((field->files & FIELD_FOLDED) && key_is(line, key_len, field->name))
			return field;
	return NULL;
}

/* Where the word that ends at `end` begins. */
static size_t
word_start(const char *line, size_t end)
{
	while (end > 0 && line[end - 1] != ' ' && line[end - 1] != '\t')
		end--;
	return end;
}

static size_t
without_blanks(const char *line, size_t end)
{
	while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	return end;
}

/* Messages of bcc's tools, which stand among stacks where standard error goes to the same file. */
static bool
is_message(struct line line)
{
	static const char *const parts[] = {" stack traces could not be displayed.",
		" stack traces lost and could not be displayed.",
		": hash table full. Consider increasing --hash-storage-size."};

	if (line.len < 8 || memcmp(line.at, "WARNING:", 8) != 0)
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(line.at, line.len, parts[i], strlen(parts[i])))
			return true;
	return false;
}

enum folded_line_kind
folded_line_kind(struct line line)
{
	if (line.len == 0)
		return FOLDED_EMPTY;
	if (line.at[0] == '#' && (line.len == 1 || line.at[1] == ' ' || line.at[1] == '\t'))
		return FOLDED_COMMENT;
	return is_message(line) ? FOLDED_MESSAGE : FOLDED_STACK;
}

/* After the stacks, a field cannot change what their header said, nor their unit. */
static int
set_field(struct reader *reader, const struct field *field, const char *value, size_t len)
{
	struct strtab *strings = &reader->profile->strings;
	str_id *known = field_string(field, reader->profile);
	const str_id id = strtab_intern(strings, value, len);

	const bool changes = *known != id && (*known != 0 || strcmp(field->name, "unit") == 0);

	if (reader->weights && changes)
		return fail_at(reader, value,
			"this is not so for the stacks above: two files were joined; give each by itself");
	*known = id;
	return 0;
}

/* "12 11 14": a number a run. */
static int
read_numbers(struct reader *reader, const char *at, size_t len, double **numbers)
{
	const char *end = at + len;
	size_t count = 0;

	if (reader->weights)
		return fail_at(
			reader, at, "a second header: two files were joined; give each by itself");
	free(*numbers);
	*numbers = mem_zalloc(reader->nruns, sizeof(**numbers));
	while (at < end) {
		const char *word = at;

		while (at < end && *at != ' ')
			at++;
		if (count == reader->nruns ||
			!parse_weight(word, (size_t)(at - word), &(*numbers)[count++]))
			return fail_at(reader, word, "expected a number for each run");
		at += at < end;
	}
	return count == reader->nruns ? 0 : fail_at(reader, end, "expected a number for each run");
}

static int
read_header(struct reader *reader, size_t key_len)
{
	const char *line = reader->line.at;
	const char *value = line + key_len + 4;
	size_t value_len = reader->line.len - key_len - 4;
	const struct field *field = find_field(line, key_len);
	double number;

	if (key_is(line, key_len, "runs")) {
		if (reader->weights)
			return fail_at(reader, line,
				"a second header: two files were joined; give each by itself");
		if (!parse_weight(value, value_len, &number) || number < 1 || number > RUNS_MAX ||
			number != floor(number))
			return fail_at(
				reader, value, "'runs' must be a whole number from 1 to 10000");
		if (reader->pair && number != 2)
			return fail_at(reader, value, "a difference has 2 runs: before and after");
		if (reader->samples || reader->effective_samples)
			return fail_at(
				reader, line, "'runs' must stand before the numbers of samples");
		reader->nruns = (size_t)number;
		reader->has_runs = reader->is_folded = true;
	} else if (key_is(line, key_len, "frequency")) {
		if (!parse_weight(value, value_len, &number))
			return fail_at(reader, value, "'frequency' must be a number of hertz");
		reader->profile->frequency_hz = number;
	} else if (key_is(line, key_len, "samples") && reader->profile->weight != 0) {
		return read_numbers(reader, value, value_len, &reader->samples);
	} else if (key_is(line, key_len, "effective_samples") && reader->profile->weight != 0) {
		return read_numbers(reader, value, value_len, &reader->effective_samples);
	} else if (field) {
		reader->is_folded = true;
		return set_field(reader, field, value, value_len);
	}
	return 0;
}

/*
 * Whether every line seems to be one of a difference. Like any reader of such files, flamegraph.pl
 * included, this assumes that no name ends in a blank and a number.
 */
static void
watch_for_pairs(struct reader *reader, const char *line, size_t len)
{
	bool is_first = !reader->stacks_begun;
	size_t start;
	double weight;

	reader->stacks_begun = true;
	if (!is_first && !reader->first_pair.text)
		return;
	start = word_start(line, len);
	if (start < 2 || !parse_weight(line + start, len - start, &weight))
		drop_line(&reader->first_pair);
	else if (is_first)
		keep_line(reader, &reader->first_pair, start);
}

static int
refuse_pairs(struct reader *reader)
{
	fail_at_kept(reader, &reader->first_pair,
		"every line ends in two weights: a difference, as difffolded.pl writes it");
	err_note(reader->err, "'profile_run diff --input FILE --output SVG' draws it; "
			      "if names do end in numbers, put a line '# runs: 1' ahead");
	return -1;
}

/* The first blank outside of brackets, as names of C++ have them; NULL: there is none. */
static const char *
blank_between_words(struct line stack)
{
	size_t depth = 0;

	for (size_t i = 0; i < stack.len; i++) {
		if (strchr("(<[{", stack.at[i]) && stack.at[i])
			depth++;
		else if (depth > 0 && strchr(")>]}", stack.at[i]) && stack.at[i])
			depth--;
		else if (depth == 0 && stack.at[i] == ' ')
			return stack.at + i;
	}
	return NULL;
}

/*
 * Lines of a log, of metrics or of a table often end in a number, too. Folded text has a stack of
 * several frames somewhere, or at least no frames of several words.
 */
static void
watch_for_words(struct reader *reader, struct line stack)
{
	const char *semicolon = memchr(stack.at, ';', stack.len);
	const char *blank =
		semicolon || reader->first_words.text ? NULL : blank_between_words(stack);

	if (semicolon) {
		reader->is_folded = true;
		drop_line(&reader->first_words);
	} else if (blank) {
		keep_line(reader, &reader->first_words, (size_t)(blank - stack.at));
	}
}

static int
refuse_words(struct reader *reader)
{
	fail_at_kept(reader, &reader->first_words,
		"words and a number, but no line of this file has frames joined by ';'");
	err_note(reader->err, "text that can be read: 'frame;frame 12'; if each line is one frame "
			      "and its weight, put a line '# runs: 1' ahead");
	return -1;
}

/* Takes the weights off the end of the line; *len is then that of the stack. */
static int
read_weights(struct reader *reader, const char *line, size_t *len, double *weights)
{
	size_t end = *len;

	for (size_t run = reader->nruns; run-- > 0;) {
		end = without_blanks(line, end);
		size_t start = word_start(line, end);

		if (start == 0)
			return fail_at(reader, line + end,
				reader->nruns == 1
					? "no weight at the end of this stack: expected 'frame;frame 12'"
				: reader->pair
					? "fewer than two weights on this line: expected 'frame;frame 10 12'"
					: "fewer weights on this line than the header's 'runs' says");
		if (!parse_weight(line + start, end - start, &weights[run]))
			return fail_at(reader, line + start,
				memchr(line + start, ',', end - start)
					? "a weight must be a number without commas (austin: record without --full)"
					: "a weight must be a number that is not negative");
		end = start;
	}
	*len = without_blanks(line, end);
	return 0;
}

/* Adds the weights of one stack to the tree. */
static int
enter(struct reader *reader, struct line stack)
{
	struct ctree *tree = &reader->profile->tree;
	node_id node = CTREE_ROOT;
	size_t rest = 0;

	if (!folded_walk_enter(&reader->walk, stack, &node, &rest))
		return fail_at(reader, stack.at + rest, "a stack of more than a million frames");
	if (node == CTREE_ROOT)
		return fail_at(reader, stack.at, "this stack has no frame");
	if (tree->nnodes > WEIGHTS_MAX / reader->nruns)
		return fail_at(
			reader, stack.at, "too many frames for so many runs: read fewer runs");
	for (size_t run = 0; run < reader->nruns; run++) {
		if (reader->weights[run] <= 0)
			continue;
		ctree_add(tree, reader->first_run + run, node, reader->weights[run]);
		reader->totals[run] += reader->weights[run];
	}
	lines_done(&reader->lines, stack.at);
	return 0;
}

static void
begin_stacks(struct reader *reader)
{
	reader->first_run = reader->profile->nruns;
	for (size_t run = 0; run < reader->nruns; run++)
		profile_add_run(reader->profile);
	reader->weights = mem_zalloc(reader->nruns, sizeof(*reader->weights));
	reader->totals = mem_zalloc(reader->nruns, sizeof(*reader->totals));
}

static int
read_stack(struct reader *reader)
{
	struct line stack = reader->line;

	if (!reader->weights)
		begin_stacks(reader);
	if (read_weights(reader, stack.at, &stack.len, reader->weights) < 0)
		return -1;
	if (stack.len == 0)
		return fail_at(reader, stack.at, "a weight without a stack before it");
	if (!reader->has_runs && !reader->pair)
		watch_for_pairs(reader, stack.at, stack.len);
	if (!reader->is_folded)
		watch_for_words(reader, stack);
	return enter(reader, stack);
}

static int
read_line(struct reader *reader)
{
	size_t key_len;

	switch (folded_line_kind(reader->line)) {
	case FOLDED_EMPTY:
		return 0;
	case FOLDED_COMMENT:
		key_len = header_key_len(reader->line.at, reader->line.len);
		return key_len > 0 ? read_header(reader, key_len) : 0;
	case FOLDED_MESSAGE:
		reader->messages++;
		return 0;
	case FOLDED_STACK:
		break;
	}
	return read_stack(reader);
}

/* `counted`: weights are numbers of samples, unless the header has these. */
static void
set_samples(const struct reader *reader, size_t i, bool counted)
{
	struct run *run = &reader->profile->runs[reader->first_run + i];
	const double samples = reader->samples ? reader->samples[i]
			       : counted       ? reader->totals[i]
					       : 0;

	run->samples = (uint64_t)llround(fmin(samples, SAMPLES_MAX));
	if (reader->effective_samples)
		run->effective_samples = fmin(reader->effective_samples[i], samples);
}

static int
read_text(struct profile *profile, const char *file, const struct file_view *view, bool pair,
	struct err *err)
{
	struct reader reader = {
		.profile = profile, .file = file, .nruns = pair ? 2 : 1, .pair = pair, .err = err};
	int more;

	lines_init(&reader.lines, view);
	folded_walk_init(&reader.walk, profile);
	while ((more = lines_next(&reader.lines, &reader.line, err)) > 0) {
		more = read_line(&reader);
		if (more < 0)
			break;
	}
	if (more == 0 && !reader.weights)
		more = err_set(err, ERR_INPUT, "%s: no stacks in this file", file);
	if (more == 0 && reader.first_pair.text)
		more = refuse_pairs(&reader);
	if (more == 0 && reader.first_words.text && !reader.is_folded)
		more = refuse_words(&reader);
	if (more == 0 && !reader.is_folded)
		log_warn("%s: no stack has more than one frame", file);
	/* Of times and sizes the number of samples is not known. */
	const bool counted = weights_are_samples(profile) || weights_are_counted(profile);

	for (size_t run = 0; more == 0 && run < reader.nruns; run++)
		set_samples(&reader, run, counted);
	if (more == 0 && reader.messages > 0)
		log_warn("%s: %zu message%s of the tool that wrote it skipped", file,
			reader.messages, reader.messages > 1 ? "s" : "");
	folded_walk_release(&reader.walk);
	drop_line(&reader.first_pair);
	drop_line(&reader.first_words);
	free(reader.totals);
	free(reader.samples);
	free(reader.effective_samples);
	free(reader.weights);
	return more;
}

int
folded_read_view(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err)
{
	return read_text(profile, file, view, false, err);
}

int
folded_read_pair(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err)
{
	return read_text(profile, file, view, true, err);
}

int
folded_read(
	struct profile *profile, const char *file, const char *text, size_t len, struct err *err)
{
	struct file_view view = {.data = text, .len = len};

	return folded_read_view(profile, file, &view, err);
}
