/*
 * Completion scripts of shells, made from what the verbs take. Each shell is a const struct in
 * completion_shells[]: to add one, write its function and put it there; `make install` has the
 * file's name.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/verb.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A verb and all its options, the common ones included. */
struct completed_verb {
	const struct cli_verb *verb;
	struct cli_option *options; /* ended by one without a name; owned */
	size_t noptions;
};

struct completion_shell {
	const char *name;
	/* Appends the script that completes these verbs, which end with one that has no `verb`. */
	void (*write)(struct buf *out, const struct completed_verb *verbs);
};

/*
 * Names of workloads are those of files in a repository, which may be hostile: the scripts never
 * pass them to anything that expands words, and the shell quotes them when it inserts them.
 */

/* The kind of completion for the value of an option, or for an argument of a verb. */
enum completed {
	COMPLETED_NOTHING, /* free text */
	COMPLETED_WORDS,   /* the words of its usage text in lower case: "update|list", "N|auto" */
	COMPLETED_FOLDER,
	COMPLETED_FILE,
	COMPLETED_WORKLOAD, /* its name, or a file */
};

/* Whether a word of a usage text is to be typed as it stands. */
static bool
is_choice(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz-.", word[i]))
			return false;
	}
	return len > 0;
}

/* Appends the choices of "auto|always|N", separated by spaces; returns how many. */
static size_t
put_choices(struct buf *out, const char *text, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at < len;) {
		size_t word = strcspn(text + at, "| ");

		if (at + word > len)
			word = len - at;
		if (is_choice(text + at, word))
			buf_printf(out, "%s%.*s", n++ > 0 ? " " : "", (int)word, text + at);
		at += word + 1;
	}
	return n;
}

/* The completion of an option's value. */
static enum completed
value_of(const struct cli_option *option)
{
	struct buf choices = {0};
	size_t n = put_choices(&choices, option->value, strlen(option->value));

	buf_release(&choices);
	if (n > 0)
		return COMPLETED_WORDS;
	if (strcmp(option->name, "workload") == 0)
		return COMPLETED_WORKLOAD;
	if (strcmp(option->value, "DIR") == 0)
		return COMPLETED_FOLDER;
	if (strstr(option->value, "FILE") || strstr(option->value, "DIR") ||
		strcmp(option->value, "SVG") == 0 || strcmp(option->value, "REPORT") == 0)
		return COMPLETED_FILE;
	return COMPLETED_NOTHING;
}

/* The completion of a verb's arguments. */
static enum completed
arguments_of(const struct cli_verb *verb)
{
	if (!verb->takes_arguments)
		return COMPLETED_NOTHING;
	return strstr(verb->usage, "WORKLOAD") ? COMPLETED_WORKLOAD : COMPLETED_FILE;
}

/*
 * Appends the actions of a verb, "update list" for "update|list [WORKLOAD ...]"; returns how many.
 */
static size_t
put_actions(struct buf *out, const struct cli_verb *verb)
{
	return verb->takes_arguments ? put_choices(out, verb->usage, strcspn(verb->usage, " ")) : 0;
}

/* Appends text for within single quotes; `escapes` are the characters that get a backslash. */
static void
put_quoted(struct buf *out, const char *text, const char *escapes)
{
	for (; *text; text++) {
		if (strchr(escapes, *text))
			buf_putc(out, '\\');
		if (*text == '\'' && !strchr(escapes, '\''))
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *text);
	}
}

static void
put_verb_names(struct buf *out, const struct completed_verb *verbs)
{
	for (; verbs->verb; verbs++)
		buf_printf(out, "%s ", verbs->verb->name);
}

/* Appends the topics of the manual that are no verbs. */
static void
put_topics(struct buf *out)
{
	struct manual_page page = {0};

	while (manual_next(&page)) {
		if (page.section != '1')
			buf_printf(out, "%.*s ", (int)page.topic_len, page.topic);
	}
}

static void
put_bash_takes(struct buf *out, enum completed completed)
{
	static const char *const words[] = {
		[COMPLETED_NOTHING] = "nothing",
		[COMPLETED_WORDS] = "words",
		[COMPLETED_FOLDER] = "folder",
		[COMPLETED_FILE] = "path",
		[COMPLETED_WORKLOAD] = "workload",
	};

	buf_puts(out, words[completed]);
}

