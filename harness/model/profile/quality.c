#include "profile/quality.h"

#include "base/mem.h"
#include "format/figures.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Higher frequencies add little: starting a process takes longer than their period. */
#define SPARSE_HZ 4999
/* So many files that choose their code by the CPU are named. */
#define CHOOSERS_SHOWN 4

/* With a period of 1 nothing is sampled: few events are all that there were. */
static bool
is_short(const struct run *run)
{
	return run->measured && run->samples < QUALITY_MIN_SAMPLES && run->period != 1;
}

bool
quality_of_run(const struct run *run, char text[QUALITY_TEXT_MAX])
{
	double samples = (double)run->samples;

	text[0] = '\0';
	if (!run->measured)
		return false;
	if (is_short(run))
		snprintf(text, QUALITY_TEXT_MAX, "only %" PRIu64 " samples were taken",
			run->samples);
	else if (run->expected_samples > 0 &&
		 samples < QUALITY_MIN_DELIVERED * run->expected_samples)
		snprintf(text, QUALITY_TEXT_MAX, "only %.0f %% of the expected samples arrived",
			100 * samples / run->expected_samples);
	else if ((double)run->lost > QUALITY_MAX_LOST * samples)
		snprintf(text, QUALITY_TEXT_MAX, "%" PRIu64 " records were lost", run->lost);
	return text[0] != '\0';
}

/* How to get better runs, for a message. */
static const char *
remedy_of(const struct run *run)
{
	if (!run->measured)
		return "";
	if (is_short(run))
		return ": measure longer runs (capture.repeat)";
	return run->lost > 0 || run->throttled > 0
		       ? ": sample less often (capture.frequency)"
		       : ": raise capture.max_runs, so that others replace them";
}

static bool
has_weight(const struct profile *profile, size_t column)
{
	for (size_t node = 0; node < profile->tree.nnodes; node++)
		if (ctree_weight(&profile->tree, column, (node_id)node) > 0)
			return true;
	return false;
}

struct quality_tally
quality_count_poor(const struct profile *profile)
{
	struct quality_tally tally = {.nruns = profile->nruns, .remedy = ""};

	for (size_t i = 0; i < profile->nruns; i++) {
		char text[QUALITY_TEXT_MAX];
		bool is_poor = quality_of_run(&profile->runs[i], text);

		if (!is_poor && !has_weight(profile, i)) {
			is_poor = true;
			snprintf(text, sizeof(text), "it has no samples");
		}
		if (is_poor && tally.npoor++ == 0) {
			memcpy(tally.first, text, sizeof(text));
			tally.remedy = remedy_of(&profile->runs[i]);
		}
	}
	return tally;
}

bool
quality_rejects(const struct quality_tally *tally)
{
	return (double)tally->npoor > QUALITY_MOST_POOR * (double)tally->nruns;
}

/* The reason that samples are missing, as far as the runs tell. */
static void
put_sparse_reason(const struct profile *profile, double missing, double lost, double throttled,
	struct buf *out)
{
	const double hz = profile->frequency_hz;

	if (lost >= missing / 2) {
		format_count(out, lost);
		buf_puts(out, " were lost, as they came faster than they could be written: capture "
			      "with a lower --frequency, or copy less of each stack");
	} else if (throttled > 0) {
		buf_puts(out, "the kernel throttled sampling (");
		format_count(out, throttled);
		buf_puts(out, " times): capture with a lower --frequency");
	} else {
		buf_puts(out, "a process that ends within its first sampling period");
		if (hz > 0) {
			buf_puts(out, ", ");
			format_duration(out, 1 / hz);
			buf_putc(out, ',');
		}
		buf_puts(out, " has no sample, and most of the CPU time was in such");
		if (hz < SPARSE_HZ)
			buf_printf(out, ": capture with --frequency %d", SPARSE_HZ);
	}
}

