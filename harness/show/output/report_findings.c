/* The texts on one workload's findings: each finding, and the headline. */
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "compare/size_growth.h"
#include "format/figures.h"
#include "format/place.h"
#include "output/report_view.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT_COLUMNS 40
#define CALLER_COLUMNS 60
#define MEMBERS_SHOWN 5

static bool
is_listed(const struct judgement *judgement, const struct finding *finding)
{
	if (judgement->input.error && finding->rule == FINDING_MEASUREMENT)
		return false;
	if (finding->status != STATUS_PASS || finding->accepted)
		return true;
	/* A function that is new here, and was something else before. */
	if (finding->causes && finding->causes->moved != DOMAIN_NONE)
		return true;
	/* These affect the validity of the others, and are listed even if they passed. */
	return (finding->rule == FINDING_BASELINE || finding->rule == FINDING_SELF_CHECK) &&
	       finding->reason && finding->reason[0];
}

/* "456 ms -> 599 ms per run" */
static void
put_costs(const struct profile *profile, const struct counter_kind *counter, double before,
	double after, struct buf *out)
{
	const char *unit = weights_cost_unit(profile);
	const double costs[] = {before, after};

	for (size_t i = 0; i < 2; i++) {
		buf_puts(out, i > 0 ? " -> " : "");
		if (counter)
			counter_put(out, counter, costs[i]);
		else
			format_cost(out, costs[i], unit);
	}
	const char *basis = counter_basis(counter, profile);

	if (basis)
		buf_printf(out, " per %s", basis);
}

/* "+15.3 % (95 % CI 12.0 to 18.7)", behind the instructions where these decided. */
static void
put_estimate(const struct finding *finding, struct buf *out)
{
	if (finding->by_instructions) {
		buf_puts(out, "instructions ");
		format_change(out, finding->instructions);
		if (finding->of == QUANTITY_TOTAL && finding->frame != 0)
			buf_puts(out, " of the program");
		buf_puts(out, ", time ");
	}
	effect_put_estimate(&finding->effect, out);
}

/* The cost of a run before at the machine's speed after; NAN: not known. */
static double
before_cost_of(const struct judgement *judgement, const struct finding *finding)
{
	const double scale = judgement->compared ? comparison_before_scale(
							   &judgement->comparison, &finding->effect)
						 : 1;

	return finding->effect.before_cost * scale;
}

void
report_put_although_less(const struct judgement *judgement, const char *subject,
	const struct effect *effect, struct buf *out)
{
	buf_printf(out, "although %s %s, ", subject,
		weights_follow_speed(&judgement->comparison.profile) ? "is faster" : "has less");
	effect_put_change(effect, out);
}

/* "main with all it calls +1.4 %" */
static void
put_own(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	struct buf subject = {0};

	if (!finding->effect.tested)
		return;
	frame_fit_words(&subject, finding->subject, SUBJECT_COLUMNS);
	buf_puts(&subject, finding->rule != FINDING_FUNCTIONS ? ""
			   : finding->of == QUANTITY_TOTAL    ? " with all it calls"
							      : " itself");
	if (finding->effect.high < 0) {
		report_put_although_less(judgement, buf_text(&subject), &finding->effect, out);
	} else {
		buf_printf(out, "%s ", buf_text(&subject));
		effect_put_change(&finding->effect, out);
	}
	buf_release(&subject);
}

