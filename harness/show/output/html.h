/*
 * Parts of index.html, shared between the page and the sections of its workloads.
 *
 * The body is well-formed XML, too, so that a check finds missing end tags and escapes. Nothing of
 * the page depends on its script or on its style: a server may forbid both. The script creates the
 * elements that need it (buttons that sort and copy); drawings have their colours as attributes,
 * which the style overrides. One of many workloads (REPORT_MANY) has tables that are text without
 * the script, and a coarse picture.
 */
#ifndef OUTPUT_HTML_H
#define OUTPUT_HTML_H

#include "base/buf.h"
#include "flamegraph/flamegraph.h"
#include "output/markup.h"
#include "output/report_view.h"

#include <stddef.h>

/* Text files that the program carries, assembled in by page.S as terminated strings. */
extern const char output_page_css[];
extern const char output_page_js[];

/*
 * All that is ahead of the body: the title, the policy of what the page may load, and the
 * NULL-ended `styles`. The policy has the hashes of these and of the NULL-ended `scripts`, which a
 * browser else refuses.
 */
void html_head(
	const char *title, const char *const *styles, const char *const *scripts, struct buf *out);
/* The scripts, at the end of the body. */
void html_scripts(const char *const *scripts, struct buf *out);

/* Appends `fmt`, each "%s" in it an argument as HTML text, lines kept; no other conversions. */
void html_put(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A function's name, shortened where it would fill the page; verdict.json has it whole. */
void html_name(struct buf *out, const char *name);
/*
 * The subject of a finding or a row, as a link to the workload's picture, which searches for the
 * function and zooms to it; the whole picture for frame 0. `name` is with suffix.
 */
void html_function(
	const struct workload_view *workload, frame_id frame, const char *name, struct buf *out);
/* A rule's functions, as a link to the workload's picture that searches for its pattern. */
void html_pattern(const struct workload_view *workload, const struct gate_rule_spec *rule,
	const char *name, struct buf *out);
/* A place in the source, as a link where `url` is not "". */
void html_place(struct buf *out, const char *place, const char *url);
/* The coloured word of a status. */
void html_status(struct buf *out, enum status status);
/* That of a finding, "accepted" where a waiver or the policy accepts it. */
void html_verdict(struct buf *out, const struct finding *finding);
/* A heading of a table: `class` "" is a column of text, "plain" one that cannot be sorted by. */
struct html_heading {
	const char *text;
	const char *class;
};

/*
 * A table that scrolls by itself where the window is narrow, up to its first row. `caption` is
 * HTML; `label`, plain text, names it among the page's regions; `class` is the table's.
 */
void html_table_begin(struct buf *out, const char *label, const char *caption, const char *class,
	const struct html_heading *headings, size_t nheadings);
void html_table_end(struct buf *out);

/* A table, also as text, of which the page's script makes one. */
struct html_table {
	const char *label;
	const char *caption; /* plain text */
	const char *class;
	const struct html_heading *headings;
	size_t nheadings;
	const char *picture; /* the one that its names are links into; NULL: none */
};

/*
 * Begins it; the caller appends rows, cells and their content as for a table, and html_rows_end(),
 * with what was returned, takes the markup away: cells are separated by tabs, a line break in a
 * cell is two spaces.
 */
size_t html_rows_begin(struct buf *out, const struct html_table *table);
void html_rows_end(struct buf *out, size_t start);

/* A cell that sorts by `value`: last where that is NAN. The caller appends its text and "</td>". */
void html_number_begin(struct buf *out, double value);

/* A command to copy: `options`, quoted already, and the word `argument`; each may be "". */
void html_command(struct buf *out, const char *options, const char *argument);

/* Size of a drawing of dots, one a run, so that noise is visible. */
struct html_dots_size {
	unsigned width_px;
	unsigned band_px; /* height of each side's band */
	bool labelled;    /* the sides are named and the scale is written below */
};

/*
 * Appends two bands, before above after, one dot a run: by cost from left to right, in the order of
 * running from top to bottom, and a line at each side's mean. The scale spans a tenth of the cost
 * at least, so that a small spread looks small. Frame 0 is the whole program. Writes nothing where
 * no cost is known, or none above zero.
 */
void html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out);

/*
 * The same as text, in a row of html_rows_begin(): "before 874 ms to 936 ms, mean 895 ms AAEB;
 * after ...". The letters are the places of the dots, 64 of them from left to right in the order of
 * base64_digits, "." a run whose cost is not known.
 */
void html_dots_text(const struct rows *rows, frame_id frame, enum quantity of, struct buf *out);

/* Appends the bands of html_dots() for a counter, one dot a run. */
void html_counter_dots(const struct judgement *judgement, enum counter_id counter,
	const struct html_dots_size *size, struct buf *out);

/* The distribution of latencies before and after, as a figure; nothing where none are known. */
void html_latency(const struct judgement *judgement, struct buf *out);

/* The pictures of one page, and what they have in common. */
struct html_pictures {
	struct flamegraph_page page;
	size_t max_frames; /* of each */
};

/*
 * The picture is inside the page, so that a copied page shows it; the script zooms it to function
 * `zoom`, if that is not 0. On a workload's own page it has more of the small frames.
 */
void html_picture(const struct workload_view *workload, frame_id zoom,
	struct html_pictures *pictures, struct buf *out);

/* The source lines of a finding's function, folded away; nothing where none are known. */
void html_lines(
	const struct workload_view *workload, const struct finding *finding, struct buf *out);

/* The tables of its functions: those worth a look, and the others folded away. */
void html_functions(const struct workload_view *workload, struct buf *out);

/* Its runs: their problems, the differences between the sides, and a table of every run. */
void html_runs(const struct workload_view *workload, struct buf *out);

#endif
