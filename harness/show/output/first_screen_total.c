/*
 * The last lines of the first screen: the verdict of the whole gate, the exit code, and the
 * commands that help.
 */
#include "output/first_screen.h"

#include "base/escape.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/waive.h"
#include "output/line_parts.h"

#include <ctype.h>
#include <string.h>

#define LINES_MOST 4
#define BASE_COLUMNS 50 /* of the name of a base */
/* Where reports are unless it is configured: `waive WORKLOAD SUBJECT` looks there. */
#define LATEST_REPORT "reports/latest"

static size_t
columns_of(const struct buf *text)
{
	return name_columns(buf_text(text), text->len);
}

/* Lines that fill up with sentences. */
struct lines {
	struct buf *out;
	size_t count; /* begun */
	size_t column;
};

/* Puts a text, which is safe, behind what the line has if it fits, else into a new line. */
static void
add_text(struct lines *lines, const char *between, const struct buf *text)
{
	const size_t columns = columns_of(text);

	if (lines->count > 0 && lines->column + strlen(between) + columns <= FIRST_SCREEN_COLUMNS) {
		buf_puts(lines->out, between);
		lines->column += strlen(between) + columns;
	} else {
		buf_puts(lines->out, lines->count > 0 ? "\n" : "");
		lines->count++;
		lines->column = columns;
	}
	buf_put(lines->out, buf_text(text), text->len);
}

/* The words for a status: of one workload, of several, and behind another status. */
static const char *const verbs[][3] = {
	[STATUS_PASS] = {"passed", "passed", "passed"},
	[STATUS_WARN] = {"warned", "warned", "warned"},
	[STATUS_INCONCLUSIVE] = {"is undecided", "are undecided", "undecided"},
	[STATUS_FAIL] = {"failed", "failed", "failed"},
	[STATUS_ERROR] = {"could not be measured", "could not be measured", "not measured"},
	[STATUS_SKIPPED] = {"was skipped", "were skipped", "skipped"},
};

static size_t
count_of(const struct report_view *view, enum status status)
{
	size_t count = 0;

	for (size_t i = 0; i < view->nworkloads; i++)
		count += view->workloads[i].status == status;
	return count;
}

/* "1 of 5 workloads failed, 1 undecided" */
static void
put_counts(const struct report_view *view, struct buf *out)
{
	static const enum status order[] = {
		STATUS_FAIL, STATUS_ERROR, STATUS_INCONCLUSIVE, STATUS_WARN, STATUS_SKIPPED};
	bool any = false;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const size_t count = count_of(view, order[i]);

		if (count == 0)
			continue;
		buf_printf(out, "%s%zu ", any ? ", " : "", count);
		if (!any) {
			buf_puts(out, "of ");
			format_plural(out, view->nworkloads, "workload", "workloads");
			buf_putc(out, ' ');
		}
		buf_puts(out, verbs[order[i]][any ? 2 : count > 1]);
		any = true;
	}
	if (!any) {
		format_plural(out, view->nworkloads, "workload passed", "workloads passed");
	}
}

/* "1 of 5 workloads failed, against main (4f81922), in 2 min 2 s." */
static void
put_total(const struct report_view *view, const char *base, struct buf *out)
{
	const struct report_shard *shard = view->report->shard;
	const size_t begin = out->len;

	if (shard)
		buf_printf(out, "shard %u of %u%s", shard->plan->index, shard->plan->count,
			view->nworkloads > 0 ? ": " : " has no workloads");
	if (view->report->interrupted)
		buf_printf(out, "interrupted by %s: ", view->report->interrupted);
	if (view->nworkloads > 0)
		put_counts(view, out);
	if (base[0])
		buf_printf(out, ", against %s", base);
	buf_puts(out, ", in ");
	format_duration(out, view->report->duration_s);
	buf_putc(out, '.');
	out->data[begin] = (char)toupper((unsigned char)out->data[begin]);
}

static void
add_total(struct lines *lines, const struct report_view *view, bool with_base)
{
	struct buf text = {0};

	put_total(view, with_base ? view->base : "", &text);
	if (columns_of(&text) <= FIRST_SCREEN_COLUMNS) {
		add_text(lines, "", &text);
	} else {
		buf_clear(&text);
		put_total(view, "", &text);
		add_text(lines, "", &text);
		buf_clear(&text);
		buf_printf(&text, "Compared with %s.", view->base);
		add_text(lines, " ", &text);
	}
	buf_release(&text);
}

/* "Exit code 3: the job fails." */
static void
add_outcome(struct lines *lines, const struct report_view *view)
{
	struct buf text = {0};

	buf_printf(&text, "%s.", view->outcome);
	add_text(lines, " ", &text);
	buf_release(&text);
}

static void
add_report(struct lines *lines, const char *folder)
{
	struct buf text = {0};

	if (folder) {
		buf_puts(&text, "Report: ");
		escape_utf8(&text, folder, strlen(folder));
		buf_puts(&text, "/index.html");
	} else {
		buf_puts(&text, "--output DIR writes a report.");
	}
	add_text(lines, " ", &text);
	buf_release(&text);
}

