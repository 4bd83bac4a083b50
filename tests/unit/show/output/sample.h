/*
 * A report made by hand, for the tests of output/: five workloads, one of each kind of end. The
 * numbers are invented and stay as they are, whatever compare/ and gate/ compute; a hostile sample
 * has names made to break each format.
 */
#ifndef UNIT_OUTPUT_SAMPLE_H
#define UNIT_OUTPUT_SAMPLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/report.h"
#include "profile/counters.h"
#include "profile/function_class.h"
#include "profile/functions.h"
#include "profile/profile.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_UNUSED __attribute__((unused))
#define SAMPLE_WORKLOADS 5
#define SAMPLE_RUNS 3
#define SAMPLE_TEMPLATE_BYTES 65536

struct sample {
	struct report report;
	struct machine machine;
	struct machine other_machine;
	struct report_workload workloads[SAMPLE_WORKLOADS];
	struct judgement judgements[SAMPLE_WORKLOADS];
	struct workload specs[SAMPLE_WORKLOADS];
	struct report_source sources[1];
	struct policy_change changes[3];
	struct report_lines lines; /* of findings[0] */
	struct annotation_entry entries[5];
	struct baseline baseline;
	struct profile candidate;
	struct finding findings[9];
	struct causes causes; /* of findings[0] */
	frame_id frames[8];
	char *template_name;
};

static const char *const sample_hostile[] = {
	"<script>alert(1)</script>",
	"]]><b attr=\"x\" other='y'>&amp;",
	"ring\aand \033[31mred\033[0m and \x7f",
	"broken \xff\xfe\xc3 utf8",
	"right\xe2\x80\xaeto left\xe2\x81\xa6",
	"pipe | star * back ` under_ [link](javascript:x)\nsecond line",
	"${{ secrets.X }} ::error:: `id`",
};

SAMPLE_UNUSED static void
sample_add(struct profile *profile, size_t column, const char *stack, double weight)
{
	node_id node = CTREE_ROOT;

	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, ";");

		node = ctree_child(&profile->tree, node, profile_frame_text(profile, at, len));
		at += len + (at[len] == ';');
	}
	ctree_add(&profile->tree, column, node, weight);
}

static str_id
sample_intern(struct profile *profile, const char *text)
{
	return strtab_intern_str(&profile->strings, text);
}

static void
sample_place(struct profile *profile, const char *name, const char *file, uint32_t line)
{
	struct frame *frame =
		&profile->frames.frames[profile_frame_text(profile, name, strlen(name))];

	frame->file = strtab_intern_str(&profile->strings, file);
	frame->line = line;
}

