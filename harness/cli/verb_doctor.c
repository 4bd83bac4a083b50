#include "capture/backend.h"
#include "cli/options.h"
#include "cli/preparing.h"
#include "cli/verb.h"
#include "machine/probe.h"

#include <stdbool.h>

#define RESULTS_MAX 32

static const char *
status_word(enum probe_status status)
{
	switch (status) {
	case PROBE_OK:
		return "ok";
	case PROBE_LIMITED:
		return "limited";
	case PROBE_MISSING:
		return "missing";
	case PROBE_FATAL:
		return "FATAL";
	}
	return "";
}

/* What a gate that was killed has left changed; by hand, whether there was any is the result. */
static int
restore(struct buf *text, struct err *err)
{
	int result = prepare_restore("", text, err);

	if (result == 0 && text->len == 0)
		buf_puts(text, "there is nothing to put back\n");
	return result;
}

static int
examine(const struct cli_call *call, void *context, struct err *err)
{
	const bool *by_hand = context;

	if (*by_hand)
		return restore(call->text, err);
	preparing_recover();
	struct probe_result results[RESULTS_MAX];
	size_t n = probe_machine(results, RESULTS_MAX, probe_backends);

	for (size_t i = 0; i < n; i++) {
		buf_printf(call->text, "%-8s %s: %s\n", status_word(results[i].status),
			results[i].name, results[i].found);
		if (results[i].meaning[0])
			buf_printf(call->text, "         %s\n", results[i].meaning);
		if (results[i].remedy[0])
			buf_printf(call->text, "         to mend it: %s\n", results[i].remedy);
		if (results[i].status == PROBE_FATAL)
			*call->exit_code = 2;
	}
	return 0;
}

static int
run(const struct cli_call *call, struct err *err)
{
	bool by_hand = false;
	const struct cli_option options[] = {
		{"restore", 0, OPTION_FLAG, NULL, &by_hand,
			"only put back what a killed `gate --prepare` has left changed"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, examine, &by_hand, err);
}

const struct cli_verb verb_doctor = {
	.name = "doctor",
	.usage = "[--restore]",
	.summary = "try what this machine can measure, and say how to make it measure better",
	.has_verdicts = true,
	.run = run,
};
