#include "profile/files.h"

#include "base/mem.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_profile_by_file(void);

/* Puts the function at the end of a stack into a file. */
static void
place(struct profile *profile, const char *function, const char *path)
{
	const frame_id id = profile_frame(profile, function, strlen(function), FRAME_USER);

	profile->frames.frames[id].module = strtab_intern_str(&profile->strings, path);
}

static void
fill(struct profile *profile)
{
	static const char text[] = "# runs: 2\n"
				   "app;main 1 2\n"
				   "app;main;parse 10 20\n"
				   "app;main;parse;memcpy_avx2 5 6\n"
				   "app;main;parse.part.0 3 4\n"
				   "app;main;jitted 7 7\n";
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "text", text, strlen(text), &err), 0);
	place(profile, "main", "/srv/tree/bin/app");
	place(profile, "parse", "/srv/tree/bin/app");
	place(profile, "parse.part.0", "/srv/tree/bin/app");
	place(profile, "memcpy_avx2", "/usr/lib/x86_64/libc.so.6");
	profile->runs[0].cost_total = 26;
	profile->runs[1].cost_total = 39;
}

static void
check_text(const struct profile *profile, const char *expected)
{
	struct buf text = {0};

	folded_write(profile, FOLDED_RUNS, &text);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
functions_are_summed_below_their_files(void)
{
	struct profile profile;
	struct profile sums;

	fill(&profile);
	by_file_sum(&sums, &profile, "/srv/tree");
	check_text(&sums, "# runs: 2\n"
			  "[unknown];jitted 7 7\n"
			  "bin/app;main 1 2\n"
			  "bin/app;parse 13 24\n"
			  "libc.so.6;memcpy_avx2 5 6\n");
	profile_release(&sums);
	by_file_sum(&sums, &profile, "/srv/tre");
	check_text(&sums, "# runs: 2\n"
			  "[unknown];jitted 7 7\n"
			  "app;main 1 2\n"
			  "app;parse 13 24\n"
			  "libc.so.6;memcpy_avx2 5 6\n");
	profile_release(&sums);
	profile_release(&profile);
}

static void
what_is_not_kept_costs_nothing(void)
{
	struct profile profile;
	struct profile sums;
	struct profile kept;

	fill(&profile);
	by_file_sum(&sums, &profile, "/srv/tree");
	bool *keep = mem_zalloc(sums.frames.nframes, sizeof(*keep));
	double *weights = by_file_weights(&sums);
	const frame_id libc = profile_frame(&sums, "libc.so.6", 9, FRAME_USER);
	const frame_id app = profile_frame(&sums, "bin/app", 7, FRAME_USER);

	UNIT_NEAR(weights[libc], 11, 0);
	UNIT_NEAR(weights[app], 40, 0);
	keep[app] = true;
	by_file_select(&kept, &sums, keep);
	check_text(&kept, "# runs: 2\n"
			  "bin/app;main 1 2\n"
			  "bin/app;parse 13 24\n");
	UNIT_NEAR(kept.runs[0].cost_total, 14, 1e-12);
	UNIT_NEAR(kept.runs[1].cost_total, 26, 1e-12);
	profile_release(&kept);
	free(weights);
	free(keep);
	profile_release(&sums);
	profile_release(&profile);
}

static const struct unit_case cases[] = {
	{"functions_are_summed_below_their_files", functions_are_summed_below_their_files},
	{"what_is_not_kept_costs_nothing", what_is_not_kept_costs_nothing},
	{NULL, NULL},
};

void
suite_profile_by_file(void)
{
	unit_suite("profile/by_file", cases);
}
