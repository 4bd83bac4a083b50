#include "analysis/analysis.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "baseline/promotion.h"
#include "baseline/store.h"
#include "baseline/update.h"
#include "baseline/update_counts.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/prepare_machine.h"
#include "cli/verb.h"
#include "format/figures.h"
#include "gate/count_time.h"
#include "gate/orphans.h"
#include "gate/stored_code.h"
#include "measurement/suite_listing.h"
#include "process/process.h"
#include "profile/disturbance.h"
#include "profile/weights.h"

#include <string.h>

struct request {
	struct command_settings settings;
	bool replace;
	bool no_counts;
	bool counts;
	double count_limit_s;
	double wait_quiet_s;
	struct promotion promotion;
};

/*
 * Warns of baselines without a workload, before minutes are spent on measuring: one of them may be
 * the baseline of a workload that was renamed and would get a new one.
 */
static void
warn_of_orphans(const struct command_settings *settings)
{
	struct baseline_list stored;
	struct orphans orphans;
	struct err ignored = {0};

	if (baseline_list_read(&stored, settings->config.baselines_dir, &ignored) < 0)
		return;
	orphans_find(&orphans, &stored, &settings->config, &settings->workloads);
	for (size_t i = 0; i < orphans.count; i++) {
		struct buf text = {0};

		orphan_put(&orphans.items[i], &settings->config, &text);
		log_warn("%s: %s", orphans.items[i].folder, buf_text(&text));
		buf_release(&text);
	}
	orphans_release(&orphans);
	baseline_list_release(&stored);
}

static int
update(struct request *request, const struct cli_call *call, const struct cli_arguments *workloads,
	struct err *err)
{
	struct command_settings *settings = &request->settings;

	if (request->promotion.main_ref && !request->promotion.report)
		return err_set(err, ERR_USAGE, "'--main' is for '--promote REPORT'");
	if (request->counts && (request->no_counts || request->replace))
		return err_set(err, ERR_USAGE,
			"'--counts' adds to stored baselines: not with '--no-counts' or '--replace'");
	if (request->count_limit_s > 0 && !request->counts)
		return err_set(err, ERR_USAGE, "'--count-limit' is for '--counts'");
	if (command_settings_load(settings, workloads, err) < 0)
		return -1;
	request->promotion.report = root_path(&settings->root, request->promotion.report);
	if (request->promotion.report &&
		promotion_check(&request->promotion, &settings->workloads, err) < 0) {
		command_settings_release(settings);
		return -1;
	}
	if (request->no_counts)
		settings->config.count_instructions = false;
	struct gate_options options = {
		.config = &settings->config,
		.workloads = &settings->workloads,
		.command = "",
		.wait_quiet_s = request->wait_quiet_s,
		.count_limit_s = request->count_limit_s,
	};

	warn_of_orphans(settings);
	signals_catch();
	count_instead(&settings->workloads);
	if (suites_list(&settings->workloads, err) < 0) {
		command_settings_release(settings);
		return -1;
	}
	struct prepare *prepare = prepare_machine_begin(&settings->config, &settings->workloads);
	int result = request->counts ? update_counts(&options, call->exit_code, call->text, err)
				     : update_baselines(&options, request->replace, call->exit_code,
					       call->text, err);

	prepare_machine_end(prepare);
	command_settings_release(settings);
	return result;
}

static bool
is_selected(const char *name, const struct cli_arguments *workloads)
{
	for (size_t i = 0; name && i < workloads->count; i++) {
		if (strcmp(workloads->items[i], name) == 0)
			return true;
	}
	return workloads->count == 0;
}

/* Reads the counts beside a baseline. False: there are none, or they are `broken`. */
static bool
read_counts(const struct baseline_entry *entry, struct baseline *counts, struct err *broken)
{
	bool found = false;

	return baseline_read_counts(counts, entry->folder, &found, broken) == 0 && found;
}

static void
list_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, const struct cli_call *call)
{
	struct buf *text = call->text;

	(void)broken;
	buf_printf(text, "%-18s %-12s ", entry->workload, entry->metric);
	if (baseline) {
		buf_printf(text, "%3zu runs %2u session%s ", baseline->profile.nruns,
			baseline->info.nsessions, baseline->info.nsessions == 1 ? " " : "s");
		format_time(text, baseline->info.created);
		buf_printf(text, "  %.10s", baseline->info.commit);
	} else {
		buf_puts(text, "unreadable: see 'profile_run baseline check'");
	}
	struct err ignored = {0};
	struct baseline counts;
	const bool has_counts = read_counts(entry, &counts, &ignored);

	buf_printf(text, "  %s%s\n", entry->machine_class, has_counts ? "  with counts" : "");
	if (has_counts)
		baseline_release(&counts);
}

