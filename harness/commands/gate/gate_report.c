#include "gate/gate_report.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "builds/code_owners.h"
#include "builds/diff_hunks.h"
#include "builds/git.h"
#include "builds/source_paths.h"
#include "gate/finding_lines.h"
#include "gate/judge.h"
#include "gate/judgement.h"
#include "gate/policy_from.h"
#include "ingest/ingest.h"
#include "ingest/ingest_cache.h"
#include "measurement/measurement.h"
#include "output/first_screen.h"
#include "output/output.h"
#include "output/plan_report.h"
#include "output/report.h"
#include "output/shard_file.h"
#include "replay/publish.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Lines and callers of a finding can be looked at; all captures would be most of a report. */
#define CAPTURES_LEFT 2

/*
 * The source files that the report names and links to: those of the repository that frames name,
 * and the URL of the repository in a browser.
 */

struct gate_sources {
	struct arena arena; /* owns the paths */
	char *url;          /* for report->source_url, or "none" */
	struct report_source *files;
	size_t nfiles;
	struct code_owners owners; /* owns the owners of the files */
};

/* The names of source files in profiles. */
struct names {
	const char **names;
	size_t count;
	size_t capacity;
};

static void
add_names(struct names *names, const struct profile *profile)
{
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));

	for (size_t i = 0; i < profile->frames.nframes; i++) {
		str_id file = profile->frames.frames[i].file;

		if (file == 0 || seen[file])
			continue;
		seen[file] = true;
		names->names = mem_grow(
			names->names, &names->capacity, names->count + 1, sizeof(*names->names));
		names->names[names->count++] = strtab_str(&profile->strings, file);
	}
	free(seen);
}

/* Sorts the names and removes duplicates. */
static void
sort_names(struct names *names)
{
	size_t kept = 0;

	if (names->count > 0)
		qsort(names->names, names->count, sizeof(*names->names), text_order);
	for (size_t i = 0; i < names->count; i++)
		if (kept == 0 || strcmp(names->names[i], names->names[kept - 1]) != 0)
			names->names[kept++] = names->names[i];
	names->count = kept;
}

/* Those of the working tree's CODEOWNERS. */
static void
read_owners(struct code_owners *owners)
{
	char *top = git_top();

	if (top)
		code_owners_read(owners, top);
	free(top);
}

/*
 * Finds the source files that the judgements' profiles name. `configured` is the configuration's
 * pattern of URLs; NULL: it is derived from the remote of the repository.
 */
static void
gate_sources_init(struct gate_sources *sources, const char *configured, const char *commit,
	struct judgement *const *judgements, size_t n)
{
	struct names names = {0};

	*sources = (struct gate_sources){
		.url = configured ? mem_strdup(configured) : source_url_here()};
	for (size_t i = 0; i < n; i++) {
		const struct judgement *judgement = judgements[i];

		if (judgement->compared)
			add_names(&names, &judgement->comparison.profile);
		else if (judgement->input.candidate)
			add_names(&names, judgement->input.candidate);
	}
	sort_names(&names);
	const char **paths = mem_zalloc(names.count + 1, sizeof(*paths));

	source_paths(names.names, names.count, commit, &sources->arena, paths);
	read_owners(&sources->owners);
	sources->files = mem_zalloc(names.count + 1, sizeof(*sources->files));
	for (size_t i = 0; i < names.count; i++)
		if (paths[i])
			sources->files[sources->nfiles++] =
				(struct report_source){.file = names.names[i],
					.path = paths[i],
					.owners = code_owners_of(&sources->owners, paths[i])};
	free(paths);
	free(names.names);
}

static void
gate_sources_release(struct gate_sources *sources)
{
	arena_release(&sources->arena);
	code_owners_release(&sources->owners);
	free(sources->files);
	free(sources->url);
	*sources = (struct gate_sources){0};
}

/* The report of a gate, with the data that it refers to. */
struct gate_report {
	struct report report;
	struct report_workload *entries;
	struct report_shard shard; /* as in struct gate_options, with base_commit */
	struct gate_sources sources;
	struct arena lines; /* owns the source lines of the entries */
};

static void
gate_report_release(struct gate_report *made)
{
	free(made->entries);
	arena_release(&made->lines);
	gate_sources_release(&made->sources);
}

static struct report_policy
report_policy_from(const struct policy_from *from)
{
	if (!from)
		return (struct report_policy){0};
	return (struct report_policy){
		.from = from->name,
		.changes = from->changes.items,
		.nchanges = from->changes.count,
		.nleft_out = from->changes.left_out,
	};
}

/*
 * Sets how the report says that runs were measured: as those of the first workload that was not
 * skipped.
 */
static void
describe_measuring(const struct gate *gate, struct report *report)
{
	size_t i = 0;

	while (i < gate->n && gate->workloads[i].measurement->skipped)
		i++;
	if (i == gate->n)
		return;
	report->machine_class = gate->workloads[i].info.machine_class;
	report->event_reason = gate->workloads[i].measurement->event.reason;
	report->pinning = gate->workloads[i].measurement->cpus.text;
}

static void
make_entries(struct gate_report *made, const struct gate *gate)
{
	made->entries = mem_zalloc(gate->n, sizeof(*made->entries));
	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = gate->workloads[i].measurement;

		made->entries[i] = (struct report_workload){
			.judgement = gate->judgements[i],
			.build_s = m->build_s,
			.measure_s = m->measure_s,
			.process_s = m->process_s,
			.count_s = gate->workloads[i].count_s,
			.count_limit_s = gate->workloads[i].count_limit_s,
			.folder = m->workload->folder,
			.build_outputs = {m->build_outputs[MEASURE_CANDIDATE],
				m->build_outputs[MEASURE_BASE]},
			.plan = gate->workloads[i].plan,
		};
	}
}

