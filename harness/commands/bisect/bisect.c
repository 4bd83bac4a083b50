#include "bisect/bisect.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/build_side.h"
#include "builds/commit_line.h"
#include "builds/repository.h"
#include "compare/effect.h"
#include "gate/gate.h"
#include "gate/gate_report.h"
#include "history/bisect_search.h"
#include "output/bisect_report.h"
#include "process/process.h"
#include "replay/publish.h"
#include "spec/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * One commit measured against another, each in its own worktree, to tell whether a function or
 * the whole program costs more by some growth. All of a gate is used for that, with one test.
 */

/* The data that all trials of a bisection share; borrowed. */
struct bisect_bench {
	const struct config *config;
	const struct workload *workload; /* of the working tree, not of the commits */
	const char *function;            /* pattern; NULL: the whole program */
	const struct repository *repository;
	const char *command; /* the command line, for the report */
};

struct bisect_trial {
	const char *base; /* full names of commits */
	const char *commit;
	double limit;         /* the growth from which `commit` is slow */
	const char *folder;   /* exists; captures go there, and the report if `reported` is set */
	const char *reported; /* what the folder will be called; NULL: no report is written */

	/* The result. */
	enum bisect_state state; /* of `commit` */
	struct effect effect;    /* not tested where nothing was measured */
	char *reason;            /* why it is skipped or undecided, or fast; may be NULL; owned */
	char *unknown;           /* why the function cannot be compared at all; else NULL; owned */
};

/* The data of a gate of one test. */
struct one_test {
	struct gate_rule_spec rule;
	struct workload workload;
	struct workload_list list;
	struct arena arena;
};

/* The same for all commits: only that growth is judged, whatever waivers and branches apply. */
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

/* The function is in neither build, or in the second only. */
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
read_judgement(const struct gate_rounds *rounds, const struct bisect_bench *bench,
	struct bisect_trial *trial)
{
	const struct judgement *judgement = rounds->judgements[0];
	const struct finding *error = find_error(&judgement->verdict);

	if (rounds->measurements[0].same_program)
		conclude(trial, BISECT_FAST, "the same program");
	else if (rounds->measurements[0].error || error)
		conclude(trial, BISECT_SKIPPED,
			rounds->measurements[0].error ? rounds->measurements[0].error
						      : error->reason);
	else
		read_test(judgement, bench, trial);
}

/* In the folder of the commit, with both builds there. */
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
	struct gate_rounds rounds;
	int exit_code;
	int result = gate_rounds_init(&rounds, &options, err);

	if (result < 0)
		goto out;
	result = gate_measure(&rounds, trial->folder, err);
	if (result == 0 && rounds.interrupted[0])
		result = signals_check(err);
	if (result == 0)
		read_judgement(&rounds, bench, trial);
	if (result == 0 && trial->reported)
		result = gate_write_report(
			&rounds, trial->folder, trial->reported, &exit_code, NULL, NULL, err);
	gate_rounds_release(&rounds);
out:
	free(again);
	return result;
}

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

/* A commit that was built stays so: measuring does not repeat its build. */
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

/* A failure of one commit tells nothing about the others. */
static int
skip(struct bisect_trial *trial, struct err *err)
{
	if (err->kind == ERR_INTERRUPTED || err->kind == ERR_SYSTEM)
		return -1;
	conclude(trial, BISECT_SKIPPED, err->text);
	*err = (struct err){0};
	return 0;
}

/*
 * Builds both and measures them. A commit that cannot be built or run is skipped, and no error. -1
 * for an interruption and for a system that cannot go on. The trial is to be released either way.
 */
static int
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
		result = skip(trial, err);
	} else {
		result = try_builds(bench, &side, trial, err);
		build_side_release(&side);
	}
	build_side_release(&base);
	return result;
}

static void
bisect_trial_release(struct bisect_trial *trial)
{
	free(trial->reason);
	free(trial->unknown);
}

/* Smaller growth is not searched for: code layout alone causes as much. */
#define LEAST_GROWTH 0.01

struct bisection {
	const struct bisect_options *options;
	struct repository repository;
	struct commit_line line;
	struct bisect_bench bench;
	struct bisect_commit *commits; /* as in the line, with the results */
	enum bisect_state *states;
	char **reasons; /* owned; those of the commits */
	struct bisect_report report;
	char *folder; /* of the report; absolute, since we change to worktrees */
	char *draft;
};

