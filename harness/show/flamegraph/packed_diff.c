#include "flamegraph/packed_diff.h"

#include "flamegraph/packed.h"

#include <math.h>
#include <string.h>

/* An error of so much in a change is far below its interval. */
#define RATIO_ERROR 1e-5
#define SMALL_SIZE 1e-3
#define ERROR_OF_HALF 0.002
enum { HAS_RATIO = 1, HAS_SKEW = 2, CHANGE_BITS = 2 };
enum { NO_SELF, SAME_SELF, OTHER_SELF, SELF_BITS = 2 };

/* A change in its packed form. */
struct packed_change {
	uint64_t before;
	uint64_t after;
	uint64_t flags;
};

static struct packed_change
pack_change(const struct flamegraph_sides *sides, const struct flamegraph_change *change,
	const char *class)
{
	static const char *const classes[] = {
		"z", "q", "g1", "g2", "g3", "g4", "s1", "s2", "s3", "s4", "new", "gone"};
	struct packed_change packed = {
		.before = packed_units(change->before, FLAMEGRAPH_PACKED_UNITS),
		.after = packed_units(change->after, FLAMEGRAPH_PACKED_UNITS),
		.flags = change->skew != 0 ? HAS_SKEW : 0,
	};
	const double told = (double)packed.after / sides->drift / (double)packed.before - 1;
	const double of_half =
		change->before < SMALL_SIZE && change->half > 0 ? ERROR_OF_HALF * change->half : 0;
	uint64_t kind = 0;

	while (strcmp(classes[kind], class) != 0)
		kind++;
	packed.flags |= kind << CHANGE_BITS;
	if (isfinite(change->ratio) && !(fabs(told - change->ratio) <= fmax(RATIO_ERROR, of_half)))
		packed.flags |= HAS_RATIO;
	return packed;
}

/* All but the flags. */
static void
put_packed_change(
	const struct packed_change *packed, const struct flamegraph_change *change, struct buf *out)
{
	packed_put(out, packed->before);
	packed_put_signed(out, (int64_t)packed->after - (int64_t)packed->before);
	if (packed->flags & HAS_RATIO)
		packed_put_signed(out, packed_signed_units(change->ratio, 1e6));
	packed_put(out, isfinite(change->half) ? 1 + packed_units(change->half, 1e5) : 0);
	if (packed->flags & HAS_SKEW)
		packed_put_signed(out, packed_signed_units(change->skew, 1e5));
}

/* The width that the costs tell. */
static double
told_width(const struct packed_change *packed, const struct flamegraph_sides *sides)
{
	const double before =
		sides->before.cost > 0 ? (double)packed->before * sides->before.width_scale : 0;
	const double after =
		sides->after.cost > 0 ? (double)packed->after * sides->after.width_scale : 0;

	return fmax(before, after) / FLAMEGRAPH_PACKED_UNITS;
}

void
flamegraph_packed_box(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct flamegraph_box *box, const struct flamegraph_packed_changes *changes)
{
	const double whole = sides->width[CTREE_ROOT] > 0 ? sides->width[CTREE_ROOT] : 1;
	const struct flamegraph_change *total = changes->total;
	const struct flamegraph_change *self = changes->self;
	const char *self_class = flamegraph_change_class(self);

	flamegraph_svg_packed_data(svg, box, whole);
	if (box->gathered > 0)
		return;
	const struct packed_change packed = pack_change(sides, total, changes->class);
	const struct packed_change own = pack_change(sides, self, self_class);
	const unsigned mode =
		flamegraph_change_is_same(total, self) && strcmp(changes->class, self_class) == 0
			? SAME_SELF
		: self->before > 0 || self->after > 0 ? OTHER_SELF
						      : NO_SELF;

	packed_put(&svg->numbers, packed.flags << SELF_BITS | mode);
	put_packed_change(&packed, total, &svg->numbers);
	packed_put_signed(&svg->numbers,
		packed_signed_units((box->width - told_width(&packed, sides)) / whole,
			FLAMEGRAPH_PACKED_UNITS));
	if (mode != OTHER_SELF)
		return;
	packed_put(&svg->numbers, own.flags);
	put_packed_change(&own, self, &svg->numbers);
}