/* Fills in the parts of the effect of what was tested, or is new. */
static void
view_parts(const struct judgement *judgement, struct finding_view *view, struct arena *arena)
{
	const struct finding *judged = view->judged;
	const struct effect *effect = &judged->effect;
	const bool is_untested = !effect->tested && judged->rule == FINDING_FUNCTIONS &&
				 judgement->compared &&
				 comparison_is_new(&judgement->comparison, effect);
	/* One that was called before has only its own cost anew. */
	const bool is_new =
		is_untested && !comparison_was_called(&judgement->comparison, judged->frame);
	/* What was almost nothing before is compared with the program before, too. */
	const bool is_small = is_untested || effect->change > FORMAT_FACTOR_MOST;
	const double share = !is_small ? effect->before_share
			     : judgement->compared
				     ? model_share_of_before(&judgement->comparison.model, effect)
				     : NAN;
	const double before = is_new ? 0 : before_cost_of(judgement, judged);
	struct buf text = {0};

	view->estimate = view->costs = view->share = view->threshold = view->own = "";
	if (!effect->tested && !is_untested)
		return;
	if (judged != view->finding) {
		frame_fit_words(&text, judged->subject, SUBJECT_COLUMNS);
		buf_putc(&text, ' ');
	}
	const size_t name = text.len;

	if (is_untested)
		buf_puts(&text, "new");
	else
		put_estimate(judged, &text);
	view->estimate = report_take(arena, &text);
	if (isfinite(before) && isfinite(effect->after_cost))
		put_costs(&judgement->comparison.profile, judged->counter, before,
			effect->after_cost, &text);
	view->costs = report_take(arena, &text);
	/* Costs say more than a ratio over almost nothing. */
	if (is_small && !is_new && view->costs[0] && !effect_is_exact(effect) &&
		!judged->by_instructions) {
		view->estimate =
			arena_printf(arena, "%.*s%s", (int)name, view->estimate, view->costs);
		view->costs = "";
	}
	if (judged->rule != FINDING_TOTAL && isfinite(share)) {
		buf_puts(&text, is_small ? "equal to " : "");
		format_percent(&text, share);
		buf_puts(&text, " of the program before");
		if (judged->added)
			buf_puts(&text, ", with all it calls");
	}
	view->share = report_take(arena, &text);
	/* The ratio of almost nothing that a threshold is then says nothing. */
	if (!isnan(judged->fail_at) && !is_small) {
		buf_puts(&text, "threshold ");
		format_setting(&text, judged->fail_at);
	}
	view->threshold = report_take(arena, &text);
	if (judged != view->finding)
		put_own(judgement, view->finding, &text);
	view->own = report_take(arena, &text);
	buf_release(&text);
}

static void
put_effect(const struct finding_view *view, struct buf *out)
{
	if (!view->estimate[0]) {
		effect_describe(&view->finding->effect, out);
		return;
	}
	buf_printf(out, "%s%s%s%s%s%s%s", view->estimate, view->costs[0] ? ", " : "", view->costs,
		view->share[0] ? ", " : "", view->share, view->own[0] ? "; " : "", view->own);
}

/* "p 4e-4, detectable from 5.9 %" */
static void
put_power(const struct effect *effect, struct buf *out)
{
	if (!effect->tested || effect_is_exact(effect))
		return;
	buf_puts(out, "p ");
	effect_put_p(effect, out);
	if (isfinite(effect->detectable)) {
		buf_puts(out, ", detectable from ");
		format_percent(out, effect->detectable);
	}
}

/* Whether the frame only acts for its callers: the kernel's and the C library's do. */
static bool
hands_on(const struct profile *profile, frame_id id)
{
	const struct frame *frame = &profile->frames.frames[id];
	const char *file = file_basename(strtab_str(&profile->strings, frame->module));

	return frame->kind == FRAME_KERNEL || strncmp(file, "libc.so", 7) == 0 ||
	       strncmp(file, "libc-", 5) == 0;
}

/* The caller to be named: of a wait the nearest one that is the program's. */
static frame_id
caller_of(const struct profile *profile, const struct cause_stack *stack)
{
	size_t at = stack->nframes - 2;
	frame_id leaf = stack->frames[stack->nframes - 1];

	if (profile->frames.frames[leaf].kind == FRAME_WAIT)
		while (at > 0 && hands_on(profile, stack->frames[at]))
			at--;
	return stack->frames[at];
}