static void
bisection_release(struct bisection *b)
{
	for (size_t i = 0; i < b->line.ncommits && b->reasons; i++)
		free(b->reasons[i]);
	free(b->reasons);
	free(b->commits);
	free(b->states);
	free(b->folder);
	commit_line_release(&b->line);
	repository_release(&b->repository);
}

static int
read_commits(struct bisection *b, struct err *err)
{
	const struct bisect_options *options = b->options;
	char good[GIT_COMMIT_SIZE];
	char bad[GIT_COMMIT_SIZE];

	if (repository_open(&b->repository, err) < 0 ||
		repository_resolve(&b->repository, "GOOD", options->good, good, err) < 0 ||
		repository_resolve(&b->repository, "BAD", options->bad, bad, err) < 0 ||
		commit_line_read(&b->line, &b->repository, good, bad, err) < 0)
		return -1;
	size_t n = b->line.ncommits;

	b->commits = mem_zalloc(n, sizeof(*b->commits));
	b->states = mem_zalloc(n, sizeof(*b->states));
	b->reasons = mem_zalloc(n, sizeof(*b->reasons));
	for (size_t i = 0; i < n; i++) {
		const struct commit_of_line *from = &b->line.commits[i];

		b->commits[i] = (struct bisect_commit){
			.commit = from->commit,
			.author = from->author,
			.subject = from->subject,
			.authored = from->authored,
			.merge = from->nparents > 1,
		};
		effect_clear(&b->commits[i].effect);
	}
	b->states[0] = BISECT_FAST;
	return 0;
}

static void
begin(struct bisection *b, const struct bisect_options *options)
{
	*b = (struct bisection){.options = options};
	b->bench = (struct bisect_bench){
		.config = options->config,
		.workload = options->workload,
		.function = options->function,
		.repository = &b->repository,
		.command = options->command,
	};
}

/* "0123456789ab (json: cache keys): slow, +31.2 % (95 % CI 29.0 to 33.4)" */
static void
narrate(const struct bisection *b, size_t i)
{
	const struct bisect_commit *commit = &b->commits[i];
	struct buf line = {0};

	buf_printf(&line, "%.12s (%s): %s", commit->commit, commit->subject,
		bisect_state_name(b->states[i]));
	if (commit->effect.tested) {
		buf_puts(&line, ", ");
		effect_put_estimate(&commit->effect, &line);
	} else if (commit->reason) {
		buf_printf(&line, ": %.*s", (int)strcspn(commit->reason, "\n"), commit->reason);
	}
	log_info("%s", buf_text(&line));
	buf_release(&line);
}

/* Measures commit `i` against the first, and keeps the result. */
static int
try_commit(struct bisection *b, size_t i, double limit, struct err *err)
{
	char *folder = file_join(b->draft, "trial");
	struct bisect_trial trial = {
		.base = b->commits[0].commit,
		.commit = b->commits[i].commit,
		.limit = limit,
		.folder = folder,
	};
	int result = file_make_dirs(folder, err);

	if (result == 0)
		result = bisect_trial_run(&b->bench, &trial, err);
	if (result == 0 && trial.unknown)
		result = err_set(err, ERR_INPUT, "%s", trial.unknown);
	if (result == 0) {
		b->states[i] = trial.state;
		b->commits[i].effect = trial.effect;
		b->commits[i].reason = b->reasons[i] = trial.reason;
		trial.reason = NULL;
		narrate(b, i);
		result = file_remove_tree(folder, err);
	}
	bisect_trial_release(&trial);
	free(folder);
	return result;
}

/* Adds the state of an interrupted bisection to the error. */
static void
note_range(const struct bisection *b, struct err *err)
{
	struct bisect_range range = bisect_range_of(b->states, b->line.ncommits);

	err_note(err, "so far: fast with %.12s, slow with %.12s, %zu commits between them",
		b->commits[range.fast].commit, b->commits[range.slow].commit,
		range.slow - range.fast - 1);
}

/* The last one: whether there is anything to search. */
static int
try_last(struct bisection *b, bool *slower, struct err *err)
{
	const size_t last = b->line.ncommits - 1;

	if (try_commit(b, last, LEAST_GROWTH, err) < 0)
		return -1;
	*slower = b->states[last] == BISECT_SLOW;
	if (b->states[last] == BISECT_SKIPPED)
		return err_set(err, ERR_MEASURE, "BAD (%.12s) cannot be measured: %s",
			b->commits[last].commit, b->commits[last].reason);
	b->report.result =
		b->states[last] == BISECT_FAST ? BISECT_RESULT_NOT_SLOWER : BISECT_RESULT_UNDECIDED;
	/* Half of the growth, as factors. */
	if (*slower)
		b->report.threshold = sqrt(1 + b->commits[last].effect.change) - 1;
	return 0;
}

