/*
 * Flame graphs: a profile, or the difference of two, as one self-contained SVG file.
 */
#ifndef FLAMEGRAPH_FLAMEGRAPH_H
#define FLAMEGRAPH_FLAMEGRAPH_H

#include "base/buf.h"
#include "compare/comparison.h"
#include "compare/coverage.h"
#include "profile/chart.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* The meaning of the colours of a plain flame graph. */
enum flamegraph_colours {
	FLAMEGRAPH_BY_KIND, /* program, library, inlined, just-in-time compiled, kernel */
	FLAMEGRAPH_BY_MODULE,
	FLAMEGRAPH_HOT,         /* red to yellow by name: only tells functions apart */
	FLAMEGRAPH_MONO,        /* greys, as for print */
	FLAMEGRAPH_BY_COVERAGE, /* what workloads reach: options.states */
};

/*
 * The functions that the pictures of a page have in common, each once. In such a page the numbers
 * of differences are short, too: flamegraph/svg.h.
 */
struct flamegraph_page {
	struct strtab functions; /* a line each, with what is known of it */
};

void flamegraph_page_init(struct flamegraph_page *page);
void flamegraph_page_release(struct flamegraph_page *page);
/* Appends the list, an <svg> element that takes no room, ahead of the script. */
void flamegraph_page_put(const struct flamegraph_page *page, struct buf *out);

struct flamegraph_options {
	const char *title;    /* NULL: made from the profile */
	const char *subtitle; /* NULL: none */
	const char *notes;    /* text in the heading; NULL: none */
	const char *unit;     /* what the numbers of a plain picture count; NULL: the profile's */
	enum flamegraph_colours colours; /* of a plain picture */
	/* By frame, of FLAMEGRAPH_BY_COVERAGE: enum coverage_state; borrowed. */
	const unsigned char *states;
	/* Narrower frames are left out; 0: none, but in the whole picture one has 0.1 to be seen.
	 */
	double min_width_px;
	unsigned row_px;   /* height of a frame; 0: 16; a difference has its own */
	unsigned width_px; /* 0: 1200 */
	bool icicle;       /* root at the top */
	bool reversed;     /* the profile was: flamegraph_reverse() */
	bool negate;       /* a difference: hues of growth and shrinking swapped */
	/* A difference: functions to outline, by frame_id of the comparison; borrowed, NULL: none.
	 */
	const bool *judged;
	/* A difference in a page: the function whose caller the script zooms to at first; 0: all.
	 */
	frame_id zoom;
	unsigned max_frames; /* rectangles at most, a note counts the rest; 0: the default */
	/* An <svg> element for an HTML page, without the parts that all pictures share: the page
	   holds each of them once, see flamegraph_page_part(). */
	bool embedded;
	/* The page that an embedded picture shares names with; NULL: its data has whole names. */
	struct flamegraph_page *page;
	/* One of many pictures of a page: without the script, only boxes with a name are drawn. */
	bool coarse;
	bool still; /* a picture only: without the script and what it draws from */
	/* By node, of a plain picture: filled in with the number of the box in the data that has
	   the node's weight, its own or its nearest caller's; borrowed, NULL: not wanted. */
	uint32_t *box_of_node;
};

/*
 * The parts that pictures share, as constant texts: a page's Content-Security-Policy may list their
 * hashes.
 */
enum flamegraph_part {
	FLAMEGRAPH_STYLE,    /* the content of a <style> */
	FLAMEGRAPH_SCRIPT,   /* of a <script>, behind the pictures: it makes all of the page live */
	FLAMEGRAPH_PATTERNS, /* an <svg> element that takes no room; colours refer into it by id */
};

/*
 * A page that embeds pictures holds each part once. The pictures themselves have no ids, so any
 * number of them go into a page. The policy needs only the hashes of style and script.
 */
const char *flamegraph_page_part(enum flamegraph_part part);

/*
 * Appends the flame graph of all runs, summed. Siblings are drawn in the order
 * of their names. Same profile, same bytes, whatever the order in which it was put together.
 */
void flamegraph_write(
	const struct profile *profile, const struct flamegraph_options *options, struct buf *out);

/* No picture is higher; and a deep recursion reversed in full would be the square of its depth. */
#define FLAMEGRAPH_REVERSE_LEVELS 400

/*
 * Reverses every stack, up to so many frames from its end. Stacks that end in the same function are
 * merged, so that a picture shows the callers of hot functions. The weights of the runs stay the
 * same.
 */
void flamegraph_reverse(struct profile *profile);

/*
 * Appends the sandwich of the functions with focus[frame]: all stacks that lead to them above,
 * merged from them to the outermost caller, and all that they call below. Calls within calls of
 * them count once.
 */
void flamegraph_write_sandwich(const struct profile *profile, const bool *focus, const char *name,
	const struct flamegraph_options *options, struct buf *out);

/*
 * Appends a flame chart: x is time, and calls are in the order in which they happened. `thread`
 * names the one that it is of.
 */
void flamegraph_write_chart(const struct chart *chart, const char *thread,
	const struct flamegraph_options *options, struct buf *out);

/*
 * Appends the differential flame graph of both sides of a comparison, normalised to equal totals:
 * what grew, what shrank and what is gone; frames whose change is not significant are neutral.
 * Changes are judged relative to the stable rest of the program where the comparison knows one.
 * Without a budget of the caller's, a picture is kept to about a megabyte.
 */
void flamegraph_write_diff(const struct comparison *comparison,
	const struct flamegraph_options *options, struct buf *out);

/*
 * Appends the fragment of a picture's URL, "#function=NAME": it opens with a search for the
 * function of exactly this name (as in the profile, without suffix), zoomed to its largest frame.
 * Safe in any markup.
 */
void flamegraph_put_fragment(const char *name, struct buf *out);
/* Appends "#search=REGEX": a search for all names that an fnmatch(3) pattern matches. */
void flamegraph_put_pattern_fragment(const char *pattern, struct buf *out);

#endif
