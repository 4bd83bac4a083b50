/*
 * The verbs and the way to them.
 *
 * To add one: write verb_NAME.c with a const struct cli_verb, declare it in verb.h, put it into
 * cli_verbs[] where `--help` should show it, and describe it in harness/doc/profile_run.1.
 */
#include "cli/verb.h"

#include "base/buf.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

const struct cli_verb *const cli_verbs[] = {
	&verb_gate,
	&verb_baseline,
	&verb_capture,
	&verb_flamegraph,
	&verb_analyze,
	&verb_diff,
	&verb_compare,
	&verb_replay,
	&verb_convert,
	&verb_calibrate,
	&verb_doctor,
	NULL,
};

static void
show_usage(void)
{
	struct buf out = {0};

	buf_puts(&out, "usage: profile_run VERB [options]\n\n"
		       "Profiles workloads and says, function by function, whether a change made "
		       "them slower.\n\nVerbs:\n");
	for (size_t i = 0; cli_verbs[i]; i++)
		buf_printf(&out, "  %-12s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
	buf_puts(&out,
		"\n'profile_run VERB --help' tells more; 'profile_run --version' the version.\n"
		"Exit codes: 0 pass, 1 regression, 2 could not measure, 3 inconclusive, "
		"64 usage.\n");
	fputs(buf_text(&out), stdout);
	buf_release(&out);
}

static int
usage_error(struct err *err)
{
	struct buf names = {0};

	for (size_t i = 0; cli_verbs[i]; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", cli_verbs[i]->name);
	err_note(err, "the verbs are %s", buf_text(&names));
	buf_release(&names);
	return err_note(err, "'profile_run --help' says what each does");
}

int
cli_main(int argc, char **argv, int *exit_code, struct err *err)
{
	*exit_code = 0;
	if (argc < 2) {
		err_set(err, ERR_USAGE, "what is to be done? A verb is missing");
		return usage_error(err);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0) {
		show_usage();
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("profile_run " PROFILE_RUN_VERSION);
		return 0;
	}
	for (size_t i = 0; cli_verbs[i]; i++) {
		if (strcmp(argv[1], cli_verbs[i]->name) != 0)
			continue;
		struct buf text = {0};
		const struct cli_call call = {
			.verb = cli_verbs[i],
			.argc = argc - 1,
			.argv = argv + 1,
			.text = &text,
			.exit_code = exit_code,
		};
		int result = call.verb->run(&call, err);

		if (result == 0 && text.len > 0)
			result = file_write("-", text.data, text.len, err);
		buf_release(&text);
		return result;
	}
	err_set(err, ERR_USAGE, "unknown verb '%s'", argv[1]);
	return usage_error(err);
}
