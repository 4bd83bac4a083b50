#include "analysis/line_map.h"

#include "base/escape.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lcs.h"
#include "base/mem.h"
#include "builds/source_scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Generated sources are large, but no source is larger. */
#define SOURCE_BYTES_MAX ((size_t)64 << 20)
#define TAB_COLUMNS 8

void
source_text_release(struct source_text *source)
{
	free(source->path);
	free(source->starts);
	buf_release(&source->text);
	*source = (struct source_text){0};
}

static void
add_start(struct source_text *source, size_t start)
{
	source->starts = mem_grow(source->starts, &source->starts_capacity, source->nlines + 2,
		sizeof(*source->starts));
	source->starts[source->nlines] = start;
}

static void
find_lines(struct source_text *source)
{
	const char *text = buf_text(&source->text);

	add_start(source, 0);
	for (size_t i = 0; i < source->text.len; i++) {
		if (text[i] == '\n' || i + 1 == source->text.len) {
			source->nlines++;
			add_start(source, i + 1);
		}
	}
}

/* Takes over `path`. A pipe or a device is no source. */
static bool
open_at(struct source_text *source, char *path)
{
	struct err ignored = {0};
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		file_read(path, &source->text, SOURCE_BYTES_MAX, &ignored) < 0) {
		buf_clear(&source->text);
		free(path);
		return false;
	}
	source->path = path;
	source->written_s = st.st_mtim.tv_sec;
	find_lines(source);
	return true;
}

bool
source_text_find(struct source_text *source, const char *path, const char *folder)
{
	*source = (struct source_text){0};
	if (!folder && open_at(source, mem_strdup(path)))
		return true;
	for (const char *end = path; folder && end && *end; end = strchr(end, '/')) {
		while (*end == '/')
			end++;
		if (*end && open_at(source, file_join(folder, end)))
			return true;
	}
	buf_release(&source->text);
	return false;
}

/* Appends the line with its tabs as spaces. */
static void
put_expanded(struct buf *out, const char *text, size_t len)
{
	size_t column = 0;

	for (size_t i = 0; i < len; i++) {
		size_t spaces = text[i] == '\t' ? TAB_COLUMNS - column % TAB_COLUMNS : 0;

		if (spaces == 0)
			buf_putc(out, text[i]);
		buf_printf(out, "%*s", (int)spaces, "");
		column += spaces > 0 ? spaces : ((unsigned char)text[i] & 0xc0) != 0x80;
	}
}

void
source_text_put(const struct source_text *source, uint32_t number, struct buf *out)
{
	struct buf line = {0};

	if (number == 0 || number > source->nlines)
		return;
	const size_t start = source->starts[number - 1];
	const char *text = buf_text(&source->text) + start;
	size_t len = source->starts[number] - start;

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	put_expanded(&line, text, len);
	escape_utf8(out, buf_text(&line), line.len);
	buf_release(&line);
}

/* A line that has this part of what is found again of a changed one is one of its new lines. */
#define PART_OF_SPLIT 0.25
/* In place of more lines than these, nothing is known of a line that cannot be found again. */
#define REPLACED_MOST 200

/* Lines of both files, counted from 0: those from `begin` on, before `end`. */
struct window {
	size_t begin[2]; /* before and after the change */
	size_t end[2];
};

struct comparison_of_lines {
	const struct source_text *texts[2];
	uint64_t *keys[2]; /* by line */
	struct allowance *cells;
	struct line_map *map;
};

/* Words and operators of some lines, as keys. */
struct words {
	uint64_t *keys;
	uint32_t *lines; /* of each */
	size_t count;
	size_t capacity[2];
};

static const char *
text_of_line(const struct source_text *source, size_t line, size_t *len)
{
	*len = source->starts[line + 1] - source->starts[line];
	return buf_text(&source->text) + source->starts[line];
}

static bool
is_space(char c)
{
	return isspace((unsigned char)c) != 0;
}

static uint64_t
key_of_line(const struct source_text *source, size_t line, struct buf *scratch)
{
	size_t len;
	const char *text = text_of_line(source, line, &len);

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
		const char *text = text_of_line(source, line, &len);

		add_words_of_line(words, text, len, (uint32_t)line);
	}
}

