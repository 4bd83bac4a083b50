#include "analysis/line_map.h"

#include "base/hash.h"
#include "base/lcs.h"
#include "base/mem.h"
#include "builds/source_scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A new line that has this part of the words of a changed line that were found again is part of it.
 */
#define PART_OF_SPLIT 0.25
/* No range is longer than this: the line is then unknown. */
#define REPLACED_MOST 200

/* Lines of both files, counted from 0: those from `begin` on, before `end`. */
struct window {
	size_t begin[2]; /* before and after the change */
	size_t end[2];
};

/* A source file before and after a change. */
struct two_versions {
	const struct source_text *texts[2];
	uint64_t *keys[2]; /* by line */
	struct allowance *cells;
	struct line_map *map;
};

/* The words and operators of some lines, as keys. */
struct words {
	uint64_t *keys;
	uint32_t *lines; /* by word: the line that it is in */
	size_t count;
	size_t capacity[2];
};

static bool
is_space(char c)
{
	return isspace((unsigned char)c) != 0;
}

static uint64_t
key_of_line(const struct source_text *source, size_t line, struct buf *scratch)
{
	size_t len;
	const char *text = source_text_line(source, line, &len);

	buf_clear(scratch);
	for (size_t i = 0; i < len; i++)
		if (!is_space(text[i]))
			buf_putc(scratch, text[i]);
	return hash_bytes(buf_text(scratch), scratch->len);
}

/* free() it. */
static uint64_t *
keys_of_lines(const struct source_text *source)
{
	uint64_t *keys = mem_zalloc(source->nlines + 1, sizeof(*keys));
	struct buf scratch = {0};

	for (size_t i = 0; i < source->nlines; i++)
		keys[i] = key_of_line(source, i, &scratch);
	buf_release(&scratch);
	return keys;
}

static void
add_word(struct words *words, const char *text, size_t len, uint32_t line)
{
	words->keys =
		mem_grow(words->keys, &words->capacity[0], words->count + 1, sizeof(*words->keys));
	words->lines = mem_grow(
		words->lines, &words->capacity[1], words->count + 1, sizeof(*words->lines));
	words->keys[words->count] = hash_bytes(text, len);
	words->lines[words->count++] = line;
}

/* Punctuation is in every line, and says nothing. */
static void
add_words_of_line(struct words *words, const char *text, size_t len, uint32_t line)
{
	for (size_t i = 0; i < len;) {
		size_t end = i + 1;

		while (source_is_word(text[i]) && end < len && source_is_word(text[end]))
			end++;
		if (!is_space(text[i]) && !strchr(";,(){}", text[i]))
			add_word(words, text + i, end - i, line);
		i = end;
	}
}

static void
words_init(struct words *words, const struct source_text *source, size_t begin, size_t end)
{
	*words = (struct words){0};
	for (size_t line = begin; line < end; line++) {
		size_t len;
		const char *text = source_text_line(source, line, &len);

		add_words_of_line(words, text, len, (uint32_t)line);
	}
}

static void
words_release(struct words *words)
{
	free(words->keys);
	free(words->lines);
}

/*
 * Where a changed line went: the range from the first to the last new line that has at least
 * PART_OF_SPLIT of its words, [begin, end), that were found again. `all` where there is none or the
 * range is too long.
 */
static struct line_range
range_of_words(const uint32_t *pair_of, size_t begin, size_t end, const struct words *after,
	struct line_range all)
{
	struct line_range range = {0, 0};
	size_t found = 0;

	for (size_t i = begin; i < end; i++)
		found += pair_of[i] != LCS_NONE;
	for (size_t i = begin; i < end;) {
		size_t same = 0;
		const uint32_t line = pair_of[i] == LCS_NONE ? 0 : after->lines[pair_of[i]];

		if (pair_of[i] == LCS_NONE) {
			i++;
			continue;
		}
		/* All words that landed on one new line. */
		for (; i < end && (pair_of[i] == LCS_NONE || after->lines[pair_of[i]] == line); i++)
			same += pair_of[i] != LCS_NONE;
		if ((double)same < (double)found * PART_OF_SPLIT)
			continue;
		range.first = range.first == 0 ? line + 1 : range.first;
		range.last = line + 1;
	}
	return range.first > 0 && range.last - range.first < REPLACED_MOST ? range : all;
}

