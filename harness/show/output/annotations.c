/*
 * annotations.txt: GitHub's workflow commands, which a step prints to mark the lines of the source
 * that became slower. A step gets ten errors and ten warnings at most; where there are more, the
 * last one counts the rest.
 */
#include "base/escape.h"
#include "output/output.h"

#include <string.h>

#define ANNOTATIONS_MAX 10

struct annotations {
	const char *level; /* "error" */
	size_t count;      /* all there are */
	size_t shown;
	struct buf *out; /* NULL: they are counted only */
};

static const char *
level_of(enum status status)
{
	switch (status) {
	case STATUS_FAIL:
	case STATUS_ERROR:
		return "error";
	case STATUS_WARN:
	case STATUS_INCONCLUSIVE:
	case STATUS_SKIPPED:
		return "warning";
	case STATUS_PASS:
		break;
	}
	return "";
}

static void
put_property(struct buf *out, const char *name, const char *value)
{
	buf_puts(out, name);
	escape_command_property(out, value, strlen(value));
}

/* `path` and `line` are in the repository; "": not known. */
static void
annotate(struct annotations *all, const char *path, unsigned line, const char *title,
	const char *text)
{
	struct buf *out = all->out;

	all->count++;
	if (!out || all->count > all->shown)
		return;
	buf_printf(out, "::%s ", all->level);
	if (path[0]) {
		put_property(out, "file=", path);
		buf_printf(out, ",line=%u,", line > 0 ? line : 1);
	}
	put_property(out, "title=", "profile_run: ");
	put_property(out, "", title);
	buf_puts(out, "::");
	escape_command(out, text, strlen(text));
	buf_putc(out, '\n');
}

static void
annotate_workload(struct annotations *all, const struct workload_view *workload)
{
	struct buf text = {0};

	if (workload->error[0]) {
		if (strcmp(all->level, level_of(workload->status)) == 0)
			annotate(all, "", 0, workload->name, workload->error);
		return;
	}
	for (size_t i = 0; i < workload->nfindings; i++) {
		const struct finding_view *view = &workload->findings[i];

		if (!view->is_listed || strcmp(all->level, level_of(view->finding->status)) != 0)
			continue;
		buf_clear(&text);
		buf_printf(&text, "%s%s%s%s%s%s", view->name, view->of,
			view->effect[0] ? view->link : "", view->effect,
			view->reason[0] ? "\n" : "", view->reason);
		annotate(all, view->path, view->line, workload->name, buf_text(&text));
	}
	buf_release(&text);
}

/* The verdict of the whole gate, and the findings that led to it. */
static void
annotate_all(struct annotations *all, const struct report_view *view)
{
	all->count = 0;
	if (strcmp(all->level, level_of(view->report->status)) == 0)
		annotate(all, "", 0, status_word(view->report->status), view->headline);
	for (size_t i = 0; i < view->nworkloads; i++)
		annotate_workload(all, &view->workloads[i]);
}

/* The places where the policy changed, whatever the verdict. */
static void
annotate_policy(const struct report_view *view, struct buf *out)
{
	struct annotations all = {.level = "notice", .out = out};

	all.shown = view->npolicy_changes > ANNOTATIONS_MAX ? ANNOTATIONS_MAX - 1 : ANNOTATIONS_MAX;
	for (size_t i = 0; i < view->npolicy_changes; i++) {
		const struct policy_change_view *change = &view->policy_changes[i];
		bool here = change->change->line > 0;
		struct buf text = {0};

		buf_printf(&text, "%s\n%s", change->text, view->policy);
		annotate(&all, here ? change->change->file : "", change->change->line,
			here ? "policy changed" : change->place, buf_text(&text));
		buf_release(&text);
	}
	if (all.count > all.shown)
		buf_printf(out, "::notice title=profile_run::%zu more: see the report\n",
			all.count - all.shown);
}

static void
write_annotations(const struct report_view *view, struct buf *out)
{
	static const char *const levels[] = {"error", "warning"};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct annotations all = {.level = levels[i]};

		annotate_all(&all, view);
		all.shown = all.count > ANNOTATIONS_MAX ? ANNOTATIONS_MAX - 1 : ANNOTATIONS_MAX;
		all.out = out;
		annotate_all(&all, view);
		if (all.count > all.shown)
			buf_printf(out, "::%s title=profile_run::%zu more: see the report\n",
				all.level, all.count - all.shown);
	}
	annotate_policy(view, out);
}

const struct report_output output_annotations = {
	.name = "annotations.txt",
	.summary = "GitHub's workflow commands: what to mark in the source",
	.write = write_annotations,
};
