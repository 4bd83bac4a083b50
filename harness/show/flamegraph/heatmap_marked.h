/*
 * The phases that the program marked itself (capture --phases), for a heat map: a strip above the
 * cells, and a list of them by name.
 */
#ifndef FLAMEGRAPH_HEATMAP_MARKED_H
#define FLAMEGRAPH_HEATMAP_MARKED_H

#include "base/buf.h"
#include "profile/sample_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All phases of a name, inside of the time that is shown. */
struct marked_name {
	str_id name; /* in times->names */
	size_t count;
	uint64_t ns;
};

/* The marked phases of a stretch of time. */
struct heatmap_marked {
	const struct sample_times *times; /* borrowed */
	uint64_t begin_ns;                /* what is shown */
	uint64_t end_ns;
	struct marked_name *names; /* in the order of their first phases; owned */
	size_t count;              /* 0: there are none */
	uint32_t *number_of;       /* by str_id: index of `names`; owned */
};

void heatmap_marked_init(struct heatmap_marked *marked, const struct sample_times *times,
	uint64_t begin_ns, uint64_t end_ns);
void heatmap_marked_release(struct heatmap_marked *marked);

/* The part of a phase that is shown; false: none is. */
bool heatmap_marked_part(const struct heatmap_marked *marked, const struct timed_phase *phase,
	uint64_t *begin_ns, uint64_t *end_ns);

/* Appends "parse: 3 times, 1.20 s". */
void heatmap_marked_put_name(const struct heatmap_marked *marked, size_t i, struct buf *out);
/* Appends "parse, 0 s to 400 ms". */
void heatmap_marked_put_phase(
	const struct heatmap_marked *marked, const struct timed_phase *phase, struct buf *out);

/* Appends the list, as lines of a picture of which the first is at *y, which moves on. */
void heatmap_marked_put_list(const struct heatmap_marked *marked, unsigned *y, struct buf *out);

/* Where the strip is in a picture. */
struct marked_strip {
	double left;
	double ns_px; /* of a ns */
	unsigned top;
	unsigned height;
};

/* Appends the strip. Phases narrower than half a pixel are drawn as far as they do not meet. */
void heatmap_marked_put_strip(
	const struct heatmap_marked *marked, const struct marked_strip *strip, struct buf *out);

#endif
