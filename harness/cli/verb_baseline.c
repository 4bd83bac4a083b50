#include "analysis/analysis.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/preparing.h"
#include "cli/verb.h"
#include "format/figures.h"
#include "pipeline/update.h"
#include "process/signals.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* A verb within the verb. `arguments` are those after its name. */
struct action {
	const char *name;
	int (*run)(const struct measuring *given, bool replace,
		const struct cli_arguments *arguments, int *exit_code, struct buf *text,
		struct err *err);
};

static int
update(const struct measuring *given, bool replace, const struct cli_arguments *arguments,
	int *exit_code, struct buf *text, struct err *err)
{
	struct config config;
	struct workload_list list;

	if (measuring_load(given, arguments, &config, &list, err) < 0)
		return -1;
	struct gate_options options = {.config = &config, .workloads = &list, .command = ""};

	signals_catch();
	struct prepare *prepare = preparing_begin(&config, &list);
	int result = update_baselines(&options, replace, exit_code, text, err);

	preparing_end(prepare);
	workload_list_release(&list);
	config_release(&config);
	return result;
}

/* Calls `each` for every stored baseline whose workload is among the arguments (all if none). */
typedef void (*entry_visitor)(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, struct buf *text);

static bool
is_wanted(const struct baseline_entry *entry, const struct cli_arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (strcmp(arguments->items[i], entry->workload) == 0)
			return true;
	}
	return arguments->count == 0;
}

static int
visit(const struct measuring *given, const struct cli_arguments *arguments, entry_visitor each,
	unsigned *nbroken, struct buf *text, struct err *err)
{
	struct config config;
	struct baseline_list list;
	unsigned seen = 0;

	*nbroken = 0;
	if (measuring_load_config(given, &config, err) < 0)
		return -1;
	if (baseline_list_read(&list, config.baselines_dir, err) < 0) {
		config_release(&config);
		return -1;
	}
	for (size_t i = 0; i < list.nentries; i++) {
		struct baseline baseline;
		struct err broken = {0};
		bool found = false;

		if (!is_wanted(&list.entries[i], arguments))
			continue;
		seen++;
		if (baseline_read(&baseline, list.entries[i].folder, &found, &broken) < 0)
			(*nbroken)++;
		each(&list.entries[i], found ? &baseline : NULL, &broken, text);
		if (found)
			baseline_release(&baseline);
	}
	int result = 0;

	if (seen == 0)
		result = err_set(err, ERR_INPUT,
			"no baseline%s%s%s in '%s'; 'profile_run baseline update' makes them",
			arguments->count ? " of '" : "",
			arguments->count ? arguments->items[0] : "", arguments->count ? "'" : "",
			config.baselines_dir);
	baseline_list_release(&list);
	config_release(&config);
	return result;
}

static void
list_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, struct buf *text)
{
	(void)broken;
	buf_printf(text, "%-18s %-6s ", entry->workload, entry->metric);
	if (baseline) {
		buf_printf(text, "%3zu runs %2u occasion%s ", baseline->profile.nruns,
			baseline->info.noccasions, baseline->info.noccasions == 1 ? " " : "s");
		format_time(text, baseline->info.created);
		buf_printf(text, "  %.10s", baseline->info.commit);
	} else {
		buf_puts(text, "cannot be read: see 'profile_run baseline check'");
	}
	buf_printf(text, "  %s\n", entry->machine_class);
}

static void
show_entry(const struct baseline_entry *entry, const struct baseline *baseline,
	const struct err *broken, struct buf *text)
{
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
	for (size_t i = 0; i < baseline->profile.nruns; i++) {
		const struct run *run = &baseline->profile.runs[i];

		buf_printf(text, "  run %-6zu occasion %u, CPU ", i + 1, run->occasion + 1);
		format_cost(text, (double)run->cpu_ns, "ns");
		buf_puts(text, ", wall ");
		format_cost(text, (double)run->wall_ns, "ns");
		buf_puts(text, ", ");
		format_cost(text, (double)run->samples, weights_noun(&baseline->profile));
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
	const struct err *broken, struct buf *text)
{
	buf_printf(text, "%-7s %s\n", baseline ? "ok" : "BROKEN", entry->folder);
	if (!baseline)
		buf_printf(text, "        %s\n", broken->text);
}

static int
list(const struct measuring *given, bool replace, const struct cli_arguments *arguments,
	int *exit_code, struct buf *text, struct err *err)
{
	unsigned nbroken;

	(void)replace;
	(void)exit_code;
	return visit(given, arguments, list_entry, &nbroken, text, err);
}

static int
show(const struct measuring *given, bool replace, const struct cli_arguments *arguments,
	int *exit_code, struct buf *text, struct err *err)
{
	unsigned nbroken;

	(void)replace;
	(void)exit_code;
	return visit(given, arguments, show_entry, &nbroken, text, err);
}

static int
check(const struct measuring *given, bool replace, const struct cli_arguments *arguments,
	int *exit_code, struct buf *text, struct err *err)
{
	unsigned nbroken;

	(void)replace;
	if (visit(given, arguments, check_entry, &nbroken, text, err) < 0)
		return -1;
	*exit_code = nbroken > 0 ? 2 : 0;
	return 0;
}

static const struct action actions[] = {
	{"update", update},
	{"list", list},
	{"show", show},
	{"check", check},
	{NULL, NULL},
};

struct request {
	struct measuring given;
	bool replace;
};

static const struct action *
find_action(const struct cli_call *call, const struct cli_arguments *arguments, struct err *err)
{
	const struct action *action = actions;

	while (action->name && arguments->count > 0 &&
		strcmp(action->name, arguments->items[0]) != 0)
		action++;
	if (arguments->count > 0 && action->name)
		return action;
	if (arguments->count == 0)
		err_set(err, ERR_USAGE, "'baseline' wants one of update, list, show, check");
	else
		err_set(err, ERR_USAGE, "unknown action '%s': expected update, list, show or check",
			arguments->items[0]);
	cli_usage_error(call->verb, err);
	return NULL;
}

static int
act(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct request *request = context;
	const struct action *action = find_action(call, arguments, err);
	struct buf text = {0};

	if (!action)
		return -1;
	const struct cli_arguments rest = {
		.items = arguments->items + 1, .count = arguments->count - 1};
	int result =
		action->run(&request->given, request->replace, &rest, call->exit_code, &text, err);

	if (result == 0)
		result = file_write("-", buf_text(&text), text.len, err);
	buf_release(&text);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		MEASURING_OPTIONS(request.given),
		{"replace", 0, OPTION_FLAG, NULL, &request.replace,
			"update: drop the stored occasions instead of adding one"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, act, &request, err);
}

const struct cli_verb verb_baseline = {
	.name = "baseline",
	.usage = "update|list|show|check [WORKLOAD ...] [options]",
	.summary = "store, list, show and check the runs that gates are held against",
	.run = run,
};
