#include "gate/finding_changes.h"

#include "base/mem.h"
#include "code/code_align.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

#define HUNKS_MOST 12
#define HUNK_LINES_MOST 40
#define HUNK_BYTES_MOST 2400
#define HUNKS_BYTES_MOST 9000
#define CODE_LINES_MOST 20
#define NAME_BYTES_MOST 200

void
finding_difference_init(struct finding_difference *difference, const char *commit,
	const struct diff_hunks *hunks, struct source_changes *changes,
	const struct profile *candidate)
{
	struct source_extents *functions = &difference->functions;
	struct buf scratch = {0};

	*difference = (struct finding_difference){.commit = commit, .hunks = hunks};
	if (changes && hunks->count > 0)
		source_changes_extents(changes, candidate, functions);
	difference->names = arena_alloc(
		&difference->arena, (functions->count + 1) * sizeof(*difference->names));
	for (size_t i = 0; i < functions->count; i++) {
		const char *name = profile_frame_name(candidate, functions->all[i].frame);

		canonical_name(name, strlen(name), &scratch);
		difference->names[i] = arena_strdup(&difference->arena, buf_text(&scratch));
	}
	buf_release(&scratch);
}

void
finding_difference_release(struct finding_difference *difference)
{
	free(difference->functions.all);
	arena_release(&difference->arena);
	*difference = (struct finding_difference){0};
}

/*
 * The hunks.
 */

/* A hunk with its place, to be sorted. */
struct placed {
	const struct diff_hunk *hunk;
	enum hunk_place place;
	size_t number;        /* in the difference */
	const char *function; /* borrowed; NULL: not known */
	uint32_t from;        /* the lines that are wanted of it */
	uint32_t to;
};

static bool
overlaps(const struct source_extent *extent, const struct diff_hunk *hunk)
{
	return strcmp(extent->path, hunk->path) == 0 && extent->first <= hunk->last &&
	       extent->last >= hunk->first;
}

static bool
is_named(const struct finding_function *function, frame_id frame, const char *name)
{
	return strcmp(profile_frame_name(&function->comparison->profile, frame), name) == 0;
}

/* What a function is to the finding's, by its stacks and its callees. */
static enum hunk_place
place_of_name(const struct finding_function *function, const char *name)
{
	const struct causes *causes = function->causes;

	if (is_named(function, function->frame, name))
		return HUNK_OWN;
	for (size_t i = 0; causes && i < causes->ncallees; i++)
		if (is_named(function, causes->callees[i].frame, name))
			return HUNK_CALLED;
	for (size_t i = 0; causes && i < causes->nstacks; i++)
		for (size_t k = 0; k < causes->stacks[i].nframes; k++)
			if (is_named(function, causes->stacks[i].frames[k], name))
				return HUNK_CALLER;
	return HUNK_OTHER;
}

/* Takes the function that tells most of the hunk; of equal ones the smallest. */
static void
place_in_functions(struct placed *placed, const struct finding_difference *difference,
	const struct finding_function *function)
{
	uint32_t smallest = UINT32_MAX;

	for (size_t i = 0; i < difference->functions.count; i++) {
		const struct source_extent *extent = &difference->functions.all[i];

		if (!overlaps(extent, placed->hunk))
			continue;
		const enum hunk_place place = place_of_name(function, difference->names[i]);
		const uint32_t size = extent->last - extent->first;

		if (place > placed->place || (place == placed->place && size >= smallest))
			continue;
		placed->place = place;
		placed->function = difference->names[i];
		placed->from = extent->first;
		placed->to = extent->last;
		smallest = size;
	}
}

