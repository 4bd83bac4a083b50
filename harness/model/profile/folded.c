#include "profile/folded.h"

#include "base/allowance.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/fields.h"
#include "profile/weights.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of samples. */
#define SAMPLES_MAX 9e18

#define SECOND_HEADER "a second header: two files were joined; give each by itself"

bool
folded_number(const char *text, size_t len, double *number)
{
	char copy[64];
	char *end;
	uint64_t whole = 0;
	size_t i = 0;

	for (; i < len && i < 15 && text_is_digit(text[i]); i++)
		whole = whole * 10 + (uint64_t)(text[i] - '0');
	if (i == len && len > 0) {
		*number = (double)whole;
		return true;
	}
	if (len == 0 || len >= sizeof(copy) || (text[0] != '.' && !isdigit((unsigned char)text[0])))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*number = strtod(copy, &end);
	return end == copy + len && isfinite(*number) && *number >= 0 && !strpbrk(copy, "xXpP");
}

/* "# key: value": the key's length, 0 if the line is not of that form. */
static size_t
key_len_of(struct line line)
{
	size_t n = 2;

	if (line.len < 5 || line.at[0] != '#' || line.at[1] != ' ')
		return 0;
	while (n < line.len && (islower((unsigned char)line.at[n]) || line.at[n] == '_'))
		n++;
	if (n == 2 || n + 1 >= line.len || line.at[n] != ':' || line.at[n + 1] != ' ')
		return 0;
	return n - 2;
}

static bool
key_is(struct line line, size_t key_len, const char *key)
{
	return strlen(key) == key_len && memcmp(line.at + 2, key, key_len) == 0;
}

/* The field of a profile that a line of that form sets; NULL: none. */
static const struct field *
find_field(struct line line, size_t key_len)
{
	for (const struct field *field = profile_fields; field->name; field++)
		if ((field->files & FIELD_FOLDED) && key_is(line, key_len, field->name))
			return field;
	return NULL;
}

/* After the stacks, a field cannot change what their header said, nor their unit. */
static const char *
set_field(struct folded_header *header, const struct field *field, struct line value)
{
	str_id *known = field_string(field, header->profile);
	const str_id id = strtab_intern(&header->profile->strings, value.at, value.len);
	const bool changes = *known != id && (*known != 0 || strcmp(field->name, "unit") == 0);

	header->has_field = true;
	if (header->ended && changes)
		return "this is not so for the stacks above: two files were joined; give each by itself";
	*known = id;
	return NULL;
}

/* "12 11 14": a number a run. */
static const char *
read_numbers(
	const struct folded_header *header, struct line value, double **numbers, const char **at)
{
	static const char expected[] = "expected a number for each run";
	const char *end = value.at + value.len;
	const char *next = value.at;
	size_t count = 0;

	if (header->ended)
		return SECOND_HEADER;
	free(*numbers);
	*numbers = mem_zalloc(header->nruns, sizeof(**numbers));
	while (next < end) {
		*at = next;
		while (next < end && *next != ' ')
			next++;
		if (count == header->nruns ||
			!folded_number(*at, (size_t)(next - *at), &(*numbers)[count++]))
			return expected;
		next += next < end;
	}
	*at = end;
	return count == header->nruns ? NULL : expected;
}

/* *at is at the value. */
static const char *
read_runs(struct folded_header *header, struct line line, struct line value, const char **at)
{
	double number;

	if (header->ended) {
		*at = line.at;
		return SECOND_HEADER;
	}
	if (!folded_number(value.at, value.len, &number) || number < 1 ||
		number > FOLDED_RUNS_MAX || number != floor(number))
		return "'runs' must be a whole number from 1 to 10000";
	if (header->pair && number != 2)
		return "a difference has 2 runs: before and after";
	if (header->samples || header->effective_samples) {
		*at = line.at;
		return "'runs' must stand before the numbers of samples";
	}
	header->nruns = (size_t)number;
	header->has_runs = header->has_field = true;
	return NULL;
}

const char *
folded_header_take(struct folded_header *header, struct line line, const char **at)
{
	const size_t key_len = key_len_of(line);

	if (key_len == 0)
		return NULL;
	const struct line value = {line.at + key_len + 4, line.len - key_len - 4};
	const struct field *field = find_field(line, key_len);

	*at = value.at;
	if (key_is(line, key_len, "runs"))
		return read_runs(header, line, value, at);
	if (key_is(line, key_len, "frequency"))
		return folded_number(value.at, value.len, &header->profile->frequency_hz)
			       ? NULL
			       : "'frequency' must be a number of hertz";
	if (key_is(line, key_len, "samples") && header->profile->weight != 0)
		return read_numbers(header, value, &header->samples, at);
	if (key_is(line, key_len, "effective_samples") && header->profile->weight != 0)
		return read_numbers(header, value, &header->effective_samples, at);
	return field ? set_field(header, field, value) : NULL;
}

size_t
folded_header_add_runs(const struct folded_header *header)
{
	const size_t first = header->profile->nruns;

	for (size_t i = 0; i < header->nruns; i++)
		profile_add_run(header->profile);
	return first;
}

