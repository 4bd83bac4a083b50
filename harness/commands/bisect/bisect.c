#include "bisect/bisect.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "bisect/bisect_trial.h"
#include "builds/commit_line.h"
#include "builds/repository.h"
#include "compare/effect.h"
#include "history/bisect_search.h"
#include "output/bisect_report.h"
#include "replay/publish.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Smaller growth is not searched for: code layout alone causes as much. */
#define LEAST_GROWTH 0.01

struct bisection {
	const struct bisect_options *options;
	struct repository repository;
	struct commit_line line;
	struct bisect_bench bench;
	struct bisect_commit *commits; /* those of `line`, with the results */
	enum bisect_state *states;
	char **reasons; /* by commit, as in its `reason`; owned */
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

/*
 * Logs the result of commit `i`: "0123456789ab (json: cache keys): slow, +31.2 % (95 % CI 29.0 to
 * 33.4)"
 */
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

/* Tries BAD, the last commit: whether there is a growth to search for. */
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
	/* Half of the growth on a logarithmic scale. */
	if (*slower)
		b->report.threshold = sqrt(1 + b->commits[last].effect.change) - 1;
	return 0;
}

/* Tries commits between fast and slow ones until no further one can narrow the range. */
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

/* All measuring, and the files of the report about the search. */
static int
find_commit(struct bisection *b, bool *slower, struct err *err)
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
	int result = find_commit(b, &slower, err);

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
