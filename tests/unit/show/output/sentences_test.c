/*
 * All sentences that a finding, its evidence and advice can have, each once, from fixed numbers:
 * tests/golden/output/sentences.txt is where the wording is reviewed.
 */
#include "gate/judge_bench.h"
#include "output/calibration_report.h"
#include "output/cause_text.h"
#include "output/sample.h"
#include "output/scene.h"
#include "unit.h"

#include <math.h>

void suite_output_sentences(void);

static void
put_thresholds(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nGrowth, by its threshold\n");
	scene_end(scene_begin(&scene, 0.301, STATUS_FAIL), out);
	scene_begin(&scene, 0.45, STATUS_FAIL);
	scene.all.before_share = 0.026;
	scene.test.limits.asked = 0.01 / 0.026;
	scene_end(&scene, out);
	scene_begin(&scene, 0.45, STATUS_FAIL);
	scene.test.limits.asked = 0.40;
	scene_end(&scene, out);
	scene_end(scene_begin(&scene, 0.02, STATUS_PASS), out);
	scene_begin(&scene, 0.02, STATUS_PASS);
	scene.test.limits.asked = NAN;
	scene_end(&scene, out);
}

static void
put_stages(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nGrowth, measured again\n");
	scene_begin(&scene, 0.301, STATUS_FAIL);
	scene_confirm(&scene, 0.301, 0.001);
	scene_end(&scene, out);
	scene_begin(&scene, 0.301, STATUS_PASS);
	scene_confirm(&scene, 0.011, 0.6);
	scene_end(&scene, out);
	scene_begin(&scene, 0.301, STATUS_WARN);
	scene_confirm(&scene, 0.121, 0.001);
	scene_end(&scene, out);
	scene_begin(&scene, 0.301, STATUS_WARN);
	scene_confirm(&scene, 0.161, 0.001);
	scene_end(&scene, out);
	scene_begin(&scene, 0.301, STATUS_INCONCLUSIVE);
	scene.test.flagged = scene.test.decision.unconfirmed = true;
	scene_end(&scene, out);
}

static void
put_warnings(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nGrowth that warns by its runs\n");
	scene_end(scene_begin(&scene, 0.11, STATUS_WARN), out);
	scene_end(scene_begin(&scene, 0.161, STATUS_WARN), out);
	scene_begin(&scene, 0.161, STATUS_WARN);
	scene.all.spread = 0.028;
	scene_end(&scene, out);
	scene_begin(&scene, 0.161, STATUS_WARN);
	scene.judgement.criteria.two_stages = true;
	scene_end(&scene, out);
}

static void
put_instructions(struct buf *out)
{
	const struct counted_work work = {.change = 0.2, .same_code = true};
	const enum status decided[] = {STATUS_FAIL, STATUS_WARN, STATUS_PASS};
	struct instruction_counts counts = {0};
	struct scene scene;

	buf_puts(out, "\nGrowth that counted instructions decide, or do not\n");
	for (size_t i = 0; i < 3; i++) {
		scene_begin(&scene, 0.02, decided[i]);
		scene.test.evidence.work = &work;
		scene.test.decision.by_instructions = true;
		scene_end(&scene, out);
	}
	scene_begin(&scene, 0.2, STATUS_FAIL);
	scene.judgement.criteria.two_stages = true;
	scene.test.flagged = true;
	scene.test.evidence.work = &work;
	scene.test.decision.by_instructions = true;
	scene_end(&scene, out);
	scene_begin(&scene, 0.02, STATUS_INCONCLUSIVE);
	scene.test.decision.more_runs = INFINITY;
	scene.judgement.input.instructions = &counts;
	scene_end(&scene, out);
}

static void
put_undecided(struct buf *out)
{
	struct scene scene;
	struct test failed = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "other");

	failed.decision.status = STATUS_FAIL;
	buf_puts(out, "\nGrowth that is undecided, and what to do\n");
	scene_begin(&scene, 0.161, STATUS_INCONCLUSIVE);
	scene.test.decision.more_runs = 12;
	scene_end(&scene, out);
	scene_begin(&scene, 0.161, STATUS_INCONCLUSIVE);
	scene.all.p = 0.2;
	scene.test.decision.more_runs = INFINITY;
	scene_end(&scene, out);
	scene_begin(&scene, 0.161, STATUS_INCONCLUSIVE);
	scene.all.p = 0.2;
	scene.test.decision.more_runs = INFINITY;
	scene.judgement.criteria.most_changed = 0.072;
	scene_end(&scene, out);
	scene_begin(&scene, 0.03, STATUS_INCONCLUSIVE);
	scene.judgement.criteria.adds_before = true;
	scene.test.decision.more_runs = INFINITY;
	scene_end(&scene, out);
	scene_begin(&scene, 0.03, STATUS_INCONCLUSIVE);
	scene.test.decision.more_runs = 12;
	scene.judgement.input.may_confirm = true;
	scene.judgement.tests = &failed;
	scene.judgement.ntests = 1;
	scene_end(&scene, out);
}

