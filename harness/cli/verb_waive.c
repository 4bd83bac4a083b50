#include "base/buf.h"
#include "base/mem.h"
#include "builds/git.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "gate/waive.h"
#include "replay/replay.h"
#include "spec/units.h"
#include "spec/waivers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUBJECT_COLUMNS 60
#define NO_REASON "no reason was given"
#define SECONDS_A_DAY 86400

struct waive_call {
	struct command_settings settings;
	const char *finding; /* to be waived; NULL: findings are listed */
	const char *reason;
	const char *until;
	const char *by;
	const char *max;
	bool is_short; /* the form WORKLOAD SUBJECT ... was used */
};

/* A finding that can be waived. */
struct candidate {
	const struct finding *finding;
	struct waiver waiver;
};

struct candidates {
	struct candidate *items; /* owned; in the order of the report */
	size_t count;
	size_t capacity;
	struct arena arena;
};

static void
find_candidates(const struct report *report, struct candidates *all)
{
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;
		const struct verdict *verdict = &judgement->verdict;

		for (size_t k = 0; k < verdict->nfindings; k++) {
			struct candidate candidate = {.finding = &verdict->findings[k]};

			if (!waiver_of_finding(
				    judgement, candidate.finding, &all->arena, &candidate.waiver))
				continue;
			all->items = mem_grow(
				all->items, &all->capacity, all->count + 1, sizeof(*all->items));
			all->items[all->count++] = candidate;
		}
	}
}

static void
candidates_release(struct candidates *all)
{
	free(all->items);
	arena_release(&all->arena);
}

/* Appends a line for each: " 1  fail  tokenizer/parse_value  +30.1 % (95 % CI 27.1 to 33.1)" */
static void
list_candidates(const struct candidates *all, struct buf *out)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct candidate *candidate = &all->items[i];
		const struct finding *finding = candidate->finding;

		buf_printf(out, "%2zu  %-12s  %s/", i + 1, status_word(finding->status),
			candidate->waiver.workload);
		name_fit(out, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
		buf_puts(out, "  ");
		if (finding->effect.tested) {
			effect_put_estimate(&finding->effect, out);
		} else {
			buf_puts(out, "new, ");
			format_percent(out, finding->effect.after_share);
			buf_puts(out, " of the program now");
		}
		buf_putc(out, '\n');
	}
	if (all->count == 0)
		buf_puts(out, "there is no finding that a waiver could accept\n");
}

static bool
is_named(const struct candidate *candidate, const char *name)
{
	size_t len = strlen(candidate->waiver.workload);

	return strncmp(name, candidate->waiver.workload, len) == 0 && name[len] == '/' &&
	       strcmp(name + len + 1, candidate->finding->subject) == 0;
}

static const struct candidate *
choose(const struct candidates *all, const char *wanted, struct err *err)
{
	const char *problem;
	unsigned number;

	if (all->count > 0 && units_count(wanted, 1, (unsigned)all->count, &number, &problem) == 0)
		return &all->items[number - 1];
	for (size_t i = 0; i < all->count; i++) {
		if (is_named(&all->items[i], wanted))
			return &all->items[i];
	}
	struct buf list = {0};

	list_candidates(all, &list);
	list.data[list.len - 1] = '\0';
	err_set(err, ERR_USAGE,
		"'--finding %s': expected a number, or WORKLOAD/SUBJECT, of one of these:\n%s",
		wanted, buf_text(&list));
	buf_release(&list);
	return NULL;
}

static int
set_max(const char *text, struct waiver *waiver, struct err *err)
{
	const char *problem;

	if (text && units_percent(text, &waiver->max_effect, &problem) < 0)
		return err_set(err, ERR_USAGE, "'--max %s': %s", text, problem);
	if (!(waiver->max_effect >= 0.0001 && waiver->max_effect <= 100))
		return err_set(err, ERR_USAGE,
			"a waiver accepts 0.01%% to 10000%%; say which with '--max'");
	return 0;
}