/* "Policy changed in 5 places: the policy of main (0123456789ab) applies." */
static void
add_policy(struct lines *lines, const struct report_view *view)
{
	const struct report_policy *policy = &view->report->policy;
	struct buf from = {0};
	struct buf text = {0};

	if (view->policy[0]) {
		name_fit(&from, policy->from, strlen(policy->from), BASE_COLUMNS);
		buf_puts(&text, "Policy changed in ");
		format_plural(&text, policy->nchanges + policy->nleft_out, "place", "places");
		buf_printf(&text, ": the policy of %s applies.", buf_text(&from));
		add_text(lines, " ", &text);
	}
	buf_release(&from);
	buf_release(&text);
}

/* The bytes of the first word of a command, quotes included. */
static size_t
word_length(const char *command)
{
	bool quoted = false;
	size_t len = 0;

	for (; command[len] && (quoted || command[len] != ' '); len++)
		quoted = command[len] == '\'' ? !quoted : quoted;
	return len;
}

/* Breaks a command between words as a shell reads it; returns the number of its lines, 0: too wide.
 */
static size_t
break_command(const char *label, const char *command, struct buf *out)
{
	const size_t room = FIRST_SCREEN_COLUMNS - strlen(" \\");
	size_t column = strlen(label);
	size_t count = 1;

	buf_puts(out, label);
	for (const char *at = command; *at;) {
		const size_t len = word_length(at);
		const size_t columns = name_columns(at, len);

		if (at > command && column + 1 + columns > room) {
			buf_puts(out, " \\\n   ");
			column = 3;
			count++;
		}
		if (column + 1 + columns > room)
			return 0;
		buf_puts(out, at > command ? " " : "");
		buf_put(out, at, len);
		column += columns + (at > command);
		at += len + (at[len] == ' ');
	}
	return count;
}

/*
 * Behind a command, for a shell a comment: all of it or in brief; in its own line where that is too
 * long.
 */
static void
add_note(struct lines *lines, const char *note, const char *brief, size_t most)
{
	const char *const notes[] = {note, brief[0] ? brief : note};
	struct buf text = {0};

	for (size_t i = 0; i < 2; i++) {
		buf_clear(&text);
		buf_puts(&text, "  # ");
		escape_utf8(&text, notes[i], strlen(notes[i]));
		if (lines->column + columns_of(&text) <= FIRST_SCREEN_COLUMNS)
			break;
	}
	if (lines->column + columns_of(&text) <= FIRST_SCREEN_COLUMNS) {
		buf_puts(lines->out, buf_text(&text));
	} else if (lines->count < most && columns_of(&text) <= FIRST_SCREEN_COLUMNS) {
		buf_printf(lines->out, "\n%s", buf_text(&text));
		lines->count++;
	}
	lines->column = FIRST_SCREEN_COLUMNS;
	buf_release(&text);
}

/*
 * A command in lines of its own, with its note, up to so many lines of the screen; whether there
 * was room. It is made safe.
 */
static bool
add_command(struct lines *lines, const struct view_command *given, const struct buf *command,
	size_t most)
{
	struct buf safe = {0};
	struct buf text = {0};

	buf_printf(&text, "%s: ", given->label);
	escape_utf8(&safe, buf_text(command), command->len);
	struct buf broken = {0};
	const size_t needed = break_command(buf_text(&text), buf_text(&safe), &broken);
	/* A command that had to be changed does not do what it says. */
	const bool fits = needed > 0 && lines->count + needed <= most &&
			  strcmp(buf_text(&safe), buf_text(command)) == 0;

	if (fits) {
		const char *last = strrchr(buf_text(&broken), '\n');

		buf_printf(lines->out, "\n%s", buf_text(&broken));
		lines->count += needed;
		lines->column = line_columns(last ? last + 1 : buf_text(&broken));
		if (given->note[0])
			add_note(lines, given->note, given->brief_note, most);
	}
	buf_release(&broken);
	buf_release(&text);
	buf_release(&safe);
	return fits;
}

/* Where a command stands that does not fit. */
static void
add_elsewhere(struct lines *lines, const char *what, const char *folder, size_t most)
{
	struct buf text = {0};

	buf_printf(&text, "The command %s is in ", what);
	const size_t begin = text.len;

	escape_utf8(&text, folder, strlen(folder));
	buf_puts(&text, "/report.txt");
	if (columns_of(&text) > FIRST_SCREEN_COLUMNS) {
		text.len = begin;
		buf_puts(&text, "report.txt");
	}
	lines->column = FIRST_SCREEN_COLUMNS;
	if (lines->count < most)
		add_text(lines, "", &text);
	buf_release(&text);
}

/* The first failing finding that a waiver can accept. */
struct waivable {
	const struct workload_view *workload; /* NULL: there is none */
	const struct finding *finding;
	size_t number; /* among all that one can accept */
};

