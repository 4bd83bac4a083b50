/*
 * The commands that a report offers, in a few words where each works or leads to, and what it says
 * of a build that fails, with its command.
 */
#include "base/escape.h"
#include "format/figures.h"
#include "gate/waive.h"
#include "output/line_parts.h"
#include "output/report_view.h"

#include <string.h>

#define DEFAULT_WAIVERS "config/waivers.yaml"
#define NOTE_DIGITS 10 /* of a commit, where there is little room */

/* The commands that a report offers, and in a few words where each works or leads to. */

static const char *const labels[VIEW_COMMANDS] = {
	[COMMAND_REPRODUCE] = "Reproduce",
	[COMMAND_DECIDE] = "Decide",
	[COMMAND_LOOK] = "Callers",
	[COMMAND_ACCEPT] = "Accept",
};

/* The machines that a command works on: interleaved builds can be measured on any. */
static const char *
note_on_machines(const struct workload_view *workload, struct arena *arena)
{
	const struct gate_input *input = &workload->judgement->input;
	const struct baseline_info *info = input->before_info;
	const bool has_commit = info && info->commit[0];

	if (workload->error[0])
		return "";
	if (input->mode == GATE_PAIRED)
		return has_commit ? "on any machine" : "";
	if (input->mode != GATE_STORED || !input->before)
		return "";
	return has_commit ? arena_printf(arena, "other machines: add --against %.*s", NOTE_DIGITS,
				    info->commit)
			  : "only on this class of machines";
}

/* The note on a command that has these options in addition. */
static const char *
note_on_deciding(const struct workload_view *workload, const char *options, struct arena *arena)
{
	if (workload->error[0])
		return "";
	return strncmp(options, "--against", strlen("--against")) == 0
		       ? "on any machine"
		       : note_on_machines(workload, arena);
}

/* "main" of "main (0123456789ab)"; 0: it is no commit. */
static size_t
base_name_length(const char *against)
{
	const char *commit = strstr(against, " (");

	if (commit)
		return (size_t)(commit - against);
	const size_t len = strlen(against);

	return strspn(against, "0123456789abcdef") == len ? len : 0;
}

bool
report_base_fails(const struct workload_view *workload)
{
	static const char base[] = "the base "; /* the subject of its errors */
	const struct gate_input *input = &workload->judgement->input;

	return workload->error[0] ? strncmp(workload->error, base, strlen(base)) == 0
				  : input->base_problem && !input->base_is_new;
}

/* The options that decide what the workload leaves open, "" where none do. */
static const char *
deciding_options(const struct workload_view *workload, struct arena *arena)
{
	const struct finding *first = workload->first ? workload->first->finding : NULL;
	const struct gate_input *input = &workload->judgement->input;
	const struct baseline_info *info = input->before_info;
	const char *against = input->against ? input->against : workload->report->against;

	if (first && finding_is_open(first))
		return first->options ? first->options : "";
	if (input->mode == GATE_STORED && input->before && input->baseline_is_of_other_machine &&
		workload->status == STATUS_WARN && info->commit[0])
		return arena_printf(arena, "--against %.12s", info->commit);
	/* The commit before the base that fails. */
	if (report_base_fails(workload) && against && base_name_length(against) > 0) {
		struct buf name = {0};

		escape_shell_word(&name, arena_dup(arena, against, base_name_length(against)));
		const char *options = arena_printf(arena, "--against %s~1", buf_text(&name));

		buf_release(&name);
		return options;
	}
	return "";
}

/* Where a word of escape_shell_word() ends. */
static const char *
end_of_word(const char *at)
{
	bool quoted = false;

	for (; *at && (quoted || *at != ' '); at++) {
		if (*at == '\'')
			quoted = !quoted;
		else if (!quoted && at[0] == '\\' && at[1])
			at++;
	}
	return at;
}

/* The command without the option that `options` begin with: it is given again behind it. */
static void
put_without(const char *command, const char *options, struct buf *out)
{
	struct buf option = {0};

	buf_printf(&option, " %.*s ", (int)strcspn(options, " "), options);
	const char *at = options[0] ? strstr(command, buf_text(&option)) : NULL;

	if (at) {
		buf_put(out, command, (size_t)(at - command));
		buf_puts(out, end_of_word(at + option.len));
	} else {
		buf_puts(out, command);
	}
	buf_release(&option);
}

static void
put_gate(const struct report_view *view, const struct workload_view *workload, const char *options,
	struct buf *out)
{
	put_without(view->report->command_options, options, out);
	buf_printf(out, "%s%s ", options[0] ? " " : "", options);
	escape_shell_word(out, workload->rerun);
}

/* For a part of the program that is over its budget: its callers. */
static void
put_look(const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	const struct finding_view *first = workload->first;
	const char *folder = view->report->folder;
	struct buf path = {0};

	if (!first || first->finding->rule != FINDING_NAMED || first->estimate[0] || !folder[0] ||
		workload->is_brief || !workload->after.profile)
		return;
	buf_printf(&path, "%s/%s/folded.txt", folder, workload->workload->folder);
	buf_puts(out, "profile_run analyze --callers --input ");
	escape_shell_word(out, buf_text(&path));
	buf_release(&path);
}

/*
 * The next failing finding from *next on that can be accepted, with the waiver that accepts it;
 * NULL: there is none.
 */
static const struct finding *
next_accepted(const struct workload_view *workload, size_t *next, struct arena *scratch,
	struct waiver *waiver)
{
	while (*next < workload->nfindings) {
		const struct finding *finding = workload->findings[(*next)++].finding;

		if (finding->status == STATUS_FAIL &&
			waiver_of_finding(workload->judgement, finding, scratch, waiver))
			return finding;
	}
	return NULL;
}

