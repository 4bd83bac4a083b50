/*
 * Reads folded stacks (folded.h): the stack of each line into the call tree, its weights into the
 * columns.
 */
#include "base/lines.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text_map.h"
#include "profile/folded.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes for the map of frame names, beside the profile; it is cleared where they are exceeded. */
#define NAMES_BYTES_MAX ((size_t)64 << 20)
/* The largest count of guesses; from half of it on names are guessed. */
#define GUESSES_MAX 64
/* Names that are looked up at once. */
#define KEYS_MAX 16

/*
 * Enters folded stacks into the call tree. Frames that a stack shares with the previous one are not
 * looked up again.
 */

/* A frame of the previous stack; those that the next one shares are not looked up again. */
struct folded_step {
	size_t end; /* bytes of the stack up to and without the ';' after the frame */
	node_id node;
	struct text_entry *entry;
};

struct folded_walk {
	struct profile *profile;   /* borrowed */
	struct line previous;      /* the stack entered last */
	struct folded_step *steps; /* of it; steps[0] is the root's */
	size_t nsteps;
	size_t steps_capacity;
	struct text_map names; /* -> frame_id */
	int guesses;           /* counts recent right guesses at names up, wrong ones down */
};

static void
take_step(struct folded_walk *walk, const struct folded_step *step)
{
	walk->steps = mem_grow(
		walk->steps, &walk->steps_capacity, walk->nsteps + 1, sizeof(*walk->steps));
	walk->steps[walk->nsteps++] = *step;
}

/* Begins without a previous stack. */
static void
begin_walk(struct folded_walk *walk)
{
	const struct folded_step root = {
		.node = CTREE_ROOT, .entry = text_map_add(&walk->names, "", 0, 0)};

	walk->previous = (struct line){"", 0};
	walk->nsteps = 0;
	take_step(walk, &root);
}

static void
folded_walk_init(struct folded_walk *walk, struct profile *profile)
{
	*walk = (struct folded_walk){.profile = profile};
	begin_walk(walk);
}

static void
folded_walk_release(struct folded_walk *walk)
{
	text_map_release(&walk->names);
	free(walk->steps);
	*walk = (struct folded_walk){0};
}

static bool
differ_32(const char *a, const char *b)
{
	return ((text_load_word(a) ^ text_load_word(b)) |
		       (text_load_word(a + 8) ^ text_load_word(b + 8)) |
		       (text_load_word(a + 16) ^ text_load_word(b + 16)) |
		       (text_load_word(a + 24) ^ text_load_word(b + 24))) != 0;
}

/* How many bytes two texts start with in common. */
static size_t
common_bytes(struct line a, struct line b)
{
	size_t limit = a.len < b.len ? a.len : b.len;
	size_t same = 0;

	while (same + 32 <= limit && !differ_32(a.at + same, b.at + same))
		same += 32;
	while (same + 8 <= limit && text_load_word(a.at + same) == text_load_word(b.at + same))
		same += 8;
	while (same < limit && a.at[same] == b.at[same])
		same++;
	return same;
}

static bool
frame_ends(struct line stack, size_t at)
{
	return at == stack.len || stack.at[at] == ';';
}

/* The offset of the first frame that the two do not share. */
static size_t
find_apart(struct line stack, struct line previous)
{
	size_t same = common_bytes(stack, previous);

	/* A frame is shared only if it ends there in both. */
	if (same > 0 && frame_ends(stack, same) && frame_ends(previous, same))
		return same + 1;
	const char *semicolon = memrchr(stack.at, ';', same);

	return semicolon ? (size_t)(semicolon - stack.at) + 1 : 0;
}

static bool
makes_guesses(const struct folded_walk *walk)
{
	return walk->guesses * 2 >= GUESSES_MAX;
}

/* Notes the frame that followed another, and whether it is the one that followed last time. */
static void
note_next(struct folded_walk *walk, struct text_entry *before, struct text_entry *entry)
{
	if (before->next != entry) {
		before->next = entry;
		walk->guesses -= walk->guesses > 0;
	} else {
		walk->guesses += walk->guesses < GUESSES_MAX;
	}
}

/* The frame at `at`, if it is the one that followed `before` last time; NULL if not. */
static struct text_entry *
guess_name(const char *at, size_t room, const struct text_entry *before)
{
	struct text_entry *guess = before->next;

	if (guess && text_entry_starts(guess, at, room) &&
		(guess->len == room || at[guess->len] == ';'))
		return guess;
	return NULL;
}

