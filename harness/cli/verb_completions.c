#include "cli/completions.h"
#include "cli/options.h"
#include "cli/verb.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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
