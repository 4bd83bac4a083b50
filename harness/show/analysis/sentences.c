#include "analysis/sentences.h"

#include "base/unit.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "format/place.h"

#include <stdint.h>
#include <string.h>

#define SENTENCE_NAME_COLUMNS 60
#define SENTENCE_PLACE_COLUMNS 40
#define NAMED_PARTS 3
#define BLANKS " \n\t"

void
analysis_put_styled(struct buf *out, const struct analysis_options *options,
	enum analysis_style style, const char *text)
{
	static const char *const starts[] = {
		[STYLE_PLAIN] = "",
		[STYLE_HEADING] = "\033[1m",
		[STYLE_NAME] = "\033[1m",
		[STYLE_FAINT] = "\033[2m",
		[STYLE_HOT] = "\033[1;31m",
		[STYLE_WARM] = "\033[33m",
	};
	bool styled = options->colour && style != STYLE_PLAIN && *text;

	buf_puts(out, styled ? starts[style] : "");
	buf_puts(out, text);
	buf_puts(out, styled ? "\033[0m" : "");
}

size_t
analysis_columns(const struct analysis_options *options)
{
	return options->columns > 0 ? options->columns : ANALYSIS_COLUMNS;
}

void
analysis_pad(struct buf *out, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		buf_putc(out, ' ');
}

/* Whether it is a unit, whatever stands behind it: "%", "ms),". */
static bool
is_unit(const char *text, size_t len)
{
	static const char *const others[] = {"%", "min", "Hz"};
	const size_t bare = strcspn(text, ",.;:)]");
	const size_t word = bare < len ? bare : len;
	const struct unit *unit = unit_of_setting(text, word);

	if (unit && unit->shown)
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == word && strncmp(text, others[i], word) == 0)
			return true;
	return false;
}

/* For the word that `text` begins with; a number and its unit, "4.1 %", are one. */
static size_t
word_length(const char *text)
{
	const size_t len = strcspn(text, BLANKS);

	if (len == 0 || text[len] != ' ' || text[len - 1] < '0' || text[len - 1] > '9')
		return len;
	const char *next = text + len + 1;
	const size_t next_len = strcspn(next, BLANKS);

	return is_unit(next, next_len) ? len + 1 + next_len : len;
}

void
analysis_wrap(struct buf *out, const char *text, size_t indent, size_t columns, bool whole)
{
	size_t room = columns > indent + 8 ? columns - indent : 8;
	size_t column = 0;
	struct buf word = {0};

	for (const char *at = text; *at;) {
		size_t len = word_length(at);

		if (len > 0) {
			buf_clear(&word);
			name_fit(&word, at, len, whole ? SIZE_MAX : room);
			size_t width = name_columns(buf_text(&word), word.len);

			if (column > 0 && column + 1 + width > room) {
				buf_putc(out, '\n');
				analysis_pad(out, indent);
				column = 0;
			}
			if (column > 0)
				buf_putc(out, ' ');
			buf_puts(out, buf_text(&word));
			column += width + (column > 0);
		}
		at += len + (at[len] != '\0');
	}
	buf_putc(out, '\n');
	buf_release(&word);
}

void
analysis_put_name(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *name = profile_frame_name(profile, frame);

	name_fit(out, name, strlen(name), SENTENCE_NAME_COLUMNS);
	buf_puts(out, frame_kind_suffix(profile->frames.frames[frame].kind));
}

void
analysis_put_function(struct buf *out, const struct profile *profile, frame_id frame)
{
	analysis_put_name(out, profile, frame);
	const struct frame *f = &profile->frames.frames[frame];

	if (f->file == 0)
		return;
	buf_puts(out, " (");
	place_fit(out, strtab_str(&profile->strings, f->file), f->line, SENTENCE_PLACE_COLUMNS);
	buf_putc(out, ')');
}

void
analysis_put_parts(
	struct buf *out, const struct profile *profile, const struct analysis_parts *parts)
{
	const struct function_edge *edges = parts->edges->edges;
	size_t nedges = parts->edges->nedges;
	double named = 0;
	size_t i = 0;

	for (; i < nedges && i < NAMED_PARTS; i++) {
		if (i > 0 && edges[i].weight < parts->least * parts->all)
			break;
		buf_puts(out, i > 0 ? ", " : "");
		format_percent(out, edges[i].weight / parts->all);
		buf_putc(out, ' ');
		if (parts->placed)
			analysis_put_function(out, profile, edges[i].frame);
		else
			analysis_put_name(out, profile, edges[i].frame);
		named += edges[i].weight;
	}
	if (i == nedges || !(named < parts->all))
		return;
	buf_puts(out, ", ");
	format_percent(out, 1 - named / parts->all);
	buf_printf(out, " %zu more", nedges - i);
}

void
analysis_put_share(struct buf *out, const struct analysis_data *data, double weight)
{
	format_percent(out, analysis_share(data, weight));
}