/* "accepts up to 118 %, 24 % for 90 days": of the findings that report_put_waive() names. */
static void
put_accepted(const struct workload_view *workload, struct buf *out)
{
	const char *ahead = "accepts up to ";
	struct arena scratch = {0};
	struct waiver waiver;

	for (size_t k = 0; next_accepted(workload, &k, &scratch, &waiver); ahead = ", ") {
		buf_puts(out, ahead);
		format_setting(out, waiver.max_effect);
	}
	buf_printf(out, " for %d days", WAIVER_DAYS);
	arena_release(&scratch);
}

/* "accepts up to 118 % for 90 days: commit config/waivers.yaml"; in brief, without the growth. */
static const char *
note_on_waiver(const struct report_view *view, const struct workload_view *workload, bool brief,
	struct arena *arena)
{
	const struct gate_policy *policy = input_policy(&workload->judgement->input);
	const char *from = view->report->policy.from;
	const char *file =
		policy->nwaivers > 0 && !from ? policy->waivers_list[0].file : DEFAULT_WAIVERS;
	struct buf text = {0};

	/* A comment in a shell: it ends with its line. */
	if (!brief)
		put_accepted(workload, &text);
	buf_puts(&text, brief ? "writes " : from ? " in " : ": commit ");
	escape_utf8(&text, file, strlen(file));
	if (from) {
		buf_puts(&text, brief ? ": it counts once " : ", once ");
		escape_utf8(&text, from, strcspn(from, " "));
		buf_puts(&text, " has it");
	} else if (brief) {
		buf_puts(&text, ": commit it");
	}
	const char *note = report_take(arena, &text);

	buf_release(&text);
	return note;
}

bool
report_put_waive(const struct workload_view *workload, struct buf *out)
{
	struct arena scratch = {0};
	struct waiver waiver;
	const struct finding *finding;
	bool any = false;

	for (size_t k = 0; (finding = next_accepted(workload, &k, &scratch, &waiver));) {
		if (!any) {
			buf_puts(out, "profile_run waive ");
			escape_shell_word(out, workload->name);
		}
		any = true;
		buf_putc(out, ' ');
		escape_shell_word(out, finding->subject);
	}
	arena_release(&scratch);
	return any;
}

static void
add_accept(struct report_view *view, struct buf *out)
{
	for (size_t i = 0; i < view->nworkloads; i++) {
		if (!report_put_waive(&view->workloads[i], out))
			continue;
		view->commands[COMMAND_ACCEPT].note =
			note_on_waiver(view, &view->workloads[i], false, &view->arena);
		view->commands[COMMAND_ACCEPT].brief_note =
			note_on_waiver(view, &view->workloads[i], true, &view->arena);
		return;
	}
}

void
report_workload_commands(const struct report_view *view, const struct workload_view *workload,
	struct arena *arena, struct view_command commands[VIEW_COMMANDS])
{
	struct buf text = {0};

	for (size_t i = 0; i < VIEW_COMMANDS; i++)
		commands[i] = (struct view_command){labels[i], "", "", ""};
	if (!workload || !workload->rerun[0])
		return;
	const char *options = deciding_options(workload, arena);

	put_gate(view, workload, "", &text);
	commands[COMMAND_REPRODUCE].command = report_take(arena, &text);
	commands[COMMAND_REPRODUCE].note = note_on_machines(workload, arena);
	if (options[0])
		put_gate(view, workload, options, &text);
	if (report_base_fails(workload))
		commands[COMMAND_DECIDE].label = "Other base";
	commands[COMMAND_DECIDE].command = report_take(arena, &text);
	if (options[0])
		commands[COMMAND_DECIDE].note = note_on_deciding(workload, options, arena);
	put_look(view, workload, &text);
	commands[COMMAND_LOOK].command = report_take(arena, &text);
	buf_release(&text);
}

void
report_commands(struct report_view *view, const struct workload_view *worst)
{
	struct buf text = {0};

	report_workload_commands(view, worst, &view->arena, view->commands);
	add_accept(view, &text);
	view->commands[COMMAND_ACCEPT].command = report_take(&view->arena, &text);
	buf_release(&text);
}

/* " of 0123456789ab" where the error has the commit, " of the working tree" for the candidate. */
static void
put_built(const struct workload_view *workload, const char *build, size_t len, struct buf *out)
{
	const char *commit = memmem(build, len, " (", 2);

	if (commit)
		buf_printf(out, " of %.*s", (int)strcspn(commit + 2, ")'"), commit + 2);
	else if (!report_base_fails(workload))
		buf_puts(out, " of the working tree");
}

void
report_put_error(
	const struct workload_view *workload, const char *text, size_t room, struct buf *out)
{
	static const char mark[] = "note: the command was: ";
	const char *problem = workload->judgement->input.base_problem;
	const char *all = workload->error[0] || !problem ? workload->error : problem;
	const char *command = strstr(all, mark);
	const char *build = strstr(text, "'build of ");
	const char *behind = build ? strstr(build + 1, "' ") : NULL;

	if (!behind)
		buf_puts(out, text);
	for (int left_out = 0; behind && left_out < 4; left_out++) {
		buf_clear(out);
		buf_printf(out, "%.*sbuild", (int)(build - text), text);
		if (left_out % 2 == 0)
			put_built(workload, build, (size_t)(behind - build), out);
		if (command && left_out < 2)
			buf_printf(out, " ('%.*s')", (int)strcspn(command + strlen(mark), "\n"),
				command + strlen(mark));
		buf_puts(out, behind + 1);
		if (line_columns(buf_text(out)) <= room)
			break;
	}
}
