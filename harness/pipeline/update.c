#include "pipeline/update.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "pipeline/measure.h"
#include "pipeline/occasion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCCASIONS_MAX 10

static struct baseline_info
make_info(const struct occasion *occasion, const struct config *config, const struct measurement *m)
{
	struct baseline_info info = {
		.format_version = BASELINE_FORMAT_VERSION,
		.frequency_hz = m->workload->capture.frequency_hz,
		.machine = occasion->machine,
		.created = occasion->started,
		.noccasions = 1,
	};

	snprintf(info.tool_version, sizeof(info.tool_version), "%s", PROFILE_RUN_VERSION);
	snprintf(info.workload, sizeof(info.workload), "%s", m->workload->name);
	snprintf(info.metric, sizeof(info.metric), "%s", m->workload->capture.metric);
	snprintf(info.event, sizeof(info.event), "%s", m->event.name);
	snprintf(info.unit, sizeof(info.unit), "ns");
	snprintf(info.program_hash, sizeof(info.program_hash), "%s", m->program_hash);
	snprintf(info.workload_hash, sizeof(info.workload_hash), "%s", m->workload->hash);
	snprintf(info.commit, sizeof(info.commit), "%s", occasion->commit);
	occasion_machine_class(
		occasion, config, m->event.name, info.machine_class, sizeof(info.machine_class));
	return info;
}

/* Whether further runs may stand beside those of `old`. */
static bool
continues(const struct baseline_info *old, const struct baseline_info *info)
{
	return strcmp(old->program_hash, info->program_hash) == 0 &&
	       strcmp(old->workload_hash, info->workload_hash) == 0 &&
	       strcmp(old->event, info->event) == 0 && old->frequency_hz == info->frequency_hz;
}

/*
 * The runs of `profile` from occasion `first` on, numbered from 0 again, as columns of `into`.
 */
static void
append_from_occasion(struct profile *into, const struct profile *profile, uint32_t first)
{
	size_t before = profile_append(into, profile);
	size_t kept = 0;

	for (size_t i = before; i < into->nruns; i++) {
		if (into->runs[i].occasion < first)
			continue;
		struct ctree_column column = into->tree.columns[i];

		into->runs[i].occasion -= first;
		into->runs[before + kept] = into->runs[i];
		into->tree.columns[i] = into->tree.columns[before + kept];
		into->tree.columns[before + kept] = column;
		kept++;
	}
	profile_drop_runs(into, before + kept);
}

static int
write_one(const struct occasion *occasion, const struct config *config, const struct measurement *m,
	bool replace, struct buf *text, struct err *err)
{
	struct baseline_info info = make_info(occasion, config, m);
	char *folder = occasion_baseline_folder(occasion, config, m);
	struct err unreadable = {0};
	struct baseline old;
	struct profile runs;
	bool found = false;

	profile_init(&runs);
	/* A broken baseline is what one updates to mend; it must not stand in the way. */
	if (baseline_read(&old, folder, &found, &unreadable) < 0)
		log_warn("%s: the stored baseline is replaced: %s", info.workload, unreadable.text);
	if (found && !replace && continues(&old.info, &info)) {
		uint32_t kept = old.info.noccasions < OCCASIONS_MAX ? old.info.noccasions
								    : OCCASIONS_MAX - 1;

		append_from_occasion(&runs, &old.profile, old.info.noccasions - kept);
		info.noccasions = kept + 1;
	}
	size_t first = profile_append(&runs, &m->profile);

	for (size_t i = first; i < runs.nruns; i++)
		runs.runs[i].occasion = info.noccasions - 1;
	profile_sort(&runs);
	int result = baseline_write(folder, &info, &runs, err);

	if (result == 0)
		buf_printf(text, "%-20s %s: %zu runs, occasion %u (%s)\n", info.workload,
			found ? info.noccasions > 1 ? "extended" : "replaced" : "stored",
			m->profile.nruns, info.noccasions, folder);
	if (found)
		baseline_release(&old);
	profile_release(&runs);
	free(folder);
	return result;
}

/* Why these runs should not become a baseline; NULL if they may. */
static const char *
unfit(const struct measurement *m)
{
	if (m->error)
		return m->error;
	if (m->profile.nruns < m->workload->capture.runs)
		return "too many of its runs were too poor to be kept";
	return NULL;
}

static int
write_all(const struct occasion *occasion, const struct gate_options *options,
	const struct measurement *measurements, bool replace, int *exit_code, struct buf *text,
	struct err *err)
{
	for (size_t i = 0; i < options->workloads->nworkloads; i++) {
		const struct measurement *m = &measurements[i];
		const char *why = unfit(m);

		if (why) {
			buf_printf(text, "%-20s not stored: %s\n", m->workload->name, why);
			*exit_code = 2;
		} else if (write_one(occasion, options->config, m, replace, text, err) < 0) {
			return -1;
		}
	}
	return 0;
}

int
update_baselines(const struct gate_options *options, bool replace, int *exit_code, struct buf *text,
	struct err *err)
{
	struct measurement *measurements =
		mem_zalloc(options->workloads->nworkloads, sizeof(*measurements));
	struct occasion occasion;
	char *scratch = NULL;
	int result = -1;

	*exit_code = 0;
	occasion_begin(&occasion);
	if (file_make_dirs(options->config->baselines_dir, err) < 0 ||
		file_dir_scratch(&scratch, err) < 0)
		goto out_free;
	struct measure_options measure = {.scratch_dir = scratch};

	result = measure_workloads(measurements, options->workloads, &measure, err);
	if (result == 0)
		result = write_all(&occasion, options, measurements, replace, exit_code, text, err);
	file_dir_abandon(scratch);
	for (size_t i = 0; i < options->workloads->nworkloads; i++)
		measurement_release(&measurements[i]);
out_free:
	free(measurements);
	return result;
}
