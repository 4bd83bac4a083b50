#include "profile/disturbance.h"

#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KINDS (DISTURBANCE_OUTSIDE + 1)
/* Less time than this may be rounding to clock ticks, and is not reported. */
#define LEAST_NS 30000000
/* A larger spread of the clock frequencies at the ends of runs (max/min - 1) is reported. */
#define CLOCK_APART 0.05

/* The smallest share of each kind that is reported. */
static const double thresholds[KINDS] = {
	[DISTURBANCE_OTHERS] = 0.03,
	[DISTURBANCE_STEAL] = 0.01,
	[DISTURBANCE_LIMIT] = 0.01,
	[DISTURBANCE_SIBLINGS] = 0.10,
	[DISTURBANCE_OUTSIDE] = 0.50,
};

/* CPU time, summed over `cpus` CPUs. */
struct cpu_time {
	double ns;
	uint32_t cpus;
};

/* The range of the values of all runs that reach the threshold. */
struct range {
	size_t runs;
	double low;
	double high;
};

/* The disturbances of all watched runs. */
struct summary {
	size_t nruns;
	size_t ndisturbed; /* runs with any kind above its threshold */
	struct range kinds[KINDS];
	struct range mhz; /* clock frequency at the end */
	uint32_t program_cpus;
	uint32_t sibling_cpus;
};

/* The CPU time of a run that was disturbed so, over all CPUs that could be. */
static struct cpu_time
disturbed_time(const struct run *run, enum disturbance kind)
{
	switch (kind) {
	case DISTURBANCE_OTHERS:
		return (struct cpu_time){(double)run->others_ns, run->program_cpus};
	case DISTURBANCE_STEAL:
		return (struct cpu_time){(double)run->steal_ns, run->program_cpus};
	case DISTURBANCE_LIMIT:
		return (struct cpu_time){
			fmax(counter_value(run, COUNTER_LIMITED_TIME) * executions_of_run(run), 0),
			run->program_cpus};
	case DISTURBANCE_SIBLINGS:
		return (struct cpu_time){(double)run->sibling_ns, run->sibling_cpus};
	case DISTURBANCE_OUTSIDE:
		return (struct cpu_time){(double)run->outside_ns, run->outside_cpus};
	}
	return (struct cpu_time){0, 0};
}

double
disturbance_share(const struct run *run, enum disturbance kind)
{
	const struct cpu_time time = disturbed_time(run, kind);

	if (time.cpus == 0 || run->wall_ns == 0)
		return NAN;
	return fmin(time.ns / ((double)run->wall_ns * time.cpus), 1);
}

static bool
is_watched(const struct run *run)
{
	return run->measured && run->program_cpus > 0;
}

bool
disturbance_is_of_run(const struct run *run, double share)
{
	const double lost_ns = disturbed_time(run, DISTURBANCE_OTHERS).ns +
			       disturbed_time(run, DISTURBANCE_STEAL).ns +
			       disturbed_time(run, DISTURBANCE_LIMIT).ns;
	const double lost = fmax(disturbance_share(run, DISTURBANCE_OTHERS), 0) +
			    fmax(disturbance_share(run, DISTURBANCE_STEAL), 0) +
			    fmax(disturbance_share(run, DISTURBANCE_LIMIT), 0);

	return is_watched(run) && lost > share && lost_ns >= LEAST_NS;
}

size_t
disturbance_count(const struct profile *profile, double share)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->nruns && !weights_are_counted(profile); i++)
		count += disturbance_is_of_run(&profile->runs[i], share);
	return count;
}

bool
disturbance_is_excluded(const struct profile *profile, double share)
{
	bool known = false;

	for (size_t i = 0; i < profile->nruns; i++)
		known = known || is_watched(&profile->runs[i]);
	return known && disturbance_count(profile, share) == 0;
}

bool
disturbance_is_large(const struct profile *profile, double share)
{
	size_t known = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		known += is_watched(&profile->runs[i]);
	return 2 * disturbance_count(profile, share) > known;
}

