#include "base/lines.h"
#include "base/mem.h"
#include "base/text_map.h"
#include "profile/folded.h"
#include "profile/folded_header.h"

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
/* What the frames' names may take beside the profile; the map begins anew where they would more. */
#define NAMES_BYTES_MAX ((size_t)64 << 20)

/* Names that are looked up at once. */
#define KEYS_MAX 16
/* How often of late a guess at a name was right; from the middle on guesses are made. */
#define GUESSES_MAX 64

/* A frame of the line before, so that what it shares with the next one is not looked up again. */
struct step {
	size_t end; /* bytes of the line up to and without the ';' after the frame */
	node_id node;
	struct text_entry *entry;
};

struct reader {
	struct profile *profile;
	const char *file;
	struct err *err;
	struct lines lines;
	struct line line; /* the one being read */
	size_t first_run;
	size_t nruns;
	double *weights; /* of the current line; NULL before the first stack */
	double *totals;  /* of the runs */
	bool has_runs;   /* the header says how many: it is one of ours */
	bool header_over;

	struct line previous; /* its stack */
	struct step *steps;   /* of `previous`; steps[0] is the root's */
	size_t nsteps;
	size_t steps_capacity;
	struct text_map names; /* -> frame_id */
	int guesses;           /* 0 .. GUESSES_MAX */
};