/* Widens the lines that are wanted of a hunk to those of its lines that have weight. */
static void
place_by_lines(struct placed *placed, const struct finding_line *lines, size_t nlines)
{
	uint32_t first = UINT32_MAX;
	uint32_t last = 0;

	for (size_t i = 0; i < nlines; i++) {
		if (lines[i].line < placed->hunk->first || lines[i].line > placed->hunk->last ||
			strcmp(lines[i].path, placed->hunk->path) != 0)
			continue;
		first = lines[i].line < first ? lines[i].line : first;
		last = lines[i].line > last ? lines[i].line : last;
	}
	if (last == 0 || placed->place == HUNK_OWN)
		return;
	placed->place = HUNK_OWN;
	placed->from = first;
	placed->to = last;
}

static struct placed
place_hunk(const struct finding_difference *difference, size_t number,
	const struct finding_function *function, const struct finding_line *lines, size_t nlines)
{
	const struct diff_hunk *hunk = &difference->hunks->hunks[number];
	struct placed placed = {.hunk = hunk,
		.place = HUNK_OTHER,
		.number = number,
		.from = 1,
		.to = UINT32_MAX / 2};

	place_in_functions(&placed, difference, function);
	place_by_lines(&placed, lines, nlines);
	if (placed.place > HUNK_MARKED && function->marked_path &&
		strcmp(function->marked_path, hunk->path) == 0 &&
		function->marked_line >= hunk->first && function->marked_line <= hunk->last)
		placed.place = HUNK_MARKED;
	return placed;
}