/* By the side that was disturbed, and where load does not explain the growth. */
static void
put_load(struct buf *out)
{
	struct scene scene;

	for (int after = 0; after < 2; after++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.test.decision.weakness = WEAKNESS_DISTURBED;
		scene.test.decision.status = STATUS_INCONCLUSIVE;
		scene.judgement.criteria.disturbed_before = true;
		scene.judgement.criteria.disturbed_after = after;
		scene_end(&scene, out);
	}
	for (enum load_weighed load = LOAD_BEFORE; load <= LOAD_EXCEEDED; load++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.test.decision.load = load;
		scene.test.load.spread = 0.021;
		scene_end(&scene, out);
	}
}

static void
put_weaknesses(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nGrowth that is believed less than its runs say\n");
	for (enum weakness weakness = WEAKNESS_MOVED; weakness <= WEAKNESS_OTHER_BUILD;
		weakness++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.test.decision.weakness = weakness;
		scene.test.decision.status =
			weakness == WEAKNESS_DISTURBED ? STATUS_INCONCLUSIVE : STATUS_WARN;
		scene.judgement.criteria.disturbed_after = true;
		scene_end(&scene, out);
	}
	put_load(out);
	scene_begin(&scene, 0.301, STATUS_FAIL);
	scene.test.decision.weakness = WEAKNESS_DISTURBED;
	scene.test.decision.status = STATUS_INCONCLUSIVE;
	scene.judgement.criteria.spread = (struct run_spread){.before = 0.018, .after = 0.121};
	scene_end(&scene, out);
	scene_begin(&scene, 0.301, STATUS_FAIL);
	scene.test.decision.doubted = true;
	scene.test.decision.status = STATUS_INCONCLUSIVE;
	scene_end(&scene, out);
	for (int warns = 0; warns < 2; warns++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.test.decision.weakness = warns ? WEAKNESS_LAYOUT : WEAKNESS_NONE;
		scene.test.decision.status = warns ? STATUS_WARN : STATUS_FAIL;
		scene.causes.same_file = "libz.so.1";
		scene.test.evidence.causes = &scene.causes;
		scene_end(&scene, out);
	}
	scene_begin(&scene, 0.301, STATUS_FAIL);
	scene.test.rule = FINDING_TOTAL;
	scene.judgement.comparison.mode = COMPARISON_STORED;
	scene.judgement.comparison.model.machine_speed = 1.27;
	scene_end(&scene, out);
}

static void
put_policies(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nGrowth that a policy or a waiver is about\n");
	for (enum policy_action action = POLICY_PASS; action <= POLICY_WARN; action++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.judgement.criteria.regression = action;
		scene.test.decision.status = action == POLICY_PASS ? STATUS_PASS : STATUS_WARN;
		scene_end(&scene, out);
	}
	for (enum waiver_use use = WAIVER_ACCEPTS; use <= WAIVER_EXPIRED; use++) {
		scene_begin(&scene, 0.301, STATUS_FAIL);
		scene.waiver = (struct waiver){.owner = "ana@example.org",
			.last_day = "2027-01-14",
			.max_effect = use == WAIVER_EXCEEDED ? 0.25 : 0.35,
			.reason = "checks that were missing"};
		scene.test.evidence.waiver = &scene.waiver;
		scene.test.evidence.waiver_use = use;
		if (use == WAIVER_ACCEPTS)
			scene.test.decision.status = STATUS_PASS;
		scene_end(&scene, out);
	}
}

/* No growth: of this kind, in a rule. */
static struct scene *
scene_of(struct scene *scene, enum test_kind kind, enum finding_rule rule, enum status status)
{
	scene_begin(scene, 0.3, status);
	scene->test.kind = kind;
	scene->test.rule = rule;
	scene->test.worth = 0.124;
	scene->all.tested = false;
	return scene;
}

