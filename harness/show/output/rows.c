#include "output/rows.h"

#include "base/mem.h"
#include "format/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A difference of counters by so many standard errors, and of so much, is worth a word. */
#define ERRORS_APART 4
#define CHANGE_LEAST 0.01

double
rows_larger_share(const struct effect *effect)
{
	double share = isfinite(effect->after_share) ? effect->after_share : 0;

	return isfinite(effect->before_share) ? fmax(share, effect->before_share) : share;
}

static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;
	double self_x = rows_larger_share(x->self);
	double self_y = rows_larger_share(y->self);

	if (self_x != self_y)
		return self_x < self_y ? 1 : -1;
	double total_x = rows_larger_share(x->total);
	double total_y = rows_larger_share(y->total);

	if (total_x != total_y)
		return total_x < total_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The effect of a function in a single profile: its weight, share and mean cost, and no change. */
static const struct effect *
effect_of_one_side(struct rows *rows, frame_id frame, enum quantity of)
{
	struct effect *effect = arena_alloc(&rows->arena, sizeof(*effect));
	double all = 0;
	double cost = 0;

	effect_clear(effect);
	for (size_t run = 0; run < rows->nafter; run++) {
		all += rows->column_totals[run];
		cost += rows_run_cost(rows, frame, of, run);
	}
	effect->after_weight = of == QUANTITY_TOTAL
				       ? functions_total(rows->functions, frame, 0, rows->nafter)
				       : functions_self(rows->functions, frame, 0, rows->nafter);
	effect->after_share = all > 0 ? effect->after_weight / all : NAN;
	effect->after_cost = rows->nafter > 0 ? cost / (double)rows->nafter : NAN;
	return effect;
}

static const struct finding *
find_finding(const struct verdict *verdict, const char *name)
{
	const struct finding *severest = NULL;

	for (size_t i = 0; verdict && i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (strcmp(finding->subject, name) == 0 && !finding->added &&
			(!severest || finding->status > severest->status))
			severest = finding;
	}
	return severest;
}

static const struct effect *
self_effect(const struct comparison *comparison, const struct finding *finding, frame_id frame)
{
	return finding && finding->rule == FINDING_FUNCTIONS && finding->effect.tested
		       ? &finding->effect
		       : &comparison->self[frame];
}

void
rows_self_costs(const struct comparison *comparison, const struct verdict *verdict, frame_id frame,
	double costs[2])
{
	struct buf name = {0};

	profile_put_frame(&comparison->profile, frame, &name);
	const struct effect *effect =
		self_effect(comparison, find_finding(verdict, buf_text(&name)), frame);

	costs[0] = effect->before_cost * comparison_before_scale(comparison, effect);
	costs[1] = effect->after_cost;
	buf_release(&name);
}

static const char *
row_name(struct rows *rows, frame_id frame)
{
	struct buf text = {0};

	profile_put_frame(rows->profile, frame, &text);
	const char *name = arena_strdup(&rows->arena, buf_text(&text));

	buf_release(&text);
	return name;
}

static void
add_rows(struct rows *rows, const struct comparison *comparison, const struct verdict *verdict)
{
	size_t nframes = rows->profile->frames.nframes;

	rows->rows = mem_zalloc(nframes, sizeof(*rows->rows));
	for (frame_id frame = 1; frame < nframes; frame++) {
		if (functions_total(rows->functions, frame, 0, rows->profile->nruns) <= 0 ||
			frame_name_is_mark(profile_frame_name(rows->profile, frame)))
			continue;
		bool is_compared = comparison && frame < comparison->nframes;
		const char *name = row_name(rows, frame);
		const struct finding *finding = find_finding(verdict, name);
		struct row row = {
			.frame = frame,
			.self = is_compared ? self_effect(comparison, finding, frame)
					    : effect_of_one_side(rows, frame, QUANTITY_SELF),
			.total = is_compared ? &rows->totals[frame]
					     : effect_of_one_side(rows, frame, QUANTITY_TOTAL),
			.finding = finding,
			.name = name,
		};

		row.before_cost = row.self->before_cost;
		if (is_compared) {
			row.before_cost *= comparison_before_scale(comparison, row.self);
			row.novelty = comparison_is_new(comparison, row.self)    ? "new"
				      : comparison_is_gone(comparison, row.self) ? "gone"
										 : NULL;
		}
		row.is_judged = row.finding || row.self->tested;
		row.status = row.finding ? row.finding->status : STATUS_PASS;
		rows->rows[rows->nrows++] = row;
	}
}