/* `growth` is what is added to parse_value's samples in each run. */
static void
sample_fill(struct profile *profile, const struct sample *sample, double growth)
{
	for (size_t i = 0; i < SAMPLE_RUNS; i++) {
		size_t run = profile_add_run(profile);
		double jitter = (double)i * 3;

		sample_add(profile, run, "cjson;main;parse_value", 300 + growth + jitter);
		sample_add(profile, run, "cjson;main;parse_value;parse_string_[i]", 200 - jitter);
		sample_add(profile, run, "cjson;main;print_value", 250);
		sample_add(profile, run, "cjson;main;read;sys_read_[k]", 100);
		sample_add(profile, run, "cjson;main;[unknown]", 50);
		for (size_t k = 0; sample->template_name && k < 7; k++) {
			node_id node = ctree_child(&profile->tree, CTREE_ROOT,
				profile_frame(profile, sample_hostile[k], strlen(sample_hostile[k]),
					FRAME_USER));

			ctree_add(&profile->tree, run, node, 20);
		}
		if (sample->template_name)
			sample_add(profile, run, sample->template_name, 40);
		double total = profile_column_total(profile, run);

		profile->runs[run] = (struct run){
			.measured = true,
			.cost_total = total * 1e6,
			.cpu_ns = (uint64_t)(total * 1e6),
			.wall_ns = (uint64_t)(total * 1.1e6),
			.period = 1000000,
			.expected_samples = total + 5,
			.samples = (uint64_t)total,
			.throttled = i,
			.broken_stacks = 12,
			.truncated_stacks = 10,
			.unknown_frames = 50,
			.context_switches = 7,
			.harness_cpu_ns = 2500000,
			.program_cpus = 1,
			.sibling_cpus = i > 0,
			.outside_cpus = 2,
			.others_ns = i * 60000000,
			.pressure_ns = i,
			.begin_mhz = 2100,
			.end_mhz = 3400,
		};
		counter_set(&profile->runs[run], COUNTER_MAX_RSS, growth > 0 ? 5 << 20 : 4 << 20);
		counter_set(&profile->runs[run], COUNTER_LATENCY_P99_9,
			(growth > 0 ? 2.5e6 : 2e6) + 1e3 * (double)run);
	}
	profile->workload = sample_intern(profile, "cjson_parse");
	profile->command = sample_intern(profile, "workloads/bin/cjson_parse --rounds 60");
	profile->event = sample_intern(profile, "cpu-clock");
	profile->metric = sample_intern(profile, "cpu");
	profile->unit = sample_intern(profile, "samples");
	profile->cost_unit = sample_intern(profile, "ns");
	profile->callgraph = sample_intern(profile, "dwarf");
	profile->callgraph_why = sample_intern(profile, "cjson keeps no frame pointers");
	profile->stack_bytes = 8192;
	sample_place(profile, "parse_value", "/src/build/../cJSON.c", 1362);
	sample_place(profile, "print_value", "cJSON.c", 0);
	profile->unsteady = sample_intern(profile,
		"the first 210ms of a run are start-up (19.6 % of the samples, 97 % of that in load); "
		"`capture: {skip: 210ms}` leaves it out");
	profile->cpu_choice = sample_intern(profile, "libcrypto.so.3\nlibm.so.6\n");
	profile->frequency_hz = 4999;
	profile->started = 1795222800; /* 2026-11-21T01:00:00Z */
	profile->duration_s = 3.25;
	profile_sort(profile);
}

static struct effect
sample_effect(double change, double low, double high, double p, double detectable)
{
	struct effect effect;

	effect_clear(&effect);
	effect.before_share = 0.333;
	effect.after_share = 0.375;
	effect.tested = true;
	effect.relative = true;
	effect.change = change;
	effect.low = low;
	effect.high = high;
	effect.alpha = 0.05;
	effect.p = p / 8;
	effect.p_adjusted = p;
	effect.detectable = detectable;
	effect.overdispersion = 1.5;
	effect.standard_error = 0.01;
	effect.df = INFINITY;
	effect.spread = 0.02;
	return effect;
}

static void
sample_compare(
	struct comparison *comparison, const struct profile *before, const struct profile *after)
{
	*comparison = (struct comparison){
		.nbefore = before->nruns,
		.nafter = after->nruns,
	};
	profile_init(&comparison->profile);
	profile_append(&comparison->profile, before);
	profile_append(&comparison->profile, after);
	profile_sort(&comparison->profile);
	comparison->functions = mem_zalloc(1, sizeof(*comparison->functions));
	comparison->nframes = comparison->profile.frames.nframes;
	comparison->background = function_class_background(&comparison->profile);
	/* What pictures judge their frames with. */
	const struct model_options options = {
		.alpha = 0.05, .session_spread = 0.02, .machine_spread = 0.04};

	model_init(&comparison->model, &comparison->profile, before->nruns, MODEL_ALL_STAGES,
		&options);
	const struct functions *functions = comparison_functions(comparison);

	model_find_reference(&comparison->model, functions);
	comparison->model.reference_share = 0.66;
	comparison->model.machine_speed = 1.031;
	comparison->profile.frames
		.frames[profile_frame_text(&comparison->profile, "print_value", 11)]
		.full = sample_intern(&comparison->profile, "print_value.part.0");
	comparison->self = mem_zalloc(comparison->nframes, sizeof(struct effect));
	comparison->whole = sample_effect(0.028, 0.019, 0.037, 0.0007, 0.041);
	double all[2] = {0, 0};