static void
put_untested(struct buf *out)
{
	struct scene scene;

	buf_puts(out, "\nFunctions that have no growth to be tested\n");
	scene_end(scene_of(&scene, TEST_NEW, FINDING_FUNCTIONS, STATUS_WARN), out);
	scene_end(scene_of(&scene, TEST_NEW, FINDING_NAMED, STATUS_WARN), out);
	for (enum status status = STATUS_PASS; status <= STATUS_WARN; status++) {
		scene_of(&scene, TEST_NEW, FINDING_FUNCTIONS, status);
		scene.test.decision.weakness = WEAKNESS_MOVED;
		scene_end(&scene, out);
	}
	scene_of(&scene, TEST_NEW, FINDING_FUNCTIONS, STATUS_FAIL);
	scene.callers.all = &scene.first;
	scene.test.evidence.callers = &scene.callers;
	scene_end(&scene, out);
	scene_of(&scene, TEST_NEW, FINDING_FUNCTIONS, STATUS_INCONCLUSIVE);
	scene.test.decision.weakness = WEAKNESS_DISTURBED;
	scene.judgement.criteria.disturbed_after = true;
	scene_end(&scene, out);
	scene_end(scene_of(&scene, TEST_GONE, FINDING_FUNCTIONS, STATUS_WARN), out);
	scene_end(scene_of(&scene, TEST_TOO_FEW, FINDING_FUNCTIONS, STATUS_INCONCLUSIVE), out);
	scene_end(scene_of(&scene, TEST_TOO_FEW, FINDING_NAMED, STATUS_INCONCLUSIVE), out);
	scene_end(scene_of(&scene, TEST_TOO_FEW, FINDING_TOTAL, STATUS_INCONCLUSIVE), out);
	scene_end(scene_of(&scene, TEST_NEGLIGIBLE, FINDING_NAMED, STATUS_PASS), out);
}

static void
put_budgets(struct buf *out)
{
	static const double values[][2] = {{NAN, NAN}, {0.31, 0.28}, {0.27, 0.24}, {0.2, 0.18}};
	struct scene scene;

	buf_puts(out, "\nBudgets of a share and of a cost\n");
	for (enum test_kind kind = TEST_SHARE_BUDGET; kind <= TEST_COST_BUDGET; kind++) {
		double unit = kind == TEST_COST_BUDGET ? 100e6 : 1;

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			scene_of(&scene, kind, FINDING_NAMED,
				i == 0   ? STATUS_INCONCLUSIVE
				: i == 1 ? STATUS_FAIL
				: i == 2 ? STATUS_WARN
					 : STATUS_PASS);
			scene.test.budget = (struct budget){.value = unit * values[i][0],
				.least = unit * values[i][1],
				.limit = unit * 0.25};
			scene_end(&scene, out);
		}
	}
}

/* Most runs of the bench are usable, and say so. */
static void
put_once(struct buf *out, const struct finding *finding)
{
	struct buf line = {0};

	buf_printf(&line, "%-12s  %s: %s\n", finding_verdict(finding), finding->subject,
		finding->reason);
	if (!strstr(buf_text(out), buf_text(&line)))
		buf_puts(out, buf_text(&line));
	buf_release(&line);
}

/* What rules without an effect say of the bench, judged. */
static void
put_conditions(struct bench *bench, struct buf *out)
{
	judge(bench);
	const struct verdict *verdict = &bench->judgement.verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->rule == FINDING_MEASUREMENT || finding->rule == FINDING_BASELINE ||
			finding->rule == FINDING_VALIDITY || finding->rule == FINDING_SELF_CHECK ||
			finding->rule == FINDING_WAIVERS)
			put_once(out, finding);
	}
	bench_release(bench);
}

static void
put_baselines(struct buf *out)
{
	static const enum policy_action actions[] = {POLICY_PASS, POLICY_WARN, POLICY_FAIL};
	struct bench bench;

	buf_puts(out, "\nWhat is compared with\n");
	bench_init(&bench, unchanged);
	bench.judgement.input.before = NULL;
	put_conditions(&bench, out);
	for (size_t i = 0; i < 3; i++) {
		bench_init(&bench, unchanged);
		snprintf(bench.baseline.info.machine_class,
			sizeof(bench.baseline.info.machine_class), "x86_64-there");
		bench.judgement.input.baseline_is_of_other_machine = true;
		bench.workload.gate.other_machine = actions[i];
		put_conditions(&bench, out);
	}
	bench_init(&bench, unchanged);
	snprintf(bench.baseline.info.event, sizeof(bench.baseline.info.event), "cycles");
	bench.candidate.event = strtab_intern_str(&bench.candidate.strings, "cpu-clock");
	snprintf(bench.baseline.info.workload_hash, sizeof(bench.baseline.info.workload_hash),
		"1111111111111111");
	snprintf(bench.workload.hash, sizeof(bench.workload.hash), "2222222222222222");
	snprintf(
		bench.baseline.info.program_hash, sizeof(bench.baseline.info.program_hash), "bbbb");
	put_conditions(&bench, out);
	for (enum gate_mode mode = GATE_STORED; mode <= GATE_PAIRED; mode++) {
		bench_init(&bench, unchanged);
		bench.judgement.input.mode = mode;
		bench.judgement.input.program = PROGRAM_SAME;
		put_conditions(&bench, out);
	}
	bench_init(&bench, unchanged);
	bench.judgement.input.candidate = NULL;
	bench.judgement.input.before = NULL;
	bench.judgement.input.not_measured = true;
	put_conditions(&bench, out);
	bench_init(&bench, unchanged);
	bench.judgement.input.candidate = NULL;
	put_conditions(&bench, out);
}