static int
search(struct bisection *b, struct err *err)
{
	const size_t n = b->line.ncommits;
	size_t next;

	while (bisect_next(b->states, n, &next)) {
		struct bisect_range range = bisect_range_of(b->states, n);

		log_info("%zu commits between fast and slow, about %u to try",
			range.slow - range.fast - 1, bisect_steps_left(b->states, n));
		if (try_commit(b, next, b->report.threshold, err) < 0) {
			note_range(b, err);
			return -1;
		}
	}
	return 0;
}

/* Measures the first slow commit by itself: for the report, and to be sure. */
static int
confirm(struct bisection *b, struct err *err)
{
	struct bisect_range range = bisect_range_of(b->states, b->line.ncommits);
	struct bisect_trial trial = {
		.base = b->commits[range.fast].commit,
		.commit = b->commits[range.slow].commit,
		.limit = LEAST_GROWTH,
		.folder = b->draft,
		.reported = b->folder,
	};

	log_info("measuring %.12s against %.12s for the report", trial.commit, trial.base);
	int result = bisect_trial_run(&b->bench, &trial, err);

	if (result < 0)
		note_range(b, err);
	b->report.effect = trial.effect;
	if (range.slow - range.fast > 1)
		b->report.result = BISECT_RESULT_RANGE;
	else
		b->report.result = trial.state == BISECT_SLOW ? BISECT_RESULT_FOUND
							      : BISECT_RESULT_UNCONFIRMED;
	bisect_trial_release(&trial);
	return result;
}

static int
write_file(const struct bisection *b, const char *name,
	void (*put)(const struct bisect_report *report, struct buf *out), struct err *err)
{
	char *path = file_join(b->draft, name);
	struct buf text = {0};

	put(&b->report, &text);
	int result = file_write(path, buf_text(&text), text.len, err);

	buf_release(&text);
	free(path);
	return result;
}

static int
measure(struct bisection *b, bool *slower, struct err *err)
{
	if (try_last(b, slower, err) < 0)
		return -1;
	if (!*slower)
		return 0;
	if (search(b, err) < 0 || confirm(b, err) < 0 ||
		write_file(b, "bisect.txt", bisect_put_text, err) < 0)
		return -1;
	return write_file(b, "bisect.json", bisect_put_json, err);
}

/* The absolute path of the reports' folder, valid in any worktree; free() it. */
static char *
absolute_path(const char *path)
{
	char *here = path[0] == '/' ? NULL : realpath(".", NULL);
	char *whole = here ? file_join(here, path) : mem_strdup(path);

	free(here);
	return whole;
}

static int
search_and_publish(struct bisection *b, struct err *err)
{
	char *reports = absolute_path(b->options->config->reports_dir);
	bool slower = false;

	b->folder = publish_begin(reports, (int64_t)time(NULL), &b->draft, err);
	free(reports);
	if (!b->folder)
		return -1;
	int result = measure(b, &slower, err);

	if (result == 0 && slower)
		return publish_finish(b->draft, b->folder, err);
	file_dir_abandon(b->draft);
	free(b->folder);
	b->folder = NULL;
	return result;
}

static int
exit_code_of(enum bisect_result result)
{
	switch (result) {
	case BISECT_RESULT_FOUND:
		return 1;
	case BISECT_RESULT_NOT_SLOWER:
		return 0;
	case BISECT_RESULT_RANGE:
	case BISECT_RESULT_UNCONFIRMED:
	case BISECT_RESULT_UNDECIDED:
		break;
	}
	return 3;
}

int
bisect_run(const struct bisect_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct bisection b;

	begin(&b, options);
	int result = read_commits(&b, err);

	if (result == 0) {
		b.report = (struct bisect_report){
			.workload = options->workload->name,
			.function = options->function,
			.tool_version = PROFILE_RUN_VERSION,
			.commits = b.commits,
			.states = b.states,
			.ncommits = b.line.ncommits,
			.threshold = NAN,
		};
		effect_clear(&b.report.effect);
		result = search_and_publish(&b, err);
	}
	if (result == 0) {
		*exit_code = exit_code_of(b.report.result);
		bisect_put_text(&b.report, text);
		if (b.folder)
			buf_printf(text, "\n%s\n", b.folder);
	}
	bisection_release(&b);
	return result;
}