	for (size_t i = 0; i < comparison->profile.nruns; i++)
		all[i >= comparison->nbefore] += profile_column_total(&comparison->profile, i);
	for (frame_id i = 0; i < comparison->nframes; i++) {
		struct effect *self = &comparison->self[i];

		effect_clear(self);
		if (strcmp(profile_frame_name(&comparison->profile, i), "parse_value") == 0)
			*self = sample_effect(0.134, 0.098, 0.171, 4e-9, 0.059);
		self->before_weight = functions_self(functions, i, 0, SAMPLE_RUNS);
		self->after_weight = functions_self(functions, i, SAMPLE_RUNS, SAMPLE_RUNS);
		self->before_share = self->before_weight / all[0];
		self->after_share = self->after_weight / all[1];
		self->before_cost = self->before_weight * 1e6 / SAMPLE_RUNS;
		self->after_cost = self->after_weight * 1e6 / SAMPLE_RUNS;
		/* As those of a finding: they agree with the change. */
		if (self->tested)
			self->before_cost = self->after_cost / (1 + self->change) / 1.031;
	}
}

static frame_id
sample_frame(struct sample *sample, const char *name)
{
	struct profile *profile = &sample->judgements[0].comparison.profile;

	return profile_frame_text(profile, name, strlen(name));
}

/* One of everything, more than one finding has; the names of a hostile sample are its. */
static void
sample_explain(struct sample *sample, struct finding *finding)
{
	static const char *const names[] = {
		"main", "read", "parse_value", "parse_string_[i]", "print_value", "[unknown]"};
	bool hostile = sample->template_name != NULL;
	struct causes *causes = &sample->causes;

	for (size_t i = 0; i < 6; i++)
		sample->frames[i] = sample_frame(sample, hostile ? sample_hostile[i] : names[i]);
	sample->frames[6] = sample->frames[2];
	*causes = (struct causes){.growth = 64.4e6,
		.before_cost = 480.6e6,
		.after_cost = 545e6,
		.stacks = {{sample->frames, 3, 210e6, 250.5e6},
			{sample->frames + 5, 2, 99e6, 117.1e6}},
		.nstacks = 2,
		.callers = {{sample->frames[1], 240e6, 295.5e6}},
		.ncallers = 1,
		.before_calls = 800e6,
		.after_calls = 885.4e6,
		.callees = {{sample->frames[3], 200e6, 215e6}, {sample->frames[1], 100e6, 105e6}},
		.ncallees = 2,
		.moved = DOMAIN_CLASS,
		.domain = hostile ? sample_hostile[4] : "cjson::Parser",
		.domain_effect = sample_effect(0.001, -0.009, 0.011, NAN, NAN),
		.domain_most = 9e6,
		.from = sample->frames[1],
		.code = CODE_SAME,
		.unreachable = true};
	if (hostile)
		causes->stacks[0].nframes = 7;
	finding->frame = sample->frames[2];
	finding->causes = causes;
}

/* What the comparison knows of the frame, 0 being the whole, beside the finding's own effect. */
static void
sample_give_costs(struct sample *sample, struct finding *finding, frame_id frame)
{
	const struct comparison *comparison = &sample->judgements[0].comparison;
	const struct effect *known = frame ? &comparison->self[frame] : &comparison->whole;

	finding->frame = frame;
	finding->effect.before_cost = known->before_cost;
	finding->effect.after_cost = known->after_cost;
	finding->effect.before_share = known->before_share;
	finding->effect.after_share = known->after_share;
	finding->effect.before_weight = known->before_weight;
	finding->effect.after_weight = known->after_weight;
}

