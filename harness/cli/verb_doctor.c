/*
 * `doctor` prints the results of the probes, and sums them up. machine/probe.c runs the probes.
 * They are in machine/probe_sampling.c (sampling), machine/probe_noise.c (sources of noise),
 * machine/probe_system.c (what the system grants, and the sandbox) and, for counting and tracing,
 * in probe_backends[] of capture/backend.c.
 */
#include "capture/backend.h"
#include "cli/options.h"
#include "cli/prepare_machine.h"
#include "cli/verb.h"
#include "machine/probe.h"

#include <stdbool.h>
#include <string.h>

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

/* Restores settings left behind by a killed gate, and tells if there were none. */
static int
restore(struct buf *text, struct err *err)
{
	int result = prepare_restore("", text, err);

	if (result == 0 && text->len == 0)
		buf_puts(text, "nothing to restore\n");
	return result;
}

static const struct probe_result *
find(const struct probe_result *results, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(results[i].name, name) == 0)
			return &results[i];
	}
	return NULL;
}

static bool
is_ok(const struct probe_result *results, size_t n, const char *name)
{
	const struct probe_result *result = find(results, n, name);

	return result && result->status == PROBE_OK;
}

static bool
works(const struct probe_result *results, size_t n, const char *name)
{
	const struct probe_result *result = find(results, n, name);

	return result && (result->status == PROBE_OK || result->status == PROBE_LIMITED);
}

/*
 * Where instructions can be counted, no result is fatal: gates count them in place of CPU time.
 * Returns the result that says why CPU time cannot be sampled; NULL: it can.
 */
static const struct probe_result *
fall_back(struct probe_result *results, size_t n)
{
	const struct probe_result *why = NULL;

	if (!is_ok(results, n, "counting"))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (results[i].status != PROBE_FATAL)
			continue;
		results[i].status = PROBE_MISSING;
		SAY(results[i].meaning, "CPU time cannot be sampled here; a gate counts "
					"instructions in its place (`decide: auto`)");
		why = why ? why : &results[i];
	}
	return why;
}

/* Sums up a machine that cannot sample CPU time: only metrics that are counted can be gated. */
static void
sum_up_counted(const struct probe_result *results, size_t n, const struct probe_result *why,
	struct buf *text)
{
	buf_puts(text, "\nThis machine can run gates: of counted metrics only (instructions");
	if (works(results, n, "system calls"))
		buf_puts(text, ", system calls");
	if (works(results, n, "allocations"))
		buf_puts(text, ", allocations");
	buf_printf(text, "), since %s %s; in place of CPU time instructions are counted.\n",
		why->name, why->found);
}

/* Sums up in one line whether gates can be run here, how they measure, and what disturbs them. */
static void
sum_up(const struct probe_result *results, size_t n, struct buf *text)
{
	static const char *const disturbing[] = {
		"CPU share", "steal time", "CPU frequency", "other load"};
	bool disturbed = false;

	for (size_t i = 0; i < n; i++) {
		if (results[i].status != PROBE_FATAL)
			continue;
		buf_printf(text, "\nThis machine cannot run gates: %s %s\n", results[i].name,
			results[i].found);
		return;
	}
	buf_printf(text, "\nThis machine can run gates: samples by %s, %s kernel code, %s; %s",
		is_ok(results, n, "event cycles") ? "CPU cycles" : "CPU clock",
		is_ok(results, n, "kernel samples") ? "with" : "without",
		is_ok(results, n, "stack copies") ? "whole stacks"
						  : "stacks by frame pointers only",
		is_ok(results, n, "counting") ? "exact instruction counts; " : "");
	for (size_t i = 0; i < sizeof(disturbing) / sizeof(disturbing[0]); i++) {
		if (is_ok(results, n, disturbing[i]))
			continue;
		buf_printf(text, "%s%s", disturbed ? ", " : "disturbed now (", disturbing[i]);
		disturbed = true;
	}
	buf_puts(text, disturbed ? "): use 'gate --against'.\n" : "quiet enough for baselines.\n");
}

static int
examine(const struct cli_call *call, void *context, struct err *err)
{
	const bool *by_hand = context;

	if (*by_hand)
		return restore(call->text, err);
	prepare_machine_recover();
	struct probe_result results[RESULTS_MAX];
	size_t n = probe_machine(results, RESULTS_MAX, probe_backends);
	const struct probe_result *unsampled = fall_back(results, n);

	for (size_t i = 0; i < n; i++) {
		buf_printf(call->text, "%-8s %s: %s\n", status_word(results[i].status),
			results[i].name, results[i].found);
		if (results[i].meaning[0])
			buf_printf(call->text, "         %s\n", results[i].meaning);
		if (results[i].remedy[0])
			buf_printf(call->text, "         to fix it: %s\n", results[i].remedy);
		if (results[i].status == PROBE_FATAL)
			*call->exit_code = 2;
	}
	if (unsampled)
		sum_up_counted(results, n, unsampled, call->text);
	else
		sum_up(results, n, call->text);
	return 0;
}

static int
run_doctor(const struct cli_call *call, struct err *err)
{
	bool by_hand = false;
	const struct cli_option options[] = {
		{"restore", 0, OPTION_FLAG, NULL, &by_hand,
			"only restore the settings that a killed 'gate --prepare' left behind"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, examine, &by_hand, err);
}

const struct cli_verb verb_doctor = {
	.name = "doctor",
	.usage = "[--restore]",
	.summary = "test what this machine can measure, and how it could measure better",
	.has_verdicts = true,
	.run = run_doctor,
};