bool
quality_put_sparse(const struct profile *profile, struct buf *out)
{
	double expected = 0;
	double got = 0;
	double lost = 0;
	double throttled = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		if (!run->measured || !(run->expected_samples > 0))
			continue;
		expected += run->expected_samples;
		got += (double)run->samples;
		lost += (double)run->lost;
		throttled += (double)run->throttled;
	}
	if (got >= QUALITY_SPARSE * expected)
		return false;
	format_count(out, got);
	buf_puts(out, " of ");
	format_count(out, round(expected));
	buf_puts(out, " expected samples (");
	format_percent(out, got / expected);
	buf_puts(out, ") are too few to conclude anything from: ");
	put_sparse_reason(profile, expected - got, lost, throttled, out);
	return true;
}

uint64_t
quality_truncated(const struct run *run)
{
	return run->truncated_stacks < run->broken_stacks ? run->truncated_stacks
							  : run->broken_stacks;
}

struct quality_stacks
quality_count_stacks(const struct profile *profile)
{
	struct quality_stacks stacks = {0};

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];
		uint64_t truncated = quality_truncated(run);

		if (!run->measured)
			continue;
		stacks.samples += run->samples;
		stacks.truncated += truncated;
		stacks.broken += run->broken_stacks - truncated;
	}
	return stacks;
}

bool
quality_limits_frames(const struct profile *profile)
{
	return profile->stack_bytes == 0 &&
	       strcmp(strtab_str(&profile->strings, profile->callgraph), "fp") == 0;
}

/* "(8 KiB) ", where it is known. */
static void
put_copied(const struct profile *profile, struct buf *out)
{
	uint32_t bytes = profile->stack_bytes;

	if (bytes > 0 && bytes % 1024 == 0)
		buf_printf(out, "(%" PRIu32 " KiB) ", bytes / 1024);
	else if (bytes > 0)
		buf_printf(out, "(%" PRIu32 " bytes) ", bytes);
}

void
quality_put_stacks(const struct profile *profile, struct buf *out)
{
	const struct quality_stacks stacks = quality_count_stacks(profile);
	uint64_t incomplete = stacks.truncated + stacks.broken;

	if (incomplete == 0)
		return;
	format_count(out, (double)incomplete);
	buf_puts(out, " of ");
	format_count(out, (double)stacks.samples);
	buf_printf(out, " stacks %s incomplete", incomplete == 1 ? "is" : "are");
	if (stacks.samples >= incomplete) {
		buf_puts(out, " (");
		format_percent(out, (double)incomplete / (double)stacks.samples);
		buf_putc(out, ')');
	}
	buf_puts(out, ": ");
	if (stacks.truncated > 0 && quality_limits_frames(profile)) {
		buf_printf(out,
			"%" PRIu64 " with more frames than the kernel records: raise sysctl "
			"kernel.perf_event_max_stack, or `callgraph: dwarf`",
			stacks.truncated);
	} else if (stacks.truncated > 0) {
		buf_printf(
			out, "%" PRIu64 " because the copied part of the stack ", stacks.truncated);
		put_copied(profile, out);
		buf_puts(out, "was too short: raise `stack:`");
	}
	if (stacks.broken > 0)
		buf_printf(out, "%s%" PRIu64 " broken", stacks.truncated > 0 ? "; " : "",
			stacks.broken);
}

void
quality_put_cpu_choice(const struct profile *profile, struct buf *out)
{
	const char *line = strtab_str(&profile->strings, profile->cpu_choice);
	size_t n = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (n++ < CHOOSERS_SHOWN)
			buf_printf(
				out, "%s%.*s", n > 1 ? ", " : "", (int)strcspn(line, "\n"), line);
	if (n > CHOOSERS_SHOWN)
		buf_printf(out, " and %zu more", n - CHOOSERS_SHOWN);
	if (n > 0)
		buf_printf(out,
			" choose%s code by the CPU (instruction cpuid): counts are of the code for "
			"the CPU that valgrind presents",
			n == 1 ? "s" : "");
}

double
quality_marked_share(const struct profile *profile, const char *mark)
{
	const struct ctree *tree = &profile->tree;
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));
	bool *below = mem_zalloc(tree->nnodes, sizeof(*below));
	double marked = 0;
	double all = 0;

	ctree_sum(tree, 0, tree->ncolumns, weights);
	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		below[i] = i > 0 &&
			   (below[node->parent] ||
				   strcmp(profile_frame_name(profile, node->frame), mark) == 0);
		all += weights[i];
		marked += below[i] ? weights[i] : 0;
	}
	free(below);
	free(weights);
	return all > 0 ? marked / all : 0;
}