static void
put_bash_verb(struct buf *out, const struct completed_verb *verb)
{
	struct buf actions = {0};

	buf_printf(out, "\t%s)\n\t\toptions='", verb->verb->name);
	for (size_t i = 0; i < verb->noptions; i++)
		buf_printf(out, "--%s ", verb->options[i].name);
	buf_puts(out, "--help'\n\t\tcase $before in\n");
	for (const struct cli_option *option = verb->options; option->name; option++) {
		if (!option->value)
			continue;
		buf_printf(out, "\t\t--%s", option->name);
		if (option->letter)
			buf_printf(out, " | -%c", option->letter);
		buf_puts(out, ") takes=");
		put_bash_takes(out, value_of(option));
		if (value_of(option) == COMPLETED_WORDS) {
			buf_puts(out, " words='");
			put_choices(out, option->value, strlen(option->value));
			buf_putc(out, '\'');
		}
		buf_puts(out, " ;;\n");
	}
	buf_puts(out, "\t\tesac\n\t\targuments=");
	put_bash_takes(out, arguments_of(verb->verb));
	if (put_actions(&actions, verb->verb) > 0)
		buf_printf(out, "\n\t\t[ \"$COMP_CWORD\" -ne 2 ] || arguments=words words='%s'",
			buf_text(&actions));
	buf_puts(out, "\n\t\t;;\n");
	buf_release(&actions);
}

static void
write_bash(struct buf *out, const struct completed_verb *verbs)
{
	buf_puts(out, "# bash completion for profile_run, made by 'profile_run completions bash'.\n"
		      "_profile_run() {\n"
		      "\tlocal now=$2 before=$3 options='' words='' takes='' arguments='' file\n"
		      "\tCOMPREPLY=()\n"
		      "\t[ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
		      "\t[ \"$now\" != = ] || { now='' before=${COMP_WORDS[COMP_CWORD - 1]}; }\n"
		      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\ttakes=words words='");
	put_verb_names(out, verbs);
	buf_puts(out, "help --help --version'\n\tfi\n\tcase ${COMP_WORDS[1]} in\n"
		      "\thelp) arguments=words words='");
	put_verb_names(out, verbs);
	put_topics(out);
	buf_puts(out, "' ;;\n");
	for (const struct completed_verb *verb = verbs; verb->verb; verb++)
		put_bash_verb(out, verb);
	buf_puts(out, "\tesac\n"
		      "\tif [ -z \"$takes\" ]; then\n"
		      "\t\tcase $now in\n"
		      "\t\t-*) takes=words words=$options ;;\n"
		      "\t\t*) takes=$arguments ;;\n"
		      "\t\tesac\n"
		      "\tfi\n"
		      "\tcase $takes in\n"
		      "\twords)\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n"
		      "\t\treturn\n"
		      "\t\t;;\n"
		      "\tfolder) mapfile -t COMPREPLY < <(compgen -d -- \"$now\") ;;\n"
		      "\tpath | workload) mapfile -t COMPREPLY < <(compgen -f -- \"$now\") ;;\n"
		      "\tesac\n"
		      "\tif [ \"$takes\" = workload ]; then\n"
		      "\t\tfor file in workloads/*.yaml; do\n"
		      "\t\t\tfile=${file##*/}\n"
		      "\t\t\t[[ $file != \"$now\"* || $file = '*.yaml' ]] || "
		      "COMPREPLY+=(\"${file%.yaml}\")\n"
		      "\t\tdone\n"
		      "\tfi\n"
		      "\tcompopt -o filenames 2>/dev/null\n"
		      "}\n"
		      "complete -F _profile_run profile_run\n");
}

static void
put_zsh_action(struct buf *out, enum completed completed, const char *text)
{
	switch (completed) {
	case COMPLETED_NOTHING:
		buf_putc(out, ' ');
		break;
	case COMPLETED_WORDS:
		buf_putc(out, '(');
		put_choices(out, text, strlen(text));
		buf_putc(out, ')');
		break;
	case COMPLETED_FOLDER:
		buf_puts(out, "_files -/");
		break;
	case COMPLETED_FILE:
		buf_puts(out, "_files");
		break;
	case COMPLETED_WORKLOAD:
		buf_puts(out, "_profile_run_workloads");
		break;
	}
}

static void
put_zsh_verb(struct buf *out, const struct completed_verb *verb)
{
	struct buf actions = {0};

	buf_printf(out, "\t%s)\n\t\t_arguments -s \\\n", verb->verb->name);
	for (const struct cli_option *option = verb->options; option->name; option++) {
		const char *value = option->value ? "=" : "";

		buf_puts(out, "\t\t\t");
		if (option->letter)
			buf_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter,
				option->name, option->letter, option->value ? "+" : "",
				option->name, value);
		else
			buf_printf(out, "'--%s%s[", option->name, value);
		put_quoted(out, option->help, "[]\\");
		buf_putc(out, ']');
		if (option->value) {
			buf_putc(out, ':');
			put_quoted(out, option->value, ":\\");
			buf_putc(out, ':');
			put_zsh_action(out, value_of(option), option->value);
		}
		buf_puts(out, "' \\\n");
	}
	buf_puts(out, "\t\t\t'--help[show this help]'");
	if (put_actions(&actions, verb->verb) > 0)
		buf_printf(out, " \\\n\t\t\t'1:action:(%s)'", buf_text(&actions));
	if (verb->verb->takes_arguments) {
		buf_puts(out, " \\\n\t\t\t'*:argument:");
		put_zsh_action(out, arguments_of(verb->verb), NULL);
		buf_putc(out, '\'');
	}
	buf_puts(out, "\n\t\t;;\n");
	buf_release(&actions);
}

