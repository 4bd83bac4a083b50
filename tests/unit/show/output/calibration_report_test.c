#include "output/calibration_report.h"

#include "gate/advice_bench.h"
#include "profile/counters.h"
#include "spec/workload.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_output_calibration_report(void);

struct told {
	struct advice_bench bench;
	struct machine machine;
	struct calibrated_workload entries[2];
	struct calibration_report report;
	struct workload broken;
	struct buf out;
};

/*
 * A program whose f00, renamed in a hostile way, is never steady; and one that does not run. A
 * counter is judged where `limit` is not NULL.
 */
static void
told_init(struct told *told, const struct counter_limit *limit)
{
	struct synthetic program = synthetic_program(10);

	program.run_noise = 0.002;
	program.noise[0] = 0.3;
	*told = (struct told){.machine = {.cpu_model = "test"}, .broken = {.name = "broken"}};
	advice_bench_init(&told->bench, &program, 20);
	told->bench.paired.policy.functions.fail = 0.2;
	told->bench.paired.policy.total.fail = 0.25;
	told->bench.paired.policy.counters = limit;
	told->bench.paired.policy.ncounters = limit ? 1 : 0;
	for (int side = 0; side < 2; side++) {
		struct profile *profile = &told->bench.paired.pairs.sides[side];
		frame_id frame = profile_frame(profile, "f00", 3, FRAME_USER);

		for (size_t i = 0; i < profile->nruns; i++)
			counter_set(&profile->runs[i], COUNTER_MAX_RSS,
				1e6 * (1 + 0.2 * (double)(i * 7 % 5 + (size_t)side)));
		profile->frames.frames[frame].name =
			strtab_intern_str(&profile->strings, "f*\"<\\\x1b[31m>");
	}
	advice_bench_conclude(&told->bench);
	told->entries[0] = (struct calibrated_workload){
		.workload = &told->bench.paired.workload,
		.judgement = &told->bench.paired.judgement,
		.noise = told->bench.noise,
		.dispersion = told->bench.dispersion,
		.power = told->bench.power,
		.advice = told->bench.advice,
		.rehearsal = &told->bench.tally,
		.gate_runs = 5,
	};
	told->entries[1] = (struct calibrated_workload){
		.workload = &told->broken, .error = "its build failed"};
	told->report = (struct calibration_report){
		.about =
			{
				.tool_version = "0",
				.command = "profile_run calibrate",
				.machine = &told->machine,
				.machine_class = "x86_64-test",
				.event_reason = "",
				.pinning = "",
				.commit = "",
			},
		.seed = 1,
		.workloads = told->entries,
		.nworkloads = 2,
	};
}

static void
told_release(struct told *told)
{
	buf_release(&told->out);
	advice_bench_release(&told->bench);
}

static void
the_console_gets_noise_alarms_power_and_advice(void)
{
	static const char *const parts[] = {
		"CALIBRATED: 1 workload, and 1 could not be measured",
		"work: 20 pairs of one build",
		"noise of whole runs",
		"least steady",
		"verdicts of 100 gates with runs: 5",
		"fail          1.0 % [0.2, 5.4]",
		"They take 6.2 pairs on average.",
		"detectable growth by the most pairs of a gate",
		"whole program",
		"Settings of work, to paste into work.yaml\n    capture: {runs: ",
		"With these settings, growth at every threshold is detectable with",
		"broken: not calibrated\n  its build failed",
	};
	struct told told;

	told_init(&told, NULL);
	calibration_put_text(&told.report, &told.out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		UNIT_CONTAINS(buf_text(&told.out), parts[i]);
	CU_ASSERT_PTR_NULL(strchr(buf_text(&told.out), '\x1b'));
	told_release(&told);
}

static void
too_few_pairs_say_how_many_are_needed(void)
{
	const struct rehearsal rehearsal = {.first = 10};
	struct told told;

	told_init(&told, NULL);
	told.report.rehearsal = &rehearsal;
	told.entries[0].rehearsal = NULL;
	calibration_put_text(&told.report, &told.out);
	UNIT_CONTAINS(buf_text(&told.out),
		"The false-alarm rate needs 10 pairs of each workload: use '--pairs 10'.");
	told_release(&told);
}

static void
the_same_is_there_for_programs(void)
{
	struct told told;

	told_init(&told, NULL);
	calibration_put_json(&told.report, &told.out);
	cJSON *root = cJSON_Parse(buf_text(&told.out));

	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	cJSON *workload = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "workloads"), 0);
	cJSON *noise = cJSON_GetObjectItem(workload, "noise");
	cJSON *subjects = cJSON_GetObjectItem(cJSON_GetObjectItem(workload, "power"), "subjects");

	UNIT_NEAR(cJSON_GetObjectItem(noise, "pairs")->valuedouble, 20, 0);
	CU_ASSERT_EQUAL((size_t)cJSON_GetArraySize(subjects), told.bench.power.nsubjects);
	CU_ASSERT_TRUE(cJSON_IsNull(cJSON_GetObjectItem(noise, "wall_cv")));
	workload = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "workloads"), 1);
	UNIT_STR_EQ(cJSON_GetObjectItem(workload, "error")->valuestring, "its build failed");
	cJSON_Delete(root);
	told_release(&told);
}

