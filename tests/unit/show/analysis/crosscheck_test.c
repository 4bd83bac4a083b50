#include "analysis/crosscheck.h"

#include "profile/folded.h"
#include "unit.h"

#include <math.h>
#include <string.h>

void suite_analysis_crosscheck(void);

/*
 * Reference values: shares of these weights, with the standard error of the difference of two
 * proportions, sqrt(p (1 - p) (1/n1 + 1/n2)) with p over both, worked out with Python's math.
 */
static const char *const texts[] = {
	"app;a 50\napp;b 30\napp;k_[k] 20\n",
	"app;a 120\napp;b 60\napp;k_[k] 20\n",
	"app;a 7000000\napp;b 3000000\n",
	"(program);a 40\n(program);c 10\n",
};

struct measured {
	struct profile profiles[4];
	struct crosscheck crosscheck;
};

static void
place(struct profile *profile, const char *name, const char *module)
{
	frame_id id;

	CU_ASSERT_FATAL(frame_find(&profile->frames,
		strtab_find(&profile->strings, name, strlen(name)), FRAME_USER, &id));
	profile->frames.frames[id].module = strtab_intern_str(&profile->strings, module);
}

static void
measure(struct measured *measured, size_t nsides)
{
	static const char *const tools[] = {"ours", "perf", "callgrind", "gprof"};
	static const enum crosscheck_scope scopes[] = {
		CROSSCHECK_ALL, CROSSCHECK_ALL, CROSSCHECK_USER, CROSSCHECK_PROGRAM};
	struct crosscheck_side sides[4];
	struct err err = {.kind = ERR_NONE};

	for (size_t i = 0; i < 4; i++) {
		struct profile *profile = &measured->profiles[i];

		profile_init(profile);
		CU_ASSERT_EQUAL_FATAL(
			folded_read(profile, "x", texts[i], strlen(texts[i]), &err), 0);
		if (i < 3) {
			place(profile, "a", "/usr/bin/app");
			place(profile, "b", "/usr/lib/libb.so.1");
		}
		sides[i] = (struct crosscheck_side){
			.tool = tools[i],
			.profile = profile,
			.scope = scopes[i],
			.counts = i == 2,
		};
	}
	crosscheck_init(&measured->crosscheck, sides, nsides, "/opt/other/place/app");
}

static void
release(struct measured *measured)
{
	crosscheck_release(&measured->crosscheck);
	for (size_t i = 0; i < 4; i++)
		profile_release(&measured->profiles[i]);
}

static void
test_shares(void)
{
	struct measured measured;
	const struct crosscheck *all = &measured.crosscheck;

	measure(&measured, 4);
	CU_ASSERT_EQUAL_FATAL(all->nfunctions, 4);
	UNIT_STR_EQ(all->functions[0].name, "a");
	UNIT_STR_EQ(all->functions[1].name, "b");
	UNIT_STR_EQ(all->functions[2].name, "k");
	UNIT_STR_EQ(all->functions[3].name, "c");
	CU_ASSERT(all->functions[2].kernel);
	UNIT_NEAR(crosscheck_part(all, 1), 1, 1e-12);
	UNIT_NEAR(crosscheck_part(all, 2), 0.8, 1e-12);
	UNIT_NEAR(crosscheck_part(all, 3), 0.5, 1e-12);
	UNIT_NEAR(crosscheck_share(all, &all->functions[0], 0), 0.5, 1e-12);
	UNIT_NEAR(crosscheck_share(all, &all->functions[0], 1), 0.6, 1e-12);
	UNIT_NEAR(crosscheck_share(all, &all->functions[0], 2), 0.56, 1e-12);
	UNIT_NEAR(crosscheck_share(all, &all->functions[0], 3), 0.4, 1e-12);
	UNIT_NEAR(crosscheck_share(all, &all->functions[3], 0), 0, 0);
	/* Code that a tool does not see has no share, not that of 0. */
	CU_ASSERT(isnan(crosscheck_share(all, &all->functions[2], 2)));
	CU_ASSERT(isnan(crosscheck_share(all, &all->functions[1], 3)));
	release(&measured);
}

static void
test_differences(void)
{
	struct measured measured;
	const struct crosscheck *all = &measured.crosscheck;

	measure(&measured, 4);
	const struct crosscheck_function *a = &all->functions[0];
	const struct crosscheck_difference perf = crosscheck_difference(all, a, 1);
	const struct crosscheck_difference callgrind = crosscheck_difference(all, a, 2);
	const struct crosscheck_difference gprof = crosscheck_difference(all, a, 3);

	UNIT_NEAR(perf.change, 0.1, 1e-12);
	UNIT_NEAR(perf.error, 0.0606907, 1e-6);
	UNIT_NEAR(callgrind.change, 0.06, 1e-12);
	UNIT_NEAR(callgrind.error, 0.0433013, 1e-6);
	UNIT_NEAR(gprof.change, -0.1, 1e-12);
	UNIT_NEAR(gprof.error, 0.03, 1e-6);
	CU_ASSERT(!crosscheck_is_beyond(perf, 1));
	CU_ASSERT(crosscheck_is_beyond(gprof, 1));
	/* The limit is 1.95996 errors for one function, and 2.39398 for three. */
	CU_ASSERT(!crosscheck_is_beyond((struct crosscheck_difference){-1.9599, 1}, 1));
	CU_ASSERT(crosscheck_is_beyond((struct crosscheck_difference){-1.9601, 1}, 1));
	CU_ASSERT(!crosscheck_is_beyond((struct crosscheck_difference){2.3939, 1}, 3));
	CU_ASSERT(crosscheck_is_beyond((struct crosscheck_difference){2.3941, 1}, 3));
	CU_ASSERT(!crosscheck_is_beyond((struct crosscheck_difference){0, 0}, 3));
	CU_ASSERT(isnan(crosscheck_difference(all, &all->functions[2], 2).change));
	release(&measured);
}