static struct waivable
find_waivable(const struct report_view *view)
{
	struct waivable found = {0};
	struct arena arena = {0};

	for (size_t i = 0; i < view->nworkloads && !found.workload; i++) {
		const struct workload_view *workload = &view->workloads[i];

		for (size_t k = 0; k < workload->nfindings && !found.workload; k++) {
			const struct finding *finding = workload->findings[k].finding;
			struct waiver waiver;

			if (!waiver_of_finding(workload->judgement, finding, &arena, &waiver))
				continue;
			found.number++;
			if (finding->status == STATUS_FAIL) {
				found.workload = workload;
				found.finding = finding;
			}
		}
	}
	arena_release(&arena);
	return found;
}

static void
put_waive(const struct waivable *found, const char *folder, bool by_name, struct buf *out)
{
	struct buf name = {0};

	if (by_name && strcmp(folder, LATEST_REPORT) == 0) {
		report_put_waive(found->workload, out);
		return;
	}
	buf_puts(out, "profile_run waive ");
	escape_shell_word(out, folder);
	if (by_name)
		buf_printf(&name, "%s/%s", found->workload->name, found->finding->subject);
	else
		buf_printf(&name, "%zu", found->number);
	buf_puts(out, " --finding ");
	escape_shell_word(out, buf_text(&name));
	buf_puts(out, " --reason TEXT --until DATE");
	buf_release(&name);
}

/* A command that decides it comes before the one that measures as before. */
static const struct view_command *
first_command(const struct report_view *view)
{
	const struct view_command *decide = &view->commands[COMMAND_DECIDE];
	const enum status status = view->report->status;

	if (decide->command[0])
		return decide;
	return status == STATUS_FAIL || status == STATUS_ERROR || status == STATUS_INCONCLUSIVE
		       ? &view->commands[COMMAND_REPRODUCE]
		       : NULL;
}

/* By the finding's number it is shorter. Whether there is such a command, or where it stands. */
static bool
add_accept(struct lines *lines, const struct report_view *view, const char *folder)
{
	const struct view_command *accept = &view->commands[COMMAND_ACCEPT];
	const struct waivable found = find_waivable(view);
	const size_t one_more = lines->count + 1 < LINES_MOST ? lines->count + 1 : LINES_MOST;
	const struct {
		bool by_name;
		size_t most;
	} ways[] = {{true, one_more}, {false, one_more}, {false, LINES_MOST}};
	/* The other form has the last day. */
	const struct view_command brief = {
		accept->label, accept->command, accept->brief_note, accept->brief_note};
	struct buf command = {0};
	bool added = false;

	if (!accept->command[0] || !folder || !found.workload)
		return false;
	for (size_t i = 0; !added && i < sizeof(ways) / sizeof(ways[0]); i++) {
		buf_clear(&command);
		put_waive(&found, folder, ways[i].by_name, &command);
		const bool is_short = ways[i].by_name && strcmp(folder, LATEST_REPORT) == 0;

		added = add_command(lines, is_short ? accept : &brief, &command, ways[i].most);
	}
	if (!added)
		add_elsewhere(lines, "that accepts it", folder, LINES_MOST);
	buf_release(&command);
	return true;
}

/* The lines that the command which accepts a failing finding takes, which is never left out. */
static size_t
lines_of_accept(const struct report_view *view, const char *folder)
{
	struct buf scratch = {0};
	struct lines alone = {.out = &scratch};
	const bool any = add_accept(&alone, view, folder);

	buf_release(&scratch);
	return any ? alone.count : 0;
}

/* The commands that help: to measure or decide the severest workload, and then what else can be
 * done, for which lines are kept. */
static void
add_commands(struct lines *lines, const struct report_view *view, const char *folder, size_t kept)
{
	const struct view_command *first = first_command(view);
	const struct view_command *look = &view->commands[COMMAND_LOOK];
	const bool looks = kept == 0 && lines->count + 1 < LINES_MOST && look->command[0];
	const size_t most = LINES_MOST - kept - looks;
	struct buf command = {0};

	if (first && first->command[0]) {
		buf_puts(&command, first->command);
		if (!add_command(lines, first, &command, most) && folder)
			add_elsewhere(lines, "to measure it again", folder, most);
	}
	if (look->command[0]) {
		buf_clear(&command);
		buf_puts(&command, look->command);
		add_command(lines, look, &command, LINES_MOST - kept);
	}
	add_accept(lines, view, folder);
	buf_release(&command);
}

void
first_screen_put_total(const struct report_view *view, const char *folder, struct buf *out)
{
	const size_t begin = out->len;
	const size_t kept = lines_of_accept(view, folder);
	struct lines lines = {.out = out};

	for (int with_base = 1; with_base >= 0; with_base--) {
		if (out->data)
			out->data[out->len = begin] = '\0';
		lines = (struct lines){.out = out};
		add_total(&lines, view, with_base);
		add_outcome(&lines, view);
		add_report(&lines, folder);
		add_policy(&lines, view);
		if (lines.count + kept <= LINES_MOST)
			break;
	}
	add_commands(&lines, view, folder, kept);
	buf_putc(out, '\n');
}