static int
set_until(const char *text, struct waiver *waiver, struct err *err)
{
	bool no_such_day;

	if (!waiver_set_last_day(waiver, text, &no_such_day))
		return err_set(err, ERR_USAGE,
			"'--until %s': expected the last day, such as 2026-12-31%s", text,
			no_such_day ? "; no calendar has this one" : "");
	if (waiver->expires <= (int64_t)time(NULL))
		return err_set(err, ERR_USAGE, "'--until %s': this day is over", text);
	return 0;
}

/* The user's address in commits, git's user.email; the arena's. NULL: none is set. */
static const char *
find_owner(struct arena *arena)
{
	static const char *const args[] = {"config", "user.email", NULL};
	struct err ignored = {0};
	char *line = git_line(NULL, args, &ignored);
	const char *owner = line && *line ? arena_strdup(arena, line) : NULL;

	free(line);
	return owner;
}

/* Sets what the options say of a waiver. */
static int
complete(const struct waive_call *args, struct waiver *waiver, struct err *err)
{
	if (!args->reason || !*args->reason || !args->until)
		return err_set(err, ERR_USAGE,
			"a waiver needs '--reason TEXT' and '--until DATE', its last day");
	waiver->reason = args->reason;
	waiver->owner = args->by;
	if (!waiver->owner || !*waiver->owner)
		return err_set(err, ERR_USAGE,
			"'--by NAME': a waiver names who is responsible, and git has no user.email");
	if (set_until(args->until, waiver, err) < 0)
		return -1;
	return set_max(args->max, waiver, err);
}

