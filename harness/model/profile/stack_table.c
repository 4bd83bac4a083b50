#include "profile/stack_table.h"

#include "base/mem.h"
#include "base/text.h"
#include "profile/folded.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct table_writer {
	const struct profile *profile;
	uint32_t *numbers; /* by frame; 0: it has none yet */
	uint32_t nframes;
	size_t nstacks;
	node_id *path; /* from the root's child down to the current node */
	size_t depth;
	size_t path_capacity;
	size_t shared; /* of the path, nodes of the stack written last */
	struct buf names;
	struct buf stacks;
	struct buf weights; /* of a stack */
};

/* Empty where the node has no weight in any run. */
static void
put_weights(struct table_writer *writer, node_id node)
{
	struct buf *out = &writer->weights;
	size_t skipped = 0;

	buf_clear(out);
	for (size_t run = 0; run < writer->profile->nruns; run++) {
		const double weight = ctree_weight(&writer->profile->tree, run, node);

		if (!(weight > 0)) {
			skipped++;
			continue;
		}
		buf_putc(out, out->len > 0 ? ' ' : '|');
		if (skipped > 0)
			buf_printf(out, "-%zu ", skipped);
		skipped = 0;
		buf_put_number(out, weight);
	}
}

static uint32_t
number_of(struct table_writer *writer, frame_id frame)
{
	uint32_t *number = &writer->numbers[frame];

	if (*number == 0) {
		*number = ++writer->nframes;
		profile_put_frame(writer->profile, frame, &writer->names);
		buf_putc(&writer->names, '\n');
	}
	return *number;
}

static void
put_stack(struct table_writer *writer)
{
	const struct ctree_node *nodes = writer->profile->tree.nodes;

	put_weights(writer, writer->path[writer->depth - 1]);
	if (writer->weights.len == 0)
		return;
	buf_put_number(&writer->stacks, (double)writer->shared);
	for (size_t i = writer->shared; i < writer->depth; i++) {
		buf_putc(&writer->stacks, ' ');
		buf_put_number(
			&writer->stacks, (double)number_of(writer, nodes[writer->path[i]].frame));
	}
	buf_put(&writer->stacks, writer->weights.data, writer->weights.len);
	buf_putc(&writer->stacks, '\n');
	writer->shared = writer->depth;
	writer->nstacks++;
}

/* No recursion, whatever the depth. */
static void
put_stacks(struct table_writer *writer)
{
	const struct ctree_node *nodes = writer->profile->tree.nodes;
	node_id node = nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		writer->path = mem_grow(writer->path, &writer->path_capacity, writer->depth + 1,
			sizeof(*writer->path));
		writer->path[writer->depth++] = node;
		put_stack(writer);
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && writer->depth > 0) {
			next = nodes[writer->path[--writer->depth]].next_sibling;
			if (writer->shared > writer->depth)
				writer->shared = writer->depth;
		}
		node = next;
	}
}

void
stack_table_write(const struct profile *profile, struct buf *out)
{
	struct table_writer writer = {
		.profile = profile,
		.numbers = mem_zalloc(profile->frames.nframes, sizeof(*writer.numbers)),
	};

	put_stacks(&writer);
	buf_puts(out, "# profile_run stacks 1\n");
	folded_header_write(profile, out);
	buf_printf(out, "frames %u\n", writer.nframes);
	buf_put(out, buf_text(&writer.names), writer.names.len);
	buf_printf(out, "stacks %zu\n", writer.nstacks);
	buf_put(out, buf_text(&writer.stacks), writer.stacks.len);
	buf_release(&writer.weights);
	buf_release(&writer.stacks);
	buf_release(&writer.names);
	free(writer.path);
	free(writer.numbers);
}

#define MARK "# profile_run stacks "
#define VERSION "1"

struct table_reader {
	const char *file;
	struct err *err;
	const char *text;
	const char *end;
	const char *at; /* the next byte to read */
	struct line line;
	struct folded_header header;
	size_t first_run;
	double *totals; /* by run */
	frame_id *frames;
	uint64_t nframes;
	node_id *path; /* the nodes of the last stack */
	node_id leaf;  /* the last of them that has a name */
	uint64_t depth;
	size_t path_capacity;
};

