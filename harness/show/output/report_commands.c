/* The commands that a report offers, and in a few words where each works or leads to. */
#include "base/escape.h"
#include "gate/waiver_of.h"
#include "output/report_view.h"

#include <string.h>

#define DEFAULT_WAIVERS "config/waivers.yaml"
#define NOTE_DIGITS 10 /* of a commit, where there is little room */

static const char *const labels[VIEW_COMMANDS] = {
	[COMMAND_REPRODUCE] = "Reproduce",
	[COMMAND_DECIDE] = "Decide",
	[COMMAND_LOOK] = "Callers",
	[COMMAND_ACCEPT] = "Accept",
};

static const char *
take(struct arena *arena, struct buf *text)
{
	const char *taken = arena_dup(arena, buf_text(text), text->len);

	buf_clear(text);
	return taken;
}

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

/* The command without the option that `options` begin with: it is given again behind it. */
static void
put_without(const char *command, const char *options, struct buf *out)
{
	struct buf option = {0};

	buf_printf(&option, " %.*s ", (int)strcspn(options, " "), options);
	const char *at = options[0] ? strstr(command, buf_text(&option)) : NULL;
	const char *value = at ? at + option.len : NULL;

	/* A value in quotes may be several words. */
	if (value && *value != '\'') {
		buf_put(out, command, (size_t)(at - command));
		buf_puts(out, value + strcspn(value, " "));
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

static const char *
note_on_waiver(
	const struct report_view *view, const struct workload_view *workload, struct arena *arena)
{
	const struct gate_policy *policy = input_policy(&workload->judgement->input);
	const char *from = view->report->policy.from;
	const char *file =
		policy->nwaivers > 0 && !from ? policy->waivers_list[0].file : DEFAULT_WAIVERS;
	struct buf text = {0};

	/* A comment in a shell: it ends with its line. */
	buf_puts(&text, "writes ");
	escape_utf8(&text, file, strlen(file));
	buf_puts(&text, from ? ": it counts once " : ": commit it");
	if (from) {
		escape_utf8(&text, from, strcspn(from, " "));
		buf_puts(&text, " has it");
	}
	const char *note = take(arena, &text);

	buf_release(&text);
	return note;
}

bool
report_put_waive(const struct workload_view *workload, struct buf *out)
{
	struct arena scratch = {0};
	bool any = false;

	for (size_t k = 0; k < workload->nfindings; k++) {
		const struct finding *finding = workload->findings[k].finding;
		struct waiver waiver;

		if (finding->status != STATUS_FAIL ||
			!waiver_of_finding(workload->judgement, finding, &scratch, &waiver))
			continue;
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
			note_on_waiver(view, &view->workloads[i], &view->arena);
		return;
	}
}

void
report_commands(struct report_view *view, const struct workload_view *worst)
{
	struct view_command *commands = view->commands;
	struct buf text = {0};

	for (size_t i = 0; i < VIEW_COMMANDS; i++)
		commands[i] = (struct view_command){labels[i], "", ""};
	if (worst && worst->rerun[0]) {
		const char *options = deciding_options(worst, &view->arena);

		put_gate(view, worst, "", &text);
		commands[COMMAND_REPRODUCE].command = take(&view->arena, &text);
		commands[COMMAND_REPRODUCE].note = note_on_machines(worst, &view->arena);
		if (options[0])
			put_gate(view, worst, options, &text);
		if (report_base_fails(worst))
			commands[COMMAND_DECIDE].label = "Other base";
		commands[COMMAND_DECIDE].command = take(&view->arena, &text);
		put_look(view, worst, &text);
		commands[COMMAND_LOOK].command = take(&view->arena, &text);
	}
	add_accept(view, &text);
	commands[COMMAND_ACCEPT].command = take(&view->arena, &text);
	buf_release(&text);
}
