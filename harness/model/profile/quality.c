#include "profile/quality.h"

#include "base/mem.h"
#include "format/figures.h"

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
/* At most this many files that choose their code by the CPU are named. */
#define CHOOSERS_SHOWN 4

/* Whether a run has too few samples. With a period of 1 every event is recorded, however few. */
static bool
has_few_samples(const struct run *run)
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
	if (has_few_samples(run))
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

/* How to get a better run than this poor one: the end of a message. */
static const char *
remedy_of(const struct run *run)
{
	if (!run->measured)
		return "";
	if (has_few_samples(run))
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
