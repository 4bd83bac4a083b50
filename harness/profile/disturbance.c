#include "profile/disturbance.h"

#include <math.h>
#include <stdbool.h>

/* What goes beyond its threshold, over all runs. */
struct range {
	size_t runs;
	double low;
	double high;
};

struct seen {
	size_t nruns;
	size_t disturbed;
	struct range others;
	struct range steal;
	struct range siblings;
	struct range outside;
	struct range mhz;
	uint32_t program_cpus;
	uint32_t sibling_cpus;
};

static double
share(uint64_t ns, uint32_t cpus, uint64_t wall_ns)
{
	if (cpus == 0 || wall_ns == 0)
		return NAN;
	return fmin((double)ns / ((double)wall_ns * cpus), 1);
}

struct disturbance
disturbance_of_run(const struct run *run)
{
	return (struct disturbance){
		.others = share(run->others_ns, run->program_cpus, run->wall_ns),
		.steal = share(run->steal_ns, run->program_cpus, run->wall_ns),
		.siblings = share(run->sibling_ns, run->sibling_cpus, run->wall_ns),
		.outside = share(run->outside_ns, run->outside_cpus, run->wall_ns),
	};
}

static void
extend(struct range *range, double value)
{
	range->low = range->runs == 0 ? value : fmin(range->low, value);
	range->high = range->runs == 0 ? value : fmax(range->high, value);
	range->runs++;
}

/* True, and the range has it, if it is worth telling. */
static bool
note(struct range *range, double value, double threshold, uint64_t ns)
{
	if (!(value >= threshold) || ns < DISTURBANCE_LEAST_NS)
		return false;
	extend(range, value);
	return true;
}

static void
see_run(struct seen *seen, const struct run *run)
{
	const struct disturbance disturbance = disturbance_of_run(run);

	if (!run->measured || run->program_cpus == 0)
		return;
	seen->nruns++;
	seen->program_cpus = run->program_cpus;
	if (run->sibling_cpus > 0)
		seen->sibling_cpus = run->sibling_cpus;
	bool others = note(&seen->others, disturbance.others, DISTURBANCE_OTHERS, run->others_ns);
	bool steal = note(&seen->steal, disturbance.steal, DISTURBANCE_STEAL, run->steal_ns);
	bool siblings =
		note(&seen->siblings, disturbance.siblings, DISTURBANCE_SIBLINGS, run->sibling_ns);
	bool outside =
		note(&seen->outside, disturbance.outside, DISTURBANCE_OUTSIDE, run->outside_ns);

	seen->disturbed += others || steal || siblings || outside;
	if (run->end_mhz > 0)
		extend(&seen->mhz, run->end_mhz);
}

/* "3 to 12 %", or "up to 12 %" where not every disturbed run has it. */
static void
put_range(const struct seen *seen, const struct range *range, struct buf *out)
{
	double low = 100 * range->low;
	double high = 100 * range->high;

	if (range->runs < seen->disturbed)
		buf_printf(out, "up to %.0f %%", high);
	else if (round(low) < round(high))
		buf_printf(out, "%.0f to %.0f %%", low, high);
	else
		buf_printf(out, "%.0f %%", high);
}

static void
put_next(struct buf *out, size_t start)
{
	if (out->len > start)
		buf_puts(out, "; ");
}

static void
put_disturbed(const struct seen *seen, struct buf *out)
{
	buf_printf(out, "%zu of %zu runs %s disturbed: ", seen->disturbed, seen->nruns,
		seen->disturbed == 1 ? "was" : "were");
	size_t start = out->len;

	if (seen->others.runs > 0) {
		buf_puts(out, "other processes took ");
		put_range(seen, &seen->others, out);
		buf_printf(out, " of the program's CPU%s", seen->program_cpus > 1 ? "s" : "");
	}
	if (seen->steal.runs > 0) {
		put_next(out, start);
		buf_puts(out, "the hypervisor took ");
		put_range(seen, &seen->steal, out);
	}
	if (seen->siblings.runs > 0) {
		put_next(out, start);
		buf_printf(out, "the other thread%s of its core%s ",
			seen->sibling_cpus > 1 ? "s" : "", seen->program_cpus > 1 ? "s" : "");
		buf_puts(out, seen->sibling_cpus > 1 ? "were " : "was ");
		put_range(seen, &seen->siblings, out);
		buf_puts(out, " busy");
	}
	if (seen->outside.runs > 0) {
		put_next(out, start);
		buf_puts(out, "the rest of the machine was ");
		put_range(seen, &seen->outside, out);
		buf_puts(out, " busy");
	}
}

void
disturbance_put(const struct profile *profile, struct buf *out)
{
	struct seen seen = {0};

	for (size_t i = 0; i < profile->nruns; i++)
		see_run(&seen, &profile->runs[i]);
	/* Of runs that began on an idle CPU the clock rises; where they end tells them apart. */
	bool clock = seen.mhz.runs > 1 && seen.mhz.high > seen.mhz.low * (1 + DISTURBANCE_CLOCK);

	if (seen.disturbed > 0)
		put_disturbed(&seen, out);
	if (clock && seen.disturbed > 0)
		buf_printf(out, "; the clock went from %.1f to %.1f GHz", seen.mhz.low / 1000,
			seen.mhz.high / 1000);
	else if (clock)
		buf_printf(out, "%zu runs ended with a clock of %.1f to %.1f GHz", seen.mhz.runs,
			seen.mhz.low / 1000, seen.mhz.high / 1000);
}
