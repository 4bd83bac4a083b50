/*
 * Reads folded stacks (folded.h): the stack of each line into the call tree (folded_walk.h), its
 * weights into the columns.
 */
#include "base/lines.h"
#include "base/log.h"
#include "base/mem.h"
#include "profile/folded.h"
#include "profile/folded_walk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A copy of a line that an error may point at once all lines are read. */
struct kept_line {
	char *text; /* owned; NULL: there is none */
	size_t len;
	unsigned number;
	size_t at; /* the column of the error, from 0 */
};

struct reader {
	struct profile *profile;
	const char *file;
	struct err *err;
	struct lines lines;
	struct line line; /* the line that is being read */
	struct folded_header header;
	size_t first_run;
	double *weights; /* by run: those of the line; NULL before the first stack */
	double *totals;  /* by run: the sums of all lines */
	bool stacks_begun;
	size_t messages;    /* lines with a message of the tool that wrote the stacks; left out */
	bool has_semicolon; /* a stack has several frames: then the text is folded stacks */

	/* The first line, at its first weight, while all lines so far have ended in two weights. */
	struct kept_line first_pair;
	/* The first line with a blank between words, while no stack has several frames. */
	struct kept_line first_words;

	struct folded_walk walk;
};

static int
fail_at(struct reader *reader, const char *at, const char *what)
{
	struct location location = lines_location(&reader->lines, reader->file, reader->line, at);

	return err_set_at(reader->err, &location, "%s", what);
}

/* Whether the text is surely folded stacks, and not other lines that end in numbers. */
static bool
is_surely_folded(const struct reader *reader)
{
	return reader->header.has_field || reader->has_semicolon;
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

/* The offset at which the word begins that ends before `end`. */
static size_t
word_start(const char *line, size_t end)
{
	while (end > 0 && line[end - 1] != ' ' && line[end - 1] != '\t')
		end--;
	return end;
}

/* The length of the line's first `end` bytes without blanks at their end. */
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

/*
 * Keeps the first line as long as every line seems to end in two weights: then the file is a
 * difference. Like any reader of such files, flamegraph.pl included, this assumes that no name ends
 * in a blank and a number.
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
	if (start < 2 || !folded_number(line + start, len - start, &weight))
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

/* The first blank outside of brackets (names of C++ have blanks inside); NULL: there is none. */
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
 * Keeps the first line whose stack is words with blanks, until a stack has several frames. Lines of
 * a log, of metrics or of a table often end in a number, too; but none of them has frames joined by
 * ';', which folded stacks have somewhere, or at least no blanks.
 */
static void
watch_for_words(struct reader *reader, struct line stack)
{
	const char *semicolon = memchr(stack.at, ';', stack.len);
	const char *blank =
		semicolon || reader->first_words.text ? NULL : blank_between_words(stack);

	if (semicolon) {
		reader->has_semicolon = true;
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

/* Reads the weights at the end of the line; sets *len to the length of the stack before them. */
static int
read_weights(struct reader *reader, const char *line, size_t *len, double *weights)
{
	size_t end = *len;

	for (size_t run = reader->header.nruns; run-- > 0;) {
		end = without_blanks(line, end);
		size_t start = word_start(line, end);

		if (start == 0)
			return fail_at(reader, line + end,
				reader->header.nruns == 1
					? "no weight at the end of this stack: expected 'frame;frame 12'"
				: reader->header.pair
					? "fewer than two weights on this line: expected 'frame;frame 10 12'"
					: "fewer weights on this line than the header's 'runs' says");
		if (!folded_number(line + start, end - start, &weights[run]))
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
enter_stack(struct reader *reader, struct line stack)
{
	struct ctree *tree = &reader->profile->tree;
	node_id node = CTREE_ROOT;
	size_t rest = 0;

	if (!folded_walk_enter(&reader->walk, stack, &node, &rest))
		return fail_at(reader, stack.at + rest, "a stack of more than a million frames");
	if (node == CTREE_ROOT)
		return fail_at(reader, stack.at, "this stack has no frame");
	if (tree->nnodes > FOLDED_WEIGHTS_MAX / reader->header.nruns)
		return fail_at(
			reader, stack.at, "too many frames for so many runs: read fewer runs");
	for (size_t run = 0; run < reader->header.nruns; run++) {
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
	reader->first_run = folded_header_add_runs(&reader->header);
	reader->header.ended = true;
	reader->weights = mem_zalloc(reader->header.nruns, sizeof(*reader->weights));
	reader->totals = mem_zalloc(reader->header.nruns, sizeof(*reader->totals));
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
	if (!reader->header.has_runs && !reader->header.pair)
		watch_for_pairs(reader, stack.at, stack.len);
	if (!is_surely_folded(reader))
		watch_for_words(reader, stack);
	return enter_stack(reader, stack);
}

static int
read_header(struct reader *reader)
{
	const char *at = NULL;
	const char *wrong = folded_header_take(&reader->header, reader->line, &at);

	return wrong ? fail_at(reader, at, wrong) : 0;
}

static int
read_line(struct reader *reader)
{
	switch (folded_line_kind(reader->line)) {
	case FOLDED_EMPTY:
		return 0;
	case FOLDED_COMMENT:
		return read_header(reader);
	case FOLDED_MESSAGE:
		reader->messages++;
		return 0;
	case FOLDED_STACK:
		break;
	}
	return read_stack(reader);
}

static int
read_text(struct profile *profile, const char *file, const struct file_view *view, bool pair,
	struct err *err)
{
	struct reader reader = {
		.profile = profile,
		.file = file,
		.header = {.profile = profile, .nruns = pair ? 2 : 1, .pair = pair},
		.err = err,
	};
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
	if (more == 0 && reader.first_words.text && !is_surely_folded(&reader))
		more = refuse_words(&reader);
	if (more == 0 && !is_surely_folded(&reader))
		log_warn("%s: no stack has more than one frame", file);
	if (more == 0)
		folded_header_set_samples(&reader.header, reader.first_run, reader.totals);
	if (more == 0 && reader.messages > 0)
		log_warn("%s: %zu message%s of the tool that wrote it skipped", file,
			reader.messages, reader.messages > 1 ? "s" : "");
	folded_walk_release(&reader.walk);
	drop_line(&reader.first_pair);
	drop_line(&reader.first_words);
	free(reader.totals);
	folded_header_release(&reader.header);
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