static void
make_report(struct gate_report *made, struct gate *gate, const char *folder)
{
	const struct gate_options *options = gate->options;

	make_entries(made, gate);
	gate_sources_init(&made->sources, options->config->source_url, gate->session.commit,
		gate->judgements, gate->n);
	made->report = (struct report){
		.full = options->full,
		.interrupted = gate->interrupted[0] ? gate->interrupted : NULL,
		.tool_version = PROFILE_RUN_VERSION,
		.started = gate->session.started,
		.duration_s = clock_seconds() - gate->started,
		.commit = gate->session.commit,
		.against = gate->paired ? gate->base.name : NULL,
		.against_notes = gate->paired ? gate->base.notes : NULL,
		.policy = report_policy_from(options->policy_from),
		.command = options->command,
		.command_options = options->command_options,
		.machine = &gate->session.machine,
		.machine_class = "",
		.event_reason = "",
		.pinning = "",
		.folder = folder,
		.source_url = made->sources.url,
		.sources = made->sources.files,
		.nsources = made->sources.nfiles,
		.workloads = made->entries,
		.nworkloads = gate->n,
	};
	describe_measuring(gate, &made->report);
	if (options->shard) {
		made->shard = *options->shard;
		made->shard.base_commit = gate->paired ? gate->base.commit : "";
		made->report.shard = &made->shard;
	}
	report_conclude(&made->report, gate->status, judge_exit_code(gate->judgements, gate->n));
}

/* The commit that a workload is compared with; "": not known. */
static const char *
base_commit(const struct measurement *m, const struct judgement *judgement)
{
	const struct baseline_info *info = judgement->input.before_info;

	return m->base && m->base->commit[0] ? m->base->commit : info ? info->commit : "";
}

/* Reads the source lines of functions with findings, while the captures are still there. */
static void
annotate_lines(struct gate_report *made, const struct gate *gate, const char *draft)
{
	struct diff_hunks hunks = {0};
	struct changed_lines changed = {0};
	struct finding_lines_options options = {
		.scratch_dir = draft,
		.hunks = &hunks,
		.changed = &changed,
		.cache = ingest_cache_new(),
		.arena = &made->lines,
		.report = &made->report,
		.owners = &made->sources.owners,
	};

	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = gate->workloads[i].measurement;
		const char *commit = base_commit(m, gate->judgements[i]);

		/* Workloads mostly have one base. */
		if (!options.base_commit || strcmp(commit, options.base_commit) != 0) {
			changed_lines_release(&changed);
			diff_hunks_release(&hunks);
			diff_hunks_read(&hunks, commit);
			changed_lines_find(&changed, &hunks);
		}
		options.base_commit = commit;
		options.source = gate->workloads[i].source;
		options.base_root = m->base ? m->base->root : NULL;
		finding_lines_read(&made->entries[i], m, &options);
	}
	changed_lines_release(&changed);
	diff_hunks_release(&hunks);
	ingest_cache_free(options.cache);
}

/* How many captures of each side a report has of a workload: they are evidence for its findings. */
static unsigned
captures_left(enum status status)
{
	const bool has_findings =
		status == STATUS_WARN || status == STATUS_INCONCLUSIVE || status == STATUS_FAIL;

	return has_findings ? CAPTURES_LEFT : 0;
}

static void
drop_captures(const struct gate *gate, const char *draft)
{
	if (gate->options->config->keep_perfdata)
		return;
	for (size_t i = 0; i < gate->n; i++) {
		/* After a second stage, its pairs are the evidence. */
		if (gate->workloads[i].first_stage)
			measurement_drop_captures(gate->workloads[i].first_stage, draft, 0);
		measurement_drop_captures(gate->workloads[i].measurement, draft,
			captures_left(gate->judgements[i]->verdict.status));
	}
}

int
gate_write_report(struct gate *gate, const char *draft, const char *folder, int *exit_code,
	struct buf *text, struct buf *json, struct err *err)
{
	struct gate_report made = {0};
	int result = 0;

	make_report(&made, gate, folder);
	annotate_lines(&made, gate, draft);
	drop_captures(gate, draft);
	if (made.report.shard)
		result = shard_file_write(&made.report, draft, err);
	if (result == 0)
		result = output_write_all(&made.report, draft, err);
	if (result == 0) {
		*exit_code = made.report.exit_code;
		if (text) {
			char *latest = publish_latest(folder);

			first_screen_write(&made.report, latest, text);
			free(latest);
		}
		if (json)
			output_write(&output_json, &made.report, json);
		if (gate->options->commands)
			output_write(
				gate->options->commands, &made.report, gate->options->commands_out);
	}
	gate_report_release(&made);
	return result;
}

int
gate_put_plans(const struct gate *gate, struct buf *text, struct err *err)
{
	const char *json_path = gate->options->json;
	const bool prints_json = json_path && strcmp(json_path, "-") == 0;
	struct plan_entry *entries = mem_zalloc(gate->n, sizeof(*entries));
	struct buf json = {0};
	int result = 0;

	for (size_t i = 0; i < gate->n; i++)
		entries[i] = (struct plan_entry){
			.workload = gate->measurements[i].workload->name,
			.plan = &gate->workloads[i].plan,
			.error = gate->measurements[i].error,
		};
	plan_put_json(entries, gate->n, &json);
	if (prints_json)
		buf_put(text, buf_text(&json), json.len);
	else
		plan_put_text(entries, gate->n, text);
	if (json_path && !prints_json)
		result = file_write(json_path, buf_text(&json), json.len, err);
	buf_release(&json);
	free(entries);
	return result;
}
