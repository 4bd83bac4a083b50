#include "flamegraph/heatmap_marked.h"

#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
#define LINE_PX 17
#define NAMES_LISTED 8
#define SQUARE_PX 11
/* For assets/heatmap.css: m0 and so on. */
#define COLOURS 6
#define LEAST_PX 0.5
#define CHARACTER_PX 7.5
/* A name is written where so many characters of it have room. */
#define CHARACTERS_MIN 4
#define MARKED_NAME_BYTES 120
#define NONE UINT32_MAX

bool
heatmap_marked_part(const struct heatmap_marked *marked, const struct timed_phase *phase,
	uint64_t *begin_ns, uint64_t *end_ns)
{
	*begin_ns = phase->begin_ns > marked->begin_ns ? phase->begin_ns : marked->begin_ns;
	*end_ns = phase->end_ns < marked->end_ns ? phase->end_ns : marked->end_ns;
	return *begin_ns < *end_ns;
}

void
heatmap_marked_init(struct heatmap_marked *marked, const struct sample_times *times,
	uint64_t begin_ns, uint64_t end_ns)
{
	const size_t nnames = times->names.nentries;
	uint64_t begin;
	uint64_t end;

	*marked = (struct heatmap_marked){
		.times = times,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.names = mem_zalloc(nnames + 1, sizeof(*marked->names)),
		.number_of = mem_zalloc(nnames + 1, sizeof(*marked->number_of)),
	};
	for (size_t i = 0; i < nnames; i++)
		marked->number_of[i] = NONE;
	for (size_t i = 0; i < times->nphases; i++) {
		const struct timed_phase *phase = &times->phases[i];

		if (!heatmap_marked_part(marked, phase, &begin, &end))
			continue;
		uint32_t *number = &marked->number_of[phase->name];

		if (*number == NONE) {
			*number = (uint32_t)marked->count;
			marked->names[marked->count++].name = phase->name;
		}
		marked->names[*number].count++;
		marked->names[*number].ns += end - begin;
	}
}

void
heatmap_marked_release(struct heatmap_marked *marked)
{
	free(marked->names);
	free(marked->number_of);
	*marked = (struct heatmap_marked){.count = 0};
}

void
heatmap_marked_put_name(const struct heatmap_marked *marked, size_t i, struct buf *out)
{
	const struct marked_name *name = &marked->names[i];

	buf_puts(out, strtab_str(&marked->times->names, name->name));
	if (name->count == 1)
		buf_puts(out, ": once, ");
	else
		buf_printf(out, ": %zu times, ", name->count);
	format_duration(out, (double)name->ns / NS_PER_S);
}

void
heatmap_marked_put_phase(
	const struct heatmap_marked *marked, const struct timed_phase *phase, struct buf *out)
{
	uint64_t begin_ns;
	uint64_t end_ns;

	heatmap_marked_part(marked, phase, &begin_ns, &end_ns);
	buf_puts(out, strtab_str(&marked->times->names, phase->name));
	buf_puts(out, ", ");
	format_duration(out, (double)begin_ns / NS_PER_S);
	buf_puts(out, " to ");
	format_duration(out, (double)end_ns / NS_PER_S);
}

static void
put_label(const struct buf *text, unsigned x, unsigned y, size_t room, struct buf *out)
{
	struct buf shown = {0};

	name_put(&shown, buf_text(text), text->len, room, &name_picture);
	buf_printf(
		out, "<text class=\"quiet\" x=\"%u\" y=\"%u\">%s</text>\n", x, y, buf_text(&shown));
	buf_release(&shown);
}

void
heatmap_marked_put_list(const struct heatmap_marked *marked, unsigned *y, struct buf *out)
{
	struct buf text = {0};

	if (marked->count == 0)
		return;
	buf_puts(out, "<g class=\"marked\">\n");
	buf_puts(&text, "Phases that the program marked:");
	put_label(&text, 12, *y, MARKED_NAME_BYTES, out);
	*y += LINE_PX;
	for (size_t i = 0; i < marked->count && i < NAMES_LISTED; i++, *y += LINE_PX) {
		buf_clear(&text);
		heatmap_marked_put_name(marked, i, &text);
		buf_printf(out, "<path class=\"m%zu\" d=\"M12 %uh%dv%dh-%dz\"/>", i % COLOURS,
			*y - SQUARE_PX + 1, SQUARE_PX, SQUARE_PX, SQUARE_PX);
		put_label(&text, 12 + SQUARE_PX + 6, *y, MARKED_NAME_BYTES, out);
	}
	if (marked->count > NAMES_LISTED) {
		buf_clear(&text);
		buf_printf(&text, "and %zu more", marked->count - NAMES_LISTED);
		put_label(&text, 12, *y, MARKED_NAME_BYTES, out);
		*y += LINE_PX;
	}
	buf_puts(out, "</g>\n");
	buf_release(&text);
}

static void
put_phase(const struct heatmap_marked *marked, const struct marked_strip *strip,
	const struct timed_phase *phase, double left, double right, struct buf *out)
{
	const char *name = strtab_str(&marked->times->names, phase->name);
	const double characters = (right - left - 8) / CHARACTER_PX;
	struct buf text = {0};

	buf_printf(out, "<path class=\"m%u\" d=\"M%.2f %uh%.2fv%uh%.2fz\"><title>",
		(unsigned)(marked->number_of[phase->name] % COLOURS), left, strip->top,
		right - left, strip->height, left - right);
	heatmap_marked_put_phase(marked, phase, &text);
	name_put(out, buf_text(&text), text.len, MARKED_NAME_BYTES, &name_picture);
	buf_puts(out, "</title></path>");
	buf_release(&text);
	if (characters >= CHARACTERS_MIN) {
		buf_printf(out, "<text x=\"%.2f\" y=\"%u\">", left + 4,
			strip->top + strip->height - 3);
		name_put(out, name, strlen(name), (size_t)characters, &name_picture);
		buf_puts(out, "</text>");
	}
	buf_putc(out, '\n');
}

void
heatmap_marked_put_strip(
	const struct heatmap_marked *marked, const struct marked_strip *strip, struct buf *out)
{
	double drawn_px = strip->left;
	uint64_t begin_ns;
	uint64_t end_ns;

	if (marked->count == 0)
		return;
	buf_puts(out, "<g class=\"strip marked\">\n");
	for (size_t i = 0; i < marked->times->nphases; i++) {
		const struct timed_phase *phase = &marked->times->phases[i];

		if (!heatmap_marked_part(marked, phase, &begin_ns, &end_ns))
			continue;
		const double left =
			strip->left + (double)(begin_ns - marked->begin_ns) * strip->ns_px;
		double right = strip->left + (double)(end_ns - marked->begin_ns) * strip->ns_px;

		if (right - left < LEAST_PX)
			right = left + LEAST_PX;
		if (right - drawn_px < LEAST_PX)
			continue;
		put_phase(marked, strip, phase, left, right, out);
		drawn_px = right;
	}
	buf_puts(out, "</g>\n");
}