/* For the first workload. */
static void
sample_find_growth(struct sample *sample)
{
	struct finding *findings = sample->findings;
	const char *grown = sample->template_name ? sample_hostile[0] : "parse_value";

	findings[0] = (struct finding){
		.status = STATUS_FAIL,
		.rule = FINDING_FUNCTIONS,
		.subject = grown,
		.of = QUANTITY_SELF,
		.effect = sample_effect(0.134, 0.098, 0.171, 4e-9, 0.059),
		.asked = 0.1,
		.warn_at = 0.05,
		.fail_at = 0.1,
		.reason = "Above the 10 % threshold.",
		.brief = "",
		.source = "cJSON.c:1362",
		.more_runs = NAN,
	};
	sample_explain(sample, &findings[0]);
	findings[1] = (struct finding){
		.status = STATUS_WARN,
		.rule = FINDING_TOTAL,
		.subject = "whole program",
		.of = QUANTITY_TOTAL,
		.effect = sample_effect(0.028, 0.019, 0.037, 0.0007, 0.041),
		.asked = 0.05,
		.warn_at = 0.02,
		.fail_at = 0.05,
		.reason = "Estimate above the 5 % threshold, but its confidence interval is not.",
		.brief = "above 5 %, its confidence interval is not",
		.more_runs = NAN,
	};
	findings[2] = (struct finding){
		.status = STATUS_PASS,
		.rule = FINDING_FUNCTIONS,
		.subject = "print_value",
		.of = QUANTITY_SELF,
		.effect = sample_effect(-0.004, -0.021, 0.013, 1, 0.051),
		.asked = 0.1,
		.warn_at = 0.05,
		.fail_at = 0.1,
		.more_runs = NAN,
	};
	sample_give_costs(sample, &findings[0], sample->frames[2]);
	sample_give_costs(sample, &findings[2], sample->frames[4]);
	sample_give_costs(sample, &findings[1], 0);
	/* Two rules may say the same of the same. */
	findings[3] = findings[2];
}

/* The workloads without runs. */
static void
sample_set_aside(struct sample *sample)
{
	struct finding *findings = sample->findings;
	struct effect none;

	effect_clear(&none);
	findings[7] = (struct finding){
		.status = STATUS_ERROR,
		.rule = FINDING_MEASUREMENT,
		.subject = "runs",
		.of = QUANTITY_SELF,
		.effect = none,
		.asked = NAN,
		.warn_at = NAN,
		.fail_at = NAN,
		.reason = sample->judgements[2].input.error,
		.more_runs = NAN,
	};
	findings[8] = findings[7];
	findings[8].status = STATUS_SKIPPED;
	findings[8].reason = sample->judgements[4].input.error;
	sample->judgements[4].verdict = (struct verdict){.status = STATUS_SKIPPED,
		.findings = findings + 8,
		.nfindings = 1,
		.nall = 1,
		.detectable = NAN,
		.mode = "none"};
	sample->judgements[2].verdict = (struct verdict){.status = STATUS_ERROR,
		.findings = findings + 7,
		.nfindings = 1,
		.nall = 1,
		.detectable = NAN,
		.mode = "none"};
}

static void
sample_judge(struct sample *sample)
{
	struct finding *findings = sample->findings;
	struct effect none;

	effect_clear(&none);
	sample_find_growth(sample);
	findings[4] = (struct finding){
		.status = STATUS_INCONCLUSIVE,
		.rule = FINDING_FUNCTIONS,
		.subject = sample->template_name ? sample->template_name : "walk",
		.of = QUANTITY_SELF,
		.effect = sample_effect(0.03, -0.2, 0.31, 0.44, 0.35),
		.asked = 0.1,
		.warn_at = 0.05,
		.fail_at = 0.1,
		.reason =
			"Undecided: threshold 10 %, detectable only from 35.0 %. Add about 20 runs.",
		.brief = "detectable only from 35.0 %; needs about 20 more runs",
		.more_runs = NAN,
	};
	findings[5] = (struct finding){
		.status = STATUS_WARN,
		.rule = FINDING_BASELINE,
		.subject = "baseline",
		.of = QUANTITY_SELF,
		.effect = none,
		.asked = NAN,
		.warn_at = NAN,
		.fail_at = NAN,
		.reason = "there is no baseline to compare with",
		.more_runs = NAN,
	};
	sample->judgements[0].verdict = (struct verdict){.status = STATUS_FAIL,
		.findings = findings,
		.nfindings = 4,
		.nall = 4,
		.ntested = 3,
		.detectable = 0.59,
		.mode = "stored"};
	sample->judgements[1].verdict = (struct verdict){.status = STATUS_INCONCLUSIVE,
		.findings = findings + 4,
		.nfindings = 1,
		.nall = 1,
		.ntested = 1,
		.detectable = 3.5,
		.mode = "stored",
		.limited = "the baseline comes from another machine class"};
	findings[6] = (struct finding){
		.status = STATUS_PASS,
		.rule = FINDING_BASELINE,
		.subject = "program",
		.of = QUANTITY_SELF,
		.effect = none,
		.asked = NAN,
		.warn_at = NAN,
		.fail_at = NAN,
		.reason = "the program has changed since the baseline was taken",
		.more_runs = NAN,
	};
	sample_set_aside(sample);
	sample->judgements[3].verdict = (struct verdict){.status = STATUS_WARN,
		.findings = findings + 5,
		.nfindings = 2,
		.nall = 2,
		.detectable = NAN,
		.mode = "none"};
}

