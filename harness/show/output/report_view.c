#include "output/report_view.h"

#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/counters.h"
#include "profile/cpu_variant.h"
#include "profile/disturbance.h"
#include "profile/incomplete.h"
#include "profile/interpreter.h"
#include "profile/quality.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 8
#define BASE_COLUMNS 50
#define DATE_BYTES 10 /* of a time: "2026-11-20" */

/* A text under construction; the view owns the result. */
struct text {
	struct arena *arena;
	struct buf buf;
};

static const char *
take(struct text *text)
{
	return report_take(text->arena, &text->buf);
}

/* For sides that were measured, or read, in the same gate. */
static void
put_pairs(const struct gate_input *input, struct buf *out)
{
	const struct profile *profile = input->before;
	size_t fresh = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		fresh += profile->runs[i].stage == COMPARISON_CONFIRM;
	if (input->mode == GATE_FILES) {
		executions_put_runs(profile, 0, profile->nruns, out);
		buf_printf(
			out, " before, %zu after", input->candidate ? input->candidate->nruns : 0);
		return;
	}
	format_plural(out, profile->nruns, "pair of runs", "pairs of runs");
	executions_put(profile, 0, profile->nruns, out);
	if (fresh > 0)
		buf_printf(out, " (%zu of them to confirm)", fresh);
	buf_printf(out, " with %s", input->against ? input->against : "another build");
}

static void
put_basis(const struct gate_input *input, struct buf *out)
{
	if (input->not_measured && (input->against || input->base_note)) {
		buf_printf(out, input->against ? "compared with %s" : "%s",
			input->against ? input->against : input->base_note);
		return;
	}
	if (input->not_judged || !input->before) {
		buf_puts(out, "not judged");
		return;
	}
	if (input->mode != GATE_STORED && input->error && input->before->nruns == 0) {
		buf_printf(out, "nothing measured against %s",
			input->against ? input->against : "the other build");
		return;
	}
	if (input->mode != GATE_STORED) {
		put_pairs(input, out);
		return;
	}
	const struct baseline_info *info = input->before_info;

	if (input->candidate && executions_several(input->candidate)) {
		executions_put_runs(input->candidate, 0, input->candidate->nruns, out);
		buf_puts(out, ", ");
	}
	buf_puts(out, "baseline of ");
	format_time(out, info->created);
	if (info->commit[0])
		buf_printf(out, ", commit %.12s", info->commit);
	buf_puts(out, ", ");
	executions_put_runs(input->before, 0, input->before->nruns, out);
	buf_puts(out, " in ");
	format_plural(out, info->nsessions, "session", "sessions");
}

static void
put_poor_runs(const struct profile *profile, struct buf *out)
{
	const struct quality_tally tally = quality_count_poor(profile);

	if (tally.npoor > 0)
		buf_printf(out, "%zu of %zu runs %s not usable", tally.npoor, tally.nruns,
			tally.npoor == 1 ? "is" : "are");
}

/* As the beginning of a sentence. */
static void
put_capital(const char *text, struct buf *out)
{
	buf_putc(out, (char)toupper((unsigned char)text[0]));
	buf_puts(out, text + 1);
}

static struct side_view
view_side(const struct profile *profile, const char *name, struct text *text)
{
	struct side_view side = {.profile = profile, .prefix = "", .name = name};

	if (profile)
		put_poor_runs(profile, &text->buf);
	side.poor = take(text);
	if (profile)
		incomplete_put_stacks(profile, &text->buf);
	side.stacks = take(text);
	if (profile)
		interpreter_put(profile, &text->buf);
	side.interpreter = take(text);
	if (profile)
		disturbance_put(profile, &text->buf);
	side.disturbance = take(text);
	if (profile && profile->unsteady)
		put_capital(strtab_str(&profile->strings, profile->unsteady), &text->buf);
	side.unsteady = take(text);
	if (profile)
		cpu_variant_put_choosers(profile, &text->buf);
	side.cpu_choice = take(text);
	return side;
}

