#include "output/history_entries.h"

#include "base/mem.h"
#include "profile/weights.h"

#include <math.h>

/* Functions that were not judged, as without a baseline, are kept from this share on. */
#define HISTORY_MIN_SHARE 0.01
/* Digits of the workload's hash. */
#define WORK_DIGITS 16

/* Sets cost and standard error by the costs of an execution in the runs of this gate. */
static void
measure(const struct rows *rows, frame_id frame, struct history_entry *entry)
{
	double sum = 0;
	double squares = 0;
	double n = (double)rows->nafter;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = rows->nbefore; i < rows->nbefore + rows->nafter; i++) {
			/* That of one execution. */
			const double cost = rows_run_cost(rows, frame, QUANTITY_SELF, i);

			if (pass == 0)
				sum += cost;
			else
				squares += (cost - sum / n) * (cost - sum / n);
		}
	}
	entry->cost = sum / n;
	/* The standard error of the mean, relative to it: to first order, that of its logarithm. */
	entry->error = n > 1 ? sqrt(squares / (n - 1) / n) / entry->cost : NAN;
}

/* The entry is complete where there is a cost, and for a pair an effect. */
static bool
fill(const struct rows *rows, frame_id frame, const struct effect *effect,
	struct history_entry *entry)
{
	measure(rows, frame, entry);
	entry->ratio = entry->ratio_error = NAN;
	if (entry->paired && effect && effect->tested) {
		entry->ratio = 1 + effect->change;
		entry->ratio_error = effect->standard_error;
	}
	return isfinite(entry->cost) && entry->cost > 0 && (!entry->paired || entry->ratio > 0);
}

struct history_entry *
history_entries_of(const struct workload_view *workload, const char *report, struct arena *arena,
	size_t *nentries)
{
	const struct rows *rows = &workload->rows;
	const struct gate_input *input = &workload->judgement->input;
	struct history_entry *entries = mem_zalloc(rows->nrows + 1, sizeof(*entries));
	size_t n = 0;

	*nentries = 0;
	if (rows->nafter == 0 || workload->error[0])
		return entries;
	const struct history_entry base = {
		.started = workload->report->started,
		.commit = workload->report->commit ? workload->report->commit : "",
		.metric = strtab_str(&rows->profile->strings, rows->profile->metric),
		.unit = arena_strdup(arena, weights_cost_unit(rows->profile)),
		.paired = input->mode == GATE_PAIRED && workload->judgement->compared,
		.against = input->mode == GATE_PAIRED ? input->before_info->commit : "",
		.version = workload->report->tool_version,
		.report = report,
		.function = "",
		.work = arena_printf(arena, "%.*s", WORK_DIGITS, input->workload->hash),
	};

	entries[n] = base;
	n += fill(rows, 0, workload->whole, &entries[n]);
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		if (!row->is_judged && rows_larger_share(row->self) < HISTORY_MIN_SHARE)
			continue;
		entries[n] = base;
		entries[n].function = arena_strdup(arena, row->name);
		n += fill(rows, row->frame, row->self, &entries[n]);
	}
	*nentries = n;
	return entries;
}
