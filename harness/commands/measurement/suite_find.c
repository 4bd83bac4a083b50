#include "measurement/suite_find.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "measurement/suite_listing.h"
#include "process/process.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HELP_LIMIT_S 10
/* The time for all runs, and for one of them. */
#define RUNS_LIMIT_S 60
#define RUN_LIMIT_S 30
#define SOURCE_BYTES_MAX ((size_t)16 << 20)

const struct suite_preset *
suite_find_kind(const char *program, struct err *err)
{
	const char *const argv[] = {program, "--help", NULL};
	const struct tool_watch limits = {.most_bytes = TOOL_OUTPUT_MAX, .timeout_s = HELP_LIMIT_S};
	const struct suite_preset *found = NULL;
	struct buf known = {0};
	struct tool_output output;
	const int result = tool_run_watched(&output, argv, &limits, err);

	for (size_t i = 0; result == 0 && suite_presets[i]; i++) {
		const struct suite_preset *preset = suite_presets[i];

		if (strstr(buf_text(&output.out), preset->help) ||
			strstr(buf_text(&output.complaint), preset->help))
			found = preset;
		buf_printf(&known, "%s%s of %s", i > 0 ? ", nor " : "", preset->help, preset->name);
	}
	if (result == 0 && !found) {
		err_set(err, ERR_INPUT,
			"'%s' is no suite of a kind that is known: its --help does not name %s",
			program, buf_text(&known));
		err_note(err, "commands of its own can list and run the benchmarks of any program: "
			      "see profile_run-suite(5)");
	}
	buf_release(&known);
	tool_output_release(&output);
	return found;
}

/* Whether the folder, or one above it, is a Go module. */
static bool
is_in_module(const char *folder)
{
	char path[PATH_MAX];
	bool found = false;

	if (!realpath(folder, path))
		return false;
	for (char *slash; !found && (slash = strrchr(path, '/')); *slash = '\0') {
		char *module = file_join(path, "go.mod");

		found = file_exists(module);
		free(module);
	}
	return found;
}

static bool
has_go_benchmark(const char *path)
{
	struct buf text = {0};
	struct err ignored = {0};
	const bool has = file_read(path, &text, SOURCE_BYTES_MAX, &ignored) == 0 &&
			 (text_begins(buf_text(&text), "func Benchmark") ||
				 strstr(buf_text(&text), "\nfunc Benchmark"));

	buf_release(&text);
	return has;
}

static bool
has_go_benchmarks(const char *folder)
{
	static const char end[] = "_test.go";
	DIR *dir = opendir(folder);
	bool has = false;

	for (struct dirent *entry; dir && !has && (entry = readdir(dir));) {
		const size_t len = strlen(entry->d_name);
		char *path = file_join(folder, entry->d_name);

		has = len > strlen(end) && strcmp(entry->d_name + len - strlen(end), end) == 0 &&
		      has_go_benchmark(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	return has;
}

int
suite_find_package(
	const char *folder, struct suite_package *package, struct arena *arena, struct err *err)
{
	char *real = realpath(folder, NULL);
	struct buf build = {0};

	if (!real || !is_in_module(folder) || !has_go_benchmarks(folder)) {
		free(real);
		err_set(err, ERR_INPUT,
			"'%s' is a folder, but none of a Go module whose tests have a function "
			"'Benchmark...'",
			folder);
		return err_note(err, "of other suites, give the program: profile_run init --suite "
				     "-- build/bench");
	}
	package->program = arena_printf(arena, "./%s.test", file_basename(real));
	buf_puts(&build, "cd ");
	escape_shell_word(&build, folder);
	buf_puts(&build, " && go test -c -buildvcs=false -trimpath -o ");
	escape_shell_word(&build, package->program);
	package->build = arena_strdup(arena, buf_text(&build));
	buf_release(&build);
	free(real);
	return 0;
}

/* Whether the run of a benchmark succeeded, also by what it printed last. */
static bool
has_succeeded(const struct workload *workload, const struct child *child, struct err *failed)
{
	const struct suite_preset *preset = workload->suite->preset;
	struct suite_report report = {0};
	char text[LAST_OUTPUT_MAX + 1];

	if (child_judge(child, workload->run[0], failed) < 0)
		return false;
	last_output_text(&child->last_stdout, text, sizeof(text));
	return preset->read(workload->unit->benchmark, text, strlen(text), &report, failed) == 0;
}

/* Runs a benchmark, and appends its line. */
static int
time_benchmark(const struct workload *workload, struct buf *out, struct err *err)
{
	const struct child_spec spec = {
		.argv = workload->run,
		.env = workload->env,
		.cwd = workload->cwd,
		.stdin_path = workload->stdin_path,
		.exit_codes = workload->exit_codes,
		.output = CHILD_KEEP,
	};
	const double start = clock_seconds();
	struct err failed = {0};
	struct child child;

	if (process_run(&child, &spec, workload->unit->benchmark, RUN_LIMIT_S, &failed) == 0 &&
		has_succeeded(workload, &child, &failed)) {
		buf_printf(
			out, "%8.2f s  %s\n", clock_seconds() - start, workload->unit->benchmark);
		return 0;
	}
	if (failed.kind == ERR_INTERRUPTED) {
		*err = failed;
		return -1;
	}
	/* The program's own words may be in it. */
	char *why = mem_dup(failed.text, strcspn(failed.text, "\n"));

	escape_terminal(why, strlen(why));
	buf_printf(out, "%10s  %s: %s\n", "fails", workload->unit->benchmark, why);
	free(why);
	return 0;
}

static int
time_benchmarks(const struct workload_list *list, struct buf *out, struct err *err)
{
	const double end = clock_seconds() + RUNS_LIMIT_S;

	buf_printf(out, "%zu benchmark%s, and the time of a run of each:\n", list->nworkloads,
		list->nworkloads == 1 ? "" : "s");
	for (size_t i = 0; i < list->nworkloads; i++) {
		if (clock_seconds() > end)
			buf_printf(
				out, "%10s  %s\n", "not run", list->workloads[i].unit->benchmark);
		else if (time_benchmark(&list->workloads[i], out, err) < 0)
			return -1;
	}
	return 0;
}

int
suite_try(const char *path, const struct config *config, struct buf *out, struct err *err)
{
	struct workload_list list = {0};
	int result = workload_list_read(&list, &path, 1, config, err);

	signals_catch();
	if (result == 0)
		result = suites_list(&list, err);
	if (result == 0 && list.workloads[0].unlisted)
		result = err_set(err, ERR_MEASURE, "%s", list.workloads[0].unlisted);
	if (result == 0)
		result = time_benchmarks(&list, out, err);
	workload_list_release(&list);
	return result;
}