static void
view_sides(struct workload_view *workload, struct text *text)
{
	static const char *const names[] = {
		[GATE_STORED] = "the baseline",
		[GATE_PAIRED] = "the base",
		[GATE_FILES] = "the profiles before",
	};
	const struct gate_input *input = &workload->judgement->input;
	bool files = input->mode == GATE_FILES;

	workload->after =
		view_side(input->candidate, files ? "the profiles after" : "this gate", text);
	workload->after.heading = files ? "profiles after" : "this run";
	workload->before = view_side(input->before, names[input->mode], text);
	if (input->files_note)
		escape_utf8(&text->buf, input->files_note, strlen(input->files_note));
	workload->files_note = take(text);
	workload->before.prefix = arena_printf(text->arena, "In %s, ", workload->before.name);
	workload->before.heading = workload->before.name + strlen("the ");
}

/* A sentence on the limits of the latencies of the candidate's runs; "" where there are none. */
static const char *
latency_note(const struct judgement *judgement)
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

static void
view_workload(struct workload_view *view, const struct report_workload *workload,
	const struct report *report, bool is_large, struct text *text)
{
	const struct judgement *judgement = workload->judgement;
	const struct gate_input *input = &judgement->input;

	*view = (struct workload_view){.report = report,
		.workload = workload,
		.judgement = judgement,
		.name = input->workload->name,
		.status = input->skipped ? STATUS_SKIPPED
			  : input->error ? STATUS_ERROR
					 : judgement->verdict.status,
		.error = report_or_empty(input->error),
		.limited = report_or_empty(judgement->verdict.limited)};
	view->is_brief = is_large && view->status == STATUS_PASS;
	view->is_terse = !is_large && report->nworkloads > REPORT_MANY;
	view->files = is_large ? "" : arena_printf(text->arena, "%s/", workload->folder);
	/* Profiles that were captured elsewhere have no workload file. */
	view->rerun = view->status == STATUS_PASS || view->status == STATUS_SKIPPED
			      ? ""
			      : input->workload->path;
	put_basis(input, &text->buf);
	view->basis = take(text);
	if (view->judgement->compared)
		counter_rows_put(view->judgement, &text->buf);
	view->counters = take(text);
	view->latency = latency_note(view->judgement);
	report_findings(view, text->arena);
	view_sides(view, text);
	report_circumstances(view, report, text->arena);
	if (!view->is_brief)
		rows_init(&view->rows, judgement->compared ? &judgement->comparison : NULL,
			input->candidate, &judgement->verdict);
}

static const char *
status_phrase(enum status status, bool one)
{
	static const char *const phrases[][2] = {
		[STATUS_PASS] = {"pass", "passes"},
		[STATUS_WARN] = {"warn", "warns"},
		[STATUS_INCONCLUSIVE] = {"are undecided", "is undecided"},
		[STATUS_FAIL] = {"fail", "fails"},
		[STATUS_ERROR] = {"could not be measured", "could not be measured"},
		[STATUS_SKIPPED] = {"are skipped", "is skipped"},
	};

	return phrases[status][one];
}

/* How many workloads have this status; their names are appended to `names`, the first few. */
static size_t
count_status(const struct report_view *view, enum status status, struct buf *names)
{
	size_t count = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		if (view->workloads[i].status != status || ++count > NAMES_SHOWN)
			continue;
		buf_puts(names, count > 1 ? ", " : "");
		buf_puts(names, view->workloads[i].name);
	}
	if (count > NAMES_SHOWN)
		buf_printf(names, " and %zu more", count - NAMES_SHOWN);
	return count;
}

void
report_conclude(struct report *report, enum status status, int exit_code)
{
	report->status = status;
	report->exit_code = exit_code;
	if (report->interrupted && status != STATUS_FAIL) {
		report->status = STATUS_ERROR;
		report->exit_code = err_exit_code(&(struct err){.kind = ERR_MEASURE});
	}
}

static void
put_gate_headline(const struct report_view *view, struct buf *out)
{
	static const enum status order[] = {
		STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE, STATUS_WARN};
	struct buf names = {0};
	bool any = false;

	if (view->report->shard)
		buf_printf(out, "shard %u of %u%s", view->report->shard->plan->index,
			view->report->shard->plan->count,
			view->nworkloads > 0 ? ": " : " has no workloads");
	if (view->report->interrupted)
		buf_printf(out,
			"interrupted by %s, by the runs until then: ", view->report->interrupted);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		buf_clear(&names);
		size_t count = count_status(view, order[i], &names);

		if (count == 0)
			continue;
		buf_puts(out, any ? "; " : "");
		buf_printf(out, "%zu", count);
		if (!any) {
			buf_puts(out, " of ");
			format_plural(out, view->nworkloads, "workload", "workloads");
		}
		buf_printf(out, " %s: %s", status_phrase(order[i], count == 1), buf_text(&names));
		any = true;
	}
	buf_clear(&names);
	const size_t skipped = count_status(view, STATUS_SKIPPED, &names);
	const size_t measured = view->nworkloads - skipped;

	if (!any && measured > 0) {
		buf_puts(out, skipped == 0 && measured > 1 ? "all " : "");
		format_plural(out, measured, "workload passes", "workloads pass");
	} else if (!any && skipped > 0) {
		buf_puts(out, "nothing was measured");
	}
	if (skipped > 0)
		buf_printf(out, "; %zu %s: %s", skipped,
			status_phrase(STATUS_SKIPPED, skipped == 1), buf_text(&names));
	buf_release(&names);
}

