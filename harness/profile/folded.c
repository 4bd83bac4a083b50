#include "profile/folded.h"

#include "base/escape.h"
#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* More runs than any gate takes; bounds what a header can make us allocate. */
#define RUNS_MAX 10000
/* Deeper than any stack of a program; bounds what one line can make us allocate and draw. */
#define FRAMES_MAX 1000000
/* Each run keeps a weight for each node of the tree: this many take 1 GiB. */
#define WEIGHTS_MAX ((size_t)1 << 27)

struct header_string {
	const char *key;
	size_t offset; /* of the str_id in struct profile */
};

static const struct header_string header_strings[] = {
	{"workload", offsetof(struct profile, workload)},
	{"command", offsetof(struct profile, command)},
	{"metric", offsetof(struct profile, metric)},
	{"event", offsetof(struct profile, event)},
	{"unit", offsetof(struct profile, unit)},
	{"callgraph", offsetof(struct profile, callgraph)},
	{NULL, 0},
};

static str_id *
header_slot(struct profile *profile, const struct header_string *string)
{
	return (str_id *)((char *)profile + string->offset);
}

struct reader {
	struct profile *profile;
	const char *file;
	const char *text;
	size_t len;
	size_t first_run;
	size_t nruns;
	double *weights; /* of the current line */
	struct err *err;

	/* The line before, so that a prefix shared with it is not looked up again. */
	const char *previous;
	size_t previous_len;
	struct step {
		size_t end; /* bytes of the line up to and without the ';' after the frame */
		node_id node;
	} * steps;
	size_t nsteps;
	size_t steps_capacity;
};