static void
test_agreement(void)
{
	struct measured measured;

	measure(&measured, 4);
	struct crosscheck_agreement pair = crosscheck_agree(&measured.crosscheck, 0, 1);

	CU_ASSERT_EQUAL(pair.scope, CROSSCHECK_ALL);
	UNIT_NEAR(pair.overlap, 0.9, 1e-12);
	UNIT_NEAR(pair.expected, 0.936788, 1e-6);
	pair = crosscheck_agree(&measured.crosscheck, 0, 2);
	CU_ASSERT_EQUAL(pair.scope, CROSSCHECK_USER);
	UNIT_NEAR(pair.overlap, 0.925, 1e-12);
	UNIT_NEAR(pair.expected, 0.956813, 1e-6);
	pair = crosscheck_agree(&measured.crosscheck, 2, 3);
	CU_ASSERT_EQUAL(pair.scope, CROSSCHECK_PROGRAM);
	UNIT_NEAR(pair.overlap, 0.8, 1e-12);
	UNIT_NEAR(pair.expected, 0.954865, 1e-6);
	pair = crosscheck_agree(&measured.crosscheck, 3, 2);
	UNIT_NEAR(pair.overlap, 0.8, 1e-12);
	release(&measured);
}

static void
test_nothing_shared(void)
{
	static const char text[] = "p;k_[k] 3\n";
	struct profile profiles[2];
	struct crosscheck crosscheck;
	struct err err = {.kind = ERR_NONE};
	const struct crosscheck_side sides[] = {
		{.tool = "kernel only", .profile = &profiles[0]},
		{.tool = "empty", .profile = &profiles[1], .scope = CROSSCHECK_PROGRAM},
	};

	profile_init(&profiles[0]);
	profile_init(&profiles[1]);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profiles[0], "x", text, strlen(text), &err), 0);
	crosscheck_init(&crosscheck, sides, 2, "p");
	CU_ASSERT(isnan(crosscheck_agree(&crosscheck, 0, 1).overlap));
	UNIT_NEAR(crosscheck_part(&crosscheck, 1), 0, 0);
	crosscheck_release(&crosscheck);
	profile_release(&profiles[0]);
	profile_release(&profiles[1]);
}

static void
test_text(void)
{
	struct measured measured;
	struct buf out = {0};

	measure(&measured, 4);
	crosscheck_write(&measured.crosscheck, 2, &out);
	UNIT_STR_EQ(buf_text(&out),
		"Functions, by their own share\n"
		"  ours    perf   diff   callgrind  diff    gprof   diff   function\n"
		"50.0 %  60.0 %  +10.0      56.0 %  +6.0   40.0 %  -10.0*  a\n"
		"30.0 %  30.0 %   +0.0      24.0 %  -6.0        -          b\n"
		"20.0 %  10.0 %                0 %         10.0 %          and 2 other functions\n"
		"diff: points of difference from ours; *: beyond sampling error (95 %, corrected for 2 functions)\n"
		"callgrind sees only user code: its shares add up to the 80.0 % that ours has there\n"
		"gprof sees only the program's own code: its shares add up to the 50.0 % that ours has there\n"
		"\n"
		"Agreement: the sum of each function's smaller share; expected: with sampling error alone\n"
		"tools             agreement  expected  compared by\n"
		"ours, perf           90.0 %    93.7 %  all code\n"
		"ours, callgrind      92.5 %    95.7 %  user code\n"
		"ours, gprof          80.0 %    95.2 %  the program's own code\n"
		"perf, callgrind      96.7 %    97.2 %  user code\n"
		"perf, gprof          80.0 %    96.8 %  the program's own code\n"
		"callgrind, gprof     80.0 %    95.5 %  the program's own code\n");
	buf_release(&out);
	release(&measured);
}

static const struct unit_case cases[] = {
	{"shares_are_of_what_the_first_tool_sees", test_shares},
	{"differences_have_a_sampling_error", test_differences},
	{"agreement_is_about_code_that_both_see", test_agreement},
	{"nothing_to_compare_is_no_agreement", test_nothing_shared},
	{"the_text_has_the_largest_and_the_rest", test_text},
	{NULL, NULL},
};

void
suite_analysis_crosscheck(void)
{
	unit_suite("analysis/crosscheck", cases);
}