static void
put_waived(struct buf *text, const char *path, const struct finding *finding,
	const struct waiver *waiver)
{
	buf_printf(text, "%s: %s/", path, waiver->workload);
	name_fit(text, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
	buf_puts(text, " may grow by ");
	format_setting(text, waiver->max_effect);
	buf_printf(text, " until %s%s%s\n", waiver->last_day,
		waiver->kind == RULE_EACH ? ", with what grows with it" : "",
		strcmp(waiver->reason, NO_REASON) == 0 ? "; add the reason there and commit it"
						       : "; commit this file");
}

/* Adds waivers of all chosen findings, or of none. */
static int
waive_findings(const struct cli_call *call, const struct waive_call *args,
	const struct candidate *const *chosen, size_t n, struct err *err)
{
	const char *path = args->settings.config.waivers_path;
	struct waiver *waivers = mem_zalloc(n, sizeof(*waivers));
	int result = 0;

	for (size_t i = 0; result == 0 && i < n; i++) {
		waivers[i] = chosen[i]->waiver;
		result = complete(args, &waivers[i], err);
	}
	if (result == 0)
		result = waivers_append(path, waivers, n, err);
	for (size_t i = 0; result == 0 && i < n; i++)
		put_waived(call->text, path, chosen[i]->finding, &waivers[i]);
	free(waivers);
	return result;
}

/* Sets the defaults of the form `waive WORKLOAD SUBJECT ...`, which needs no options. */
static void
take_short_form(struct waive_call *args, struct arena *arena)
{
	const time_t last = time(NULL) + (time_t)WAIVER_DAYS * SECONDS_A_DAY;
	char day[sizeof("2026-12-31")];
	struct tm date;

	strftime(day, sizeof(day), "%Y-%m-%d", gmtime_r(&last, &date));
	if (!args->until)
		args->until = arena_strdup(arena, day);
	if (!args->reason)
		args->reason = NO_REASON;
}

static int
waive_named(const struct cli_call *call, const struct waive_call *args, struct candidates *all,
	struct err *err)
{
	const struct cli_arguments *words = &call->arguments;
	const struct candidate **chosen =
		arena_alloc(&all->arena, words->count * sizeof(struct candidate *));

	for (size_t i = 1; i < words->count; i++) {
		chosen[i - 1] = choose(all,
			arena_printf(&all->arena, "%s/%s", words->items[0], words->items[i]), err);
		if (!chosen[i - 1])
			return -1;
	}
	return waive_findings(call, args, chosen, words->count - 1, err);
}

static int
waive_one(const struct cli_call *call, const struct waive_call *args, struct candidates *all,
	struct err *err)
{
	const struct candidate *candidate = choose(all, args->finding, err);

	return candidate ? waive_findings(call, args, &candidate, 1, err) : -1;
}

/* The part that is confined: reads the report, and waives or lists its findings. */
static int
waive_in(const struct cli_call *call, const struct waive_call *args, const char *report,
	struct candidates *all, struct err *err)
{
	struct replay *replay = replay_open(report, err);
	int result = 0;

	if (!replay)
		return -1;
	find_candidates(replay_report(replay), all);
	if (args->finding)
		result = waive_one(call, args, all, err);
	else if (args->is_short)
		result = waive_named(call, args, all, err);
	else
		list_candidates(all, call->text);
	replay_close(replay);
	return result;
}

/* Does all that needs our rights: asks git for the owner, makes the folder of the waivers. */
static int
prepare(struct waive_call *args, struct arena *arena, struct confinement *confinement,
	struct err *err)
{
	struct command_settings *settings = &args->settings;

	if (!settings->config.waivers_path)
		settings->config.waivers_path = config_waivers_beside(&settings->config,
			settings->config_path ? settings->config_path : CONFIG_PATH);
	if (args->is_short)
		take_short_form(args, arena);
	*confinement = (struct confinement){.file = NULL};
	if (!args->is_short && !args->finding)
		return 0;
	if (!args->by)
		args->by = find_owner(arena);
	confinement->file = settings->config.waivers_path;
	return waivers_make_folder(confinement->file, err);
}

static int
waive_of(const struct cli_call *call, struct waive_call *args, struct err *err)
{
	struct candidates all = {0};
	struct confinement confinement;
	int result = prepare(args, &all.arena, &confinement, err);
	const char *report =
		args->is_short
			? arena_printf(&all.arena, "%s/latest", args->settings.config.reports_dir)
			: root_path(&args->settings.root, call->arguments.items[0]);

	if (result == 0)
		result = confine(call, &confinement, err);
	if (result == CONFINED_INSIDE)
		result = waive_in(call, args, report, &all, err);
	candidates_release(&all);
	return result;
}

static int
waive(const struct cli_call *call, void *context, struct err *err)
{
	struct waive_call *args = context;

	args->is_short = call->arguments.count >= 2 && !args->finding;
	if (call->arguments.count != 1 && !args->is_short) {
		err_set(err, ERR_USAGE,
			"expected a workload and subjects of the latest report, or one argument: a "
			"report folder, or a replay.bin in it");
		return cli_usage_error(call->verb, err);
	}
	if (command_settings_load_config(&args->settings, err) < 0)
		return -1;
	int result = waive_of(call, args, err);

	command_settings_release(&args->settings);
	return result;
}

static int
run_waive(const struct cli_call *call, struct err *err)
{
	struct waive_call args = {0};
	const struct cli_option options[] = {
		{"finding", 0, OPTION_TEXT, "N|WORKLOAD/SUBJECT", &args.finding,
			"the finding to accept; without it those that can be accepted are listed"},
		{"reason", 0, OPTION_TEXT, "TEXT", &args.reason, "why the growth is accepted"},
		{"until", 0, OPTION_TEXT, "DATE", &args.until,
			"the last day of the waiver, such as 2026-12-31"},
		{"by", 0, OPTION_TEXT, "NAME", &args.by,
			"who is responsible (default: git's user.email)"},
		{"max", 0, OPTION_TEXT, "PERCENT", &args.max,
			"the largest growth that is accepted (default: the upper end of the interval)"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration, for its file of waivers (default: " CONFIG_PATH
			", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, waive, &args, err);
}

const struct cli_verb verb_waive = {
	.name = "waive",
	.usage = "WORKLOAD SUBJECT ... | FILE|REPORT [options]",
	.summary = "accept a finding of a report for a while: add a waiver to its file",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run_waive,
};