static void
show_counts(const struct baseline_entry *entry, const struct baseline *baseline, struct buf *text)
{
	struct err broken = {0};
	struct baseline counts;

	if (!read_counts(entry, &counts, &broken)) {
		if (broken.kind != ERR_NONE)
			buf_printf(text, "  counts     unreadable: %s\n", broken.text);
		else if (baseline->info.counts[0])
			buf_puts(text,
				"  counts     skipped: counting takes longer than a minute\n");
		return;
	}
	buf_puts(text, "  counts     ");
	format_cost(text, counts.profile.runs[0].cost_total, counts.info.unit);
	buf_printf(text, " in %zu run%s, class %s, taken ", counts.profile.nruns,
		counts.profile.nruns == 1 ? "" : "s", counts.info.machine_class);
	format_time(text, counts.info.created);
	buf_printf(text, "%s%s\n", counts.info.commit[0] ? " at commit " : "", counts.info.commit);
	baseline_release(&counts);
}

static void
show_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, const struct cli_call *call)
{
	struct buf *text = call->text;

	if (!baseline) {
		buf_printf(text, "%s: %s\n\n", entry->folder, broken->text);
		return;
	}
	const struct baseline_info *info = &baseline->info;
	struct analysis_options options = {.top = 10};

	buf_printf(text, "%s\n", entry->folder);
	buf_printf(text, "  machine    %s, %u CPUs, %s, %s\n", info->machine.cpu_model,
		info->machine.cpus, info->machine.os, info->machine.kernel);
	buf_puts(text, "  taken      ");
	format_time(text, info->created);
	buf_printf(text, " with profile_run %s%s%s\n", info->tool_version,
		info->commit[0] ? " at commit " : "", info->commit);
	buf_printf(text, "  program    %s\n  workload   %s\n", info->program_hash,
		info->workload_hash);
	buf_printf(text,
		"  disturbed  %zu of %zu runs, which lost more than %.0f %% of their CPU time to other load\n",
		disturbance_count(&baseline->profile, BASELINE_DISTURBED), baseline->profile.nruns,
		100 * BASELINE_DISTURBED);
	show_counts(entry, baseline, text);
	for (size_t i = 0; i < baseline->profile.nruns; i++) {
		const struct run *run = &baseline->profile.runs[i];

		buf_printf(text, "  run %-6zu session %u, CPU ", i + 1, run->session + 1);
		format_cost(text, (double)run->cpu_ns, "ns");
		buf_puts(text, ", wall ");
		format_cost(text, (double)run->wall_ns, "ns");
		buf_puts(text, ", ");
		format_cost(text, (double)run->samples, weights_samples_noun(&baseline->profile));
		buf_puts(text, ", ");
		format_count(text, (double)run->lost);
		buf_puts(text, " lost\n");
	}
	buf_putc(text, '\n');
	analysis_write(&baseline->profile, &options, text);
	buf_putc(text, '\n');
}

static void
check_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, const struct cli_call *call)
{
	struct err problem = *broken;
	struct baseline counts;

	if (baseline && read_counts(entry, &counts, &problem))
		baseline_release(&counts);
	if (problem.kind == ERR_NONE)
		stored_code_check(entry->folder, &problem);
	const bool good = problem.kind == ERR_NONE;

	buf_printf(call->text, "%-7s %s\n", good ? "ok" : "BROKEN", entry->folder);
	if (!good)
		buf_printf(call->text, "        %s\n", problem.text);
	if (!good)
		*call->exit_code = 2;
}

static void
convert_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, const struct cli_call *call)
{
	struct err problem = *broken;
	bool changed = false;

	if (baseline)
		baseline_convert(entry->folder, &changed, &problem);
	const bool good = problem.kind == ERR_NONE;

	buf_printf(call->text, "%-9s %s\n",
		!good     ? "BROKEN"
		: changed ? "converted"
			  : "current",
		entry->folder);
	if (!good)
		buf_printf(call->text, "          %s\n", problem.text);
	if (!good)
		*call->exit_code = 2;
}

/* Appends a text about a stored baseline, which is NULL if it cannot be read: `broken` says why. */
typedef void (*entry_visitor)(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, const struct cli_call *call);

/*
 * Appends the orphans among the named baselines, and those that may be of a named workload. False:
 * there are none.
 */
static bool
put_orphans(const struct config *config, const struct cli_arguments *workloads,
	const struct baseline_list *list, struct buf *text)
{
	struct orphans orphans;
	bool any = false;

	orphans_find(&orphans, list, config, NULL);
	for (size_t i = 0; i < orphans.count; i++) {
		const struct orphan *orphan = &orphans.items[i];

		if (!is_selected(orphan->entries[0].workload, workloads) &&
			!is_selected(orphan->successor, workloads))
			continue;
		any = true;
		buf_printf(text, "orphan  %s\n        ", orphan->folder);
		orphan_put(orphan, config, text);
		buf_putc(text, '\n');
	}
	orphans_release(&orphans);
	return any;
}

/* The error of an action without a baseline to act on. */
static int
refuse_empty(const struct config *config, const struct cli_arguments *workloads, struct err *err)
{
	const char *first = workloads->count > 0 ? workloads->items[0] : NULL;
	struct buf command = {0};

	config_put_update(config, "", NULL, &command);
	for (size_t i = 0; i < workloads->count; i++) {
		buf_putc(&command, ' ');
		escape_shell_word(&command, workloads->items[i]);
	}
	err_set(err, ERR_INPUT, "no baseline%s%s%s in '%s'", first ? " of '" : "",
		first ? first : "", first ? "'" : "", config->baselines_dir);
	err_note(err, "'%s' records %s", buf_text(&command), first ? "it" : "them");
	buf_release(&command);
	return -1;
}

