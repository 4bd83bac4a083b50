#include "profile/folded.h"

#include "base/allowance.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "profile/folded_header.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
