/*
 * From the command line to a verb, and from its text to standard output. cli_verbs[] is the table
 * of verbs.
 *
 * To add a verb: write verb_NAME.c with a const struct cli_verb, declare it in verb.h, put it into
 * cli_verbs[] where `--help` should show it, and describe it in harness/doc/profile_run-NAME.1.
 */
#include "cli/verb.h"

#include "base/buf.h"
#include "base/colour.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/file.h"
#include "cli/manual.h"
#include "cli/next_step.h"
#include "output/json_add.h"
#include "spec/suggest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	&verb_coverage,
	&verb_merge,
	&verb_replay,
	&verb_explain,
	&verb_export,
	&verb_mcp,
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

/*
 * Adds to an error the commands that there are, and the one that `unknown` may mean; NULL: none was
 * given.
 */
static int
note_commands(const char *unknown, struct err *err)
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

/* The error of a command line without a command. */
static int
refuse_empty(struct err *err)
{
	err_set(err, ERR_USAGE, "no command given");
	next_step_note(err);
	return note_commands(NULL, err);
}

static const struct cli_verb *
find_verb(const char *name, struct err *err)
{
	for (size_t i = 0; cli_verbs[i]; i++) {
		if (strcmp(name, cli_verbs[i]->name) == 0)
			return cli_verbs[i];
	}
	err_set(err, ERR_USAGE, "unknown command '%s'", name);
	note_commands(name, err);
	return NULL;
}

/* The length of the terminal style at `text`, as sentences.h writes it; 0: there is none. */
static size_t
style_len(const char *text)
{
	const size_t numbers = strncmp(text, "\033[", 2) == 0 ? strspn(text + 2, "0123456789;") : 0;

	return numbers > 0 && text[2 + numbers] == 'm' ? 2 + numbers + 1 : 0;
}

/* Escapes all but the styles that the verb has set for a terminal. */
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
 * Prints a verb's text to standard output. It may contain names that anyone has stored, and is
 * therefore escaped here, whatever the verb has done.
 */
int
cli_show(const struct cli_verb *verb, struct buf *text, struct err *err)
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

/* Performs the verb of argv[0] and prints its text. */
static int
call_verb(int argc, char **argv, int *exit_code, struct err *err)
{
	struct buf text = {0};
	struct buf commands = {0};
	const struct cli_call call = {
		.verb = find_verb(argv[0], err),
		.argc = argc,
		.argv = argv,
		.text = &text,
		.commands = &commands,
		.exit_code = exit_code,
	};

	if (!call.verb)
		return -1;
	int result = call.verb->run(&call, err);

	if (result == 0)
		result = cli_show(call.verb, &text, err);
	if (result == 0 && commands.len > 0)
		result = file_write("-", commands.data, commands.len, err);
	buf_release(&commands);
	buf_release(&text);
	return result;
}

/* `profile_run help TOPIC`. */
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
		return refuse_empty(err);
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