static int
fail_at(struct reader *reader, const char *at, const char *what)
{
	struct location location = lines_location(&reader->lines, reader->file, reader->line, at);

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

/*
 * A key that is not known is one of a later version in a file of ours. In others it is a stack,
 * unless it has no weight.
 */
static bool
is_header(const struct reader *reader, size_t key_len)
{
	struct line line = reader->line;
	size_t start = line.len;
	double weight;

	if (reader->has_runs || folded_header_is_known(line.at, key_len))
		return true;
	while (line.at[start - 1] != ' ')
		start--;
	return !parse_weight(line.at + start, line.len - start, &weight);
}

static int
read_header(struct reader *reader, size_t key_len)
{
	const char *key = reader->line.at + 2;
	const char *value = key + key_len + 2;
	size_t value_len = reader->line.len - key_len - 4;
	double number;

	if (key_len == 4 && memcmp(key, "runs", 4) == 0) {
		if (!parse_weight(value, value_len, &number) || number < 1 || number > RUNS_MAX ||
			number != floor(number))
			return fail_at(
				reader, value, "'runs' wants a whole number from 1 to 10000");
		reader->nruns = (size_t)number;
		reader->has_runs = true;
	} else if (key_len == 9 && memcmp(key, "frequency", 9) == 0) {
		if (!parse_weight(value, value_len, &number))
			return fail_at(reader, value, "'frequency' wants a number of hertz");
		reader->profile->frequency_hz = number;
	}
	for (const struct folded_key *known = folded_keys; known->key; known++) {
		if (strlen(known->key) == key_len && memcmp(key, known->key, key_len) == 0)
			*folded_key_slot(reader->profile, known) =
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

static bool
differ_32(const char *a, const char *b)
{
	return ((text_map_load(a) ^ text_map_load(b)) |
		       (text_map_load(a + 8) ^ text_map_load(b + 8)) |
		       (text_map_load(a + 16) ^ text_map_load(b + 16)) |
		       (text_map_load(a + 24) ^ text_map_load(b + 24))) != 0;
}

/* How many bytes two texts start with in common. */
static size_t
common_bytes(struct line a, struct line b)
{
	size_t limit = a.len < b.len ? a.len : b.len;
	size_t same = 0;

	while (same + 32 <= limit && !differ_32(a.at + same, b.at + same))
		same += 32;
	while (same + 8 <= limit && text_map_load(a.at + same) == text_map_load(b.at + same))
		same += 8;
	while (same < limit && a.at[same] == b.at[same])
		same++;
	return same;
}

/* How many steps the stack shares with the one before; the root's always. */
static size_t
shared_steps(const struct reader *reader, struct line stack)
{
	size_t same = common_bytes(stack, reader->previous);
	size_t n = reader->nsteps;

	while (n > 1 && reader->steps[n - 1].end > same)
		n--;
	/* A frame that ends just there must end in both lines, not only in one. */
	if (n > 1 && reader->steps[n - 1].end == same &&
		((same < stack.len && stack.at[same] != ';') ||
			(same < reader->previous.len && reader->previous.at[same] != ';')))
		n--;
	return n;
}

/* Remembers what followed a frame, and whether that was what followed it last. */
static void
note_next(struct reader *reader, struct text_entry *before, struct text_entry *entry)
{
	if (before->next != entry) {
		before->next = entry;
		reader->guesses -= reader->guesses > 0;
	} else {
		reader->guesses += reader->guesses < GUESSES_MAX;
	}
}

/* The frame at `at`, if it is what followed the one of `before` last; NULL if not. */
static struct text_entry *
guess_name(const char *at, size_t room, const struct text_entry *before)
{
	struct text_entry *guess = before->next;

	if (guess && text_entry_starts(guess, at, room) &&
		(guess->len == room || at[guess->len] == ';'))
		return guess;
	return NULL;
}

static struct text_entry *
add_name(struct reader *reader, const struct text_key *key)
{
	/* It may have been new twice among those that were looked up together. */
	struct text_entry *entry = text_map_find(&reader->names, key->text, key->len);

	if (entry)
		return entry;
	return text_map_add(&reader->names, key->text, key->len,
		profile_frame_text(reader->profile, key->text, key->len));
}

static void
take_step(struct reader *reader, const struct step *step)
{
	if (reader->nsteps == reader->steps_capacity)
		reader->steps = mem_grow(reader->steps, &reader->steps_capacity, reader->nsteps + 1,
			sizeof(*reader->steps));
	reader->steps[reader->nsteps++] = *step;
}

/* Goes into the frame `entry`, which ends at `end`. */
static void
enter(struct reader *reader, struct text_entry *entry, size_t end)
{
	const struct step *before = &reader->steps[reader->nsteps - 1];
	const struct step step = {
		.end = end,
		.node = ctree_child(&reader->profile->tree, before->node, entry->value),
		.entry = entry,
	};

	note_next(reader, before->entry, entry);
	take_step(reader, &step);
}

/* A frame without a name is none: the step stays where it is. */
static void
skip_empty(struct reader *reader, size_t end)
{
	struct step step = reader->steps[reader->nsteps - 1];

	step.end = end;
	take_step(reader, &step);
}

/* Enters the next frames from byte `at` of the stack on. Returns where those left begin. */
static size_t
enter_looked_up(struct reader *reader, struct line stack, size_t at)
{
	struct text_key keys[KEYS_MAX];
	size_t nkeys = 0;

	while (at < stack.len && nkeys < KEYS_MAX) {
		const char *name = stack.at + at;
		const char *semicolon = memchr(name, ';', stack.len - at);
		size_t len = semicolon ? (size_t)(semicolon - name) : stack.len - at;

		keys[nkeys] = (struct text_key){.text = name, .len = len};
		text_map_ask_slot(&reader->names, &keys[nkeys++]);
		at += len + 1;
	}
	for (size_t i = 0; i < nkeys; i++)
		text_map_ask_entry(&reader->names, &keys[i]);
	for (size_t i = 0; i < nkeys; i++) {
		size_t end = (size_t)(keys[i].text - stack.at) + keys[i].len;
		struct text_entry *entry = text_map_take(&reader->names, &keys[i]);

		if (keys[i].len == 0) {
			skip_empty(reader, end);
			continue;
		}
		enter(reader, entry ? entry : add_name(reader, &keys[i]), end);
	}
	return at;
}

static void
forget_names(struct reader *reader)
{
	text_map_clear(&reader->names);
	reader->steps[0].entry = text_map_add(&reader->names, "", 0, 0);
	reader->nsteps = 1;
}

static int
walk(struct reader *reader, struct line stack, node_id *leaf)
{
	if (text_map_bytes(&reader->names) > NAMES_BYTES_MAX)
		forget_names(reader);
	size_t shared = shared_steps(reader, stack);
	size_t at = shared > 1 ? reader->steps[shared - 1].end + 1 : 0;
	/* What follows differs from the line before, and so will hardly be what followed then. */
	bool apart = shared < reader->nsteps;

	reader->nsteps = shared;
	while (at < stack.len) {
		struct text_entry *before = reader->steps[reader->nsteps - 1].entry;
		struct text_entry *guess = NULL;

		if (reader->nsteps > FRAMES_MAX)
			return fail_at(
				reader, stack.at + at, "a stack of more than a million frames");
		if (!apart && reader->guesses * 2 >= GUESSES_MAX)
			guess = guess_name(stack.at + at, stack.len - at, before);
		apart = false;
		if (guess) {
			enter(reader, guess, at + guess->len);
			at += guess->len + 1;
		} else {
			at = enter_looked_up(reader, stack, at);
		}
	}
	lines_done(&reader->lines, reader->previous.at);
	reader->previous = stack;
	*leaf = reader->steps[reader->nsteps - 1].node;
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
	reader->steps = mem_grow(NULL, &reader->steps_capacity, 1, sizeof(*reader->steps));
	reader->previous = (struct line){reader->line.at, 0};
	forget_names(reader);
}

static int
read_stack(struct reader *reader)
{
	struct ctree *tree = &reader->profile->tree;
	struct line stack = reader->line;

	if (!reader->weights)
		begin_stacks(reader);
	if (read_weights(reader, stack.at, &stack.len) < 0)
		return -1;
	if (stack.len == 0)
		return fail_at(reader, stack.at, "a weight without a stack before it");
	node_id node = CTREE_ROOT;

	if (walk(reader, stack, &node) < 0)
		return -1;
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
	return 0;
}

static int
read_line(struct reader *reader)
{
	struct line *line = &reader->line;

	if (line->len > 0 && line->at[line->len - 1] == '\r')
		line->len--;
	if (line->len == 0) {
		reader->header_over = true;
		return 0;
	}
	if (!reader->header_over && line->at[0] == '#') {
		size_t key_len = folded_header_key_len(line->at, line->len);

		if (key_len > 0 && is_header(reader, key_len))
			return read_header(reader, key_len);
	}
	reader->header_over = true;
	return read_stack(reader);
}

int
folded_read_view(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err)
{
	struct reader reader = {.profile = profile, .file = file, .nruns = 1, .err = err};
	int more;

	lines_init(&reader.lines, view);
	text_map_init(&reader.names);
	while ((more = lines_next(&reader.lines, &reader.line, err)) > 0) {
		more = read_line(&reader);
		if (more < 0)
			break;
	}
	if (more == 0 && !reader.weights)
		more = err_set(err, ERR_INPUT, "%s: no stacks in this file", file);
	for (size_t run = 0; more == 0 && run < reader.nruns; run++)
		profile->runs[reader.first_run + run].samples =
			(uint64_t)llround(reader.totals[run]);
	text_map_release(&reader.names);
	free(reader.steps);
	free(reader.totals);
	free(reader.weights);
	return more;
}

int
folded_read(
	struct profile *profile, const char *file, const char *text, size_t len, struct err *err)
{
	struct file_view view = {.data = text, .len = len};

	return folded_read_view(profile, file, &view, err);
}
