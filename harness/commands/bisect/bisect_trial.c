#include "bisect/bisect_trial.h"

#include "base/err.h"
#include "base/mem.h"
#include "builds/build_side.h"
#include "builds/repository.h"
#include "compare/effect.h"
#include "gate/gate.h"
#include "gate/gate_report.h"
#include "history/bisect_search.h"
#include "process/process.h"
#include "spec/suggest.h"
#include "spec/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The data of a gate that makes one test. */
struct one_test {
	struct gate_rule_spec rule;
	struct workload workload;
	struct workload_list list;
	struct arena arena;
};

/* Sets a policy of one test, the same for all commits, whatever waivers and branches apply. */
static void
set_policy(struct one_test *test, const struct bisect_bench *bench, double limit)
{
	static const struct threshold never = {NAN, NAN};
	struct gate_policy *policy = &test->workload.gate;
	const struct threshold slow = {.warn = NAN, .fail = limit};

	*policy = gate_policy_resolve(
		&bench->workload->gate, &bench->workload->overlays, GATE_PAIRED, false, NULL);
	test->workload.overlays = (struct gate_overlays){0};
	test->rule = (struct gate_rule_spec){
		.pattern = bench->function,
		.threshold = slow,
		.max_share = NAN,
		.max_cost = NAN,
		.file = bench->workload->path,
		.kind = RULE_FUNCTION,
	};
	policy->total = bench->function ? never : slow;
	policy->functions = never;
	policy->rules = &test->rule;
	policy->nrules = bench->function ? 1 : 0;
	policy->floor = policy->min_cost = 0;
	policy->regression = POLICY_FAIL;
	policy->decide = DECIDE_NONE;
	policy->new_functions = policy->gone_functions = POLICY_PASS;
	policy->waivers_list = NULL;
	policy->nwaivers = 0;
}

static const struct test *
find_test(const struct judgement *judgement, const struct bisect_bench *bench)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (judgement->tests[i].rule == (bench->function ? FINDING_NAMED : FINDING_TOTAL))
			return &judgement->tests[i];
	}
	return NULL;
}

static const struct finding *
find_error(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nfindings; i++) {
		if (verdict->findings[i].status == STATUS_ERROR)
			return &verdict->findings[i];
	}
	return NULL;
}

static void
conclude(struct bisect_trial *trial, enum bisect_state state, const char *reason)
{
	trial->state = state;
	trial->reason = reason ? mem_strdup(reason) : NULL;
}

/* Explains that the function is in neither build, or in the second one only. */
static void
explain_missing(const struct judgement *judgement, const struct bisect_bench *bench,
	struct bisect_trial *trial)
{
	const struct profile *profile = &judgement->comparison.profile;
	const char **names = mem_zalloc(profile->frames.nframes + 1, sizeof(*names));
	size_t n = 0;

	for (frame_id id = 1; id < profile->frames.nframes; id++)
		names[n++] = strtab_str(&profile->strings, profile->frames.frames[id].name);
	const char *nearest = suggest_nearest(bench->function, names, n);

	if (trial->effect.after_weight > 0)
		trial->unknown = mem_printf(
			"'%s' is new in %.12s, so its growth cannot be searched for: name a function that was there before, or none for the whole program",
			bench->function, trial->commit);
	else
		trial->unknown = mem_printf("no function of %s is called '%s'%s%s%s",
			bench->workload->name, bench->function, nearest ? "; did you mean '" : "",
			nearest ? nearest : "", nearest ? "'?" : "");
	free(names);
}

static void
read_test(const struct judgement *judgement, const struct bisect_bench *bench,
	struct bisect_trial *trial)
{
	const struct test *test = find_test(judgement, bench);
	const struct finding *unusable = verdict_find_open(&judgement->verdict);

	if (!test) {
		conclude(trial, BISECT_UNDECIDED, unusable ? unusable->reason : NULL);
		return;
	}
	trial->effect = *test_effect(test);
	if (!(trial->effect.before_weight > 0) && bench->function)
		explain_missing(judgement, bench, trial);
	if (test->decision.status == STATUS_FAIL)
		conclude(trial, BISECT_SLOW, NULL);
	else if (unusable || test->decision.status != STATUS_PASS)
		conclude(trial, BISECT_UNDECIDED, unusable ? unusable->reason : NULL);
	else
		conclude(trial, BISECT_FAST, NULL);
}

