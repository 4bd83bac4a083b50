/*
 * The costs of one function in a callgrind file by source line.
 */
#include "base/lines.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest_internal.h"
#include "profile/line_weights.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As far as the text alone shows: of separated callers, only the innermost. */
static bool
is_wanted(struct callgrind_lines *lines, str_id function)
{
	const str_id leaf = callgrind_names_leaf(lines->names, function);

	return strcmp(strtab_str(&lines->names->texts, leaf), lines->weights->function) == 0;
}

void
callgrind_lines_begin(struct callgrind_lines *lines)
{
	*lines = (struct callgrind_lines){.weights = lines->weights, .names = lines->names};
}

void
callgrind_lines_position(
	struct callgrind_lines *lines, const struct callgrind_line *line, str_id id)
{
	if (!lines->weights || line->place != CALLGRIND_HERE)
		return;
	if (line->names == CALLGRIND_SOURCE) {
		lines->file = id;
		if (line->begins_function)
			lines->function_file = id;
	} else if (line->names == CALLGRIND_FUNCTION) {
		lines->inside = is_wanted(lines, id);
		lines->file = lines->function_file;
	}
}

void
callgrind_lines_move(
	struct callgrind_lines *lines, const struct callgrind_part *part, struct line text)
{
	struct line word = {0};
	char digits[32];

	if (!lines->weights || part->line_position == SIZE_MAX)
		return;
	for (size_t i = 0; i <= part->line_position; i++)
		words_take(&text, &word);
	if (word.len == 0 || word.len >= sizeof(digits) || *word.at == '*')
		return;
	memcpy(digits, word.at, word.len);
	digits[word.len] = '\0';
	const uint64_t number = strtoull(digits + (*digits == '+' || *digits == '-'), NULL, 0);

	lines->line = *digits == '+'   ? lines->line + number
		      : *digits == '-' ? lines->line - number
				       : number;
}

void
callgrind_lines_add(struct callgrind_lines *lines, double cost, str_id callee)
{
	if (!lines->weights)
		return;
	if (!callee)
		lines->weights->whole += cost;
	/* A function's call of itself is in its cost already. */
	if (!lines->inside || (callee && is_wanted(lines, callee)))
		return;
	const bool known = lines->line <= UINT32_MAX;
	const struct line_place place = {
		.file = lines->file ? strtab_str(&lines->names->texts, lines->file) : NULL,
		.line = known ? (uint32_t)lines->line : 0,
	};

	line_weights_begin(lines->weights, 0);
	line_weights_add(lines->weights, &place, cost, !callee);
}
