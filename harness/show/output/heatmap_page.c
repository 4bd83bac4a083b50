#include "output/heatmap_page.h"

#include "base/mem.h"
#include "flamegraph/flamegraph.h"
#include "output/html.h"

#include <stdlib.h>

/* For phases that the program marked: a round can be one. */
#define MARKED_LISTED 40

/* Assembled in by page.S. */
extern const char output_heatmap_css[];
extern const char output_heatmap_js[];

/* A word of a shell's command line. */
static void
put_word(struct buf *out, const char *word)
{
	buf_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *word);
	}
	buf_putc(out, '\'');
}

/* Each phase, which the script makes a button of. */
static void
put_phases(const struct heatmap *heatmap, struct buf *out)
{
	const struct phases *phases = &heatmap->phases;
	struct buf text = {0};

	if (phases->count <= 1)
		return;
	buf_puts(out, "<ol class=\"phases\">\n");
	for (size_t i = 0; i < phases->count; i++) {
		buf_clear(&text);
		phases_put_time(&phases->items[i], &text);
		buf_puts(&text, ": ");
		phases_put(phases, heatmap->profile, i, &text);
		buf_printf(out, "<li data-from=\"%llu\" data-to=\"%llu\">",
			(unsigned long long)phases->items[i].begin_ns,
			(unsigned long long)phases->items[i].end_ns);
		html_name(out, buf_text(&text));
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ol>\n");
	buf_release(&text);
}

/* The phases that the program marked, in their order. */
static void
put_marked(const struct heatmap_marked *marked, struct buf *out)
{
	const struct sample_times *times = marked->times;
	struct buf text = {0};
	size_t count = 0;

	if (marked->count == 0)
		return;
	buf_puts(out, "<p>Phases that the program marked:</p>\n<ul class=\"phases\">\n");
	for (size_t i = 0; i < times->nphases; i++) {
		uint64_t begin_ns;
		uint64_t end_ns;

		if (!heatmap_marked_part(marked, &times->phases[i], &begin_ns, &end_ns) ||
			count++ >= MARKED_LISTED)
			continue;
		buf_clear(&text);
		heatmap_marked_put_phase(marked, &times->phases[i], &text);
		buf_printf(out, "<li data-from=\"%llu\" data-to=\"%llu\">",
			(unsigned long long)begin_ns, (unsigned long long)end_ns);
		html_name(out, buf_text(&text));
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ul>\n");
	if (count > MARKED_LISTED)
		buf_printf(out, "<p>and %zu more phases</p>\n", count - MARKED_LISTED);
	buf_release(&text);
}

static void
put_body(const struct heatmap *heatmap, const char *title, const char *input,
	const struct buf *picture, const uint32_t *box_of_node, struct buf *out)
{
	const struct heatmap_options options = {.title = title, .box_of_node = box_of_node};
	struct buf command = {0};

	buf_puts(out,
		"<body>\n<main id=\"main\">\n<section aria-label=\"Heat map\">\n<p class=\"help\">"
		"Drag over the heat map, or click its first cell and then, with Shift, its last, "
		"to choose a range of time; by keyboard: arrows, with Shift to choose, Escape for "
		"all. The flame graph below is of the range.</p>\n<div class=\"scroll\">\n");
	heatmap_write(heatmap, &options, out);
	buf_puts(out, "</div>\n");
	put_marked(&heatmap->marked, out);
	put_phases(heatmap, out);
	buf_puts(out, "<p class=\"range\" role=\"status\">All of the time is shown.</p>\n");
	buf_puts(&command, "profile_run flamegraph --input ");
	put_word(&command, input);
	html_put(out, "<pre class=\"command\"><code data-command=\"%s\">", buf_text(&command));
	html_put(out, "%s</code></pre>\n</section>\n", buf_text(&command));
	buf_puts(out, "<section aria-label=\"Flame graph of the range\">\n");
	buf_puts(out, flamegraph_page_part(FLAMEGRAPH_PATTERNS));
	buf_puts(out, "<div class=\"scroll\">\n");
	buf_put(out, buf_text(picture), picture->len);
	buf_puts(out, "</div>\n</section>\n</main>\n");
	buf_release(&command);
}

void
heatmap_page_put(
	const struct heatmap *heatmap, const char *title, const char *input, struct buf *out)
{
	const char *const styles[] = {output_page_css, flamegraph_page_part(FLAMEGRAPH_STYLE),
		heatmap_style(), output_heatmap_css, NULL};
	const char *const scripts[] = {
		flamegraph_page_part(FLAMEGRAPH_SCRIPT), output_heatmap_js, NULL};
	uint32_t *box_of_node = mem_zalloc(heatmap->profile->tree.nnodes, sizeof(*box_of_node));
	const struct flamegraph_options options = {
		.title = "Flame graph", .embedded = true, .box_of_node = box_of_node};
	struct buf picture = {0};

	flamegraph_write(heatmap->profile, &options, &picture);
	html_head("Heat map - profile_run", styles, scripts, out);
	put_body(heatmap, title, input, &picture, box_of_node, out);
	html_scripts(scripts, out);
	buf_puts(out, "</body>\n</html>\n");
	buf_release(&picture);
	free(box_of_node);
}
