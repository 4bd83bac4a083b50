#include "commands/merge.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "output/first_screen.h"
#include "output/shard_file.h"
#include "replay/publish.h"
#include "replay/rejudge.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A shard: its file and the contents of that. */
struct shard {
	char *path; /* owned */
	struct shard_file file;
};

struct merge {
	struct shard *shards; /* by their index, once they are checked */
	size_t nshards;
	struct rejudge rejudge;        /* of all workloads, by name */
	struct report_source *sources; /* owned; they point into the files */
};

static int
read_shards(struct merge *merge, const struct merge_options *options, struct err *err)
{
	merge->shards = mem_zalloc(options->npaths + 1, sizeof(*merge->shards));
	for (size_t i = 0; i < options->npaths; i++) {
		const char *path = options->paths[i];
		struct shard *shard = &merge->shards[i];

		shard->path =
			file_is_dir(path) ? file_join(path, SHARD_FILE_NAME) : mem_strdup(path);
		merge->nshards = i + 1;
		if (shard_file_read(&shard->file, shard->path, err) < 0) {
			shard->file = (struct shard_file){0};
			return -1;
		}
	}
	return 0;
}

static const char *
or_none(const char *text)
{
	return text && *text ? text : "none";
}

/* Whether two plans assign the same workloads to the same shards. */
static bool
is_same_plan(const struct shard_plan *a, const struct shard_plan *b)
{
	if (a->count != b->count || a->nentries != b->nentries)
		return false;
	for (size_t i = 0; i < a->nentries; i++) {
		if (a->entries[i].shard != b->entries[i].shard ||
			strcmp(a->entries[i].workload, b->entries[i].workload) != 0)
			return false;
	}
	return true;
}

/* Checks that a shard is of the same gate as the first one. */
static int
check_gate(const struct shard *first, const struct shard *shard, struct err *err)
{
	const struct shard_file *a = &first->file;
	const struct shard_file *b = &shard->file;
	const struct {
		const char *name;
		const char *expected, *found;
	} texts[] = {
		{"commit", a->commit, b->commit},
		{"build to compare with", a->against, b->against},
		{"commit of the build to compare with", a->base_commit, b->base_commit},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(or_none(texts[i].expected), or_none(texts[i].found)) == 0)
			continue;
		return err_set(err, ERR_INPUT,
			"'%s' and '%s' are shards of different gates: their %s is %s and %s",
			first->path, shard->path, texts[i].name, or_none(texts[i].expected),
			or_none(texts[i].found));
	}
	if (!is_same_plan(&a->plan, &b->plan)) {
		err_set(err, ERR_INPUT,
			"'%s' and '%s' are shards of different plans: shard %u of %u and %u of %u",
			first->path, shard->path, a->plan.index, a->plan.count, b->plan.index,
			b->plan.count);
		return err_note(
			err, "give the same workloads and the same '--durations' to all shards");
	}
	if (strcmp(a->settings, b->settings) != 0) {
		err_set(err, ERR_INPUT, "'%s' and '%s' are shards of gates with different settings",
			first->path, shard->path);
		return err_note(
			err, "give the same configuration, workloads and options to all shards");
	}
	return 0;
}

static int
by_index(const void *a, const void *b)
{
	const struct shard *x = a;
	const struct shard *y = b;

	return (x->file.plan.index > y->file.plan.index) -
	       (x->file.plan.index < y->file.plan.index);
}

static int
refuse_missing(const struct merge *merge, struct err *err)
{
	const unsigned count = merge->shards[0].file.plan.count;
	struct buf missing = {0};
	size_t next = 0;
	unsigned n = 0;

	for (unsigned index = 1; index <= count; index++) {
		if (next < merge->nshards && merge->shards[next].file.plan.index == index)
			next++;
		else
			buf_printf(&missing, "%s%u", n++ > 0 ? ", " : "", index);
	}
	err_set(err, ERR_INPUT, "%u of %u shards %s missing: %s", n, count, n == 1 ? "is" : "are",
		buf_text(&missing));
	buf_release(&missing);
	return err_note(err, "a shard that failed without a report has no '%s': see its log",
		SHARD_FILE_NAME);
}

/* Checks that the files are all shards of one gate, each once, and sorts them. */
static int
check_shards(struct merge *merge, struct err *err)
{
	struct shard *shards = merge->shards;

	for (size_t i = 1; i < merge->nshards; i++) {
		if (check_gate(&shards[0], &shards[i], err) < 0)
			return -1;
	}
	qsort(shards, merge->nshards, sizeof(*shards), by_index);
	for (size_t i = 1; i < merge->nshards; i++) {
		if (shards[i - 1].file.plan.index == shards[i].file.plan.index)
			return err_set(err, ERR_INPUT, "shard %u of %u is given twice: '%s', '%s'",
				shards[i].file.plan.index, shards[i].file.plan.count,
				shards[i - 1].path, shards[i].path);
	}
	return merge->nshards == shards[0].file.plan.count ? 0 : refuse_missing(merge, err);
}

/* Adds one workload, whose name is that in the plan. */
static int
add_record(
	struct merge *merge, const char *path, const struct shard_record *record, struct err *err)
{
	struct replay_file *file = mem_zalloc(1, sizeof(*file));