static void
write_zsh(struct buf *out, const struct completed_verb *verbs)
{
	buf_puts(out, "#compdef profile_run\n"
		      "# zsh completion for profile_run, made by 'profile_run completions zsh'.\n"
		      "_profile_run_workloads() {\n"
		      "\tlocal -a names\n"
		      "\tnames=(workloads/*.yaml(N:t:r))\n"
		      "\t(( ! $#names )) || compadd -a names\n"
		      "\t_files\n"
		      "}\n\n"
		      "_profile_run() {\n"
		      "\tlocal -a commands\n"
		      "\tcommands=(\n");
	for (const struct completed_verb *verb = verbs; verb->verb; verb++) {
		buf_printf(out, "\t\t'%s:", verb->verb->name);
		put_quoted(out, verb->verb->summary, ":\\");
		buf_puts(out, "'\n");
	}
	buf_puts(out, "\t\t'help:show a manual page'\n\t)\n"
		      "\tif (( CURRENT == 2 )) || [[ $words[2] = help ]]; then\n"
		      "\t\t_describe command commands\n"
		      "\t\t(( CURRENT == 2 )) || compadd ");
	put_topics(out);
	buf_puts(out, "\n"
		      "\t\treturn\n"
		      "\tfi\n"
		      "\tshift words\n"
		      "\t(( CURRENT-- ))\n"
		      "\tcase $words[1] in\n");
	for (const struct completed_verb *verb = verbs; verb->verb; verb++)
		put_zsh_verb(out, verb);
	buf_puts(out, "\tesac\n}\n\n_profile_run \"$@\"\n");
}

static void
put_fish_values(struct buf *out, enum completed completed, const char *text)
{
	switch (completed) {
	case COMPLETED_NOTHING:
		buf_puts(out, " -x");
		break;
	case COMPLETED_WORDS:
		buf_puts(out, " -x -a '");
		put_choices(out, text, strlen(text));
		buf_putc(out, '\'');
		break;
	case COMPLETED_FOLDER:
		buf_puts(out, " -x -a '(__fish_complete_directories)'");
		break;
	case COMPLETED_FILE:
		buf_puts(out, " -r -F");
		break;
	case COMPLETED_WORKLOAD:
		buf_puts(out, " -r -F -a '(__profile_run_workloads)'");
		break;
	}
}

static void
put_fish_verb(struct buf *out, const struct completed_verb *verb)
{
	const char *name = verb->verb->name;
	enum completed arguments = arguments_of(verb->verb);
	struct buf actions = {0};

	for (const struct cli_option *option = verb->options; option->name; option++) {
		buf_printf(out, "complete -c profile_run -n '__profile_run_verb %s' -l %s", name,
			option->name);
		if (option->letter)
			buf_printf(out, " -s %c", option->letter);
		if (option->value)
			put_fish_values(out, value_of(option), option->value);
		buf_puts(out, " -d '");
		put_quoted(out, option->help, "'\\");
		buf_puts(out, "'\n");
	}
	bool has_actions = put_actions(&actions, verb->verb) > 0;

	if (has_actions)
		buf_printf(out, "complete -c profile_run -n '__profile_run_verb %s 2' -x -a '%s'\n",
			name, buf_text(&actions));
	if (arguments == COMPLETED_WORKLOAD || arguments == COMPLETED_FILE) {
		buf_printf(out, "complete -c profile_run -n '__profile_run_verb %s", name);
		if (has_actions)
			buf_printf(out, "; and not __profile_run_verb %s 2", name);
		buf_printf(out, "' -F%s\n",
			arguments == COMPLETED_FILE ? "" : " -a '(__profile_run_workloads)'");
	}
	buf_release(&actions);
}

