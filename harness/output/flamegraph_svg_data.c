/*
 * The part of a flame graph that only the script reads, and the place of a function in the source.
 */
#include "output/flamegraph_svg.h"
#include "output/flamegraph_text.h"

#include <math.h>
#include <string.h>

void
flamegraph_svg_put_place(const struct profile *profile, frame_id frame, struct buf *out)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *module = strtab_str(&profile->strings, f->module);
	const char *file = strtab_str(&profile->strings, f->file);

	if (!*module && !*file)
		return;
	buf_putc(out, '\n');
	flamegraph_put_name(out, module, strlen(module));
	buf_puts(out, *module && *file ? "  " : "");
	flamegraph_put_name(out, file, strlen(file));
	if (*file && f->line > 0)
		buf_printf(out, ":%u", f->line);
}

/* The line of this frame in the data's names, written at its first use. */
static uint32_t
name_line(struct flamegraph_svg *svg, frame_id frame)
{
	const struct profile *profile = svg->profile;
	const struct frame *f = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	const char *module = strtab_str(&profile->strings, f->module);
	const char *file = strtab_str(&profile->strings, f->file);

	if (svg->name_lines[frame] > 0)
		return svg->name_lines[frame];
	flamegraph_put_name(&svg->names, name, strlen(name));
	if (*module || *file) {
		buf_putc(&svg->names, '\t');
		flamegraph_put_name(&svg->names, module, strlen(module));
	}
	if (*file) {
		buf_putc(&svg->names, '\t');
		flamegraph_put_name(&svg->names, file, strlen(file));
		if (f->line > 0)
			buf_printf(&svg->names, ":%u", f->line);
	}
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
		buf_printf(&svg->numbers, "%.9g", value);
}
