/*
 * The part of a flame graph that only the script reads, and the place of a function in the source.
 */
#include "flamegraph/svg.h"
#include "format/name.h"
#include "format/place.h"

#include <math.h>
#include <string.h>

enum { MODULE, PLACE, FULL_NAME, PARTS };

/* What a tooltip says of a function beside its name, "" where it is not known. */
struct parts {
	struct buf text[PARTS];
};

static void
find_parts(const struct profile *profile, frame_id frame, struct parts *parts)
{
	const struct frame *f = &profile->frames.frames[frame];

	*parts = (struct parts){0};
	if (frame_name_is_mark(profile_frame_name(profile, frame))) {
		buf_puts(&parts->text[PLACE], "stacks that do not reach their outermost frame");
		return;
	}
	buf_puts(&parts->text[MODULE], strtab_str(&profile->strings, f->module));
	place_put(&parts->text[PLACE], strtab_str(&profile->strings, f->file), f->line);
	if (f->full)
		buf_printf(&parts->text[FULL_NAME], "includes %s",
			strtab_str(&profile->strings, f->full));
}

static void
release_parts(struct parts *parts)
{
	for (size_t i = 0; i < PARTS; i++)
		buf_release(&parts->text[i]);
}

void
flamegraph_svg_put_place(const struct flamegraph_svg *svg, frame_id frame, struct buf *out)
{
	struct parts parts;
	bool any = false;

	find_parts(svg->profile, frame, &parts);
	for (size_t i = 0; i < PARTS; i++) {
		const char *text = buf_text(&parts.text[i]);

		if (!*text)
			continue;
		buf_puts(out, any ? "  " : "\n");
		name_put(out, text, strlen(text), svg->name_bytes, &name_picture);
		any = true;
	}
	release_parts(&parts);
}

/* The line of this frame in the data's names, written at its first use. */
static uint32_t
name_line(struct flamegraph_svg *svg, frame_id frame)
{
	const struct profile *profile = svg->profile;
	const char *name = profile_frame_name(profile, frame);
	struct parts parts;
	size_t nparts = 0;

	if (svg->name_lines[frame] > 0)
		return svg->name_lines[frame];
	name_put(&svg->names, name, strlen(name), svg->name_bytes, &name_picture);
	find_parts(profile, frame, &parts);
	for (size_t i = 0; i < PARTS; i++)
		nparts = parts.text[i].len > 0 ? i + 1 : nparts;
	for (size_t i = 0; i < nparts; i++) {
		const char *text = buf_text(&parts.text[i]);

		buf_putc(&svg->names, '\t');
		name_put(&svg->names, text, strlen(text), svg->name_bytes, &name_picture);
	}
	release_parts(&parts);
	buf_putc(&svg->names, '\n');
	svg->name_lines[frame] = svg->nnames++;
	return svg->name_lines[frame];
}

void
flamegraph_svg_data(struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	uint32_t line = 1;

	if (box->gathered > 0)
		line = 0;
	else if (box->node != CTREE_ROOT)
		line = name_line(svg, svg->profile->tree.nodes[box->node].frame);
	if (svg->numbers.len > 0)
		buf_putc(&svg->numbers, '\n');
	buf_put_number(&svg->numbers, box->depth);
	buf_putc(&svg->numbers, ' ');
	buf_put_number(&svg->numbers, line);
}

void
flamegraph_svg_data_number(struct flamegraph_svg *svg, double value)
{
	buf_putc(&svg->numbers, ' ');
	if (value == floor(value) && value >= 0 && value < 1e15)
		buf_put_number(&svg->numbers, value);
	else
		buf_put_short(&svg->numbers, value);
}