/* The alpha of the tests, that of the gate's strictest policy; without tests the option's. */
static double
alpha_of(const struct comparison *comparison)
{
	for (frame_id frame = 0; frame < comparison->nframes; frame++) {
		if (comparison->self[frame].tested)
			return comparison->self[frame].alpha;
	}
	return comparison->model.options.alpha;
}

void
rows_init(struct rows *rows, const struct comparison *comparison, const struct profile *candidate,
	const struct verdict *verdict)
{
	*rows = (struct rows){.comparison = comparison};
	if (comparison) {
		rows->profile = &comparison->profile;
		rows->nbefore = comparison->nbefore;
		rows->nafter = comparison->nafter;
	} else if (candidate) {
		rows->profile = candidate;
		rows->nafter = candidate->nruns;
	} else {
		return;
	}
	if (comparison) {
		rows->functions = comparison_functions(comparison);
		rows->totals = comparison_totals(comparison);
	} else {
		functions_init(&rows->own, rows->profile);
		rows->functions = &rows->own;
	}
	rows->column_totals = mem_zalloc(rows->profile->nruns, sizeof(double));
	rows->weights_only = true;
	for (size_t column = 0; column < rows->profile->nruns; column++) {
		rows->column_totals[column] = profile_column_total(rows->profile, column);
		if (rows->profile->runs[column].cost_total > 0)
			rows->weights_only = false;
	}
	add_rows(rows, comparison, verdict);
	rows->alpha = comparison ? alpha_of(comparison) : NAN;
	if (rows->nrows > 0)
		qsort(rows->rows, rows->nrows, sizeof(*rows->rows), compare_rows);
}

void
rows_release(struct rows *rows)
{
	free(rows->rows);
	free(rows->totals);
	free(rows->column_totals);
	functions_release(&rows->own);
	arena_release(&rows->arena);
	*rows = (struct rows){0};
}

double
rows_run_cost(const struct rows *rows, frame_id frame, enum quantity of, size_t column)
{
	double all = rows->column_totals[column];
	double cost = rows->weights_only ? all : rows->profile->runs[column].cost_total;

	if (column < rows->nbefore)
		cost *= comparison_before_scale(rows->comparison,
			frame == 0 ? &rows->comparison->whole : &rows->comparison->self[frame]);
	if (cost <= 0 || all <= 0)
		return NAN;
	if (frame == 0)
		return cost;
	double weight = of == QUANTITY_TOTAL ? functions_total(rows->functions, frame, column, 1)
					     : functions_self(rows->functions, frame, column, 1);

	return weight / all * cost;
}

const char *
rows_verdict(const struct row *row)
{
	if (row->finding)
		return finding_verdict(row->finding);
	if (row->novelty)
		return row->novelty;
	return row->is_judged ? status_word(row->status) : "not tested";
}

bool *
rows_judged(const struct rows *rows)
{
	bool *judged = mem_zalloc(rows->profile->frames.nframes + 1, sizeof(*judged));

	for (size_t i = 0; i < rows->nrows; i++)
		if (rows->rows[i].finding && rows->rows[i].status != STATUS_PASS)
			judged[rows->rows[i].frame] = true;
	return judged;
}

struct counter_side {
	size_t count;
	double mean; /* NAN: not known */
	double squares;
};

static struct counter_side
counter_side_of(const struct profile *profile, enum counter_id id)
{
	struct counter_side side = {.mean = NAN};

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
error_of(const struct counter_side *side)
{
	double n = (double)side->count;

	return side->count > 1 ? side->squares / (n - 1) / n : 0;
}

static bool
differs(const struct counter_kind *kind, const struct counter_side *before,
	const struct counter_side *after)
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
		const struct counter_side before =
			counter_side_of(judgement->compared ? input->before : NULL, id);
		const struct counter_side after = counter_side_of(input->candidate, id);

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
