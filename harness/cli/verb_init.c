#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "builds/program.h"
#include "cli/command_settings.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "measurement/suite_find.h"
#include "process/process.h"
#include "spec/keys.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKFLOW_FOLDER ".github/workflows"
#define GIT_IGNORE ".gitignore"
#define GIT_IGNORE_BYTES_MAX (1U << 20)
#define BUILD_LIMIT_S 600

static const char settings_text[] =
	"# The configuration of profile_run: defaults for all workloads, whose own files override\n"
	"# them. profile_run-config(5) explains every key. All of them are optional.\n"
	"\n"
	"workloads: workloads # a YAML file each\n"
	"baselines: baselines # recorded runs to compare with; commit them\n"
	"reports: reports     # written by gates; git should ignore them\n"
	"\n"
	"capture:\n"
	"  runs: 10     # captured runs of each workload; more runs detect smaller changes\n"
	"  max_runs: 30 # at most, when more runs can decide a finding\n"
	"  timeout: 60s # a longer execution is ended, and is an error\n"
	"\n"
	"gate:\n"
	"  # Growth of CPU time from which a gate warns or fails: of the whole program, and of each\n"
	"  # function that has min_share of it. Growth below floor of the program is ignored.\n";

static const char policy_text[] =
	"\n"
	"  # A workload without a baseline warns. Undecided, a suspected regression that nothing\n"
	"  # confirmed, exits 3; with warn 0. A measurement that is only coarse warns in any case.\n"
	"  policy:\n"
	"    missing_baseline: warn\n"
	"    inconclusive: fail\n";

static void
put_thresholds(struct buf *out, const char *indent, const struct gate_policy *policy)
{
	buf_printf(out, "%stotal: {warn: %g%%, fail: %g%%}\n", indent, 100 * policy->total.warn,
		100 * policy->total.fail);
	buf_printf(out, "%sfunctions: {min_share: %g%%, floor: %g%%, warn: %g%%, fail: %g%%}\n",
		indent, 100 * policy->min_share, 100 * policy->floor, 100 * policy->functions.warn,
		100 * policy->functions.fail);
}

/* Appends the configuration, with the built-in thresholds. */
static void
put_config(struct buf *out)
{
	const struct gate_policy stored = gate_policy_defaults();
	const struct gate_overlays overlays = gate_overlays_defaults();

	buf_puts(out, settings_text);
	put_thresholds(out, "  ", &stored);
	buf_puts(out,
		"\n"
		"  # The same for 'profile_run gate --against COMMIT': both builds run here, interleaved, "
		"which\n"
		"  # detects smaller changes and needs no baseline.\n"
		"  paired:\n");
	put_thresholds(out, "    ", &overlays.paired.values);
	buf_puts(out, policy_text);
}

/* The paired gate of a pull request; followed by the action and its inputs. */
static const char workflow_begin[] =
	"# Measures each pull request against the branch it is to be merged into, both builds interleaved,\n"
	"# and fails where it made something slower.\n"
	"name: performance\n"
	"on:\n"
	"  pull_request:\n"
	"  merge_group:\n"
	"permissions:\n"
	"  contents: read\n"
	"jobs:\n"
	"  gate:\n"
	"    runs-on: ubuntu-24.04\n"
	"    timeout-minutes: 60\n"
	"    steps:\n"
	"      - uses: actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1\n"
	"        with:\n"
	"          persist-credentials: false\n"
	"          fetch-depth: 2 # with the commit it is merged into\n"
	"      - uses: ";

static const char workflow_end[] = "\n"
				   "        with:\n"
				   "          against: HEAD^1\n";

static const char about_run[] =
	"# The program and its arguments. It should always do the same work, and need no network.\n"
	"# What takes less than half a second is executed several times in each run.\n";

/* Takes about a second, in any POSIX shell. */
static const char example_run[] = "# An example, to be replaced by a command of your own.\n"
				  "run: \"i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done\"\n";

struct init_call {
	struct command_settings settings;
	const char *name;
	const char *given_build; /* --build; NULL: that of the build system; "": none */
	const char *action;      /* of GitHub, for the workflow; NULL: no workflow is written */
	bool is_suite;
	const char *folder; /* of a suite, in place of a program, as it is named; NULL: none */
	const struct suite_preset *kind; /* of a suite */
	const char *const *run;          /* the command; `nrun` words, 0: an example is written */
	size_t nrun;
	const char *cwd; /* its folder; NULL: the current one */
	struct arena arena;
	struct build_system build;
	bool has_commit; /* the repository has a commit to compare with */
};