#define KINDS (DISTURBANCE_OUTSIDE + 1)
/* So little time may be rounding to ticks, and is not reported. */
#define LEAST_NS 30000000
/* A larger spread of the clocks at the end of runs is reported: largest over smallest, less one. */
#define CLOCK_APART 0.05

/* A smaller share is not reported. */
static const double thresholds[KINDS] = {
	[DISTURBANCE_OTHERS] = 0.03,
	[DISTURBANCE_STEAL] = 0.01,
	[DISTURBANCE_LIMIT] = 0.01,
	[DISTURBANCE_SIBLINGS] = 0.10,
	[DISTURBANCE_OUTSIDE] = 0.50,
};

/* CPU time, summed over so many CPUs. */
struct cpu_time {
	double ns;
	uint32_t cpus;
};

/* The values above the threshold, over all runs. */
struct range {
	size_t runs;
	double low;
	double high;
};

struct seen {
	size_t nruns;
	size_t disturbed;
	struct range kinds[KINDS];
	struct range mhz;
	uint32_t program_cpus;
	uint32_t sibling_cpus;
};

static struct cpu_time
time_of(const struct run *run, enum disturbance kind)
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
	const struct cpu_time time = time_of(run, kind);

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
	const double lost_ns = time_of(run, DISTURBANCE_OTHERS).ns +
			       time_of(run, DISTURBANCE_STEAL).ns +
			       time_of(run, DISTURBANCE_LIMIT).ns;
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

static void
extend(struct range *range, double value)
{
	range->low = range->runs == 0 ? value : fmin(range->low, value);
	range->high = range->runs == 0 ? value : fmax(range->high, value);
	range->runs++;
}

static void
see_run(struct seen *seen, const struct run *run)
{
	bool disturbed = false;

	if (!is_watched(run))
		return;
	seen->nruns++;
	seen->program_cpus = run->program_cpus;
	if (run->sibling_cpus > 0)
		seen->sibling_cpus = run->sibling_cpus;
	for (enum disturbance kind = 0; kind < KINDS; kind++) {
		double share = disturbance_share(run, kind);

		if (!(share >= thresholds[kind]) || time_of(run, kind).ns < LEAST_NS)
			continue;
		extend(&seen->kinds[kind], share);
		disturbed = true;
	}
	seen->disturbed += disturbed;
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
put_disturbed(const struct seen *seen, struct buf *out)
{
	const char *cores = seen->program_cpus > 1 ? "s" : "";
	const char *threads = seen->sibling_cpus > 1 ? "s" : "";
	const char *separator = "";

	buf_printf(out, "%zu of %zu runs %s disturbed: ", seen->disturbed, seen->nruns,
		seen->disturbed == 1 ? "was" : "were");
	for (enum disturbance kind = 0; kind < KINDS; kind++) {
		if (seen->kinds[kind].runs == 0)
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
		put_range(seen, &seen->kinds[kind], out);
		if (kind == DISTURBANCE_OTHERS)
			buf_printf(out, " of the program's CPU%s", cores);
		else if (kind != DISTURBANCE_STEAL && kind != DISTURBANCE_LIMIT)
			buf_puts(out, " busy");
	}
}

void
disturbance_put(const struct profile *profile, struct buf *out)
{
	struct seen seen = {0};

	if (weights_are_counted(profile))
		return;
	for (size_t i = 0; i < profile->nruns; i++)
		see_run(&seen, &profile->runs[i]);
	/* The clock rises in runs that began on an idle CPU; their ends are comparable. */
	bool clock = seen.mhz.runs > 1 && seen.mhz.high > seen.mhz.low * (1 + CLOCK_APART);

	if (seen.disturbed > 0)
		put_disturbed(&seen, out);
	if (clock && seen.disturbed > 0)
		buf_printf(out, "; the clock went from %.1f to %.1f GHz", seen.mhz.low / 1000,
			seen.mhz.high / 1000);
	else if (clock)
		buf_printf(out, "%zu runs ended with a clock of %.1f to %.1f GHz", seen.mhz.runs,
			seen.mhz.low / 1000, seen.mhz.high / 1000);
}