void
folded_header_set_samples(const struct folded_header *header, size_t first, const double *totals)
{
	const struct profile *profile = header->profile;
	/* For times and sizes the number of samples is not known. */
	const bool counted = weights_are_samples(profile) || weights_are_counted(profile);

	for (size_t i = 0; i < header->nruns; i++) {
		struct run *run = &profile->runs[first + i];
		const double samples = header->samples ? header->samples[i]
				       : counted       ? totals[i]
						       : 0;

		run->samples = (uint64_t)llround(fmin(samples, SAMPLES_MAX));
		if (header->effective_samples)
			run->effective_samples = fmin(header->effective_samples[i], samples);
	}
}

void
folded_header_release(struct folded_header *header)
{
	free(header->samples);
	free(header->effective_samples);
}

/* Weights that are periods do not show how many samples there are. */
static void
write_samples(const struct profile *profile, bool summed, struct buf *out)
{
	if (!weights_are_periods(profile))
		return;
	buf_puts(out, "# samples:");
	for (size_t i = 0; i < profile->nruns && !summed; i++) {
		buf_putc(out, ' ');
		buf_put_number(out, (double)profile->runs[i].samples);
	}
	if (summed) {
		buf_putc(out, ' ');
		buf_put_number(out, weights_samples_sum(profile));
	}
	buf_puts(out, "\n# effective_samples:");
	for (size_t i = 0; i < profile->nruns && !summed; i++) {
		buf_putc(out, ' ');
		buf_put_number(out, run_effective_samples(&profile->runs[i]));
	}
	if (summed) {
		buf_putc(out, ' ');
		buf_put_number(out, weights_effective_sum(profile));
	}
	buf_putc(out, '\n');
}

/* The fields of some of the files that a profile's fields are for. */
static void
write_fields(const struct profile *profile, unsigned files, struct buf *out)
{
	for (const struct field *field = profile_fields; field->name; field++) {
		str_id id = field->files & files ? *field_string(field, profile) : 0;

		if (id == 0)
			continue;
		buf_printf(out, "# %s: ", field->name);
		for (const char *c = strtab_str(&profile->strings, id); *c; c++)
			buf_putc(out, iscntrl((unsigned char)*c) ? '?' : *c);
		buf_putc(out, '\n');
	}
}

void
folded_header_write(const struct profile *profile, struct buf *out)
{
	buf_printf(out, "# runs: %zu\n", profile->nruns);
	write_fields(profile, FIELD_FOLDED, out);
	write_samples(profile, false, out);
	if (profile->frequency_hz > 0) {
		buf_puts(out, "# frequency: ");
		buf_put_number(out, profile->frequency_hz);
		buf_putc(out, '\n');
	}
}

/* The fields of the sum over the runs, for weights that are no samples. */
static void
folded_header_write_sum(const struct profile *profile, struct buf *out)
{
	write_fields(profile, FIELD_WEIGHTS, out);
	write_samples(profile, true, out);
}

/*
 * Text has the name of a frame in each stack, and each stack that is the start of others: it can be
 * the square of a profile that was read. What goes into memory is of our own captures.
 */
#define TEXT_BYTES_MAX ((uint64_t)1 << 30)
#define PATH_BYTES_MAX ((size_t)256 << 20)

/* A profile as it is written. */
struct folded_writer {
	const struct profile *profile;
	double *sums; /* by node, over the runs; NULL: one weight a run is written */
	/* All frames as they are written, each behind a ';': i from starts[i] to starts[i + 1]. */
	struct buf frames;
	size_t *starts;
	struct buf path; /* the frames down to the current node */
	struct buf *text;
	struct file_output *output; /* gets the text in pieces; NULL: it stays in the buffer */
	bool to_log;                /* standard output, which a CI system may read for commands */
	struct allowance left;      /* bytes of stacks */
};

static void
write_weights(struct folded_writer *writer, node_id node)
{
	const struct profile *profile = writer->profile;

	if (writer->sums) {
		buf_putc(writer->text, ' ');
		buf_put_number(writer->text, writer->sums[node]);
		return;
	}
	for (size_t run = 0; run < profile->nruns; run++) {
		buf_putc(writer->text, ' ');
		buf_put_number(writer->text, ctree_weight(&profile->tree, run, node));
	}
}

/* No weight is negative: a sum of 0 means that all are 0. */
static bool
has_weight(const struct folded_writer *writer, node_id node)
{
	if (writer->sums)
		return writer->sums[node] > 0;
	for (size_t run = 0; run < writer->profile->nruns; run++) {
		if (ctree_weight(&writer->profile->tree, run, node) > 0)
			return true;
	}
	return false;
}

/* For text that goes to a file: small enough for the processor's caches. */
#define PIECE_BYTES ((size_t)256 << 10)

/* The text so far, which ends with a line. */
static int
put_piece(struct folded_writer *writer, struct err *err)
{
	if (writer->to_log)
		escape_commands(writer->text->data, writer->text->len);
	int result =
		file_output_put(writer->output, buf_text(writer->text), writer->text->len, err);

	buf_clear(writer->text);
	return result;
}