/* Appends a quoted YAML scalar. Text that it cannot hold unchanged is an error. */
static int
put_word(struct buf *out, const char *word, struct err *err)
{
	struct buf readable = {0};

	escape_utf8(&readable, word, strlen(word));
	bool differs = strcmp(buf_text(&readable), word) != 0;

	buf_release(&readable);
	if (differs)
		return err_set(err, ERR_USAGE,
			"'%s' has control characters or is not UTF-8: put the command into a script",
			word);
	buf_putc(out, '"');
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			buf_putc(out, '\\');
		buf_putc(out, *word);
	}
	buf_putc(out, '"');
	return 0;
}

static int
put_build(struct buf *out, const struct build_system *build, struct err *err)
{
	buf_puts(out, "# The command that builds the program, run once before the runs");
	buf_printf(out, "%s%s%s:\n", build->name ? " (" : "", build->name ? build->name : "",
		build->name ? ")" : "");
	if (build->advice)
		buf_printf(out, "# %s\n", build->advice);
	if (!build->command) {
		buf_puts(out, "# build: make\n");
		return 0;
	}
	buf_puts(out, "build: ");
	if (put_word(out, build->command, err) < 0)
		return -1;
	buf_putc(out, '\n');
	return 0;
}

static int
put_workload_file(const struct init_call *args, struct buf *out, struct err *err)
{
	buf_printf(out, "%s# profile_run-%s(5) explains every key.\nname: %s\n\n",
		args->kind ? "# A suite: each benchmark that its program lists is a workload.\n"
			   : "# A workload: a command that profile_run runs repeatedly and "
			     "profiles.\n",
		args->kind ? "suite" : "workload", args->name);
	if (put_build(out, &args->build, err) < 0)
		return -1;
	buf_putc(out, '\n');
	if (args->kind)
		buf_printf(out,
			"suite: %s\n"
			"# include: [\"parse/*\"] # only these benchmarks\n",
			args->kind->name);
	else
		buf_puts(out, about_run);
	if (args->nrun == 0)
		buf_puts(out, example_run);
	for (size_t i = 0; i < args->nrun; i++) {
		buf_puts(out, i > 0 ? ", " : "run: [");
		if (put_word(out, args->run[i], err) < 0)
			return -1;
	}
	buf_puts(out, args->nrun > 0 ? "]\n" : "");
	if (args->cwd && args->nrun > 0) {
		buf_puts(out, "cwd: ");
		if (put_word(out, args->cwd, err) < 0)
			return -1;
		buf_putc(out, '\n');
	}
	buf_puts(out, "\n"
		      "# What is special about this one; see config/profile_run.yaml:\n"
		      "# gate:\n"
		      "#   functions: {warn: 4%, fail: 8%}\n"
		      "#   rules:\n"
		      "#     - {function: \"parse_*\", of: total, fail: 5%}\n");
	return 0;
}

static int
write_new(const char *folder, const char *path, const char *text, struct buf *said, struct err *err)
{
	if (file_make_dirs(folder, err) < 0 || file_write(path, text, strlen(text), err) < 0)
		return -1;
	buf_printf(said, "wrote %s\n", path);
	return 0;
}

/* Writes a file unless it exists, and reports that it was written or kept. */
static int
write_unless_there(
	const char *folder, const char *path, const char *text, struct buf *said, struct err *err)
{
	if (!file_exists(path))
		return write_new(folder, path, text, said, err);
	buf_printf(said, "kept %s\n", path);
	return 0;
}

/*
 * Checks that an action has GitHub's form "OWNER/REPOSITORY/FOLDER@VERSION", which is valid YAML
 * without quotes.
 */
static int
check_action(const struct cli_call *call, const char *action, struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_./-";
	size_t name = action ? strspn(action, letters) : 0;

	if (!action || (name > 0 && action[0] != '-' && action[name] == '@' && action[name + 1] &&
			       strspn(action + name + 1, letters) == strlen(action + name + 1)))
		return 0;
	err_set(err, ERR_USAGE,
		"'--workflow %s': expected an action and its version, such as "
		"OWNER/profile_run/.github/actions/profile-run@v0",
		action);
	return cli_usage_error(call->verb, err);
}

/* Takes the given name for the workload, or that of the program. */
static int
choose_name(const struct cli_call *call, struct init_call *args, struct err *err)
{
	const char *named = call->arguments.count > 0 ? call->arguments.items[0] : "example";
	const char *program = file_basename(named);

	if (args->is_suite && call->arguments.count == 0)
		named = ".";
	if (args->is_suite && file_is_dir(named)) {
		char *folder = realpath(named, NULL);

		args->folder = named;
		/* The folder's own name would be taken for the folder by other commands. */
		program = folder ? arena_printf(&args->arena, "%s_bench", file_basename(folder))
				 : program;
		free(folder);
	}

	if (!args->name)
		args->name = keys_is_name(program) ? program : "example";
	if (keys_is_name(args->name))
		return 0;
	err_set(err, ERR_USAGE,
		"'--workload %s': expected a name of letters, digits, '_', '.' and '-', not "
		"starting with '.' or '-'",
		args->name);
	return cli_usage_error(call->verb, err);
}

