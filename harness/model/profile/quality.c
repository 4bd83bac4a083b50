#include "profile/quality.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