/* "src/lex.c:120, called from parse()": by the stack that carries most of the growth. */
static void
put_where(const struct judgement *judgement, const struct finding_view *view, struct buf *out)
{
	const struct causes *causes = view->finding->causes;
	const struct cause_stack *stack = causes && causes->nstacks > 0 ? &causes->stacks[0] : NULL;
	struct buf name = {0};

	buf_puts(out, view->place);
	if (!stack || stack->nframes < 2)
		return;
	const struct profile *profile = &judgement->comparison.profile;

	if (size_growth_is_known(&judgement->comparison)) {
		buf_puts(out, out->len > 0 ? ", in " : "in ");
		size_growth_put_section(
			&judgement->comparison, stack->frames, stack->nframes - 1, out);
		return;
	}
	profile_put_frame(profile, caller_of(profile, stack), &name);
	buf_puts(out, out->len > 0 ? ", called from " : "called from ");
	frame_fit_words(out, buf_text(&name), CALLER_COLUMNS);
	/* Not the branch "main". */
	buf_puts(out, strchr(")]'", out->data[out->len - 1]) ? "" : "()");
	buf_release(&name);
}

static int
compare_source(const void *file, const void *source)
{
	return strcmp(file, ((const struct report_source *)source)->file);
}

const struct report_source *
report_find_source(const struct report *report, const char *file)
{
	if (report->nsources == 0)
		return NULL;
	return bsearch(
		file, report->sources, report->nsources, sizeof(*report->sources), compare_source);
}

void
report_put_source_url(const struct report *report, const char *file, unsigned line, struct buf *out)
{
	const struct report_source *source = NULL;

	/* A record may say anything. */
	if (report->commit && report->commit[0] && report->source_url &&
		config_is_source_url(report->source_url))
		source = report_find_source(report, file);
	for (const char *at = report->source_url; source && *at;) {
		size_t plain = strcspn(at, "{");

		buf_put(out, at, plain);
		at += plain;
		if (strncmp(at, "{path}", 6) == 0)
			escape_url(out, source->path, strlen(source->path));
		else if (strncmp(at, "{commit}", 8) == 0)
			escape_url(out, report->commit, strlen(report->commit));
		else if (*at)
			buf_printf(out, "%u", line > 0 ? line : 1);
		at += strcspn(at, "}");
		at += *at == '}';
	}
}

/* "src/lex.c:12", by its path in the repository where the name is that of a module. */
static void
put_place(const struct report *report, const char *place, struct buf *out)
{
	const char *line = strrchr(place, ':');
	const size_t len = line ? (size_t)(line - place) : strlen(place);
	char *file = mem_dup(place, len);
	const struct report_source *source =
		file[0] != '/' ? report_find_source(report, file) : NULL;

	if (source)
		buf_printf(out, "%s%s", source->path, place + len);
	else
		place_put_path(out, place);
	free(file);
}

/*
 * The place in the repository that a finding is about: the changed line that carries the growth,
 * else the function.
 */
static void
find_place(const struct workload_view *workload, struct finding_view *view, struct arena *arena)
{
	const struct profile *profile = &workload->judgement->comparison.profile;
	const struct report *report = workload->report;
	const struct report_lines *lines = report_lines_of(workload, view->finding);
	struct buf url = {0};

	view->path = "";
	view->owners = "";
	view->url = "";
	if (view->finding->frame == 0)
		return;
	const struct frame *frame = &profile->frames.frames[view->finding->frame];
	const char *file = strtab_str(&profile->strings, frame->file);
	const struct report_source *source = report_find_source(report, file);

	if (source) {
		view->path = source->path;
		view->owners = report_or_empty(source->owners);
	}
	view->line = frame->line;
	if (lines && lines->changed_path && finding_growth(view->finding) > 0) {
		view->path = lines->changed_path;
		view->owners = report_or_empty(lines->changed_owners);
		view->line = lines->changed_line;
	}
	report_put_source_url(report, file, frame->line, &url);
	view->url = report_take(arena, &url);
	buf_release(&url);
}

const struct report_lines *
report_lines_of(const struct workload_view *workload, const struct finding *finding)
{
	const struct report_workload *entry = workload->workload;
	const struct profile *profile = &workload->judgement->comparison.profile;

	for (size_t i = 0; i < entry->nlines && finding->frame != 0; i++)
		if (strcmp(entry->lines[i].function, profile_frame_name(profile, finding->frame)) ==
			0)
			return &entry->lines[i];
	return NULL;
}