/* Pasted below what every workload has, it is read, and names the function. */
static void
the_yaml_can_be_pasted(void)
{
	struct told told;
	struct config config;
	struct workload workload;
	struct err err = {0};
	char path[] = "/tmp/profile_run_yaml_XXXXXX.yaml";
	int fd = mkstemps(path, 5);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	told_init(&told, NULL);
	buf_puts(&told.out, "name: work\nrun: [\"true\"]\n");
	advice_put_yaml(&told.entries[0], 0, &told.out);
	dprintf(fd, "%s", buf_text(&told.out));
	close(fd);
	config_init(&config);
	CU_ASSERT_EQUAL_FATAL(workload_read(&workload, path, &config, &err), 0);
	CU_ASSERT_EQUAL(workload.capture.runs, told.bench.advice.runs);
	CU_ASSERT_EQUAL_FATAL(workload.gate.nrules, 1);
	CU_ASSERT_EQUAL(workload.gate.rules[0].kind, RULE_EACH);
	UNIT_STR_EQ(workload.gate.rules[0].pattern, "f\\*\"<\\\\?\\[31m>");
	UNIT_NEAR(workload.gate.rules[0].threshold.fail, told.bench.advice.rules[0].threshold.fail,
		1e-6);
	workload_release(&workload);
	config_release(&config);
	unlink(path);
	told_release(&told);
}

/* A counter is no function: its threshold is changed where it is set. */
static void
a_counter_gets_no_rule(void)
{
	const struct counter_limit limit = {.name = "max_rss",
		.threshold = {.warn = NAN, .fail = 0.01},
		.max = NAN,
		.file = "work.yaml"};
	struct told told;
	struct buf yaml = {0};

	told_init(&told, &limit);
	calibration_put_text(&told.report, &told.out);
	UNIT_CONTAINS(buf_text(&told.out), "- Counter max_rss: growth is detectable from ");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&told.out), "nan"));
	advice_put_yaml(&told.entries[0], 0, &yaml);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&yaml), "max_rss"));
	UNIT_CONTAINS(buf_text(&yaml), "{each: ");
	/* A counter alone makes no empty list. */
	struct advice *advice = &told.entries[0].advice;

	for (size_t i = 0; i < advice->nrules; i++) {
		if (advice->rules[i].subject->finding->counter)
			advice->rules[0] = advice->rules[i];
	}
	advice->nrules = 1;
	advice->floor = advice->functions.fail = advice->total.fail = NAN;
	buf_clear(&yaml);
	advice_put_yaml(&told.entries[0], 0, &yaml);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&yaml), "gate:"));
	buf_release(&yaml);
	told_release(&told);
}

void
suite_output_calibration_report(void)
{
	static const struct unit_case cases[] = {
		{"the_console_gets_noise_alarms_power_and_advice",
			the_console_gets_noise_alarms_power_and_advice},
		{"too_few_pairs_say_how_many_are_needed", too_few_pairs_say_how_many_are_needed},
		{"the_same_is_there_for_programs", the_same_is_there_for_programs},
		{"the_yaml_can_be_pasted", the_yaml_can_be_pasted},
		{"a_counter_gets_no_rule", a_counter_gets_no_rule},
		{NULL, NULL},
	};

	unit_suite("output/calibration_report", cases);
}