/* Extends the range by the value of one more run. */
static void
extend(struct range *range, double value)
{
	range->low = range->runs == 0 ? value : fmin(range->low, value);
	range->high = range->runs == 0 ? value : fmax(range->high, value);
	range->runs++;
}

static void
add_run(struct summary *summary, const struct run *run)
{
	bool disturbed = false;

	if (!is_watched(run))
		return;
	summary->nruns++;
	summary->program_cpus = run->program_cpus;
	if (run->sibling_cpus > 0)
		summary->sibling_cpus = run->sibling_cpus;
	for (enum disturbance kind = 0; kind < KINDS; kind++) {
		double share = disturbance_share(run, kind);

		if (!(share >= thresholds[kind]) || disturbed_time(run, kind).ns < LEAST_NS)
			continue;
		extend(&summary->kinds[kind], share);
		disturbed = true;
	}
	summary->ndisturbed += disturbed;
	if (run->end_mhz > 0)
		extend(&summary->mhz, run->end_mhz);
}

/* "3 to 12 %", or "up to 12 %" where not every disturbed run has it. */
static void
put_range(const struct summary *summary, const struct range *range, struct buf *out)
{
	double low = 100 * range->low;
	double high = 100 * range->high;

	if (range->runs < summary->ndisturbed)
		buf_printf(out, "up to %.0f %%", high);
	else if (round(low) < round(high))
		buf_printf(out, "%.0f to %.0f %%", low, high);
	else
		buf_printf(out, "%.0f %%", high);
}

/* "7 of 20 runs were disturbed: ..." */
static void
put_disturbed(const struct summary *summary, struct buf *out)
{
	const char *cores = summary->program_cpus > 1 ? "s" : "";
	const char *threads = summary->sibling_cpus > 1 ? "s" : "";
	const char *separator = "";

	buf_printf(out, "%zu of %zu runs %s disturbed: ", summary->ndisturbed, summary->nruns,
		summary->ndisturbed == 1 ? "was" : "were");
	for (enum disturbance kind = 0; kind < KINDS; kind++) {
		if (summary->kinds[kind].runs == 0)
			continue;
		buf_puts(out, separator);
		separator = "; ";
		switch (kind) {
		case DISTURBANCE_OTHERS:
			buf_puts(out, "other processes took ");
			break;
		case DISTURBANCE_STEAL:
			buf_puts(out, "the hypervisor took ");
			break;
		case DISTURBANCE_LIMIT:
			buf_puts(out, "the CPU limit of its control group took ");
			break;
		case DISTURBANCE_SIBLINGS:
			buf_printf(out, "the other thread%s of its core%s %s ", threads, cores,
				*threads ? "were" : "was");
			break;
		case DISTURBANCE_OUTSIDE:
			buf_puts(out, "the rest of the machine was ");
			break;
		}
		put_range(summary, &summary->kinds[kind], out);
		if (kind == DISTURBANCE_OTHERS)
			buf_printf(out, " of the program's CPU%s", cores);
		else if (kind != DISTURBANCE_STEAL && kind != DISTURBANCE_LIMIT)
			buf_puts(out, " busy");
	}
}

void
disturbance_put(const struct profile *profile, struct buf *out)
{
	struct summary summary = {0};

	if (weights_are_counted(profile))
		return;
	for (size_t i = 0; i < profile->nruns; i++)
		add_run(&summary, &profile->runs[i]);
	/* The clock rises in runs that began on an idle CPU; their ends are comparable. */
	bool clock = summary.mhz.runs > 1 && summary.mhz.high > summary.mhz.low * (1 + CLOCK_APART);

	if (summary.ndisturbed > 0)
		put_disturbed(&summary, out);
	if (clock && summary.ndisturbed > 0)
		buf_printf(out, "; the clock went from %.1f to %.1f GHz", summary.mhz.low / 1000,
			summary.mhz.high / 1000);
	else if (clock)
		buf_printf(out, "%zu runs ended with a clock of %.1f to %.1f GHz", summary.mhz.runs,
			summary.mhz.low / 1000, summary.mhz.high / 1000);
}