/* "malloc +4.1 ms, the whole program +9.2 ms and 2 more" */
static void
put_members(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	const size_t shown = finding->nmembers > MEMBERS_SHOWN ? MEMBERS_SHOWN : finding->nmembers;

	for (size_t i = 0; i < shown; i++) {
		const struct finding *member = &finding->members[i];
		const struct effect *effect = &member->effect;
		const double before = effect->before_cost *
				      comparison_before_scale(&judgement->comparison, effect);
		const double growth = effect->after_cost - (before > 0 ? before : 0);

		buf_puts(out, i > 0 ? ", " : "");
		frame_fit_words(out, member->subject, SUBJECT_COLUMNS);
		if (!isfinite(growth))
			continue;
		buf_puts(out, growth > 0 ? " +" : " ");
		format_cost(out, growth, weights_cost_unit(&judgement->comparison.profile));
	}
	if (finding->nmembers > shown)
		buf_printf(out, " and %zu more", finding->nmembers - shown);
}

/* Whether the lines of its function are those of its growth: not of that of what it calls. */
static bool
has_own_growth(const struct report_lines *lines, const struct finding *finding)
{
	return lines && lines->growth[0] && finding->of == QUANTITY_SELF &&
	       finding->effect.change > 0;
}

/* The reason, the lines that carry the growth, and what grew or is accepted with it. */
static const char *
reason_of(const struct workload_view *workload, const struct finding *finding, const char *grown,
	const char *members, struct arena *arena)
{
	const struct report_lines *lines = report_lines_of(workload, finding);
	const char *reason = report_or_empty(finding->reason);

	for (size_t len; (len = strcspn(grown, "\n")) > 0; grown += len + 1)
		reason = arena_printf(
			arena, "%s%s%.*s.", reason, reason[0] ? " " : "", (int)len, grown);
	if (has_own_growth(lines, finding))
		reason =
			arena_printf(arena, "%s%s%s.", reason, reason[0] ? " " : "", lines->growth);
	if (members[0])
		reason = arena_printf(arena, "%s%s%s with it: %s.", reason, reason[0] ? " " : "",
			finding->waiver ? "Accepted" : "Grew", members);
	return reason;
}

static struct finding_view
view_finding(
	const struct workload_view *workload, const struct finding *finding, struct arena *arena)
{
	const struct judgement *judgement = workload->judgement;
	bool has_quantity =
		finding->effect.tested && finding->rule != FINDING_TOTAL && !finding->counter;
	struct buf text = {0};

	frame_fit_words(&text, finding->subject, SIZE_MAX);
	struct finding_view view = {
		.finding = finding,
		.verdict = finding_verdict(finding),
		.subject = finding->subject,
		.name = report_take(arena, &text),
		.of = has_quantity ? arena_printf(arena, " (%s)", quantity_name(finding->of)) : "",
		.judged = verdict_judged(&judgement->verdict, finding),
		.members = "",
		.before_cost = before_cost_of(judgement, finding),
		.is_listed = is_listed(judgement, finding),
	};

	if (judgement->compared) {
		put_members(judgement, finding, &text);
		view.members = report_take(arena, &text);
	}
	view.link = view.judged == finding ? " " : ": ";
	if (judgement->compared && finding->rule == FINDING_TOTAL && finding->effect.change > 0 &&
		size_growth_is_known(&judgement->comparison))
		size_growth_put(&judgement->comparison, &text);
	view.grown = report_take(arena, &text);
	view.reason = reason_of(workload, finding, view.grown, view.members, arena);
	view_parts(judgement, &view, arena);
	put_effect(&view, &text);
	view.effect = report_take(arena, &text);
	put_power(&view.judged->effect, &text);
	view.power = report_take(arena, &text);
	if (finding->source)
		put_place(workload->report, finding->source, &text);
	view.place = report_take(arena, &text);
	find_place(workload, &view, arena);
	put_where(judgement, &view, &text);
	view.where = report_take(arena, &text);
	buf_release(&text);
	return view;
}

