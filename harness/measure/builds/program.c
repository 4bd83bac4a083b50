#include "builds/program.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/program_files.h"
#include "process/find_program.h"
#include "process/process.h"

#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a budget setup and teardown may take long, but not for ever; and so may a build. */
#define SHELL_TIMEOUT_S 3600.0

/*
 * The time that setup or teardown may take from now on: up to `deadline_s`, of clock_seconds(), but
 * the workload's `timeout` in any case; an hour where there is no deadline (0).
 */
static double
program_limit_s(const struct workload *workload, double deadline_s)
{
	if (!(deadline_s > 0))
		return SHELL_TIMEOUT_S;
	return fmax(deadline_s - clock_seconds(), workload->capture.timeout_s);
}

/* Adds a note if a command that was begun at `start_s` ran for as long as it may. */
static int
program_note_limit(
	const struct workload *workload, double deadline_s, double start_s, struct err *err)
{
	const double now = clock_seconds();

	if (err->kind != ERR_MEASURE || !(deadline_s > 0) || now < deadline_s ||
		now - start_s < workload->capture.timeout_s)
		return -1;
	return err_note(err, "the budget is used up: increase it (`--budget`), or the workload's "
			     "`timeout`, which each command may take in any case");
}

double
program_build_limit_s(const struct workload *workload)
{
	return workload->build_timeout_s > 0 ? workload->build_timeout_s : SHELL_TIMEOUT_S;
}

int
program_note_build_limit(const struct workload *workload, double start_s, struct err *err)
{
	if (err->kind != ERR_MEASURE || clock_seconds() - start_s < program_build_limit_s(workload))
		return -1;
	return err_note(err, "increase 'build_timeout' in the configuration");
}

static int
run_named(const struct workload *workload, const char *step, const char *command, double deadline_s,
	struct err *err)
{
	char *what = mem_printf("%s of %s", step, workload->name);
	double start_s = clock_seconds();
	int result = process_run_shell(what, command, workload->env, workload->cwd,
		program_limit_s(workload, deadline_s), err);

	free(what);
	return result < 0 ? program_note_limit(workload, deadline_s, start_s, err) : 0;
}

/* Whether an executable file has this path, which may have wildcards. */
static bool
is_matched(const struct workload *workload, const char *path)
{
	char *pattern = program_path(workload, path);
	glob_t found;
	bool any = false;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && !any; i++)
			any = access(found.gl_pathv[i], X_OK) == 0;
		globfree(&found);
	}
	free(pattern);
	return any;
}

static bool
is_installed(const struct workload *workload, const char *program)
{
	if (strchr(program, '/'))
		return is_matched(workload, program);
	char *file = find_program(program, workload->env, workload->cwd);
	const bool found = file != NULL;

	free(file);
	return found;
}

/* Whether an earlier requirement that is missing, too, has the same package. */
static bool
is_told(const struct requirement *requires, const bool *missing, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (missing[k] && requires[k].package &&
			strcmp(requires[k].package, requires[i].package) == 0)
			return true;
	}
	return false;
}

static void
put_missing(
	const struct requirement *requires, const bool *missing, size_t nmissing, struct buf *out)
{
	size_t told = 0;
	bool any = false;

	for (size_t i = 0; requires[i].program; i++) {
		if (!missing[i])
			continue;
		buf_puts(out, told == 0 ? "" : told + 1 == nmissing ? " and " : ", ");
		buf_puts(out, requires[i].program);
		told++;
	}
	buf_puts(out, nmissing > 1 ? " are not installed" : " is not installed");
	for (size_t i = 0; requires[i].program; i++) {
		if (!missing[i] || !requires[i].package || is_told(requires, missing, i))
			continue;
		buf_printf(out, "%s %s", any ? "" : ": apt-get install", requires[i].package);
		any = true;
	}
}

bool
program_lacks(const struct workload *workload, struct buf *reason)
{
	const struct requirement *requires = workload->requires;
	size_t count = 0;
	size_t nmissing = 0;

	while (requires && requires[count].program)
		count++;
	bool *missing = mem_zalloc(count + 1, sizeof(*missing));

	for (size_t i = 0; i < count; i++) {
		missing[i] = !is_installed(workload, requires[i].program);
		nmissing += missing[i];
	}
	if (nmissing > 0)
		put_missing(requires, missing, nmissing, reason);
	free(missing);
	return nmissing > 0;
}

static int
check_required(const struct workload *workload, struct err *err)
{
	struct buf reason = {0};
	int result = 0;

	if (program_lacks(workload, &reason))
		result = err_set(err, ERR_MEASURE, "%s", buf_text(&reason));
	buf_release(&reason);
	return result;
}

int
program_build(const struct workload *workload, const char *output_path, struct err *err)
{
	if (check_required(workload, err) < 0)
		return -1;
	if (!workload->build)
		return 0;
	log_step("%s: building", workload->name);
	char *what = mem_printf("build of %s", workload->name);
	double start_s = clock_seconds();
	/* It runs where profile_run was started: the workload's paths start from there. */
	const struct shell_command command = {.what = what,
		.text = workload->build,
		.timeout_s = program_build_limit_s(workload),
		.output_path = output_path};
	int result = process_run_command(&command, err);

	free(what);
	return result < 0 ? program_note_build_limit(workload, start_s, err) : 0;
}

int
program_set_up(const struct workload *workload, double deadline_s, struct err *err)
{
	return workload->setup ? run_named(workload, "setup", workload->setup, deadline_s, err) : 0;
}

void
program_tear_down(const struct workload *workload, double deadline_s)
{
	struct err failure = {0};

	if (workload->teardown &&
		run_named(workload, "teardown", workload->teardown, deadline_s, &failure) < 0)
		log_warn("%s: %s", workload->name, failure.text);
}