	if (replay_file_parse(file, path, record->bytes, record->len, err) < 0) {
		free(file);
		return err_note(err, "while reading the workload '%s'", record->workload);
	}
	file->path = path;
	file->packed = record->bytes;
	file->npacked = record->len;
	rejudge_add(&merge->rejudge, file);
	/* The workloads of the other shards are judged together with it. */
	file->judged.input.planned = 0;
	if (strcmp(file->judged.workload.name, record->workload) != 0)
		return err_set(err, ERR_INPUT, "%s: it has '%s' in place of the workload '%s'",
			path, file->judged.workload.name, record->workload);
	return 0;
}

static int
by_workload(const void *a, const void *b)
{
	const struct replay_file *x = *(struct replay_file *const *)a;
	const struct replay_file *y = *(struct replay_file *const *)b;

	return strcmp(x->judged.workload.name, y->judged.workload.name);
}

static int
read_workloads(struct merge *merge, struct err *err)
{
	struct rejudge *rejudge = &merge->rejudge;

	for (size_t i = 0; i < merge->nshards; i++) {
		struct shard *shard = &merge->shards[i];

		for (size_t k = 0; k < shard->file.nrecords; k++) {
			if (add_record(merge, shard->path, &shard->file.records[k], err) < 0)
				return -1;
		}
	}
	if (rejudge->nfiles == 0)
		return err_set(err, ERR_INPUT, "the shards have no workload");
	qsort(rejudge->files, rejudge->nfiles, sizeof(struct replay_file *), by_workload);
	return 0;
}

static int
by_file(const void *a, const void *b)
{
	return strcmp(
		((const struct report_source *)a)->file, ((const struct report_source *)b)->file);
}

/* Gives the report the source files of all shards, each once. */
static void
merge_sources(struct merge *merge, struct report *report)
{
	const struct rejudge *rejudge = &merge->rejudge;
	size_t capacity = 0;
	size_t n = 0;

	for (size_t i = 0; i < rejudge->nfiles; i++) {
		const struct report *from = &rejudge->files[i]->report;

		merge->sources = mem_grow(
			merge->sources, &capacity, n + from->nsources, sizeof(*merge->sources));
		if (from->nsources > 0)
			memcpy(merge->sources + n, from->sources,
				from->nsources * sizeof(*from->sources));
		n += from->nsources;
		report->source_url = report->source_url ? report->source_url : from->source_url;
	}
	if (n > 0)
		qsort(merge->sources, n, sizeof(*merge->sources), by_file);
	report->nsources = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(merge->sources[i - 1].file, merge->sources[i].file) != 0)
			merge->sources[report->nsources++] = merge->sources[i];
	}
	report->sources = merge->sources;
}

/* Makes the report of the first workload, which describes its shard, describe the whole gate. */
static void
describe_gate(struct merge *merge)
{
	assert(merge->rejudge.files);
	struct report *report = &merge->rejudge.files[0]->report;
	double end = 0;

	report->command = merge->shards[0].file.command;
	report->folder = NULL;
	for (size_t i = 0; i < merge->nshards; i++) {
		const struct shard_file *shard = &merge->shards[i].file;

		if (shard->started < report->started)
			report->started = shard->started;
		end = fmax(end, (double)shard->started + shard->duration_s);
	}
	report->duration_s = end - (double)report->started;
	for (size_t i = 0; i < merge->rejudge.nfiles; i++) {
		const struct report *from = &merge->rejudge.files[i]->report;
		struct report_workload *entry = &merge->rejudge.files[i]->entry;

		/* These files are in the report of the shard only. */
		entry->build_outputs[0] = entry->build_outputs[1] = NULL;
		report->interrupted = report->interrupted ? report->interrupted : from->interrupted;
	}
	merge_sources(merge, report);
}

/* Logs that shards ran on different classes of machines. Their costs are never compared. */
static void
log_machines(const struct merge *merge)
{
	const char *first = NULL;

	for (size_t i = 0; i < merge->nshards; i++) {
		const struct shard_file *file = &merge->shards[i].file;

		if (file->nrecords == 0)
			continue;
		first = first ? first : file->machine_class;
		if (strcmp(first, file->machine_class) != 0)
			log_info("shard %u of %u was measured on another class of machines: %s",
				file->plan.index, file->plan.count, file->machine_class);
	}
}

static void
release(struct merge *merge)
{
	rejudge_release(&merge->rejudge);
	for (size_t i = 0; i < merge->nshards; i++) {
		shard_file_release(&merge->shards[i].file);
		free(merge->shards[i].path);
	}
	free(merge->shards);
	free(merge->sources);
}

int
merge_run(const struct merge_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct merge merge = {0};
	struct rejudge *rejudge = &merge.rejudge;
	char *folder = NULL;

	if (read_shards(&merge, options, err) == 0 && check_shards(&merge, err) == 0 &&
		read_workloads(&merge, err) == 0) {
		log_machines(&merge);
		describe_gate(&merge);
		rejudge->full = options->full;
		if (rejudge_make(rejudge, err) == 0)
			folder = publish_report(
				&rejudge->report, options->output_dir, options->reports_dir, err);
	}
	if (folder) {
		log_info("the report is in '%s'", folder);
		*exit_code = rejudge->report.exit_code;
		char *latest = options->output_dir ? NULL : publish_latest(folder);

		first_screen_write(&rejudge->report, latest ? latest : folder, text);
		free(latest);
		if (options->commands)
			output_write(options->commands, &rejudge->report, options->commands_out);
	}
	release(&merge);
	int result = folder ? 0 : -1;

	free(folder);
	return result;
}
