#include "output/shard_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "output/output.h"
#include "replay/record_file.h"
#include "replay/record_input.h"
#include "spec/suite.h"

#include <stdlib.h>
#include <string.h>

/* Names in a plan must be sorted, and valid as names of folders. */
static void
check_plan(struct codec *codec, const struct shard_plan *plan)
{
	for (size_t i = 0; i < plan->nentries; i++) {
		const struct shard_entry *entry = &plan->entries[i];

		if (!unit_is_name(entry->workload) || entry->shard < 1 ||
			(i > 0 && strcmp(entry[-1].workload, entry->workload) >= 0))
			codec_fail(codec, "a plan that is none");
	}
}

static void
describe_entry(struct codec *codec, void *item)
{
	struct shard_entry *entry = item;

	codec_text(codec, &entry->workload);
	CODEC_WHOLE(codec, entry->shard, SHARD_COUNT_MAX);
}

static void
describe_plan(struct codec *codec, struct shard_plan *plan)
{
	CODEC_WHOLE(codec, plan->count, SHARD_COUNT_MAX);
	CODEC_WHOLE(codec, plan->index, plan->count);
	plan->entries = codec_array(
		codec, plan->entries, &plan->nentries, sizeof(*plan->entries), describe_entry);
	if (codec_is_reading(codec) && !codec->problem) {
		check_plan(codec, plan);
		if (plan->index < 1)
			codec_fail(codec, "a shard without a number");
	}
}

static void
describe_record(struct codec *codec, void *item)
{
	struct shard_record *record = item;

	codec_text(codec, &record->workload);
	codec_bytes(codec, &record->bytes, &record->len);
}

/* The records must be those of the plan. */
static void
check_records(struct codec *codec, const struct shard_file *file)
{
	const struct shard_plan *plan = &file->plan;
	size_t n = 0;

	for (size_t i = 0; i < plan->nentries; i++) {
		if (plan->entries[i].shard != plan->index)
			continue;
		if (n >= file->nrecords ||
			strcmp(file->records[n].workload, plan->entries[i].workload) != 0) {
			codec_fail(codec, "its workloads are not those of its plan");
			return;
		}
		n++;
	}
	if (n < file->nrecords)
		codec_fail(codec, "more workloads than its plan has");
}

static void
describe(struct codec *codec, struct shard_file *file)
{
	describe_plan(codec, &file->plan);
	codec_command(codec, &file->command);
	codec_text(codec, &file->settings);
	codec_text(codec, &file->commit);
	codec_text_or_null(codec, &file->against);
	codec_text(codec, &file->base_commit);
	codec_text(codec, &file->machine_class);
	codec_i64(codec, &file->started);
	codec_double(codec, &file->duration_s);
	record_machine(codec, &file->machine);
	file->records = codec_array(
		codec, file->records, &file->nrecords, sizeof(*file->records), describe_record);
}

/* One replay.bin after the other in `packed`, which records[] will point into. */
static int
pack_workloads(const struct report_view *view, struct shard_record *records, struct buf *packed,
	struct err *err)
{
	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];
		size_t start = packed->len;

		if (!output_replay.write(view, workload, packed))
			return err_set(err, ERR_MEASURE, "%s: its profile is too large for '%s'",
				workload->name, SHARD_FILE_NAME);
		records[i].workload = workload->name;
		records[i].len = packed->len - start;
	}
	return 0;
}

static void
find_bytes(struct shard_record *records, size_t n, const struct buf *packed)
{
	const char *next = buf_text(packed);

	for (size_t i = 0; i < n; i++) {
		records[i].bytes = next;
		next += records[i].len;
	}
}

static int
pack(const struct report_view *view, struct buf *out, struct err *err)
{
	const struct report *report = view->report;
	const struct report_shard *shard = report->shard;
	struct shard_file file = {
		.plan = *shard->plan,
		.command = shard->command,
		.settings = shard->settings,
		.commit = report->commit,
		.against = report->against,
		.base_commit = shard->base_commit,
		.machine_class = report->machine_class,
		.started = report->started,
		.duration_s = report->duration_s,
		.machine = *report->machine,
		.records = mem_zalloc(view->nworkloads + 1, sizeof(*file.records)),
		.nrecords = view->nworkloads,
	};
	struct buf packed = {0};
	struct buf contents = {0};
	struct codec codec = codec_writer(&contents);
	int result = pack_workloads(view, file.records, &packed, err);

	if (result == 0) {
		find_bytes(file.records, file.nrecords, &packed);
		describe(&codec, &file);
		if (!record_pack(&record_shard, &contents, report->tool_version, out))
			result = err_set(err, ERR_MEASURE,
				"'%s' would be larger than %zu MiB: take more shards",
				SHARD_FILE_NAME, RECORD_UNPACKED_MAX >> 20);
	}
	buf_release(&contents);
	buf_release(&packed);
	free(file.records);
	return result;
}

int
shard_file_pack(const struct report *report, struct buf *out, struct err *err)
{
	struct report_view view;

	report_view_init(&view, report);
	int result = pack(&view, out, err);

	report_view_release(&view);
	return result;
}

int
shard_file_write(const struct report *report, const char *folder, struct err *err)
{
	char *path = file_join(folder, SHARD_FILE_NAME);
	struct buf contents = {0};
	int result = shard_file_pack(report, &contents, err);

	if (result == 0)
		result = file_write(path, contents.data, contents.len, err);
	buf_release(&contents);
	free(path);
	return result;
}

int
shard_file_decode(struct shard_file *file, const char *path, struct buf *contents, struct err *err)
{
	*file = (struct shard_file){.contents = *contents};
	*contents = (struct buf){0};
	const size_t len = file->contents.len;
	struct codec codec =
		codec_reader(buf_text(&file->contents), len, &file->arena, record_memory(len));

	describe(&codec, file);
	if (!codec.problem)
		check_records(&codec, file);
	if (codec.left > 0)
		codec_fail(&codec, "more than it should have");
	if (!codec.problem)
		return 0;
	shard_file_release(file);
	return err_set(err, ERR_INPUT, "%s: broken, although its checksum is right: %s", path,
		codec.problem);
}

int
shard_file_read(struct shard_file *file, const char *path, struct err *err)
{
	struct buf packed = {0};
	struct record_contents record = {0};
	int result = file_read(path, &packed, RECORD_FILE_MAX, err);

	if (result == 0)
		result = record_unpack(
			&record_shard, path, buf_text(&packed), packed.len, &record, err);
	buf_release(&packed);
	if (result == 0)
		result = shard_file_decode(file, path, &record.bytes, err);
	buf_release(&record.bytes);
	return result;
}

void
shard_file_release(struct shard_file *file)
{
	arena_release(&file->arena);
	buf_release(&file->contents);
}

void
shard_settings(const struct workload_list *workloads, enum gate_mode mode, const char *branch,
	char text[SHA256_TEXT_SIZE])
{
	struct buf contents = {0};
	struct codec codec = codec_writer(&contents);

	for (size_t i = 0; i < workloads->nworkloads; i++) {
		struct workload workload = workloads->workloads[i];

		record_workload(&codec, &workload);
		codec_u32(&codec, &workload.capture.runs);
		codec_double(&codec, &workload.capture.frequency_hz);
		for (int counted = 0; counted < 2; counted++) {
			struct gate_policy policy = gate_policy_resolve(
				&workload.gate, &workload.overlays, mode, counted != 0, branch);

			record_policy(&codec, &policy);
		}
	}
	sha256_text(buf_text(&contents), contents.len, text);
	buf_release(&contents);
}