static void
sample_machines(struct sample *sample)
{
	sample->machine = (struct machine){.arch = "x86_64",
		.cpu_model = "Sample CPU 9000",
		.cpus = 2,
		.kernel = "6.1.0",
		.os = "Debian GNU/Linux 12",
		.memory_gib = 24};
	sample->other_machine = sample->machine;
	snprintf(sample->other_machine.cpu_model, sizeof(sample->other_machine.cpu_model),
		"Other CPU 1");
	sample->baseline.info = (struct baseline_info){.format_version = 1,
		.tool_version = "0.1.0",
		.workload = "cjson_parse",
		.metric = "cpu",
		.event = "cpu-clock",
		.unit = "ns",
		.machine_class = "x86_64-other-cpu-1-cpu-clock",
		.machine = sample->other_machine,
		.program_hash = "aa",
		.workload_hash = "bb",
		.commit = "0123456789abcdef0123456789abcdef01234567",
		.created = 1795136400,
		.nsessions = 2};
}

/* The policy that changed, and the sources. */
static void
sample_change_policy(struct sample *sample, bool hostile)
{
	sample->sources[0] = (struct report_source){"/src/build/../cJSON.c",
		hostile ? "li b/\"><script>#)].c" : "lib/cJSON.c",
		hostile ? sample_hostile[5] : "@parsers @anna"};
	sample->changes[0] = (struct policy_change){.file = "config/profile_run.yaml",
		.line = 4,
		.key = "gate.functions.fail",
		.before = "10%",
		.after = hostile ? sample_hostile[5] : "50%"};
	sample->changes[1] = (struct policy_change){.file = "config/waivers.yaml",
		.line = 9,
		.key = "waivers",
		.before = "",
		.after = hostile ? sample_hostile[0] : "{function: walk, max: 900%}",
		.holds = "allow_head_waivers"};
	sample->changes[2] =
		(struct policy_change){.file = hostile ? sample_hostile[1] : "workloads/old.yaml",
			.key = "name",
			.before = hostile ? sample_hostile[6] : "old",
			.after = "",
			.holds = "a removed workload"};
}

/* For the first workload's first finding. */
static void
sample_find_lines(struct sample *sample, bool hostile)
{
	const struct profile *profile = &sample->judgements[0].comparison.profile;
	const struct annotation_entry entries[] = {
		{.kind = ANNOTATION_FILE,
			.text = hostile ? sample_hostile[1] : "lib/cJSON.c",
			.found = true},
		{.kind = ANNOTATION_LINE,
			.number = 120,
			.text = hostile ? sample_hostile[0] : "    depth++; /* a < b */",
			.self = {5e6, 6e6},
			.total = {6e6, 7e6}},
		{.kind = ANNOTATION_INSTRUCTION,
			.number = 0x401136,
			.text = hostile ? sample_hostile[5] : "add     ecx, edx",
			.self = {0, 4e6},
			.total = {0, 4e6}},
		{.kind = ANNOTATION_GAP, .text = ""},
		{.kind = ANNOTATION_LINE,
			.number = 131,
			.text = hostile ? sample_hostile[4] : "    value = next(depth);",
			.self = {1e6, 59e6},
			.total = {2e6, 59.5e6}},
	};

	memcpy(sample->entries, entries, sizeof(entries));
	sample->lines = (struct report_lines){
		.function = profile_frame_name(profile, sample->findings[0].frame),
		.pairs = true,
		.unit = "ns",
		.growth = hostile ? sample_hostile[2]
				  : "lib/cJSON.c:131 +58.0 ms, other lines +6.40 ms of +64.4 ms",
		.entries = sample->entries,
		.nentries = sizeof(entries) / sizeof(entries[0]),
		.left_out = 2,
	};
	sample->workloads[0].lines = &sample->lines;
	sample->workloads[0].nlines = 1;
}