/* Enters the frame `entry`, which ends at `end`. */
static void
enter_frame(struct folded_walk *walk, struct text_entry *entry, size_t end)
{
	const struct folded_step *before = &walk->steps[walk->nsteps - 1];
	const struct folded_step step = {
		.end = end,
		.node = ctree_child(&walk->profile->tree, before->node, entry->value),
		.entry = entry,
	};

	note_next(walk, before->entry, entry);
	take_step(walk, &step);
}

/*
 * Enters at most `limit` of the frames from byte `at` of the stack on, and returns where the next
 * one begins. Memory for their look-ups is prefetched for all of them first.
 */
static size_t
enter_names(struct folded_walk *walk, struct line stack, size_t at, size_t limit)
{
	struct text_key keys[KEYS_MAX];
	size_t nkeys = 0;

	while (at < stack.len && nkeys < limit) {
		const char *name = stack.at + at;
		const char *semicolon = memchr(name, ';', stack.len - at);
		size_t len = semicolon ? (size_t)(semicolon - name) : stack.len - at;

		keys[nkeys] = (struct text_key){.text = name, .len = len};
		text_map_prefetch_slot(&walk->names, &keys[nkeys++]);
		at += len + 1;
	}
	for (size_t i = 0; i < nkeys; i++)
		text_map_prefetch_entry(&walk->names, &keys[i]);
	for (size_t i = 0; i < nkeys; i++) {
		const struct text_key *key = &keys[i];
		struct text_entry *entry = text_map_find_key(&walk->names, key);

		if (key->len == 0) /* no frame: the walk stays where it is */
			continue;
		if (!entry)
			entry = text_map_add(&walk->names, key->text, key->len,
				profile_frame_text(walk->profile, key->text, key->len));
		enter_frame(walk, entry, (size_t)(key->text - stack.at) + key->len);
	}
	return at;
}

/*
 * Sets the node of the stack's leaf, the root where it has no frame. False for a stack of more than
 * FOLDED_FRAMES_MAX frames: those from byte *rest on are too many. `stack`, which is without its
 * weights, must stay until the next stack.
 */
static bool
folded_walk_enter(struct folded_walk *walk, struct line stack, node_id *leaf, size_t *rest)
{
	if (text_map_bytes(&walk->names) > NAMES_BYTES_MAX) {
		text_map_release(&walk->names);
		begin_walk(walk);
	}
	size_t at = find_apart(stack, walk->previous);

	walk->previous = stack;
	while (walk->nsteps > 1 && walk->steps[walk->nsteps - 1].end >= at)
		walk->nsteps--;
	/* The first frame that differs is hardly the one that would be guessed: look it up. */
	at = enter_names(walk, stack, at, makes_guesses(walk) ? 1 : KEYS_MAX);
	while (at < stack.len && walk->nsteps <= FOLDED_FRAMES_MAX + 1) {
		struct text_entry *guess = NULL;

		if (makes_guesses(walk))
			guess = guess_name(
				stack.at + at, stack.len - at, walk->steps[walk->nsteps - 1].entry);
		if (guess) {
			enter_frame(walk, guess, at + guess->len);
			at += guess->len + 1;
		} else {
			at = enter_names(walk, stack, at, KEYS_MAX);
		}
	}
	/* The root is no frame. */
	if (walk->nsteps > FOLDED_FRAMES_MAX + 1) {
		*rest = walk->steps[FOLDED_FRAMES_MAX].end + 1;
		return false;
	}
	*leaf = walk->steps[walk->nsteps - 1].node;
	return true;
}

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
	struct folded_header header;
	size_t first_run;
	double *weights; /* of the line; NULL before the first stack */
	double *totals;  /* of the runs */
	bool stacks_begun;
	size_t messages; /* of the tool that wrote the stacks; they are left out */
	bool has_frames; /* a stack of several frames: no other text has that */

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

/* Whether it is surely folded text, and no other lines that end in numbers. */
static bool
is_folded(const struct reader *reader)
{
	return reader->header.has_field || reader->has_frames;
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
		reader->has_frames = true;
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
	if (!is_folded(reader))
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
	if (more == 0 && reader.first_words.text && !is_folded(&reader))
		more = refuse_words(&reader);
	if (more == 0 && !is_folded(&reader))
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