static void
put_validity(struct buf *out)
{
	static const struct sampled few[] = {{"parse", 2, 2}, {NULL, 0, 0}};
	struct bench bench;

	buf_puts(out, "\nRuns\n");
	bench_init(&bench, few);
	put_conditions(&bench, out);
	for (size_t lossy = 1; lossy <= 5; lossy += 4) {
		bench_init(&bench, unchanged);
		for (size_t i = 0; i < lossy; i++)
			bench.candidate.runs[i].expected_samples *= 2;
		put_conditions(&bench, out);
	}
	bench_init(&bench, unchanged);
	profile_release(&bench.candidate);
	profile_init(&bench.candidate);
	add_runs(&bench.candidate, unchanged, true, 1);
	put_conditions(&bench, out);
}

/* Pairs of which the base is compared with itself. */
static void
put_self_checks(struct buf *out)
{
	struct bench bench;

	buf_puts(out, "\nRuns of the base against one another\n");
	for (size_t nruns = 5; nruns <= 8; nruns += 3) {
		bench_init(&bench, unchanged);
		add_runs(&bench.baseline.profile, unchanged, false, nruns - 5);
		add_runs(&bench.candidate, unchanged, true, nruns - 5);
		for (size_t i = 0; i < nruns; i++)
			bench.baseline.profile.runs[i].pair = bench.candidate.runs[i].pair =
				(uint32_t)i + 1;
		bench.judgement.input.mode = GATE_PAIRED;
		bench.workload.gate.self_check = POLICY_WARN;
		put_conditions(&bench, out);
	}
}

static void
put_waivers(struct buf *out)
{
	const struct waiver waivers[] = {
		{.pattern = "scan",
			.workload = "parse",
			.reason = "checks that were missing",
			.owner = "ana@example.org",
			.max_effect = 0.35,
			.expires = 1,
			.kind = RULE_EACH,
			.file = "waivers.yaml",
			.line = 3,
			.last_day = "2026-01-14"},
		{.pattern = "parse",
			.workload = "*",
			.reason = "checks that were missing",
			.owner = "ana@example.org",
			.max_effect = 0.35,
			.expires = INT64_MAX,
			.kind = RULE_EACH,
			.file = "waivers.yaml",
			.line = 9,
			.last_day = "2027-01-14"},
	};
	struct bench bench;

	buf_puts(out, "\nWaivers\n");
	bench_init(&bench, unchanged);
	bench.workload.gate.waivers_list = waivers;
	bench.workload.gate.nwaivers = 2;
	bench.judgement.input.now = 1000;
	put_conditions(&bench, out);
}

static void
put_cause_lines(struct scene *scene, struct buf *out)
{
	struct profile *profile = &scene->judgement.comparison.profile;
	frame_id frame = profile_frame_text(profile, "scan", 4);
	struct cause_lines lines;

	scene->judgement.comparison.self = mem_zalloc(8, sizeof(struct effect));
	scene->judgement.comparison.nframes = 8;
	scene->causes.domain = scene->causes.moved == DOMAIN_FILE ? "/src/scan.c" : "lexer";
	scene->causes.domain_effect = effect_of_change(0.012);
	if (scene->causes.from)
		scene->causes.from = profile_frame_text(profile, "next", 4);
	cause_lines_init(&lines, &scene->judgement.comparison, frame, &scene->causes, 60);
	for (size_t i = 0; i < lines.nlines; i++)
		buf_printf(out, "%-12s  %s\n", lines.lines[i].label, lines.lines[i].text);
	cause_lines_release(&lines);
	free(scene->judgement.comparison.self);
	profile_release(profile);
	verdict_release(&scene->judgement.verdict);
}