static int fail_at(const struct table_reader *reader, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int
fail_at(const struct table_reader *reader, const char *at, const char *format, ...)
{
	struct location location = location_at(reader->file, reader->text,
		(size_t)(reader->end - reader->text), (size_t)(at - reader->text));
	struct buf what = {0};
	va_list args;

	va_start(args, format);
	buf_vprintf(&what, format, args);
	va_end(args);
	err_set_at(reader->err, &location, "%s", buf_text(&what));
	buf_release(&what);
	return -1;
}

/* Takes the next line into reader->line; `expected` says what it should be. */
static int
next_line(struct table_reader *reader, const char *expected)
{
	const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

	if (!newline)
		return fail_at(reader, reader->end,
			"the file ends here, and is truncated: expected %s", expected);
	reader->line = (struct line){reader->at, (size_t)(newline - reader->at)};
	reader->at = newline + 1;
	return 0;
}

/* Takes the digits at *at; false if there are none, or the number is not below 2^32. */
static bool
take_number(const char **at, const char *end, uint64_t *number)
{
	const char *begin = *at;

	*number = 0;
	for (; *at < end && text_is_digit(**at) && *number <= UINT32_MAX; (*at)++)
		*number = *number * 10 + (uint64_t)(**at - '0');
	return *at > begin && *number <= UINT32_MAX;
}

static int
read_version(struct table_reader *reader)
{
	const size_t len = strlen(MARK);

	if (next_line(reader, "'" MARK VERSION "'") < 0)
		return -1;
	if (reader->line.len < len || memcmp(reader->line.at, MARK, len) != 0)
		return fail_at(reader, reader->line.at, "expected '" MARK VERSION "'");
	if (reader->line.len != len + 1 || reader->line.at[len] != *VERSION)
		return fail_at(reader, reader->line.at + len,
			"another version of this format: this program reads " VERSION);
	return 0;
}

static int
read_header(struct table_reader *reader)
{
	const char *at = NULL;

	while (reader->at < reader->end && *reader->at == '#') {
		if (next_line(reader, "'frames'") < 0)
			return -1;
		const char *wrong = folded_header_take(&reader->header, reader->line, &at);

		if (wrong)
			return fail_at(reader, at, "%s", wrong);
	}
	return reader->header.has_runs ? 0 : fail_at(reader, reader->at, "expected '# runs: N'");
}

/* "frames 12": how many lines of at least `least` bytes follow. */
static int
read_count(struct table_reader *reader, const char *word, uint64_t least, uint64_t *count)
{
	const size_t len = strlen(word);

	if (next_line(reader, word) < 0)
		return -1;
	const char *end = reader->line.at + reader->line.len;
	const char *at = reader->line.at + len;

	if (reader->line.len <= len || memcmp(reader->line.at, word, len) != 0)
		return fail_at(reader, reader->line.at, "expected '%sN'", word);
	if (!take_number(&at, end, count) || at != end)
		return fail_at(reader, at, "expected a whole number below 4294967296");
	if (*count > (uint64_t)(reader->end - reader->at) / least)
		return fail_at(reader, reader->line.at + len,
			"too large: the %td bytes that follow cannot be %" PRIu64 " lines",
			reader->end - reader->at, *count);
	return 0;
}

static int
read_frames(struct table_reader *reader)
{
	if (read_count(reader, "frames ", 1, &reader->nframes) < 0)
		return -1;
	reader->frames = mem_zalloc(reader->nframes + 1, sizeof(*reader->frames));
	for (uint64_t i = 1; i <= reader->nframes; i++) {
		if (next_line(reader, "a frame") < 0)
			return -1;
		const struct line line = reader->line;

		if (memchr(line.at, ';', line.len))
			return fail_at(reader, memchr(line.at, ';', line.len),
				"a frame cannot have ';' in its name");
		reader->frames[i] = profile_frame_text(reader->header.profile, line.at, line.len);
	}
	return 0;
}

/* The first number of a stack: nodes of the path that stay. */
static int
read_shared(struct table_reader *reader, const char **at, const char *end)
{
	const char *begin = *at;
	uint64_t shared;

	if (!take_number(at, end, &shared))
		return fail_at(
			reader, *at, "expected how many frames are those of the stack before");
	if (shared > reader->depth)
		return fail_at(reader, begin,
			"%" PRIu64 " frames of the stack before, which has %" PRIu64, shared,
			reader->depth);
	reader->depth = shared;
	return 0;
}

/* " 17 18": the frames behind the shared ones. A frame without a name is none, as in folded text.
 */
static int
read_path(struct table_reader *reader, const char **at, const char *end)
{
	struct ctree *tree = &reader->header.profile->tree;
	node_id node = reader->depth > 0 ? reader->path[reader->depth - 1] : CTREE_ROOT;

	if (*at == end || **at != ' ')
		return fail_at(reader, *at, "expected a blank and the number of a frame");
	while (*at < end && **at == ' ') {
		const char *begin = ++*at;
		uint64_t number;

		if (!take_number(at, end, &number) || number == 0 || number > reader->nframes)
			return fail_at(reader, begin,
				"expected the number of a frame, from 1 to %" PRIu64,
				reader->nframes);
		if (reader->depth == FOLDED_FRAMES_MAX)
			return fail_at(reader, begin, "a stack of more than a million frames");
		if (reader->frames[number] != 0)
			node = ctree_child(tree, node, reader->frames[number]);
		reader->path = mem_grow(reader->path, &reader->path_capacity, reader->depth + 1,
			sizeof(*reader->path));
		reader->path[reader->depth++] = node;
	}
	if (node == CTREE_ROOT)
		return fail_at(reader, reader->line.at, "this stack has no frame");
	if (tree->nnodes > FOLDED_WEIGHTS_MAX / reader->header.nruns)
		return fail_at(reader, reader->line.at,
			"too many frames for so many runs: read fewer runs");
	reader->leaf = node;
	return 0;
}

/* "12", of a run. */
static int
read_weight(struct table_reader *reader, const char **at, const char *end, size_t run)
{
	const char *begin = *at;
	const char *blank = memchr(begin, ' ', (size_t)(end - begin));
	double weight;

	*at = blank ? blank : end;
	if (run >= reader->header.nruns)
		return fail_at(reader, begin, "a weight behind the last of the %zu runs",
			reader->header.nruns);
	if (!folded_number(begin, (size_t)(*at - begin), &weight) || !(weight > 0))
		return fail_at(reader, begin, "expected a weight: a number above 0");
	ctree_add(&reader->header.profile->tree, reader->first_run + run, reader->leaf, weight);
	reader->totals[run] += weight;
	if (!isfinite(reader->totals[run]))
		return fail_at(reader, begin,
			"the weights of run %zu add up to more than a number can be", run + 1);
	return 0;
}

/* "|12 -2 9". */
static int
read_weights(struct table_reader *reader, const char *at, const char *end)
{
	size_t run = 0;

	if (at == end || *at != '|')
		return fail_at(reader, at, "expected a blank and the number of a frame, or '|'");
	do {
		uint64_t skipped = 0;

		at++;
		if (at < end && *at == '-') {
			const char *begin = at++;

			if (!take_number(&at, end, &skipped) || skipped == 0 ||
				skipped > FOLDED_RUNS_MAX || at == end || *at++ != ' ')
				return fail_at(reader, begin,
					"expected '-N' for N runs without weight, and the next weight");
		}
		run += skipped;
		if (read_weight(reader, &at, end, run++) < 0)
			return -1;
	} while (at < end);
	return 0;
}

static int
read_stacks(struct table_reader *reader)
{
	uint64_t count = 0;

	/* The shortest is "0 1|1". */
	if (read_count(reader, "stacks ", 6, &count) < 0)
		return -1;
	if (count == 0)
		return fail_at(reader, reader->line.at, "no stacks in this file");
	for (uint64_t i = 0; i < count; i++) {
		if (next_line(reader, "a stack") < 0)
			return -1;
		const char *at = reader->line.at;
		const char *end = at + reader->line.len;

		if (read_shared(reader, &at, end) < 0 || read_path(reader, &at, end) < 0 ||
			read_weights(reader, at, end) < 0)
			return -1;
	}
	if (reader->at < reader->end)
		return fail_at(reader, reader->at, "text behind the last of the %" PRIu64 " stacks",
			count);
	return 0;
}

static int
read_table(struct table_reader *reader)
{
	if (read_version(reader) < 0 || read_header(reader) < 0)
		return -1;
	reader->first_run = folded_header_add_runs(&reader->header);
	reader->totals = mem_zalloc(reader->header.nruns, sizeof(*reader->totals));
	if (read_frames(reader) < 0 || read_stacks(reader) < 0)
		return -1;
	folded_header_set_samples(&reader->header, reader->first_run, reader->totals);
	return 0;
}

bool
stack_table_detect(const char *text, size_t len)
{
	return len >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0;
}

int
stack_table_read(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err)
{
	size_t len = view->len;
	int more;

	while ((more = file_view_more(view, &len, err)) > 0)
		;
	if (more < 0)
		return -1;
	struct table_reader reader = {
		.file = file,
		.err = err,
		.text = view->data,
		.end = view->data + len,
		.at = view->data,
		.header = {.profile = profile, .nruns = 1},
	};
	int result = read_table(&reader);

	folded_header_release(&reader.header);
	free(reader.path);
	free(reader.frames);
	free(reader.totals);
	return result;
}