/* Lines that were changed, added or removed in one place. */
static void
map_gap(const struct two_versions *lines, const struct window *gap)
{
	const size_t nafter = gap->end[1] - gap->begin[1];
	const struct line_range all =
		nafter == 0 || nafter > REPLACED_MOST
			? (struct line_range){0, 0}
			: (struct line_range){(uint32_t)gap->begin[1] + 1, (uint32_t)gap->end[1]};
	struct line_range *ranges = lines->map->ranges;
	struct words before;
	struct words after;

	if (gap->begin[0] == gap->end[0])
		return;
	for (size_t i = gap->begin[0]; i < gap->end[0]; i++)
		ranges[i] = all;
	if (nafter < 2)
		return;
	words_init(&before, lines->texts[0], gap->begin[0], gap->end[0]);
	words_init(&after, lines->texts[1], gap->begin[1], gap->end[1]);
	uint32_t *pair_of = mem_zalloc(before.count + 1, sizeof(*pair_of));

	lcs_pair((struct lcs_keys){before.keys, before.count},
		(struct lcs_keys){after.keys, after.count}, lines->cells, pair_of);
	for (size_t i = 0; i < before.count;) {
		const size_t begin = i;

		while (i < before.count && before.lines[i] == before.lines[begin])
			i++;
		ranges[before.lines[begin]] = range_of_words(pair_of, begin, i, &after, all);
	}
	free(pair_of);
	words_release(&after);
	words_release(&before);
}

/* Pairs lines that are the only ones of their text without a pair: they moved. */
static void
map_moved(const struct two_versions *lines, const struct window *window, const uint32_t *pair_of)
{
	const size_t counts[2] = {
		window->end[0] - window->begin[0], window->end[1] - window->begin[1]};
	bool *paired = mem_zalloc(counts[1] + 1, sizeof(*paired));
	const uint64_t blank = hash_bytes("", 0);
	struct lcs_occurrences unpaired = {0};

	for (size_t i = 0; i < counts[0]; i++)
		if (pair_of[i] != LCS_NONE)
			paired[pair_of[i]] = true;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < counts[side]; i++) {
			const size_t line = window->begin[side] + i;
			const uint64_t key = lines->keys[side][line];

			if (key != blank && !(side == 0 ? pair_of[i] != LCS_NONE : paired[i]))
				lcs_occurrences_add(&unpaired, side, key, line);
		}
	for (size_t i = 0; i < unpaired.numbers.count; i++) {
		const struct lcs_occurrence *same = &unpaired.list[i];

		if (lcs_occurrence_is_unique(same))
			lines->map->ranges[same->at[0]] =
				(struct line_range){same->at[1] + 1, same->at[1] + 1};
	}
	lcs_occurrences_release(&unpaired);
	free(paired);
}

static void
map_window(const struct two_versions *lines, const struct window *window)
{
	const size_t count = window->end[0] - window->begin[0];
	const struct lcs_keys from = {lines->keys[0] + window->begin[0], count};
	const struct lcs_keys into = {
		lines->keys[1] + window->begin[1], window->end[1] - window->begin[1]};
	uint32_t *pair_of = mem_zalloc(count + 1, sizeof(*pair_of));
	struct window gap = *window;

	lcs_pair(from, into, lines->cells, pair_of);
	for (size_t i = 0; i <= count; i++) {
		const bool ends = i == count;

		if (!ends && pair_of[i] == LCS_NONE)
			continue;
		gap.end[0] = window->begin[0] + i;
		gap.end[1] = ends ? window->end[1] : window->begin[1] + pair_of[i];
		map_gap(lines, &gap);
		gap.begin[0] = gap.end[0] + 1;
		gap.begin[1] = gap.end[1] + 1;
		if (!ends)
			lines->map->ranges[gap.end[0]] = (struct line_range){
				(uint32_t)gap.end[1] + 1, (uint32_t)gap.end[1] + 1};
	}
	map_moved(lines, window, pair_of);
	free(pair_of);
}

void
line_map_init(struct line_map *map, const struct source_text *before,
	const struct source_text *after, const uint32_t split[2], struct allowance *cells)
{
	struct two_versions lines = {.texts = {before, after}, .cells = cells, .map = map};
	const bool splits = split[0] > 0 && split[1] > 0 && split[0] <= before->nlines &&
			    split[1] <= after->nlines;
	const struct window above = {.end = {splits ? split[0] - 1 : 0, splits ? split[1] - 1 : 0}};
	const struct window rest = {
		.begin = {above.end[0], above.end[1]},
		.end = {before->nlines, after->nlines},
	};

	*map = (struct line_map){
		.ranges = mem_zalloc(before->nlines + 1, sizeof(*map->ranges)),
		.count = before->nlines,
	};
	for (size_t i = 0; i < 2; i++)
		lines.keys[i] = keys_of_lines(lines.texts[i]);
	map_window(&lines, &rest);
	map_window(&lines, &above);
	free(lines.keys[0]);
	free(lines.keys[1]);
}

void
line_map_release(struct line_map *map)
{
	free(map->ranges);
	*map = (struct line_map){0};
}

struct line_range
line_map_find(const struct line_map *map, uint32_t line)
{
	return line > 0 && line <= map->count ? map->ranges[line - 1]
					      : (struct line_range){line, line};
}
