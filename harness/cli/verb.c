/*
 * The table of verbs, their lookup, and the manual pages of `profile_run help`.
 *
 * To add one: write verb_NAME.c with a const struct cli_verb, declare it in verb.h, put it into
 * cli_verbs[] where `--help` should show it, and describe it in
 * harness/doc/profile_run-NAME.1.
 */
#include "cli/verb.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "builds/repository.h"
#include "cli/root.h"
#include "output/json_add.h"
#include "process/process.h"
#include "spec/suggest.h"
#include "spec/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "workload 'parse'", "2 workloads". */
static char *
describe_workloads(const struct workload_list *list)
{
	return list->nworkloads == 1 ? mem_printf("workload '%s'", list->workloads[0].name)
				     : mem_printf("%zu workloads", list->nworkloads);
}

/* The working tree is compared with the branch that it is merged into, if that is not HEAD. */
static char *
choose_base(const char *head)
{
	char *branch = repository_default_branch();
	const char *const args[] = {"rev-parse", branch, NULL};
	struct err ignored = {0};
	char *commit = branch ? git_line(NULL, args, &ignored) : NULL;

	if (!commit || strcmp(commit, head) == 0) {
		free(branch);
		branch = mem_strdup("HEAD");
	}
	free(commit);
	return branch;
}

static bool
has_baselines(const struct config *config)
{
	struct baseline_list stored;
	struct err ignored = {0};

	if (baseline_list_read(&stored, config->baselines_dir, &ignored) < 0)
		return false;
	const bool any = stored.nentries > 0;

	baseline_list_release(&stored);
	return any;
}

static void
note_for_workloads(const struct config *config, const struct workload_list *list, struct err *err)
{
	char *workloads = describe_workloads(list);
	char head[GIT_COMMIT_SIZE];

	git_head(NULL, head);
	if (head[0]) {
		char *base = choose_base(head);
		struct buf word = {0};

		escape_shell_word(&word, base);
		err_note(err,
			"next: 'profile_run gate --against %s' compares the working tree's build with "
			"%s, by %s",
			buf_text(&word),
			strcmp(base, "HEAD") == 0 ? "its last commit's" : "that branch's",
			workloads);
		buf_release(&word);
		free(base);
	} else if (has_baselines(config)) {
		err_note(err, "next: 'profile_run gate' compares %s with the stored baselines",
			workloads);
	} else {
		err_note(err,
			"next: 'profile_run baseline update' records runs of %s, for 'profile_run gate' "
			"to compare with",
			workloads);
	}
	free(workloads);
}

static void
note_for_config(const struct config *config, struct err *err)
{
	struct workload_list list = {0};
	struct err problem = {0};

	if (!file_is_dir(config->workloads_dir)) {
		err_note(err, "next: 'profile_run init -- COMMAND' writes a first workload");
	} else if (workload_list_read(&list, NULL, 0, config, &problem) < 0) {
		err_note(err, "next: correct the workloads: %.*s", (int)strcspn(problem.text, "\n"),
			problem.text);
	} else {
		note_for_workloads(config, &list, err);
		workload_list_release(&list);
	}
}

/*
 * Adds a note with that command and what it does, by whether there are workloads, a configuration
 * that can be read, commits and baselines. Nothing is measured.
 */
static void
next_step_note(struct err *err)
{
	struct root root = {0};
	struct config config;
	struct err problem = {0};

	config_init(&config);
	root_enter(&root);
	if (file_exists(CONFIG_PATH) && config_read(&config, CONFIG_PATH, &problem) < 0)
		err_note(err, "next: correct the configuration: %.*s",
			(int)strcspn(problem.text, "\n"), problem.text);
	else
		note_for_config(&config, err);
	config_release(&config);
	root_release(&root);
}

const struct cli_verb *const cli_verbs[] = {
	&verb_init,
	&verb_gate,
	&verb_baseline,
	&verb_capture,
	&verb_stat,
	&verb_crosscheck,
	&verb_flamegraph,
	&verb_heatmap,
	&verb_analyze,
	&verb_annotate,
	&verb_diff,
	&verb_compare,
	&verb_merge,
	&verb_replay,
	&verb_export,
	&verb_waive,
	&verb_history,
	&verb_trend,
	&verb_watch,
	&verb_bisect,
	&verb_convert,
	&verb_calibrate,
	&verb_doctor,
	&verb_completions,
	NULL,
};

