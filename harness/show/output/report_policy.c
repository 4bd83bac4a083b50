/* The texts on a working tree's policy that differs from the one that the gate was judged by. */
#include "format/figures.h"
#include "output/report_view.h"

static const char *
take(struct arena *arena, struct buf *text)
{
	const char *taken = arena_dup(arena, buf_text(text), text->len);

	buf_clear(text);
	return taken;
}

static void
view_change(
	const struct policy_change *change, struct arena *arena, struct policy_change_view *view)
{
	const char *before = change->before[0] ? change->before : "not set";
	const char *after = change->after[0] ? change->after : "not set";
	struct buf text = {0};

	view->change = change;
	buf_puts(&text, change->file);
	if (change->line > 0)
		buf_printf(&text, ":%u", change->line);
	view->place = take(arena, &text);
	buf_printf(&text, "%s: %s -> %s", change->key, before, after);
	if (change->holds)
		buf_printf(&text, " (holds: %s)", change->holds);
	view->text = take(arena, &text);
	buf_release(&text);
}

void
report_policy(struct report_view *view)
{
	const struct report_policy *policy = &view->report->policy;
	struct buf text = {0};

	view->policy = "";
	view->npolicy_changes = policy->from ? policy->nchanges : 0;
	if (view->npolicy_changes == 0)
		return;
	view->policy_changes =
		arena_alloc(&view->arena, policy->nchanges * sizeof(*view->policy_changes));
	for (size_t i = 0; i < policy->nchanges; i++)
		view_change(&policy->changes[i], &view->arena, &view->policy_changes[i]);
	buf_puts(&text, "Policy changed in ");
	format_plural(&text, policy->nchanges + policy->nleft_out, "place", "places");
	buf_printf(&text, "; the gate is judged by the policy of %s", policy->from);
	view->policy = take(&view->arena, &text);
	buf_release(&text);
}