int
report_severity(enum status status)
{
	static const int order[] = {
		[STATUS_PASS] = 0,
		[STATUS_SKIPPED] = 1,
		[STATUS_WARN] = 2,
		[STATUS_INCONCLUSIVE] = 3,
		[STATUS_ERROR] = 4,
		[STATUS_FAIL] = 5,
	};

	return order[status];
}

/*
 * The answer of the first workload with the severest verdict; if all passed, of one with an
 * accepted growth.
 */
static void
view_answer(struct report_view *view)
{
	const struct workload_view *worst = NULL;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];
		bool has_some = workload->status != STATUS_PASS || workload->has_accepted;

		if (has_some && (!worst || report_severity(workload->status) >
						   report_severity(worst->status)))
			worst = workload;
	}
	view->answer = worst                   ? worst->answer
		       : view->nworkloads == 1 ? view->workloads[0].power
					       : "";
	report_commands(view, worst);
}

void
report_put_recorded(
	const struct baseline_info *oldest, const struct baseline_info *newest, struct buf *out)
{
	struct buf first = {0};
	struct buf last = {0};

	format_time(&first, oldest->created);
	format_time(&last, newest->created);
	if (oldest->created)
		buf_printf(out, " of %.10s", buf_text(&first));
	if (oldest->created && strncmp(buf_text(&first), buf_text(&last), DATE_BYTES) != 0)
		buf_printf(out, " to %.10s", buf_text(&last));
	if (newest->commit[0] && strcmp(oldest->commit, newest->commit) == 0)
		buf_printf(out, " (%.12s)", newest->commit);
	buf_release(&first);
	buf_release(&last);
}

/* A branch may be called "error". */
static void
put_against(const char *against, struct buf *out)
{
	const size_t name = strcspn(against, " ");

	if (name_is_verdict(against, name)) {
		buf_printf(out, "'%.*s'", (int)name, against);
		against += name;
	}
	name_fit(out, against, strlen(against), BASE_COLUMNS);
}

/* Where a workload is of another commit than the others, none is said. */
static void
put_baselines(const struct report_view *view, struct buf *out)
{
	const struct baseline_info *oldest = NULL;
	const struct baseline_info *newest = NULL;
	bool differ = false;
	size_t count = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct gate_input *input = &view->workloads[i].judgement->input;
		const struct baseline_info *info = input->before_info;

		if (view->workloads[i].error[0] || input->mode != GATE_STORED || !input->before)
			continue;
		count++;
		differ = differ || (newest && strcmp(newest->commit, info->commit) != 0);
		oldest = !oldest || info->created < oldest->created ? info : oldest;
		newest = !newest || info->created >= newest->created ? info : newest;
	}
	if (!oldest || !newest)
		return;
	buf_puts(out, count > 1 ? "their baselines" : "its baseline");
	struct baseline_info last = *newest;

	if (differ)
		last.commit[0] = '\0';
	report_put_recorded(oldest, &last, out);
}

/* "main (4f81922)": where all are compared with the same. */
static void
put_base(const struct report_view *view, struct buf *out)
{
	const char *against = NULL;
	bool stored = false;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct gate_input *input = &view->workloads[i].judgement->input;
		const bool paired = input->against && input->mode == GATE_PAIRED;

		if (view->workloads[i].error[0] && !paired)
			continue;
		if (paired && against && strcmp(against, input->against) != 0)
			return;
		against = paired ? input->against : against;
		stored = stored || (input->mode == GATE_STORED && input->before);
	}
	if (against && !stored)
		put_against(against, out);
	else if (stored && !against)
		put_baselines(view, out);
}