static void
words_release(struct words *words)
{
	free(words->keys);
	free(words->lines);
}

/* Where the words of a line, [begin, end), are after the change; `all`: where it is unknown. */
static struct line_range
range_of_words(const uint32_t *of, size_t begin, size_t end, const struct words *after,
	struct line_range all)
{
	struct line_range range = {0, 0};
	size_t found = 0;

	for (size_t i = begin; i < end; i++)
		found += of[i] != LCS_NONE;
	for (size_t i = begin; i < end;) {
		size_t same = 0;
		const uint32_t line = of[i] == LCS_NONE ? 0 : after->lines[of[i]];

		if (of[i] == LCS_NONE) {
			i++;
			continue;
		}
		for (; i < end && (of[i] == LCS_NONE || after->lines[of[i]] == line); i++)
			same += of[i] != LCS_NONE;
		if ((double)same < (double)found * PART_OF_SPLIT)
			continue;
		range.first = range.first == 0 ? line + 1 : range.first;
		range.last = line + 1;
	}
	return range.first > 0 && range.last - range.first < REPLACED_MOST ? range : all;
}

/* Lines that were changed, added or removed in one place. */
static void
map_gap(const struct comparison_of_lines *lines, const struct window *gap)
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
	uint32_t *of = mem_zalloc(before.count + 1, sizeof(*of));

	lcs_pair((struct lcs_keys){before.keys, before.count},
		(struct lcs_keys){after.keys, after.count}, lines->cells, of);
	for (size_t i = 0; i < before.count;) {
		const size_t begin = i;

		while (i < before.count && before.lines[i] == before.lines[begin])
			i++;
		ranges[before.lines[begin]] = range_of_words(of, begin, i, &after, all);
	}
	free(of);
	words_release(&after);
	words_release(&before);
}

/* Pairs lines that are the only ones of their text without a pair: they moved. */
static void
map_moved(const struct comparison_of_lines *lines, const struct window *window, const uint32_t *of)
{
	const size_t counts[2] = {
		window->end[0] - window->begin[0], window->end[1] - window->begin[1]};
	bool *paired = mem_zalloc(counts[1] + 1, sizeof(*paired));
	const uint64_t blank = hash_bytes("", 0);
	struct lcs_occurrences unpaired = {0};

	for (size_t i = 0; i < counts[0]; i++)
		if (of[i] != LCS_NONE)
			paired[of[i]] = true;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < counts[side]; i++) {
			const size_t line = window->begin[side] + i;
			const uint64_t key = lines->keys[side][line];

			if (key != blank && !(side == 0 ? of[i] != LCS_NONE : paired[i]))
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
map_window(const struct comparison_of_lines *lines, const struct window *window)
{
	const size_t count = window->end[0] - window->begin[0];
	const struct lcs_keys from = {lines->keys[0] + window->begin[0], count};
	const struct lcs_keys into = {
		lines->keys[1] + window->begin[1], window->end[1] - window->begin[1]};
	uint32_t *of = mem_zalloc(count + 1, sizeof(*of));
	struct window gap = *window;

	lcs_pair(from, into, lines->cells, of);
	for (size_t i = 0; i <= count; i++) {
		const bool ends = i == count;

		if (!ends && of[i] == LCS_NONE)
			continue;
		gap.end[0] = window->begin[0] + i;
		gap.end[1] = ends ? window->end[1] : window->begin[1] + of[i];
		map_gap(lines, &gap);
		gap.begin[0] = gap.end[0] + 1;
		gap.begin[1] = gap.end[1] + 1;
		if (!ends)
			lines->map->ranges[gap.end[0]] = (struct line_range){
				(uint32_t)gap.end[1] + 1, (uint32_t)gap.end[1] + 1};
	}
	map_moved(lines, window, of);
	free(of);
}

void
line_map_init(struct line_map *map, const struct source_text *before,
	const struct source_text *after, const uint32_t split[2], struct allowance *cells)
{
	struct comparison_of_lines lines = {.texts = {before, after}, .cells = cells, .map = map};
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
