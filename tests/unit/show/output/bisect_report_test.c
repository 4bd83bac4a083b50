#include "output/bisect_report.h"

#include "sample.h"

#include <math.h>

void suite_output_bisect_report(void);

#define N 7

struct scene {
	struct bisect_commit commits[N];
	enum bisect_state states[N];
	struct bisect_report report;
};

static struct effect
grown(double change)
{
	struct effect effect;

	effect_clear(&effect);
	effect.tested = true;
	effect.change = change;
	effect.low = change - 0.021;
	effect.high = change + 0.023;
	effect.alpha = 0.05;
	effect.p = effect.p_adjusted = 0.0004;
	effect.detectable = 0.04;
	effect.standard_error = 0.01;
	effect.df = 18;
	return effect;
}

/* The fifth of six is the slow one; whoever wrote it would like to be another. */
static void
scene_init(struct scene *scene)
{
	static const char *const names[N] = {
		"00000000000000000000000000000000000000aa",
		"11111111111111111111111111111111111111aa",
		"22222222222222222222222222222222222222aa",
		"33333333333333333333333333333333333333aa",
		"44444444444444444444444444444444444444aa",
		"55555555555555555555555555555555555555aa",
		"66666666666666666666666666666666666666aa",
	};

	*scene = (struct scene){.states = {BISECT_FAST, BISECT_UNTRIED, BISECT_FAST, BISECT_FAST,
					BISECT_UNTRIED, BISECT_SLOW, BISECT_SLOW}};
	for (size_t i = 0; i < N; i++) {
		scene->commits[i] = (struct bisect_commit){
			.commit = names[i],
			.author = "Ann Author",
			.subject = "parse: a change",
			.authored = 1771200000 + 86400 * (int64_t)i,
			.effect = grown(i < 4 ? 0.004 : 0.312),
		};
	}
	effect_clear(&scene->commits[0].effect);
	effect_clear(&scene->commits[1].effect);
	effect_clear(&scene->commits[4].effect);
	scene->commits[5].author = "\033[31mEve\u202e<b>\r";
	scene->commits[5].subject = "fix\x07 \"quotes\" | `tick` \xff</svg>\t@all";
	scene->states[4] = BISECT_SKIPPED;
	scene->commits[4].reason = "'build of parse in 444444444444' exited with status 1\n"
				   "  | \033[1mno such file";
	scene->report = (struct bisect_report){
		.result = BISECT_RESULT_RANGE,
		.workload = "parse",
		.function = "parse_\033value",
		.tool_version = "1.2.3",
		.commits = scene->commits,
		.states = scene->states,
		.ncommits = N,
		.threshold = 0.1454,
		.effect = grown(0.309),
	};
}

static void
check(const struct scene *scene, const char *name, bool json)
{
	struct buf out = {0};

	if (json)
		bisect_put_json(&scene->report, &out);
	else
		bisect_put_text(&scene->report, &out);
	CU_ASSERT_PTR_NULL(strchr(buf_text(&out), '\033'));
	CU_ASSERT_PTR_NULL(strchr(buf_text(&out), '\r'));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "\u202e"));
	sample_check_golden(name, &out);
	buf_release(&out);
}

static void
a_skipped_commit_leaves_a_range(void)
{
	struct scene scene;

	scene_init(&scene);
	check(&scene, "bisect_range.txt", false);
	check(&scene, "bisect_range.json", true);
}

static void
one_commit_is_found(void)
{
	struct scene scene;

	scene_init(&scene);
	scene.states[4] = BISECT_FAST;
	scene.commits[4].reason = "the same program";
	scene.report.result = BISECT_RESULT_FOUND;
	scene.report.function = NULL;
	check(&scene, "bisect_found.txt", false);
	check(&scene, "bisect_found.json", true);
}

static void
a_merge_and_a_part_of_the_growth_are_told(void)
{
	struct scene scene;

	scene_init(&scene);
	scene.states[4] = BISECT_FAST;
	scene.commits[5].merge = true;
	scene.report.result = BISECT_RESULT_FOUND;
	scene.report.effect = grown(0.08);
	check(&scene, "bisect_merge.txt", false);
}

static void
other_ends_are_told(void)
{
	struct scene scene;

	scene_init(&scene);
	scene.states[4] = BISECT_FAST;
	scene.report.result = BISECT_RESULT_UNCONFIRMED;
	scene.report.effect = grown(0.01);
	check(&scene, "bisect_unconfirmed.txt", false);

	for (size_t i = 1; i < N; i++)
		scene.states[i] = BISECT_UNTRIED;
	scene.report.threshold = NAN;
	effect_clear(&scene.report.effect);
	scene.commits[N - 1].effect = grown(0.002);
	scene.states[N - 1] = BISECT_UNDECIDED;
	scene.report.result = BISECT_RESULT_UNDECIDED;
	check(&scene, "bisect_undecided.txt", false);
	scene.states[N - 1] = BISECT_FAST;
	scene.report.result = BISECT_RESULT_NOT_SLOWER;
	check(&scene, "bisect_not_slower.txt", false);
	check(&scene, "bisect_not_slower.json", true);
}

void
suite_output_bisect_report(void)
{
	static const struct unit_case cases[] = {
		{"a_skipped_commit_leaves_a_range", a_skipped_commit_leaves_a_range},
		{"one_commit_is_found", one_commit_is_found},
		{"a_merge_and_a_part_of_the_growth_are_told",
			a_merge_and_a_part_of_the_growth_are_told},
		{"other_ends_are_told", other_ends_are_told},
		{NULL, NULL},
	};

	unit_suite("output/bisect_report", cases);
}
