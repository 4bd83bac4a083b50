#include "gate/judgement.h"

#include "base/mem.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <stdarg.h>
#include <stdlib.h>

void
instruction_counts_release(struct instruction_counts *counts)
{
	free(counts->before);
	free(counts->after);
	*counts = (struct instruction_counts){0};
}

void
judgement_release(struct judgement *judgement)
{
	comparison_release(&judgement->comparison);
	verdict_release(&judgement->verdict);
	free(judgement->groups);
	for (int stage = 0; stage < COMPARISON_STAGES; stage++)
		free(judgement->stage_groups[stage]);
	free(judgement->files_code.by_frame);
	free(judgement->tests);
	*judgement = (struct judgement){.input = judgement->input};
}

struct test *
judgement_add_test(struct judgement *judgement, const struct test *test)
{
	judgement->tests = mem_grow(judgement->tests, &judgement->tests_capacity,
		judgement->ntests + 1, sizeof(*judgement->tests));
	judgement->tests[judgement->ntests] = *test;
	return &judgement->tests[judgement->ntests++];
}

const struct instruction_counts *
judgement_counts(const struct judgement *judgement)
{
	const struct instruction_counts *counts = judgement->input.instructions;

	return counts && counts->nframes == judgement->comparison.nframes ? counts : NULL;
}

const char *
judgement_keep(struct judgement *judgement, struct buf *text)
{
	const char *kept = arena_dup(&judgement->verdict.arena, buf_text(text), text->len);

	buf_release(text);
	return kept;
}

const char *
judgement_text(struct judgement *judgement, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;

	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	return judgement_keep(judgement, &text);
}

const char *
judgement_update_advice(struct judgement *judgement, const char *advice)
{
	const char *command = judgement->input.update_command;

	if (judgement->input.mode != GATE_STORED)
		return "";
	return command ? judgement_text(judgement, " %s: '%s'.", advice, command)
		       : judgement_text(judgement, " %s.", advice);
}

struct test *
judgement_add_condition(struct judgement *judgement, enum finding_rule rule, const char *subject,
	enum test_condition condition, const char *reason)
{
	struct test test = test_of(TEST_CONDITION, rule, subject);

	test.condition = condition;
	test.reason = reason;
	return judgement_add_test(judgement, &test);
}

const char *
judgement_figure(struct judgement *judgement, void (*format)(struct buf *out, double), double value)
{
	struct buf text = {0};

	format(&text, value);
	return judgement_keep(judgement, &text);
}

const char *
judgement_percent(struct judgement *judgement, double ratio)
{
	return judgement_figure(judgement, format_percent, ratio);
}

const char *
judgement_setting(struct judgement *judgement, double ratio)
{
	return judgement_figure(judgement, format_setting, ratio);
}

const char *
judgement_cost(struct judgement *judgement, double cost)
{
	const struct profile *profile = &judgement->comparison.profile;
	struct buf text = {0};

	format_cost(&text, cost, weights_cost_unit(profile));
	return judgement_keep(judgement, &text);
}