/* A gate that measured nothing is no pass, although each workload is only skipped. */
static void
put_outcome(const struct report_view *view, struct buf *out)
{
	const int code = view->report->exit_code;
	bool all_skipped = view->nworkloads > 0;

	for (size_t i = 0; i < view->nworkloads; i++)
		all_skipped = all_skipped && view->workloads[i].status == STATUS_SKIPPED;
	/* Beside the status of a command that failed. */
	buf_printf(out, "Exit code %d%s: the job %s%s", code,
		view->report->status == STATUS_ERROR && !all_skipped ? " of profile_run" : "",
		code == 0 ? "passes" : "fails",
		all_skipped && code != 0 ? ", because nothing was judged" : "");
}

/* Where this is so of several workloads it is said once, and not as the finding of each. */
static void
view_other_machines(struct report_view *view, struct text *text)
{
	const char *its_class = NULL;
	bool several_classes = false;
	size_t nbaselines = 0;
	size_t count = 0;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct gate_input *input = &view->workloads[i].judgement->input;

		if (!input->before)
			continue;
		nbaselines++;
		if (!input->baseline_is_of_other_machine ||
			input_policy(input)->other_machine != POLICY_WARN)
			continue;
		count++;
		several_classes =
			several_classes ||
			(its_class && strcmp(its_class, input->before_info->machine_class) != 0);
		its_class = input->before_info->machine_class;
	}
	if (count > 1) {
		buf_printf(&text->buf, "%zu of ", count);
		format_plural(&text->buf, nbaselines, "baseline is", "baselines are");
		if (several_classes)
			buf_puts(&text->buf, " of other machine classes");
		else
			buf_printf(&text->buf, " of another machine class, %s", its_class);
		buf_printf(&text->buf, " (this machine is %s): none of their findings fails.",
			view->report->machine_class);
	}
	view->other_machines = take(text);
}

static void
view_change(const struct policy_change *change, struct text *text, struct policy_change_view *view)
{
	const char *before = change->before[0] ? change->before : "not set";
	const char *after = change->after[0] ? change->after : "not set";

	view->change = change;
	buf_puts(&text->buf, change->file);
	if (change->line > 0)
		buf_printf(&text->buf, ":%u", change->line);
	view->place = take(text);
	buf_printf(&text->buf, "%s: %s -> %s", change->key, before, after);
	if (change->holds)
		buf_printf(&text->buf, " (holds: %s)", change->holds);
	view->text = take(text);
}

/* How a working tree's policy differs from the one that the gate was judged by. */
static void
view_policy(struct report_view *view, struct text *text)
{
	const struct report_policy *policy = &view->report->policy;

	view->policy = "";
	view->npolicy_changes = policy->from ? policy->nchanges : 0;
	if (view->npolicy_changes == 0)
		return;
	view->policy_changes =
		arena_alloc(&view->arena, policy->nchanges * sizeof(*view->policy_changes));
	for (size_t i = 0; i < policy->nchanges; i++)
		view_change(&policy->changes[i], text, &view->policy_changes[i]);
	buf_puts(&text->buf, "Policy changed in ");
	format_plural(&text->buf, policy->nchanges + policy->nleft_out, "place", "places");
	buf_printf(&text->buf, "; the gate is judged by the policy of %s", policy->from);
	view->policy = take(text);
}

void
report_view_init(struct report_view *view, const struct report *report)
{
	struct text text = {.arena = &view->arena};

	*view = (struct report_view){.report = report,
		.is_large = report_is_large(report),
		.nworkloads = report->nworkloads};
	view->workloads = mem_zalloc(report->nworkloads, sizeof(*view->workloads));
	for (size_t i = 0; i < report->nworkloads; i++)
		view_workload(
			&view->workloads[i], &report->workloads[i], report, view->is_large, &text);
	put_gate_headline(view, &text.buf);
	view->headline = take(&text);
	view_answer(view);
	put_base(view, &text.buf);
	view->base = take(&text);
	put_outcome(view, &text.buf);
	view->outcome = take(&text);
	view_other_machines(view, &text);
	view_policy(view, &text);
	buf_release(&text.buf);
}

void
report_view_release(struct report_view *view)
{
	for (size_t i = 0; i < view->nworkloads; i++)
		rows_release(&view->workloads[i].rows);
	free(view->workloads);
	arena_release(&view->arena);
	*view = (struct report_view){0};
}