static int
write_line(struct folded_writer *writer, node_id node, struct err *err)
{
	const char *stack = writer->path.data + 1;
	size_t len = writer->path.len - 1;

	/* No comment: readers pass over a frame without a name. */
	if (*stack == '#' && (len == 1 || stack[1] == ' '))
		buf_putc(writer->text, ';');
	if (!allowance_take(&writer->left, len))
		return err_set(err, ERR_INPUT,
			"its stacks as text have more than %" PRIu64
			" MiB: few long names stand in deep stacks many times",
			TEXT_BYTES_MAX >> 20);
	buf_put(writer->text, stack, len);
	write_weights(writer, node);
	buf_putc(writer->text, '\n');
	if (!writer->output || writer->text->len < PIECE_BYTES)
		return 0;
	return put_piece(writer, err);
}

static size_t
frame_len(const struct folded_writer *writer, frame_id frame)
{
	return writer->starts[frame + 1] - writer->starts[frame];
}

/*
 * Walks the tree with the stack's text in `path`, each node's frame appended on the way down and
 * cut off on the way up: no recursion, whatever the depth.
 */
static int
write_stacks(struct folded_writer *writer, struct err *err)
{
	const struct ctree_node *nodes = writer->profile->tree.nodes;
	node_id node = nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		frame_id frame = nodes[node].frame;

		buf_put(&writer->path, writer->frames.data + writer->starts[frame],
			frame_len(writer, frame));
		if (writer->output && writer->path.len > PATH_BYTES_MAX)
			return err_set(err, ERR_INPUT,
				"one of its stacks as text has more than %zu MiB",
				PATH_BYTES_MAX >> 20);
		if (has_weight(writer, node) && write_line(writer, node, err) < 0)
			return -1;
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			writer->path.len -= frame_len(writer, nodes[node].frame);
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		node = next;
	}
	return 0;
}

static void
spell_frames(struct folded_writer *writer)
{
	size_t nframes = writer->profile->frames.nframes;

	writer->starts = mem_zalloc(nframes + 1, sizeof(*writer->starts));
	for (size_t i = 0; i < nframes; i++) {
		buf_putc(&writer->frames, ';');
		profile_put_frame(writer->profile, (frame_id)i, &writer->frames);
		writer->starts[i + 1] = writer->frames.len;
	}
}

/* Text of single frames with blanks in their names could be a log: it needs a header. */
static bool
looks_like_words(const struct folded_writer *writer)
{
	const struct ctree *tree = &writer->profile->tree;
	bool blank = false;

	for (node_id node = CTREE_ROOT + 1; node < tree->nnodes; node++) {
		const size_t start = writer->starts[tree->nodes[node].frame] + 1;
		const size_t end = writer->starts[tree->nodes[node].frame + 1];

		if (!has_weight(writer, node))
			continue;
		if (tree->nodes[node].parent != CTREE_ROOT)
			return false;
		blank |= memchr(buf_text(&writer->frames) + start, ' ', end - start) != NULL;
	}
	return blank;
}

static int
write_all(struct folded_writer *writer, enum folded_columns columns, struct err *err)
{
	const struct ctree *tree = &writer->profile->tree;

	spell_frames(writer);
	if (columns == FOLDED_RUNS) {
		folded_header_write(writer->profile, writer->text);
	} else {
		writer->sums = mem_zalloc(tree->nnodes, sizeof(*writer->sums));
		ctree_sum(tree, 0, writer->profile->nruns, writer->sums);
		if (columns == FOLDED_FILE && looks_like_words(writer))
			buf_puts(writer->text, "# runs: 1\n");
		/* Any tool takes weights for numbers of samples. */
		if (columns == FOLDED_FILE && !weights_are_samples(writer->profile))
			folded_header_write_sum(writer->profile, writer->text);
	}
	writer->left.left = writer->output ? TEXT_BYTES_MAX : UINT64_MAX;
	int result = write_stacks(writer, err);

	buf_release(&writer->path);
	buf_release(&writer->frames);
	free(writer->starts);
	free(writer->sums);
	return result;
}

void
folded_write(const struct profile *profile, enum folded_columns columns, struct buf *out)
{
	struct folded_writer writer = {.profile = profile, .text = out};
	struct err none = {0};

	write_all(&writer, columns, &none);
}

int
folded_write_file(const struct profile *profile, enum folded_columns columns, const char *path,
	struct err *err)
{
	struct buf text = {0};
	struct file_output output;
	struct folded_writer writer = {.profile = profile,
		.text = &text,
		.output = &output,
		.to_log = strcmp(path, "-") == 0};

	if (file_output_open(&output, path, err) < 0)
		return -1;
	int result = write_all(&writer, columns, err);

	if (result == 0)
		result = put_piece(&writer, err);
	buf_release(&text);
	if (result == 0)
		return file_output_commit(&output, err);
	err_note(err, "while writing %s", path);
	file_output_abandon(&output);
	return -1;
}