static int
fail_at(struct reader *reader, const char *at, const char *what)
{
	struct location location =
		location_at(reader->file, reader->text, reader->len, (size_t)(at - reader->text));

	return err_set_at(reader->err, &location, "%s", what);
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

static int
read_header(struct reader *reader, const char *line, size_t key_len, size_t len)
{
	const char *key = line + 2;
	const char *value = key + key_len + 2;
	size_t value_len = len - key_len - 4;
	double number;

	if (key_len == 4 && memcmp(key, "runs", 4) == 0) {
		if (!parse_weight(value, value_len, &number) || number < 1 || number > RUNS_MAX ||
			number != floor(number))
			return fail_at(
				reader, value, "'runs' wants a whole number from 1 to 10000");
		reader->nruns = (size_t)number;
	} else if (key_len == 9 && memcmp(key, "frequency", 9) == 0) {
		if (!parse_weight(value, value_len, &number))
			return fail_at(reader, value, "'frequency' wants a number of hertz");
		reader->profile->frequency_hz = number;
	}
	for (const struct header_string *s = header_strings; s->key; s++) {
		if (strlen(s->key) == key_len && memcmp(key, s->key, key_len) == 0)
			*header_slot(reader->profile, s) =
				strtab_intern(&reader->profile->strings, value, value_len);
	}
	return 0;
}

/* Takes the weights off the end of the line; *len is then that of the stack. */
static int
read_weights(struct reader *reader, const char *line, size_t *len)
{
	size_t end = *len;

	for (size_t run = reader->nruns; run-- > 0;) {
		while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
			end--;
		size_t start = end;

		while (start > 0 && line[start - 1] != ' ' && line[start - 1] != '\t')
			start--;
		if (start == 0)
			return fail_at(reader, line + end,
				reader->nruns == 1
					? "no weight at the end of this stack: expected 'frame;frame 12'"
					: "fewer weights on this line than the header's 'runs' says");
		if (!parse_weight(line + start, end - start, &reader->weights[run]))
			return fail_at(reader, line + start,
				"a weight must be a number that is not negative");
		end = start;
	}
	while (end > 0 && line[end - 1] == ' ')
		end--;
	*len = end;
	return 0;
}

/* How many frames of the line before this one starts with. */
static size_t
shared_steps(const struct reader *reader, const char *line, size_t len)
{
	size_t limit = len < reader->previous_len ? len : reader->previous_len;
	size_t same = 0;
	size_t n = 0;

	while (same + 8 <= limit && memcmp(line + same, reader->previous + same, 8) == 0)
		same += 8;
	while (same < limit && line[same] == reader->previous[same])
		same++;
	while (n < reader->nsteps) {
		size_t end = reader->steps[n].end;

		/* The frame must end in both lines, not only in one. */
		if (end > same || (end < len && line[end] != ';') ||
			(end < reader->previous_len && reader->previous[end] != ';'))
			break;
		n++;
	}
	return n;
}

static int
walk(struct reader *reader, const char *line, size_t len, node_id *leaf)
{
	struct profile *profile = reader->profile;
	size_t n = shared_steps(reader, line, len);
	node_id node = n > 0 ? reader->steps[n - 1].node : CTREE_ROOT;
	size_t at = n > 0 ? reader->steps[n - 1].end + 1 : 0;

	while (at < len) {
		const char *semicolon = memchr(line + at, ';', len - at);
		size_t end = semicolon ? (size_t)(semicolon - line) : len;

		if (n >= FRAMES_MAX)
			return fail_at(reader, line + at, "a stack of more than a million frames");
		if (end > at)
			node = ctree_child(&profile->tree, node,
				profile_frame_text(profile, line + at, end - at));
		reader->steps = mem_grow(
			reader->steps, &reader->steps_capacity, n + 1, sizeof(*reader->steps));
		reader->steps[n++] = (struct step){.end = end, .node = node};
		at = end + 1;
	}
	reader->nsteps = n;
	reader->previous = line;
	reader->previous_len = len;
	*leaf = node;
	return 0;
}

static void
begin_stacks(struct reader *reader)
{
	reader->first_run = reader->profile->nruns;
	for (size_t run = 0; run < reader->nruns; run++)
		profile_add_run(reader->profile);
	reader->weights = mem_zalloc(reader->nruns, sizeof(*reader->weights));
	/* Room from the start: walk() has somewhere to look however many steps are shared. */
	reader->steps = mem_grow(NULL, &reader->steps_capacity, 1, sizeof(*reader->steps));
}

static int
read_stack(struct reader *reader, const char *line, size_t len)
{
	if (!reader->weights)
		begin_stacks(reader);
	if (read_weights(reader, line, &len) < 0)
		return -1;
	if (len == 0)
		return fail_at(reader, line, "a weight without a stack before it");
	node_id node = CTREE_ROOT;

	if (walk(reader, line, len, &node) < 0)
		return -1;
	if (node == CTREE_ROOT)
		return fail_at(reader, line, "this stack has no frame");
	if (reader->profile->tree.nnodes > WEIGHTS_MAX / reader->nruns)
		return fail_at(reader, line, "too many frames for so many runs: read fewer runs");
	for (size_t run = 0; run < reader->nruns; run++) {
		if (reader->weights[run] > 0)
			ctree_add(&reader->profile->tree, reader->first_run + run, node,
				reader->weights[run]);
	}
	return 0;
}

static int
read_line(struct reader *reader, const char *line, size_t len)
{
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (len == 0)
		return 0;
	if (!reader->weights && line[0] == '#') {
		size_t key_len = header_key_len(line, len);

		if (key_len > 0)
			return read_header(reader, line, key_len, len);
	}
	return read_stack(reader, line, len);
}

int
folded_read(
	struct profile *profile, const char *file, const char *text, size_t len, struct err *err)
{
	struct reader reader = {
		.profile = profile, .file = file, .text = text, .len = len, .nruns = 1, .err = err};
	int result = 0;

	for (size_t at = 0; result == 0 && at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t end = newline ? (size_t)(newline - text) : len;

		result = read_line(&reader, text + at, end - at);
		at = end + 1;
	}
	if (result == 0 && !reader.weights)
		result = err_set(err, ERR_INPUT, "%s: no stacks in this file", file);
	for (size_t run = 0; result == 0 && run < reader.nruns; run++) {
		double total = profile_column_total(profile, reader.first_run + run);

		profile->runs[reader.first_run + run].samples = (uint64_t)llround(total);
	}
	free(reader.steps);
	free(reader.weights);
	return result;
}

static void
write_header(const struct profile *profile, struct buf *out)
{
	buf_printf(out, "# runs: %zu\n", profile->nruns);
	for (const struct header_string *s = header_strings; s->key; s++) {
		str_id id = *header_slot((struct profile *)profile, s);

		if (id == 0)
			continue;
		buf_printf(out, "# %s: ", s->key);
		for (const char *c = strtab_str(&profile->strings, id); *c; c++)
			buf_putc(out, iscntrl((unsigned char)*c) ? '?' : *c);
		buf_putc(out, '\n');
	}
	if (profile->frequency_hz > 0) {
		buf_puts(out, "# frequency: ");
		buf_put_number(out, profile->frequency_hz);
		buf_putc(out, '\n');
	}
}

static void
write_weights(const struct profile *profile, node_id node, const double *sums, struct buf *out)
{
	if (sums) {
		buf_putc(out, ' ');
		buf_put_number(out, sums[node]);
		return;
	}
	for (size_t run = 0; run < profile->nruns; run++) {
		buf_putc(out, ' ');
		buf_put_number(out, ctree_weight(&profile->tree, run, node));
	}
}

static bool
has_weight(const struct profile *profile, node_id node)
{
	for (size_t run = 0; run < profile->nruns; run++) {
		if (ctree_weight(&profile->tree, run, node) > 0)
			return true;
	}
	return false;
}

/*
 * Walks the tree with the stack's text in `path`, each node's frame appended on the way down and
 * cut off on the way up: no recursion, whatever the depth.
 */
void
folded_write(const struct profile *profile, enum folded_columns columns, struct buf *out)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	double *sums = NULL;
	struct buf path = {0};
	node_id node = nodes[CTREE_ROOT].first_child;

	if (columns == FOLDED_RUNS) {
		write_header(profile, out);
	} else {
		sums = mem_zalloc(profile->tree.nnodes, sizeof(*sums));
		ctree_sum(&profile->tree, 0, profile->nruns, sums);
	}
	size_t *starts = mem_zalloc(profile->tree.nnodes, sizeof(*starts));

	while (node != CTREE_NONE) {
		starts[node] = path.len;
		if (path.len > 0)
			buf_putc(&path, ';');
		profile_put_frame(profile, nodes[node].frame, &path);
		if (has_weight(profile, node)) {
			buf_put(out, path.data, path.len);
			write_weights(profile, node, sums, out);
			buf_putc(out, '\n');
		}
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			path.len = starts[node];
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		node = next;
	}
	free(starts);
	free(sums);
	buf_release(&path);
}