static void
read_judgement(
	const struct gate *gate, const struct bisect_bench *bench, struct bisect_trial *trial)
{
	const struct judgement *judgement = gate->judgements[0];
	const struct finding *error = find_error(&judgement->verdict);

	if (gate->measurements[0].same_program)
		conclude(trial, BISECT_FAST, "the same program");
	else if (gate->measurements[0].error || error)
		conclude(trial, BISECT_SKIPPED,
			gate->measurements[0].error ? gate->measurements[0].error : error->reason);
	else
		read_test(judgement, bench, trial);
}

/* Runs the gate, in the folder of the commit. */
static int
measure_sides(const struct bisect_bench *bench, struct one_test *test, struct bisect_trial *trial,
	struct err *err)
{
	/* The command in the report that repeats it. */
	char *again = mem_printf("profile_run gate --against %s", trial->base);
	const struct gate_options options = {
		.config = bench->config,
		.workloads = &test->list,
		.command = bench->command,
		.command_options = again,
		.against = trial->base,
	};
	struct gate gate;
	int exit_code;
	int result = gate_init(&gate, &options, err);

	if (result < 0)
		goto out;
	result = gate_measure(&gate, trial->folder, err);
	if (result == 0 && gate.interrupted[0])
		result = signals_check(err);
	if (result == 0)
		read_judgement(&gate, bench, trial);
	if (result == 0 && trial->reported)
		result = gate_write_report(
			&gate, trial->folder, trial->reported, &exit_code, NULL, NULL, err);
	gate_release(&gate);
out:
	free(again);
	return result;
}

/* Measures in the folder of the commit, and comes back to our folder. */
static int
measure_in(const char *folder, const struct bisect_bench *bench, struct one_test *test,
	struct bisect_trial *trial, struct err *err)
{
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = -1;

	if (here < 0 || chdir(folder) < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot enter '%s'", folder);
	else
		result = measure_sides(bench, test, trial, err);
	if (here >= 0 && fchdir(here) < 0 && result == 0)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot go back");
	if (here >= 0)
		close(here);
	return result;
}

/* Builds a commit, unless a build of it is kept. */
static int
build(const struct bisect_bench *bench, const char *commit, struct build_side *side,
	struct err *err)
{
	if (build_side_of_commit(side, bench->repository, commit, false, err) < 0)
		return -1;
	if (build_side_build(side, bench->workload, NULL, err) == 0)
		return 0;
	build_side_release(side);
	return -1;
}

static int
try_builds(const struct bisect_bench *bench, struct build_side *side, struct bisect_trial *trial,
	struct err *err)
{
	struct one_test test = {.list = {.nworkloads = 1}};
	char *folder = side->root;
	int result =
		build_side_workload(side, bench->workload, &test.workload, NULL, &test.arena, err);

	if (result == 0) {
		test.list.workloads = &test.workload;
		test.workload.build = NULL;
		set_policy(&test, bench, trial->limit);
		result = measure_in(folder, bench, &test, trial, err);
	}
	arena_release(&test.arena);
	return result;
}

/* Skips a commit that failed: it tells nothing about the others. */
static int
skip_commit(struct bisect_trial *trial, struct err *err)
{
	if (err->kind == ERR_INTERRUPTED || err->kind == ERR_SYSTEM)
		return -1;
	conclude(trial, BISECT_SKIPPED, err->text);
	*err = (struct err){0};
	return 0;
}

int
bisect_trial_run(const struct bisect_bench *bench, struct bisect_trial *trial, struct err *err)
{
	struct build_side base;
	struct build_side side;

	effect_clear(&trial->effect);
	trial->state = BISECT_SKIPPED;
	if (build(bench, trial->base, &base, err) < 0)
		return err_note(err, "in the build of %.12s", trial->base);
	int result = build(bench, trial->commit, &side, err);

	if (result < 0) {
		result = skip_commit(trial, err);
	} else {
		result = try_builds(bench, &side, trial, err);
		build_side_release(&side);
	}
	build_side_release(&base);
	return result;
}

void
bisect_trial_release(struct bisect_trial *trial)
{
	free(trial->reason);
	free(trial->unknown);
}