static struct scene *
scene_of_cause(struct scene *scene)
{
	scene_begin(scene, 0.3, STATUS_WARN);
	scene->causes.instructions_before = scene->causes.instructions_after = NAN;
	return scene;
}

static void
put_causes(struct buf *out)
{
	static const double after[] = {1e6, 1.3e6, 4.1e6, 0.8e6};
	struct scene scene;

	buf_puts(out, "\nEvidence\n");
	for (enum cause_domain domain = DOMAIN_CALLER; domain <= DOMAIN_NAMES; domain++) {
		scene_of_cause(&scene)->causes.moved = domain;
		scene.causes.from = domain != DOMAIN_NAMES;
		scene.causes.from_gone = domain == DOMAIN_CALLEES || domain == DOMAIN_FILE;
		put_cause_lines(&scene, out);
	}
	for (enum code_state code = CODE_SAME; code <= CODE_NEW; code++) {
		scene_of_cause(&scene)->causes.code = code;
		put_cause_lines(&scene, out);
	}
	scene_of_cause(&scene)->causes.code = CODE_SAME;
	scene.causes.unreachable = true;
	put_cause_lines(&scene, out);
	for (size_t i = 0; i < 4; i++) {
		scene_of_cause(&scene)->causes.instructions_before = 1e6;
		scene.causes.instructions_after = after[i];
		put_cause_lines(&scene, out);
	}
}

static void
put_advice_of(struct calibrated_workload *calibrated, const struct advice *advice, struct buf *out)
{
	calibrated->advice = *advice;
	advice_put_text(calibrated, 0, out);
	advice_put_sentence(calibrated, 0, out);
}

static void
put_advice(struct buf *out)
{
	struct finding finding = finding_of(FINDING_FUNCTIONS, "scan");
	struct power_subject subject = {.finding = &finding, .share = 0.026, .q = 3.1};
	struct advice_rule rule = {.subject = &subject, .threshold = {0.2, 0.3}};
	const struct workload workload = {
		.name = "parse", .capture = {.max_runs = 30}, .gate = {.alpha = 0.05}};
	const struct judgement judgement = {.input.workload = &workload};
	struct calibrated_workload calibrated = {.workload = &workload,
		.judgement = &judgement,
		.gate_runs = 10,
		.noise = {.cpu_s = 0.2},
		.dispersion = {.median = 1.1},
		.power = {.nsubjects = 20}};
	struct advice none = {
		.runs = 10, .total = {NAN, NAN}, .functions = {NAN, NAN}, .floor = NAN};
	struct advice all = {.runs = 16,
		.nopen = 7,
		.nnever = 2,
		.total = {0.03, 0.045},
		.functions = {0.06, 0.09},
		.floor = 0.015,
		.rules = &rule,
		.nrules = 1,
		.source = ADVICE_MIXED,
		.short_runs = true,
		.false_alarms = true};

	buf_puts(out, "\nAdvice of calibrate\n");
	put_advice_of(&calibrated, &none, out);
	none.runs = 8;
	calibrated.dispersion.median = 1.6;
	put_advice_of(&calibrated, &none, out);
	put_advice_of(&calibrated, &all, out);
	all.nnever = 0;
	all.source = ADVICE_RUNS;
	all.short_runs = all.false_alarms = false;
	all.nrules = 0;
	put_advice_of(&calibrated, &all, out);
	none.source = ADVICE_UNKNOWN;
	put_advice_of(&calibrated, &none, out);
}

static void
all_sentences_are_the_golden_ones(void)
{
	struct buf out = {0};

	buf_puts(&out, "All sentences of findings, evidence and advice, from made-up numbers.\n");
	put_thresholds(&out);
	put_stages(&out);
	put_warnings(&out);
	put_undecided(&out);
	put_instructions(&out);
	put_weaknesses(&out);
	put_policies(&out);
	put_untested(&out);
	put_budgets(&out);
	put_baselines(&out);
	put_validity(&out);
	put_self_checks(&out);
	put_waivers(&out);
	put_causes(&out);
	put_advice(&out);
	sample_check_golden("sentences.txt", &out);
	buf_release(&out);
}

void
suite_output_sentences(void)
{
	static const struct unit_case cases[] = {
		{"all_sentences_are_the_golden_ones", all_sentences_are_the_golden_ones},
		{NULL, NULL},
	};

	unit_suite("output/sentences", cases);
}
