#include "gate/gate_log.h"

#include "base/log.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/more_runs.h"
#include "measurement/measurement.h"

#include <string.h>

#define SUBJECT_COLUMNS 60
#define STATUS_COLUMNS 12

static void
put_subject(const struct finding *finding, struct buf *out)
{
	name_fit(out, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
}

void
gate_log_verdict(const struct measurement *m, const struct verdict *verdict)
{
	const struct finding *first = verdict->nfindings > 0 ? &verdict->findings[0] : NULL;
	struct buf line = {0};

	buf_printf(
		&line, "%-*s  %s", STATUS_COLUMNS, status_word(verdict->status), m->workload->name);
	if (first && first->status != STATUS_PASS) {
		buf_puts(&line, ": ");
		put_subject(first, &line);
		if (first->effect.tested) {
			buf_putc(&line, ' ');
			effect_put_change(&first->effect, &line);
		}
	}
	log_info("%s", buf_text(&line));
	buf_release(&line);
}

/*
 * Appends "looks 18.3 % slower".
 */
static void
put_growth(const struct measurement *m, const struct effect *effect, struct buf *out)
{
	if (!effect->tested) {
		buf_puts(out, "looks new");
	} else if (effect->change < FORMAT_FACTOR_FROM) {
		buf_puts(out, "looks ");
		format_percent(out, effect->change);
		buf_puts(out, m->event.counts_all ? " more costly" : " slower");
	} else {
		buf_puts(out, m->event.counts_all ? "looks more costly, " : "looks slower, ");
		format_change(out, effect->change);
	}
}

void
gate_log_more_runs(const struct measurement *m, const struct run_request *request, int stage)
{
	unsigned had = m->runs.wanted[stage];
	bool confirms = stage == COMPARISON_CONFIRM;
	bool again = had > 0;
	struct buf line = {0};

	buf_printf(&line, "%s: ", m->workload->name);
	put_subject(request->finding, &line);
	if (request->nfindings > 1)
		buf_printf(&line, " (and %zu more)", request->nfindings - 1);
	buf_putc(&line, ' ');
	if (!confirms || again)
		buf_printf(&line, "is undecided after %u%s %s", had, confirms ? " new" : "",
			m->nsides > 1 ? "pairs" : "runs");
	else
		put_growth(m, &request->finding->effect, &line);
	buf_printf(&line, "; taking %u %s %s", request->runs, confirms && !again ? "new" : "more",
		m->nsides > 1 ? "pairs" : "runs");
	log_info("%s%s", buf_text(&line), confirms ? " to confirm" : "");
	buf_release(&line);
}
