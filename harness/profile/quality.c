#include "profile/quality.h"

#include <inttypes.h>
#include <stdio.h>

bool
quality_of_run(const struct run *run, char text[QUALITY_TEXT_MAX])
{
	double samples = (double)run->samples;

	text[0] = '\0';
	if (!run->measured)
		return false;
	if (run->samples < QUALITY_MIN_SAMPLES)
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