static void
write_fish(struct buf *out, const struct completed_verb *verbs)
{
	buf_puts(out, "# fish completion for profile_run, made by 'profile_run completions fish'.\n"
		      "function __profile_run_verb -a verb words_before\n"
		      "\tset -l words (commandline -opc)\n"
		      "\ttest \"$words[2]\" = \"$verb\"\n"
		      "\tand test -z \"$words_before\" -o (count $words) = \"$words_before\"\n"
		      "end\n\n"
		      "function __profile_run_workloads\n"
		      "\tfor file in workloads/*.yaml\n"
		      "\t\tstring replace -r '^.*/(.*)\\.yaml$' '$1' -- $file\n"
		      "\tend\n"
		      "end\n\n"
		      "complete -c profile_run -f\n"
		      "complete -c profile_run -l help -d 'show this help'\n"
		      "complete -c profile_run -n \"__profile_run_verb ''\" -l version "
		      "-d 'show the version'\n"
		      "complete -c profile_run -n \"__profile_run_verb ''\" -a help "
		      "-d 'show a manual page'\n"
		      "complete -c profile_run -n '__profile_run_verb help' -a '");
	put_topics(out);
	buf_puts(out, "'\n");
	for (const struct completed_verb *verb = verbs; verb->verb; verb++) {
		buf_printf(out,
			"complete -c profile_run -n \"__profile_run_verb ''; or __profile_run_verb "
			"help\" -a %s -d '",
			verb->verb->name);
		put_quoted(out, verb->verb->summary, "'\\");
		buf_puts(out, "'\n");
	}
	for (const struct completed_verb *verb = verbs; verb->verb; verb++)
		put_fish_verb(out, verb);
}

static const struct completion_shell bash = {.name = "bash", .write = write_bash};
static const struct completion_shell zsh = {.name = "zsh", .write = write_zsh};
static const struct completion_shell fish = {.name = "fish", .write = write_fish};

static const struct completion_shell *const completion_shells[] = {&bash, &zsh, &fish, NULL};

static void
add_options(const struct cli_option *options, void *context)
{
	struct completed_verb *verb = context;
	size_t n = 0;

	while (options[n].name)
		n++;
	size_t capacity = verb->noptions;

	verb->options =
		mem_grow(verb->options, &capacity, verb->noptions + n + 1, sizeof(*verb->options));
	memcpy(verb->options + verb->noptions, options, (n + 1) * sizeof(*options));
	verb->noptions += n;
}

static const struct completion_shell *
find_shell(const struct cli_call *call, struct err *err)
{
	const struct cli_arguments *arguments = &call->arguments;

	for (size_t i = 0; arguments->count == 1 && completion_shells[i]; i++) {
		if (strcmp(arguments->items[0], completion_shells[i]->name) == 0)
			return completion_shells[i];
	}
	if (arguments->count == 1)
		err_set(err, ERR_USAGE, "unknown shell '%s': expected bash, zsh or fish",
			arguments->items[0]);
	else
		err_set(err, ERR_USAGE, "expected one shell: bash, zsh or fish");
	cli_usage_error(call->verb, err);
	return NULL;
}

static int
complete(const struct cli_call *call, void *context, struct err *err)
{
	const struct completion_shell *shell = find_shell(call, err);
	size_t n = 0;

	(void)context;
	if (!shell)
		return -1;
	while (cli_verbs[n])
		n++;
	struct completed_verb *verbs = mem_zalloc(n + 1, sizeof(*verbs));
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++) {
		const struct cli_call look = {
			.verb = cli_verbs[i], .look = add_options, .look_context = &verbs[i]};

		verbs[i].verb = cli_verbs[i];
		result = cli_verbs[i]->run(&look, err);
	}
	if (result == 0)
		shell->write(call->text, verbs);
	for (size_t i = 0; i < n; i++)
		free(verbs[i].options);
	free(verbs);
	return result;
}

static int
run_completions(const struct cli_call *call, struct err *err)
{
	const struct cli_option options[] = {
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, complete, NULL, err);
}

const struct cli_verb verb_completions = {
	.name = "completions",
	.usage = "bash|zsh|fish",
	.summary = "print the script with which a shell completes commands and options",
	.takes_arguments = true,
	.is_data = true,
	.run = run_completions,
};