/* Runs the build: the command that is written has to work. */
static int
try_build(const struct init_call *args, struct err *err)
{
	const struct config *config = &args->settings.config;
	const struct workload workload = {.name = args->name,
		.build = args->build.command,
		.build_timeout_s =
			config->build_timeout_s > 0 ? config->build_timeout_s : BUILD_LIMIT_S};

	if (!workload.build || program_build(&workload, NULL, err) == 0)
		return 0;
	return err_note(err, "give a command that works with '--build CMD', or none with "
			     "\"--build ''\"");
}

static int
check_program(const struct init_call *args, const char *program, struct err *err)
{
	char *path = find_program(program, NULL, args->settings.root.prefix);
	int result = 0;

	if (!path || !file_exists(path)) {
		err_set(err, ERR_INPUT, "there is no program '%s'", program);
		result = args->build.command
				 ? err_note(err, "the build does not make it; the command was: %s",
					   args->build.command)
				 : err_note(err, "build it first, or give its path: "
						 "profile_run init -- ./PATH/PROGRAM ARGS");
	} else if (file_is_dir(path)) {
		result = err_set(err, ERR_INPUT, "'%s' is a folder, not a program", program);
	} else if (access(path, X_OK) != 0) {
		err_set(err, ERR_INPUT, "'%s' is not executable", program);
		result = err_note(err, "run: chmod +x %s", path);
	}
	free(path);
	return result;
}

/* The path of the new workload; free() it. */
static char *
new_workload_path(const struct init_call *args)
{
	return mem_printf("%s/%s.yaml", args->settings.config.workloads_dir, args->name);
}

static int
check_new(const struct init_call *args, struct err *err)
{
	char *path = new_workload_path(args);
	int result = 0;

	if (file_exists(path)) {
		err_set(err, ERR_INPUT, "'%s' exists already: it is not overwritten", path);
		result = err_note(err, "'--workload NAME' gives another name");
	}
	free(path);
	return result;
}

/* Builds the benchmarks in a folder of Go. */
static int
prepare_package(struct init_call *args, const char *folder, struct err *err)
{
	struct suite_package package;
	const char **run = arena_alloc(&args->arena, sizeof(*run));

	if (suite_find_package(folder, &package, &args->arena, err) < 0)
		return -1;
	*run = package.program;
	args->run = run;
	args->nrun = 1;
	args->cwd = folder;
	args->build = (struct build_system){.name = "Go", .command = package.build};
	if (args->given_build)
		args->build.command = *args->given_build ? args->given_build : NULL;
	if (try_build(args, err) < 0)
		return -1;
	char *program = file_join(folder, package.program);

	args->kind = suite_find_kind(program, err);
	free(program);
	return args->kind ? 0 : -1;
}

/* Finds and tries the build, and checks that there is a program to measure. */
static int
prepare_program(const struct cli_call *call, struct init_call *args, struct err *err)
{
	const char *program = call->arguments.count > 0 ? call->arguments.items[0] : NULL;
	struct root *root = &args->settings.root;

	if (args->folder)
		return prepare_package(args,
			root->prefix && strcmp(args->folder, ".") == 0
				? root->prefix
				: root_path(root, args->folder),
			err);
	args->run = call->arguments.items;
	args->nrun = call->arguments.count;
	args->cwd = root->prefix;
	if (args->given_build)
		args->build.command = *args->given_build ? args->given_build : NULL;
	else if (program)
		build_system_find(&args->build, program, root->prefix, &args->arena);
	if (try_build(args, err) < 0)
		return -1;
	if (program && check_program(args, program, err) < 0)
		return -1;
	if (!args->is_suite)
		return 0;
	char *path = find_program(program, NULL, args->settings.root.prefix);

	args->kind = suite_find_kind(path, err);
	free(path);
	return args->kind ? 0 : -1;
}

/* Whether git ignores files in the folder: 1 or 0; -1: there is no repository. */
static int
is_ignored(const char *folder)
{
	char *inside = file_join(folder, "report.txt");
	const char *const args[] = {"check-ignore", "--quiet", "--", inside, NULL};
	struct tool_output output = {0};
	struct err failed = {0};
	int result = git_run(&output, NULL, args, &failed) == 0 && output.status <= 1
			     ? output.status == 0
			     : -1;

	tool_output_release(&output);
	free(inside);
	return result;
}

