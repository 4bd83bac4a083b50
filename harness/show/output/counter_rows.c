#include "output/counter_rows.h"

#include "format/figures.h"

#include <math.h>

/* A difference of so many standard errors, and of so much, is worth a word. */
#define ERRORS_APART 4
#define CHANGE_LEAST 0.01

struct side {
	size_t count;
	double mean; /* NAN: not known */
	double squares;
};

static struct side
side_of(const struct profile *profile, enum counter_id id)
{
	struct side side = {.mean = NAN};

	for (size_t i = 0; profile && i < profile->nruns; i++) {
		double value = counter_value(&profile->runs[i], id);

		if (isnan(value))
			continue;
		double off = value - (side.count > 0 ? side.mean : 0);

		side.count++;
		side.mean = side.count > 1 ? side.mean + off / (double)side.count : value;
		side.squares += side.count > 1 ? off * (value - side.mean) : 0;
	}
	return side;
}

/* The square of the standard error of the mean. */
static double
error_of(const struct side *side)
{
	double n = (double)side->count;

	return side->count > 1 ? side->squares / (n - 1) / n : 0;
}

static bool
differs(const struct counter_kind *kind, const struct side *before, const struct side *after)
{
	double error = error_of(before) + error_of(after);
	double apart = fabs(after->mean - before->mean);

	if (!(apart > 0))
		return false;
	if (!(error > 0))
		return kind->exact || apart >= CHANGE_LEAST * before->mean;
	return apart * apart > ERRORS_APART * ERRORS_APART * error &&
	       apart >= CHANGE_LEAST * before->mean;
}

size_t
counter_rows(const struct judgement *judgement, struct counter_row rows[NCOUNTERS])
{
	const struct gate_input *input = &judgement->input;
	size_t count = 0;

	for (enum counter_id id = 0; id < NCOUNTERS; id++) {
		const struct counter_kind *kind = &counter_kinds[id];
		const struct side before = side_of(judgement->compared ? input->before : NULL, id);
		const struct side after = side_of(input->candidate, id);

		if (before.count == 0 && after.count == 0)
			continue;
		rows[count++] = (struct counter_row){
			.kind = kind,
			.before = before.mean,
			.after = after.mean,
			.change = before.mean > 0 ? after.mean / before.mean - 1 : NAN,
			.differs = differs(kind, &before, &after),
		};
	}
	return count;
}

void
counter_rows_put(const struct judgement *judgement, struct buf *out)
{
	struct counter_row rows[NCOUNTERS];
	size_t count = counter_rows(judgement, rows);
	const char *before = "";

	for (size_t i = 0; i < count; i++) {
		const struct counter_row *row = &rows[i];

		if (!row->differs)
			continue;
		buf_printf(out, "%s%s ", before, row->kind->name);
		counter_put(out, row->kind, row->before);
		buf_puts(out, " -> ");
		counter_put(out, row->kind, row->after);
		if (!isnan(row->change)) {
			buf_puts(out, " (");
			format_change(out, row->change);
			buf_putc(out, ')');
		}
		before = ", ";
	}
}

const char *
counter_rows_latency(const struct judgement *judgement)
{
	const struct profile *candidate = judgement->input.candidate;

	for (enum counter_id id = COUNTER_LATENCY_MEAN; candidate && id <= COUNTER_LATENCY_MAX;
		id++) {
		if (counter_is_known(candidate, id))
			return "As reported by the driver. A driver that waits for each answer sends "
			       "nothing while the server stalls, so long stalls count too little "
			       "(coordinated omission).";
	}
	return "";
}
