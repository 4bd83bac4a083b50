#include "gate/plan.h"

#include "format/figures.h"

#include <math.h>

static const struct {
	const char *name;
	const char *key;
} kinds[PLAN_KINDS] = {
	[PLAN_NONE] = {"no plan", "none"},
	[PLAN_PAIRED] = {"paired", "paired"},
	[PLAN_SAME] = {"same program", "same_program"},
	[PLAN_STORED] = {"stored time", "stored_time"},
	[PLAN_REBUILT] = {"rebuilt base", "rebuilt_base"},
	[PLAN_COUNTS] = {"stored counts", "stored_counts"},
	[PLAN_LIMITS] = {"limits only", "limits"},
	[PLAN_NOT_JUDGED] = {"not judged", "not_judged"},
	[PLAN_UNREACHED] = {"not reached", "not_reached"},
};

/* "rebuilt base": for people. */
static const char *
plan_kind_name(enum plan_kind kind)
{
	return kinds[kind].name;
}

const char *
plan_kind_key(enum plan_kind kind)
{
	return kinds[kind].key;
}

/* Whether runs are taken. */
static bool
measures(enum plan_kind kind)
{
	return kind != PLAN_NONE && kind != PLAN_SAME && kind != PLAN_NOT_JUDGED &&
	       kind != PLAN_UNREACHED;
}

static void
put_about(double seconds, struct buf *out)
{
	buf_puts(out, "about ");
	format_duration(out, seconds < 10 ? seconds : round(seconds));
}

void
plan_put(const struct plan *plan, struct buf *out)
{
	buf_puts(out, plan_kind_name(plan->kind));
	if (plan->reason && plan->reason[0])
		buf_printf(out, ": %s", plan->reason);
	if (measures(plan->kind) && isnan(plan->seconds)) {
		buf_puts(out, "; how long it takes is not known");
	} else if (measures(plan->kind)) {
		buf_puts(out, "; ");
		put_about(plan->seconds, out);
	}
	if (measures(plan->kind) && plan->kind != PLAN_COUNTS && plan->count_seconds > 0) {
		buf_puts(out, "; counting instructions, if needed, ");
		put_about(plan->count_seconds, out);
	}
	if (measures(plan->kind) && plan->count_limit_s > 0) {
		buf_puts(out, " (a run at most ");
		format_duration(out, round(plan->count_limit_s));
		buf_puts(out, " of CPU time)");
	}
	for (size_t i = 0; i < PLAN_REMEDIES && plan->remedies[i]; i++)
		buf_printf(out, "%s%s",
			i > 0                       ? "; or: "
			: plan->kind == PLAN_COUNTS ? ". To judge by time: "
						    : ". Run: ",
			plan->remedies[i]);
}
