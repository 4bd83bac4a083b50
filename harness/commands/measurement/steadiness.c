#include "measurement/steadiness.h"

#include "base/buf.h"
#include "compare/phases.h"
#include "format/figures.h"
#include "profile/sample_times.h"
#include "profile/weights.h"

#include <math.h>

/* The smallest parts of the weight that are reported. */
#define STARTUP_TOLD 0.05
#define END_TOLD 0.10
#define NS_PER_MS 1e6

/* Appends "450ms": the time rounded up to two digits. */
static void
put_skip(double ns, struct buf *out)
{
	const double ms = ns / NS_PER_MS;
	const double digit = fmax(1, pow(10, floor(log10(ms)) - 1));

	buf_printf(out, "%.0fms", ceil(ms / digit) * digit);
}

static void
put_share(const struct profile *profile, double share, frame_id function, double function_share,
	struct buf *out)
{
	format_percent(out, share);
	buf_printf(out, " of the %s, ", weights_noun(profile));
	format_percent(out, function_share);
	buf_puts(out, " of that in ");
	profile_put_frame(profile, function, out);
}

void
steadiness_put(const struct profile *profile, const struct sample_times *times, double skipped_s,
	struct buf *out)
{
	struct phases phases;

	phases_find(&phases, profile, times);
	if (phases.startup > 0 && phases_startup_share(&phases) >= STARTUP_TOLD) {
		const struct phase *first = &phases.items[0];
		const double ns = (double)phases_startup_ns(&phases);

		buf_puts(out, "the first ");
		format_duration(out, ns / 1e9);
		buf_puts(out, " of a run are start-up (");
		put_share(profile, phases_startup_share(&phases), first->function,
			first->function_share, out);
		buf_puts(out, "); `capture: {skip: ");
		put_skip(skipped_s * 1e9 + ns, out);
		buf_puts(out, "}` leaves it out");
	}
	if (phases.ends_otherwise) {
		const struct phase *last = &phases.items[phases.count - 1];
		const double share = phases.weight > 0 ? last->weight / phases.weight : 0;

		if (share >= END_TOLD) {
			buf_puts(out, out->len > 0 ? "; " : "");
			buf_puts(out, "from ");
			format_duration(out, (double)last->begin_ns / 1e9);
			buf_puts(out, " on a run does other work (");
			put_share(profile, share, last->function, last->function_share, out);
			buf_puts(out,
				"): it is not steady; measure the parts as their own workloads");
		}
	}
	phases_release(&phases);
}