/* Visits the stored baselines of the named workloads, or of all. False: there are none. */
static bool
visit(const struct baseline_list *list, const struct cli_arguments *workloads, entry_visitor each,
	const struct cli_call *call)
{
	bool any = false;

	for (size_t i = 0; i < list->nentries; i++) {
		struct baseline baseline;
		struct err broken = {0};
		bool found = false;

		if (!is_selected(list->entries[i].workload, workloads))
			continue;
		any = true;
		baseline_read(&baseline, list->entries[i].folder, &found, &broken);
		each(&list->entries[i], found ? &baseline : NULL, &broken, call);
		if (found)
			baseline_release(&baseline);
	}
	return any;
}

/*
 * The same, confined, and appends the orphans; these are found before, since git finds renamed
 * workloads and needs all rights. A store that an option names may be of other workloads than those
 * here: orphans are not looked for in it.
 */
static int
visit_all(const struct command_settings *settings, const struct cli_arguments *workloads,
	entry_visitor each, const struct cli_call *call, struct err *err)
{
	const struct config *config = &settings->config;
	const char *dir = config->baselines_dir;
	struct baseline_list list;
	struct buf orphans = {0};

	if (baseline_list_read(&list, dir, err) < 0)
		return -1;
	bool any = !settings->baselines_dir && put_orphans(config, workloads, &list, &orphans);
	int result =
		confine(call, &(struct confinement){.store = file_exists(dir) ? dir : NULL}, err);

	if (result == CONFINED_INSIDE) {
		any = visit(&list, workloads, each, call) || any;
		buf_puts(call->text, buf_text(&orphans));
		result = any ? 0 : refuse_empty(config, workloads, err);
	}
	buf_release(&orphans);
	baseline_list_release(&list);
	return result;
}

static const struct action {
	const char *name;
	entry_visitor visitor; /* NULL: of `update` */
} actions[] = {
	{"update", NULL},
	{"list", list_entry},
	{"show", show_entry},
	{"check", check_entry},
	{"convert", convert_entry},
	{NULL, NULL},
};

static const struct action *
find_action(const struct cli_call *call, struct err *err)
{
	const char *name = call->arguments.count > 0 ? call->arguments.items[0] : NULL;

	for (const struct action *action = actions; name && action->name; action++)
		if (strcmp(action->name, name) == 0)
			return action;
	if (name)
		err_set(err, ERR_USAGE,
			"unknown action '%s': expected update, list, show, check or convert", name);
	else
		err_set(err, ERR_USAGE,
			"no action given: expected update, list, show, check or convert");
	cli_usage_error(call->verb, err);
	return NULL;
}

static int
act(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	const struct action *action = find_action(call, err);

	if (!action)
		return -1;
	const struct cli_arguments workloads = {
		.items = call->arguments.items + 1, .count = call->arguments.count - 1};

	if (!action->visitor)
		return update(request, call, &workloads, err);
	if (command_settings_load_config(&request->settings, err) < 0)
		return -1;
	int result = visit_all(&request->settings, &workloads, action->visitor, call, err);

	if (result == 0 && *call->exit_code == 2) {
		buf_puts(call->text, "To record one again: ");
		config_put_update(&request->settings.config, "", NULL, call->text);
		buf_puts(call->text, " WORKLOAD\n");
	}
	command_settings_release(&request->settings);
	return result;
}

static int
run_baseline(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		SETTINGS_OPTIONS(request.settings),
		{"replace", 0, OPTION_FLAG, NULL, &request.replace,
			"update: replace the stored sessions instead of adding one"},
		{"no-counts", 0, OPTION_FLAG, NULL, &request.no_counts,
			"update: do not count instructions beside time"},
		{"counts", 0, OPTION_FLAG, NULL, &request.counts,
			"update: add counted instructions and code to stored baselines, built from their commits, and measure no time"},
		{"count-limit", 0, OPTION_DURATION, "TIME", &request.count_limit_s,
			"update: with --counts: longest time that one counted run may take (default: 1m)"},
		{"wait-quiet", 0, OPTION_DURATION, "TIME", &request.wait_quiet_s,
			"update: wait up to this long for a quiet machine before the first run"},
		{"promote", 0, OPTION_TEXT, "REPORT", &request.promotion.report,
			"update: only if this report is of a passed gate of the checked-out commit, on the main branch"},
		{"main", 0, OPTION_TEXT, "REF", &request.promotion.main_ref,
			"with --promote: the main branch (default: origin/HEAD, origin/main or origin/master)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, act, &request, err);
}

const struct cli_verb verb_baseline = {
	.name = "baseline",
	.usage = "update|list|show|check|convert [WORKLOAD ...] [options]",
	.summary = "record, list, show and check the baselines that gates compare with",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run_baseline,
};
