#include "output/export_values.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/text_map.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For the runs of this gate. */
static void
take_costs(const struct rows *rows, frame_id frame, struct export_value *value)
{
	double sum = 0;
	double squares = 0;

	value->runs = rows->nafter;
	for (size_t i = 0; i < rows->nafter; i++)
		sum += rows_run_cost(rows, frame, QUANTITY_SELF, rows->nbefore + i);
	value->mean = sum / (double)rows->nafter;
	for (size_t i = 0; i < rows->nafter; i++) {
		double off =
			rows_run_cost(rows, frame, QUANTITY_SELF, rows->nbefore + i) - value->mean;

		squares += off * off;
	}
	value->sd = rows->nafter > 1 ? sqrt(squares / (double)(rows->nafter - 1)) : NAN;
}

static struct export_value *
add_value(struct export_values *values, const struct workload_view *workload)
{
	const struct profile *profile = workload->rows.profile;

	values->values = mem_grow(
		values->values, &values->capacity, values->count + 1, sizeof(*values->values));
	struct export_value *value = &values->values[values->count++];

	*value = (struct export_value){
		.workload = workload->name,
		.metric = profile->metric ? strtab_str(&profile->strings, profile->metric)
					  : weights_noun(profile),
		.unit = weights_cost_unit(profile),
		.basis = executions_basis(profile),
		.change = NAN,
		.status = workload->status,
	};
	return value;
}

/*
 * The name as it may be written; "NAME (2)" and so on where another function of the workload became
 * the same. free() it.
 */
static char *
unique_name(struct text_map *names, const char *name)
{
	struct buf safe = {0};

	escape_utf8(&safe, name, strlen(name));
	const size_t len = safe.len;
	struct text_entry *taken = text_map_find(names, buf_text(&safe), len);

	if (taken) {
		do {
			safe.len = len;
			buf_printf(&safe, " (%u)", ++taken->value);
		} while (text_map_find(names, buf_text(&safe), safe.len));
	}
	text_map_add(names, buf_text(&safe), safe.len, 1);
	char *unique = mem_dup(buf_text(&safe), safe.len);

	buf_release(&safe);
	return unique;
}

/* A tested function has its test's numbers, which may rest on some of the runs. */
static void
take_effect(struct export_value *value, const struct effect *effect)
{
	if (!effect->tested)
		return;
	value->change = effect->change;
	if (isfinite(effect->after_cost))
		value->mean = effect->after_cost;
}

static void
add_functions(struct export_values *values, const struct workload_view *workload)
{
	const struct rows *rows = &workload->rows;
	struct text_map names = {0};

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		if (!row->is_judged)
			continue;
		struct export_value *value = add_value(values, workload);

		take_costs(rows, row->frame, value);
		value->function = unique_name(&names, row->name);
		value->status = row->status;
		take_effect(value, row->self);
	}
	text_map_release(&names);
}

static void
add_workload(struct export_values *values, const struct workload_view *workload)
{
	const struct rows *rows = &workload->rows;

	if (rows->nafter == 0)
		return;
	struct export_value *whole = add_value(values, workload);

	take_costs(rows, 0, whole);
	if (workload->whole)
		take_effect(whole, workload->whole);
	add_functions(values, workload);
}

void
export_values_init(struct export_values *values, const struct report_view *view)
{
	*values = (struct export_values){0};
	for (size_t i = 0; i < view->nworkloads; i++)
		add_workload(values, &view->workloads[i]);
}

void
export_values_release(struct export_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		free(values->values[i].function);
	free(values->values);
	*values = (struct export_values){0};
}