/*
 * The first finding that did not simply pass, or NULL. One of the program is read before an equally
 * severe one of its baseline.
 */
static const struct finding_view *
first_to_read(const struct workload_view *workload)
{
	const struct finding_view *first = NULL;

	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding *finding = workload->findings[i].finding;

		if (finding->status == STATUS_PASS && !finding->accepted)
			continue;
		if (!first)
			first = &workload->findings[i];
		if (finding->status == first->finding->status && finding->rule != FINDING_BASELINE)
			return &workload->findings[i];
	}
	return first;
}

static void
put_headline(const struct workload_view *workload, struct buf *out)
{
	const struct finding_view *first = workload->first;

	if (workload->judgement->input.error) {
		char *line = mem_dup(workload->error, strcspn(workload->error, "\n"));

		report_put_error(workload, line, SIZE_MAX, out);
		free(line);
		return;
	}
	if (!first) {
		buf_puts(out, workload->power);
		return;
	}
	if (first->finding->rule == FINDING_BASELINE && first->finding->status == STATUS_WARN &&
		workload->limited[0]) {
		buf_printf(out, "%s; %s", workload->limited, workload->power);
		return;
	}
	frame_fit_words(out, first->subject, SUBJECT_COLUMNS);
	if (first->estimate[0]) {
		buf_printf(out, "%s%s", first->link, first->estimate);
		/* "new" alone does not say how much. */
		if (!first->judged->effect.tested && first->costs[0])
			buf_printf(out, ", %s", first->costs);
		buf_puts(out, first->finding->accepted ? ", accepted" : "");
	} else if (first->reason[0]) {
		buf_printf(out, ": %s", first->reason);
	}
}

/* The headline with its costs and its place. */
static void
put_answer(const struct workload_view *workload, struct buf *out)
{
	const struct finding_view *first = workload->first;

	buf_printf(out, "%s: ", workload->name);
	if (!first || workload->error[0] ||
		(!first->estimate[0] && !first->finding->effect.tested)) {
		buf_puts(out, workload->headline);
		return;
	}
	frame_fit_words(out, first->subject, SUBJECT_COLUMNS);
	buf_printf(out, "%s%s", first->link, first->effect);
	if (first->where[0])
		buf_printf(out, "; %s", first->where);
	if (first->finding->accepted)
		buf_puts(out, "; accepted");
}

void
report_findings(struct workload_view *workload, struct arena *arena)
{
	const struct judgement *judgement = workload->judgement;
	const struct verdict *verdict = &judgement->verdict;
	struct buf text = {0};

	workload->nfindings = verdict->nfindings;
	workload->findings = arena_alloc(arena, verdict->nfindings * sizeof(*workload->findings));
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];
		struct finding_view *view = &workload->findings[i];
		bool is_function = finding->rule == FINDING_FUNCTIONS && finding->effect.tested &&
				   !finding->added;

		*view = view_finding(workload, finding, arena);
		workload->nlisted += view->is_listed;
		workload->ncompared += is_function;
		workload->npassed += is_function && !view->is_listed;
		workload->has_accepted = workload->has_accepted || finding->accepted;
	}
	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		workload->ncompared += i >= verdict->nfindings &&
				       finding->rule == FINDING_FUNCTIONS && finding->effect.tested;
		if (!workload->whole && finding->rule == FINDING_TOTAL && finding->effect.tested)
			workload->whole = &finding->effect;
	}
	if (!workload->whole && judgement->compared && judgement->comparison.whole.tested)
		workload->whole = &judgement->comparison.whole;
	workload->first = first_to_read(workload);
	for (size_t i = 0; i < workload->nfindings; i++) {
		struct finding_view *view = &workload->findings[i];

		view->is_leading = view == workload->first ||
				   view->finding->status == STATUS_FAIL ||
				   view->finding->status == STATUS_ERROR;
	}
	report_summary(workload, arena);
	put_headline(workload, &text);
	workload->headline = report_take(arena, &text);
	put_answer(workload, &text);
	workload->answer = report_take(arena, &text);
	buf_release(&text);
}