/* Adds the folder of the reports to .gitignore, unless it is outside the current folder. */
static int
ignore_reports(const char *folder, struct buf *said, struct err *err)
{
	struct buf text = {0};

	while (strncmp(folder, "./", 2) == 0)
		folder += 2;
	const bool is_here = folder[0] != '/' && strncmp(folder, "..", 2) != 0;

	if (!is_here || is_ignored(folder) != 0)
		return 0;
	int result = file_exists(GIT_IGNORE)
			     ? file_read(GIT_IGNORE, &text, GIT_IGNORE_BYTES_MAX, err)
			     : 0;

	if (result == 0) {
		const char *end = text.len > 0 && text.data[text.len - 1] != '\n' ? "\n" : "";

		buf_printf(&text, "%s/%s/\n", end, folder);
		result = file_write(GIT_IGNORE, text.data, text.len, err);
	}
	if (result == 0)
		buf_printf(said, "added /%s/ to " GIT_IGNORE "\n", folder);
	buf_release(&text);
	return result;
}

/* Appends the next two commands: one to be tried at once, and the one that follows. */
static void
put_next(const struct init_call *args, struct buf *out)
{
	const struct config *config = &args->settings.config;

	buf_puts(out, "\nNext:\n");
	if (!args->has_commit) {
		buf_printf(out,
			"  profile_run baseline update %s   # record the runs to compare with\n"
			"  profile_run gate %s              # after each change\n",
			args->name, args->name);
		return;
	}
	buf_printf(out,
		"  profile_run gate %s --against HEAD   # compare the working tree with its last "
		"commit\n"
		"  git add --all ",
		args->name);
	escape_shell_word(out, config->workloads_dir);
	buf_printf(out, " " CONFIG_PATH "%s%s\n", file_exists(GIT_IGNORE) ? " " GIT_IGNORE : "",
		args->action ? " " WORKFLOW_FOLDER : "");
	if (args->action)
		buf_puts(out, "The pull request that adds these files passes with a warning; each "
			      "later one is\ncompared with the branch it is to be merged into.\n");
}

static int
write_files(const struct cli_call *call, struct init_call *args, struct err *err)
{
	const char *folder = args->settings.config.workloads_dir;
	char *path = new_workload_path(args);
	struct buf config = {0};
	struct buf workload = {0};
	struct buf workflow = {0};
	int result;

	put_config(&config);
	result = put_workload_file(args, &workload, err);
	if (result == 0)
		result = write_unless_there(
			"config", CONFIG_PATH, buf_text(&config), call->text, err);
	if (result == 0)
		result = write_new(folder, path, buf_text(&workload), call->text, err);
	if (result == 0 && args->action) {
		buf_printf(&workflow, "%s%s%s", workflow_begin, args->action, workflow_end);
		result = write_unless_there(WORKFLOW_FOLDER, WORKFLOW_FOLDER "/performance.yml",
			buf_text(&workflow), call->text, err);
	}
	/* A suite that cannot be listed is no workload. */
	if (result == 0 && args->kind &&
		suite_try(path, &args->settings.config, call->text, err) < 0) {
		unlink(path);
		result = -1;
	}
	buf_release(&workflow);
	buf_release(&config);
	buf_release(&workload);
	free(path);
	return result;
}

static int
init(const struct cli_call *call, void *context, struct err *err)
{
	struct init_call *args = context;

	if (choose_name(call, args, err) < 0 || check_action(call, args->action, err) < 0 ||
		command_settings_load_config(&args->settings, err) < 0)
		return -1;
	char commit[GIT_COMMIT_SIZE];
	int result = check_new(args, err);

	if (result == 0)
		result = prepare_program(call, args, err);
	git_head(NULL, commit);
	args->has_commit = commit[0] != '\0';
	if (result == 0)
		result = write_files(call, args, err);
	if (result == 0)
		result = ignore_reports(args->settings.config.reports_dir, call->text, err);
	if (result == 0)
		put_next(args, call->text);
	arena_release(&args->arena);
	command_settings_release(&args->settings);
	return result;
}

static int
run_init(const struct cli_call *call, struct err *err)
{
	struct init_call args = {0};
	const struct cli_option options[] = {
		{"build", 0, OPTION_TEXT, "CMD", &args.given_build,
			"command that builds the program (default: by the files of its build system)"},
		{"suite", 0, OPTION_FLAG, NULL, &args.is_suite,
			"the program, or the folder of Go, is a suite: list and run its benchmarks, and make a workload of each"},
		{"workload", 'w', OPTION_TEXT, "NAME", &args.name,
			"name of the workload (default: the program's)"},
		{"workflow", 0, OPTION_TEXT, "ACTION", &args.action,
			"also write a workflow for GitHub that uses this action, such as OWNER/profile_run/.github/actions/profile-run@v0"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, init, &args, err);
}

const struct cli_verb verb_init = {
	.name = "init",
	.usage = "[--suite] [--build CMD] [--workload NAME] [--workflow ACTION] [-- CMD ARGS...]",
	.summary = "write a first workload and a configuration, with comments",
	.takes_arguments = true,
	.takes_command = true,
	.run = run_init,
};