static int
compare_placed(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Keeps a hunk, or a part of it; false: there is no room. */
static bool
keep_hunk(struct report_hunk *kept, const struct placed *placed, size_t room,
	const struct finding_function *function, struct arena *arena)
{
	const bool is_marked =
		function->marked_path && strcmp(function->marked_path, placed->hunk->path) == 0;
	const struct diff_excerpt wanted = {
		.from = placed->from,
		.to = placed->to,
		.near = is_marked ? function->marked_line : 0,
		.most_lines = HUNK_LINES_MOST,
		.most_bytes = room < HUNK_BYTES_MOST ? room : HUNK_BYTES_MOST,
	};
	struct buf text = {0};
	bool cut;
	const uint32_t line = diff_hunk_put(placed->hunk, &wanted, &text, &cut);

	if (text.len > 0)
		*kept = (struct report_hunk){
			.place = placed->place,
			.cut = cut,
			.function = placed->function ? arena_printf(arena, "%.*s", NAME_BYTES_MOST,
							       placed->function)
						     : NULL,
			.path = arena_strdup(arena, placed->hunk->path),
			.line = line,
			.text = arena_dup(arena, buf_text(&text), text.len),
		};
	const bool any = text.len > 0;

	buf_release(&text);
	return any;
}

void
finding_changes_put_hunks(struct report_changes *changes,
	const struct finding_difference *difference, const struct finding_function *function,
	const struct finding_line *lines, size_t nlines, struct arena *arena)
{
	const size_t count = difference->hunks->count;
	struct placed *placed = mem_zalloc(count + 1, sizeof(*placed));
	struct report_hunk *kept = arena_alloc(arena, HUNKS_MOST * sizeof(*kept));
	size_t room = HUNKS_BYTES_MOST;

	changes->kept = true;
	if (count == 0)
		changes->no_hunks =
			difference->commit[0]
				? arena_printf(arena,
					  "git has no difference of tracked files from %.12s, or not that commit",
					  difference->commit)
				: "the commit of the side before is not known";
	for (size_t i = 0; i < count; i++)
		placed[i] = place_hunk(difference, i, function, lines, nlines);
	qsort(placed, count, sizeof(*placed), compare_placed);
	for (size_t i = 0; i < count && changes->nhunks < HUNKS_MOST && room > 0; i++) {
		if (!keep_hunk(&kept[changes->nhunks], &placed[i], room, function, arena))
			break;
		room -= strlen(kept[changes->nhunks++].text);
	}
	changes->hunks = kept;
	changes->hunks_left_out = count - changes->nhunks;
	free(placed);
}

/*
 * The machine code.
 */

/* An instruction that only one side has. */
struct changed_line {
	char sign;
	const char *text;
	double weight; /* of one after */
};

struct changed_code {
	struct changed_line *lines; /* owned; in the order of the code */
	size_t count;
	size_t capacity;
};

static void
add_line(struct changed_code *code, char sign, const char *text, double weight)
{
	code->lines = mem_grow(code->lines, &code->capacity, code->count + 1, sizeof(*code->lines));
	code->lines[code->count++] = (struct changed_line){sign, text, weight};
}

static bool
is_same(const struct annotation_instruction *before, const struct annotation_instruction *after)
{
	return code_align_is_same(&(struct aligned_instruction){before->function, before->text},
		&(struct aligned_instruction){after->function, after->text});
}

/* The weights of the instructions after; free() them. */
static double *
weights_after(const struct annotate_result *result)
{
	double *weights = mem_zalloc(result->code[1].count + 1, sizeof(*weights));

	for (size_t i = 0; i < result->rows.ncells; i++)
		if (result->rows.cells[i].instruction < result->code[1].count)
			weights[result->rows.cells[i].instruction] += result->rows.cells[i].self[1];
	return weights;
}

/* Walks both sides side by side: an instruction before stands ahead of the next pair behind it. */
static void
find_changed(const struct annotate_result *result, struct changed_code *code)
{
	const struct annotate_code *before = &result->code[0];
	const struct annotate_code *after = &result->code[1];
	double *weights = weights_after(result);
	size_t next = 0; /* of the side after */

	for (size_t i = 0; i <= before->count; i++) {
		const bool is_end = i == before->count;
		const size_t pair = is_end ? after->count : before->instructions[i].same;

		if (!is_end && pair >= after->count) {
			add_line(code, '-', before->instructions[i].text, 0);
			continue;
		}
		for (; next < pair; next++)
			add_line(code, '+', after->instructions[next].text, weights[next]);
		if (!is_end && pair == next) {
			if (!is_same(&before->instructions[i], &after->instructions[pair])) {
				add_line(code, '-', before->instructions[i].text, 0);
				add_line(code, '+', after->instructions[pair].text, weights[pair]);
			}
			next++;
		}
	}
	free(weights);
}

/* The index of the first line to keep if there are too many: those with most weight are kept. */
static size_t
heaviest(const struct changed_code *code)
{
	double sum = 0;
	double most = 0;
	size_t begin = 0;

	for (size_t i = 0; i < code->count; i++) {
		sum += code->lines[i].weight;
		if (i >= CODE_LINES_MOST)
			sum -= code->lines[i - CODE_LINES_MOST].weight;
		if (i + 1 >= CODE_LINES_MOST && sum > most) {
			most = sum;
			begin = i + 1 - CODE_LINES_MOST;
		}
	}
	return begin;
}

void
finding_changes_put_code(
	struct report_changes *changes, const struct annotate_result *result, struct arena *arena)
{
	struct changed_code code = {0};
	struct buf text = {0};

	changes->kept = true;
	changes->code = "";
	if (result->annotation.nsides < 2) {
		changes->no_code = "only one side was measured here, and a stored baseline has no "
				   "machine code of the other";
		return;
	}
	if (result->code[0].count == 0 || result->code[1].count == 0) {
		changes->no_code = "the instructions of a side could not be read: no program, no "
				   "symbol, or no disassembler";
		return;
	}
	find_changed(result, &code);
	const size_t begin = heaviest(&code);
	size_t shown = 0;

	for (; shown < CODE_LINES_MOST && begin + shown < code.count; shown++)
		buf_printf(&text, "%c%s\n", code.lines[begin + shown].sign,
			code.lines[begin + shown].text);
	changes->code = arena_dup(arena, buf_text(&text), text.len);
	changes->code_left_out = code.count - shown;
	buf_release(&text);
	free(code.lines);
}