/* As if pairs had decided, in one of two workloads, what a stored baseline flagged. */
SAMPLE_UNUSED static void
sample_set_looks(struct sample *sample, size_t i)
{
	struct judgement *judgement = &sample->judgements[i];
	static struct screen_subject left[] = {
		{FINDING_FUNCTIONS, QUANTITY_SELF, "parse_value"},
		{FINDING_TOTAL, QUANTITY_TOTAL, "whole program"},
	};

	sample->workloads[i].count_s = 4.5;
	sample->workloads[i].count_limit_s = 3000;
	judgement->criteria.by_looks = true;
	judgement->criteria.alpha = 0.05;
	judgement->criteria.nfamilies = 2;
	judgement->input.screen = (struct screen){left, 2, 2};
	judgement->input.looks = (struct looks){.most = 20};
	looks_add(&judgement->input.looks, 5, 15);
	looks_add(&judgement->input.looks, 8, 12);
	looks_add(&judgement->input.looks, 12, 0);
}

/* A name of many thousand characters. */
SAMPLE_UNUSED static void
sample_name_template(struct sample *sample)
{
	sample->template_name = mem_zalloc(SAMPLE_TEMPLATE_BYTES + 1, 1);
	memset(sample->template_name, 'x', SAMPLE_TEMPLATE_BYTES);
	memcpy(sample->template_name, "box<map<int", 11);
	memcpy(sample->template_name + SAMPLE_TEMPLATE_BYTES - 9, "> >::grow", 9);
}

SAMPLE_UNUSED static void
sample_plan(struct sample *sample, bool hostile)
{
	sample->workloads[0].plan = (struct plan){.kind = PLAN_STORED,
		.reason = "baseline of 2026-11-20",
		.commit = "aa",
		.machine_class = "class-a",
		.seconds = 12,
		.count_seconds = 8};
	sample->workloads[1].plan = (struct plan){.kind = PLAN_NOT_JUDGED,
		.reason = hostile ? sample_hostile[5] : "there is no baseline",
		.seconds = NAN,
		.remedies = {
			"profile_run baseline update b", "profile_run gate b --measure-anyway"}};
}

SAMPLE_UNUSED static void
sample_init(struct sample *sample, bool hostile)
{
	static const char *const names[] = {"cjson_parse", "deep", "gone", "new", "redis"};
	static const char *const paths[] = {"workloads/cjson_parse.yaml", "workloads/deep.yaml",
		"workloads/gone.yaml", "workloads/new.yaml", "workloads/optional/redis.yaml"};

	*sample = (struct sample){0};
	if (hostile)
		sample_name_template(sample);
	profile_init(&sample->baseline.profile);
	profile_init(&sample->candidate);
	sample_fill(&sample->baseline.profile, sample, 0);
	sample_fill(&sample->candidate, sample, 45);
	sample_machines(sample);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++) {
		sample->specs[i] = (struct workload){.name = names[i],
			.path = paths[i],
			.summary = "a sample",
			.hash = "cc",
			.gate = {.total = {.warn = 0.03, .fail = 0.05},
				.functions = {.warn = 0.05, .fail = 0.10}}};
		sample->judgements[i].input.workload = &sample->specs[i];
		sample->judgements[i].input.update_command = "profile_run baseline update new";
		sample->judgements[i].input.candidate =
			i == 2 || i == 4 ? NULL : &sample->candidate;
		sample->judgements[i].input.before = i < 2 ? &sample->baseline.profile : NULL;
		sample->judgements[i].input.before_info = i < 2 ? &sample->baseline.info : NULL;
		sample->workloads[i] = (struct report_workload){&sample->judgements[i],
			.build_s = 1.5, .measure_s = 12.25, .process_s = 0.125, .folder = names[i]};
	}
	sample_compare(
		&sample->judgements[0].comparison, &sample->baseline.profile, &sample->candidate);
	sample->judgements[0].compared = true;
	sample_set_looks(sample, 1);
	sample->judgements[1].input.baseline_is_of_other_machine = true;
	sample_plan(sample, hostile);
	sample->judgements[2].input.error =
		hostile ? sample_hostile[5] : "\"bin/gone\": exit code 3\n  while running \"gone\"";
	sample->judgements[4].input.error =
		hostile ? sample_hostile[5]
			: "redis-server is not installed: apt-get install redis-server";
	sample->judgements[4].input.skipped = true;
	sample_change_policy(sample, hostile);
	sample_judge(sample);
	sample_find_lines(sample, hostile);
	sample->report = (struct report){
		.tool_version = "0.1.0",
		.started = 1795222800,
		.duration_s = 61.5,
		.commit = "fedcba9876543210fedcba9876543210fedcba98",
		.against_notes =
			hostile ? sample_hostile[1]
				: "Commits that are in main but not in HEAD are part of the difference.",
		.policy = {.from = hostile ? sample_hostile[0] : "main (0123456789ab)",
			.changes = sample->changes,
			.nchanges = 3,
			.nleft_out = 2},
		.command = hostile ? sample_hostile[6] : "profile_run gate --runs 9 workloads",
		.command_options = hostile ? sample_hostile[6] : "profile_run gate --runs 9",
		.machine = &sample->machine,
		.machine_class = "x86_64-sample-cpu-9000-cpu-clock",
		.event_reason = "cpu-clock: cycles delivers no samples here",
		.pinning = "program on CPU 1, reader on CPU 0",
		.folder = "reports/20261121T010000Z",
		.source_url = "https://git.example/tool/blob/{commit}/{path}?a&b#L{line}",
		.sources = sample->sources,
		.nsources = 1,
		.status = STATUS_FAIL,
		.exit_code = 1,
		.workloads = sample->workloads,
		.nworkloads = SAMPLE_WORKLOADS,
	};
}

