#include "profile/incomplete.h"

#include "base/mem.h"
#include "format/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Higher frequencies add little: starting a process takes longer than their period. */
#define SPARSE_HZ 4999

/* "4999": the remedy, where the frequency is lower. */
static void
put_frequency(double hz, struct buf *out)
{
	if (hz < SPARSE_HZ)
		buf_printf(out, ": capture with --frequency %d", SPARSE_HZ);
}

/* Appends why samples are missing, as far as the runs tell, and what to do about it. */
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
		put_frequency(hz, out);
	}
}

/* The same of files, which do not state the CPU time, by what ended without a sample. */
static bool
put_unsampled(const struct profile *profile, struct buf *out)
{
	const double most = profile->unsampled_most;
	double got = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		if (!profile->runs[i].measured)
			got += (double)profile->runs[i].samples;
	if (!(most > 0) || got >= INCOMPLETE_SPARSE * (got + most))
		return false;
	format_plural(out, (uint64_t)got, "sample is", "samples are");
	buf_puts(out, " too few to conclude anything from: ");
	format_plural(out, profile->unsampled_tasks, "process or thread", "processes and threads");
	buf_puts(out, " ended without one, which may have used the CPU time of ");
	format_plural(out, (uint64_t)ceil(most), "more", "more");
	put_frequency(profile->frequency_hz, out);
	return true;
}

bool
incomplete_put_sparse(const struct profile *profile, struct buf *out)
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
	if (!(expected > 0))
		return put_unsampled(profile, out);
	if (got >= INCOMPLETE_SPARSE * expected)
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
incomplete_truncated(const struct run *run)
{
	return run->truncated_stacks < run->broken_stacks ? run->truncated_stacks
							  : run->broken_stacks;
}

struct incomplete_stacks
incomplete_count_stacks(const struct profile *profile)
{
	struct incomplete_stacks stacks = {0};

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];
		uint64_t truncated = incomplete_truncated(run);

		if (!run->measured)
			continue;
		stacks.samples += run->samples;
		stacks.truncated += truncated;
		stacks.broken += run->broken_stacks - truncated;
	}
	return stacks;
}

bool
incomplete_limits_frames(const struct profile *profile)
{
	return profile->stack_bytes == 0 &&
	       strcmp(strtab_str(&profile->strings, profile->callgraph), "fp") == 0;
}

/* Appends how much of each stack was copied, "(8 KiB) "; nothing where that is not known. */
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
incomplete_put_stacks(const struct profile *profile, struct buf *out)
{
	const struct incomplete_stacks stacks = incomplete_count_stacks(profile);
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
	if (stacks.truncated > 0 && incomplete_limits_frames(profile)) {
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

double
incomplete_marked_share(const struct profile *profile, const char *mark)
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
