#include "measurement/base_failure.h"

#include "base/log.h"
#include "base/mem.h"
#include "builds/new_workload.h"
#include "builds/used_files.h"
#include "measurement/measurement.h"

#include <stdlib.h>
#include <string.h>

/* With fewer pairs nothing can be judged. */
#define LEAST_PAIRS 3

/* Measures the candidate without the base from now on: in one run, for its picture. */
static void
leave_out_base(struct measurement *m)
{
	const unsigned wanted = m->runs.taken[COMPARISON_SCREEN] > 0 ? 0 : 1;

	m->nsides = 1;
	m->runs.wanted[COMPARISON_SCREEN] = m->runs.taken[COMPARISON_SCREEN] + wanted;
	m->runs.wanted[COMPARISON_CONFIRM] = m->runs.taken[COMPARISON_CONFIRM];
	m->runs.most = m->runs.wanted[COMPARISON_SCREEN];
}

bool
base_lacks_workload(struct measurement *m)
{
	const struct build_side *base = m->base;

	if (!build_side_lacks_workload(base, m->workload))
		return false;
	m->base_subject = "new workload";
	m->base_is_new = true;
	m->base_problem = arena_printf(&m->arena, "nothing to compare with, for %s has no '%s'.",
		build_side_subject(base, &m->arena), m->workload->path);
	log_warn("%s: new workload: %s", m->workload->name, m->base_problem);
	leave_out_base(m);
	return true;
}

void
base_lacks_benchmark(struct measurement *m)
{
	m->base_subject = "new benchmark";
	m->base_is_new = true;
	m->base_problem =
		arena_printf(&m->arena, "nothing to compare with, for %s has no result of '%s'.",
			build_side_subject(m->base, &m->arena), m->workload->unit->benchmark);
	log_warn("%s: new benchmark: %s", m->workload->name, m->base_problem);
	leave_out_base(m);
}

int
base_blame(struct measurement *m, struct err *err)
{
	char *text = mem_strdup(err->text);

	if (err->kind != ERR_INTERRUPTED)
		err_set(err, err->kind, "%s: %s", build_side_subject(m->base, &m->arena), text);
	free(text);
	m->base_failed = err->kind != ERR_INTERRUPTED;
	return -1;
}

/* Handles a missing input, if there is one, and releases it. */
static int
handle_missing(struct measurement *m, struct missing_input *missing, struct err *err)
{
	struct buf text = {0};
	int result = 0;

	if (missing->path) {
		missing_input_describe(missing, m->workload, &text);
		err_set(err, ERR_MEASURE, "%s", buf_text(&text));
		result = missing->state == MISSING_NEW ? base_set_aside(m, NULL, err)
						       : base_blame(m, err);
	}
	buf_release(&text);
	missing_input_release(missing);
	return result;
}

int
base_check_named_inputs(struct measurement *m, struct err *err)
{
	struct missing_input missing;

	missing_input_find(&missing, m->base, m->workload, &m->sides[MEASURE_BASE].workload);
	return handle_missing(m, &missing, err);
}

int
base_check_opened_inputs(struct measurement *m, struct err *err)
{
	struct missing_input missing;

	missing_input_find_used(&missing, m->base, m->workload, &m->sides[MEASURE_CANDIDATE].files);
	return handle_missing(m, &missing, err);
}

int
base_set_aside(struct measurement *m, const char *where, struct err *err)
{
	const unsigned taken = m->runs.taken[COMPARISON_SCREEN];
	const int first = (int)strcspn(err->text, "\n");

	if (err->kind != ERR_MEASURE)
		return base_blame(m, err);
	m->base_subject = build_side_subject(m->base, &m->arena);
	m->base_problem = arena_printf(
		&m->arena, "%.*s%s%s.", first, err->text, where ? " in " : "", where ? where : "");
	log_warn("%s: %s: %s%s", m->workload->name, m->base_subject, m->base_problem,
		err->text + first);
	*err = (struct err){0};
	if (taken < LEAST_PAIRS) {
		leave_out_base(m);
		return 0;
	}
	/* The pairs taken so far are judged. */
	m->runs.wanted[COMPARISON_SCREEN] = taken;
	m->runs.wanted[COMPARISON_CONFIRM] = m->runs.taken[COMPARISON_CONFIRM];
	m->runs.most = taken;
	return 0;
}