SAMPLE_UNUSED static void
sample_release(struct sample *sample)
{
	struct comparison *comparison = &sample->judgements[0].comparison;

	comparison_drop_functions(comparison);
	free(comparison->functions);
	model_release(&comparison->model);
	profile_release(&comparison->profile);
	free(comparison->self);
	free(comparison->background);
	profile_release(&sample->baseline.profile);
	profile_release(&sample->candidate);
	free(sample->template_name);
}

/* No control character but newline and tab: nothing that could steer a terminal. */
SAMPLE_UNUSED static bool
sample_is_plain(const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->data[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Well-formed UTF-8 throughout, seen through iconv's eyes: the test's own, not escape.c's. */
SAMPLE_UNUSED static bool
sample_is_utf8(const struct buf *text)
{
	const unsigned char *at = (const unsigned char *)buf_text(text);
	const unsigned char *end = at + text->len;

	while (at < end) {
		int more = *at < 0x80                  ? 0
			   : *at >= 0xc2 && *at < 0xe0 ? 1
			   : *at >= 0xe0 && *at < 0xf0 ? 2
			   : *at >= 0xf0 && *at < 0xf5 ? 3
						       : -1;

		if (more < 0 || end - at <= more)
			return false;
		for (at++; more > 0; more--, at++) {
			if ((*at & 0xc0) != 0x80)
				return false;
		}
	}
	return true;
}

SAMPLE_UNUSED static size_t
sample_count(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		count++;
	return count;
}

/*
 * Compares with tests/golden/output/NAME, or rewrites it where GOLDEN_UPDATE=1 is set. The first
 * difference is printed.
 */
SAMPLE_UNUSED static void
sample_check_golden(const char *name, const struct buf *actual)
{
	const char *update = getenv("GOLDEN_UPDATE");
	struct err err = {0};
	struct buf expected = {0};

	char *path = file_join("tests/golden/output", name);

	if (update && strcmp(update, "1") == 0)
		CU_ASSERT_EQUAL(file_write(path, buf_text(actual), actual->len, &err), 0);
	if (file_read(path, &expected, 1 << 24, &err)) {
		CU_FAIL("the golden file cannot be read");
	} else if (strcmp(buf_text(&expected), buf_text(actual)) != 0) {
		size_t at = 0;

		while (expected.data[at] && expected.data[at] == buf_text(actual)[at])
			at++;
		printf("%s differs at byte %zu, from here on: %.120s\n", path, at,
			buf_text(actual) + at);
		CU_FAIL("not the golden file: GOLDEN_UPDATE=1 rewrites it");
	}
	free(path);
	buf_release(&expected);
}

#endif