static void
show_usage(void)
{
	struct buf out = {0};

	buf_puts(&out, "usage: profile_run COMMAND [options]\n\n"
		       "Profiles workloads and says, function by function, whether a change made "
		       "them slower.\n\nCommands:\n");
	for (size_t i = 0; cli_verbs[i]; i++)
		buf_printf(&out, "  %-12s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
	buf_puts(&out, "\n'profile_run COMMAND --help' lists the options of a command, "
		       "'profile_run help COMMAND' shows its\nmanual page, "
		       "'profile_run --version' the version.\n"
		       "Exit codes: 0 pass, 1 regression, 2 could not measure, 3 undecided, "
		       "64 usage.\n");
	fputs(buf_text(&out), stdout);
	buf_release(&out);
}

#define VERBS_MAX (sizeof(cli_verbs) / sizeof(cli_verbs[0]))

static int
usage_error(const char *unknown, struct err *err)
{
	const char *names[VERBS_MAX];
	struct buf list = {0};
	size_t n = 0;

	for (; cli_verbs[n]; n++) {
		names[n] = cli_verbs[n]->name;
		buf_printf(&list, "%s%s", n > 0 ? ", " : "", names[n]);
	}
	const char *nearest = unknown ? suggest_nearest(unknown, names, n) : NULL;

	if (nearest)
		err_note(err, "did you mean '%s'?", nearest);
	err_note(err, "the commands are %s", buf_text(&list));
	buf_release(&list);
	return err_note(err, "see 'profile_run --help'");
}

static int
refuse_none(struct err *err)
{
	err_set(err, ERR_USAGE, "no command given");
	next_step_note(err);
	return usage_error(NULL, err);
}

static const struct cli_verb *
find_verb(const char *name, struct err *err)
{
	for (size_t i = 0; cli_verbs[i]; i++) {
		if (strcmp(name, cli_verbs[i]->name) == 0)
			return cli_verbs[i];
	}
	err_set(err, ERR_USAGE, "unknown command '%s'", name);
	usage_error(name, err);
	return NULL;
}

/* Bytes of the style at `text`, as sentences.h writes it; 0: there is none. */
static size_t
style_len(const char *text)
{
	const size_t numbers = strncmp(text, "\033[", 2) == 0 ? strspn(text + 2, "0123456789;") : 0;

	return numbers > 0 && text[2 + numbers] == 'm' ? 2 + numbers + 1 : 0;
}

/* All but the styles that the verb has set for a terminal. */
static void
escape_styled(struct buf *text)
{
	for (size_t at = 0; at < text->len;) {
		const size_t style = style_len(text->data + at);
		const char *next = memchr(text->data + at + 1, '\033', text->len - at - 1);
		const size_t end = style > 0 ? at + style
				   : next    ? (size_t)(next - text->data)
					     : text->len;

		if (style == 0)
			escape_terminal(text->data + at, end - at);
		at = end;
	}
}

/*
 * Prints a verb's text to standard output. What is in it may have been stored by anyone: it is
 * escaped here, whatever the verb has done.
 */
static int
show(const struct cli_verb *verb, struct buf *text, struct err *err)
{
	struct buf coloured = {0};
	int result = 0;

	if (verb->is_data)
		escape_commands(text->data, text->len);
	else if (verb->is_styled && isatty(STDOUT_FILENO))
		escape_styled(text);
	else
		escape_terminal(text->data, text->len);

	if (verb->has_verdicts && colour_wanted(STDOUT_FILENO)) {
		colour_verdicts(&coloured, buf_text(text), text->len);
		text = &coloured;
	}
	if (text->len > 0)
		result = file_write("-", text->data, text->len, err);
	buf_release(&coloured);
	return result;
}

static int
call_verb(int argc, char **argv, int *exit_code, struct err *err)
{
	struct buf text = {0};
	const struct cli_call call = {
		.verb = find_verb(argv[0], err),
		.argc = argc,
		.argv = argv,
		.text = &text,
		.exit_code = exit_code,
	};

	if (!call.verb)
		return -1;
	int result = call.verb->run(&call, err);

	if (result == 0)
		result = show(call.verb, &text, err);
	buf_release(&text);
	return result;
}

#define PROGRAM "profile_run"
#define PAGE_PREFIX PROGRAM "-"

/* A page is a line of a form feed, "profile_run-gate 1", and its text. */
extern const char cli_manual_pages[];

bool
manual_next(struct manual_page *page)
{
	const char *at = page->text ? page->text + page->len : cli_manual_pages;

	if (*at != '\f')
		return false;
	page->topic = at + 1;
	if (strncmp(page->topic, PAGE_PREFIX, strlen(PAGE_PREFIX)) == 0)
		page->topic += strlen(PAGE_PREFIX);
	page->topic_len = strcspn(page->topic, " ");
	page->section = page->topic[page->topic_len + 1];
	page->text = strchr(at, '\n') + 1;
	page->len = strcspn(page->text, "\f");
	return true;
}

bool
manual_find(struct manual_page *page, const char *topic)
{
	*page = (struct manual_page){0};
	while (manual_next(page)) {
		if (strlen(topic) == page->topic_len &&
			memcmp(topic, page->topic, page->topic_len) == 0)
			return true;
	}
	return false;
}

/* Whether man(1) has the page; some systems have a man that only says that it is not installed. */
static bool
is_installed(const char *name)
{
	const char *const argv[] = {"man", "-w", name, NULL};
	struct tool_output found = {0};
	struct err no_man = {0};
	bool installed = tool_run(&found, argv, NULL, NULL, &no_man) == 0 && found.status == 0 &&
			 buf_text(&found.out)[0] == '/';

	tool_output_release(&found);
	return installed;
}

/*
 * On a terminal where man(1) has the page, it takes the place of this process. Else the text goes
 * to standard output.
 */
static int
manual_show(const struct manual_page *page, struct err *err)
{
	if (isatty(STDOUT_FILENO)) {
		bool is_index = strncmp(page->topic, PROGRAM " ", strlen(PROGRAM " ")) == 0;
		struct buf name = {0};

		buf_printf(&name, "%s%.*s", is_index ? "" : PAGE_PREFIX, (int)page->topic_len,
			page->topic);
		if (is_installed(buf_text(&name)))
			execlp("man", "man", buf_text(&name), (char *)NULL);
		buf_release(&name);
	}
	return file_write("-", page->text, page->len, err);
}

static int
help(const char *topic, struct err *err)
{
	struct manual_page page;

	if (manual_find(&page, topic))
		return manual_show(&page, err);
	find_verb(topic, err);
	return -1;
}

int
cli_main(int argc, char **argv, int *exit_code, struct err *err)
{
	*exit_code = 0;
	json_memory_use();
	if (argc < 2)
		return refuse_none(err);
	if (strcmp(argv[1], "help") == 0)
		return help(argc > 2 ? argv[2] : "profile_run", err);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		show_usage();
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("profile_run " PROFILE_RUN_VERSION);
		return 0;
	}
	return call_verb(argc - 1, argv + 1, exit_code, err);
}
