#include "output/replay_file.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "output/output.h"
#include "replay/record_file.h"

#include <stdlib.h>

static void
describe_source(struct codec *codec, void *item)
{
	struct report_source *source = item;

	codec_text(codec, &source->file);
	codec_text(codec, &source->path);
	if (codec_has_format(codec, RECORD_HAS_OWNERS))
		codec_text_or_null(codec, &source->owners);
}

static void
describe_change(struct codec *codec, void *item)
{
	struct policy_change *change = item;

	codec_text(codec, &change->file);
	codec_u32(codec, &change->line);
	codec_text(codec, &change->key);
	codec_text(codec, &change->before);
	codec_text(codec, &change->after);
	codec_text_or_null(codec, &change->holds);
}

static void
describe_policy(struct codec *codec, struct report_policy *policy)
{
	codec_text_or_null(codec, &policy->from);
	policy->changes = codec_array(codec, policy->changes, &policy->nchanges,
		sizeof(*policy->changes), describe_change);
	CODEC_WHOLE(codec, policy->nleft_out, UINT32_MAX);
}

static void
describe_entry(struct codec *codec, void *item)
{
	struct annotation_entry *entry = item;

	CODEC_WHOLE(codec, entry->kind, ANNOTATION_KINDS - 1);
	codec_bool(codec, &entry->found);
	codec_u64(codec, &entry->number);
	codec_text(codec, &entry->text);
	for (size_t side = 0; side < 2; side++) {
		codec_amount(codec, &entry->self[side]);
		codec_amount(codec, &entry->total[side]);
	}
}

static void
describe_lines(struct codec *codec, void *item)
{
	struct report_lines *lines = item;

	codec_text(codec, &lines->function);
	codec_bool(codec, &lines->pairs);
	codec_text_or_null(codec, &lines->unit);
	codec_text(codec, &lines->growth);
	lines->entries = codec_array(
		codec, lines->entries, &lines->nentries, sizeof(*lines->entries), describe_entry);
	CODEC_WHOLE(codec, lines->left_out, UINT32_MAX);
}

/* Behind all else, since files of earlier builds do not have them. */
static void
describe_changed_places(struct codec *codec, const struct report_workload *entry)
{
	/* On reading they are the codec's own. */
	struct report_lines *lines = (struct report_lines *)entry->lines;

	for (size_t i = 0; i < entry->nlines; i++) {
		codec_text_or_null(codec, &lines[i].changed_path);
		codec_u32(codec, &lines[i].changed_line);
	}
}

static void
describe_hunk(struct codec *codec, void *item)
{
	struct report_hunk *hunk = item;

	CODEC_WHOLE(codec, hunk->place, HUNK_PLACES - 1);
	codec_bool(codec, &hunk->cut);
	codec_text_or_null(codec, &hunk->function);
	codec_text(codec, &hunk->path);
	codec_u32(codec, &hunk->line);
	codec_text(codec, &hunk->text);
}

static void
describe_changes(struct codec *codec, const struct report_workload *entry)
{
	struct report_lines *lines = (struct report_lines *)entry->lines;

	for (size_t i = 0; i < entry->nlines; i++) {
		struct report_changes *changes = &lines[i].changes;

		codec_bool(codec, &changes->kept);
		changes->hunks = codec_array(codec, changes->hunks, &changes->nhunks,
			sizeof(*changes->hunks), describe_hunk);
		CODEC_WHOLE(codec, changes->hunks_left_out, UINT32_MAX);
		codec_text_or_null(codec, &changes->no_hunks);
		codec_text(codec, &changes->code);
		CODEC_WHOLE(codec, changes->code_left_out, UINT32_MAX);
		codec_text_or_null(codec, &changes->no_code);
	}
}

static void
describe_owners(struct codec *codec, const struct report_workload *entry)
{
	struct report_lines *lines = (struct report_lines *)entry->lines;

	for (size_t i = 0; i < entry->nlines; i++)
		codec_text_or_null(codec, &lines[i].changed_owners);
}

static void
describe_plan(struct codec *codec, struct plan *plan)
{
	CODEC_WHOLE(codec, plan->kind, PLAN_KINDS - 1);
	codec_text_or_null(codec, &plan->reason);
	codec_text_or_null(codec, &plan->commit);
	codec_text_or_null(codec, &plan->machine_class);
	codec_double(codec, &plan->seconds);
	for (size_t i = 0; i < PLAN_REMEDIES; i++)
		codec_command_or_null(codec, &plan->remedies[i]);
}

static void
describe(struct codec *codec, struct replay_file *file)
{
	struct report *report = &file->report;
	struct report_workload *entry = &file->entry;

	codec_text(codec, &report->tool_version);
	codec_i64(codec, &report->started);
	codec_double(codec, &report->duration_s);
	codec_text_or_null(codec, &report->commit);
	codec_text_or_null(codec, &report->against);
	codec_text_or_null(codec, &report->interrupted);
	codec_command(codec, &report->command);
	codec_command(codec, &report->command_options);
	record_machine(codec, &file->machine);
	report->machine = &file->machine;
	codec_text(codec, &report->machine_class);
	codec_text_or_null(codec, &report->event_reason);
	codec_text(codec, &report->pinning);
	codec_path(codec, &report->folder);
	codec_text_or_null(codec, &report->source_url);
	report->sources = codec_array(codec, report->sources, &report->nsources,
		sizeof(*report->sources), describe_source);
	CODEC_WHOLE(codec, file->count, RECORD_WORKLOADS_MAX);
	CODEC_WHOLE(codec, file->index, file->count > 0 ? file->count - 1 : 0);
	codec_double(codec, &entry->build_s);
	codec_double(codec, &entry->measure_s);
	codec_double(codec, &entry->process_s);
	if (codec_has_format(codec, RECORD_HAS_COUNT_TIME))
		codec_double(codec, &entry->count_s);
	record_input(codec, &file->judged);
	/* A file written before this policy existed ends here. */
	if (!codec_is_reading(codec) || codec->left > 0)
		describe_policy(codec, &report->policy);
	if (codec_has_format(codec, RECORD_HAS_COUNT_LIMIT)) {
		codec_double(codec, &entry->count_limit_s);
		codec_double(codec, &entry->plan.count_limit_s);
	}
	if (codec_has_format(codec, RECORD_HAS_LINES))
		entry->lines = codec_array(
			codec, entry->lines, &entry->nlines, sizeof(*entry->lines), describe_lines);
	if (codec_has_format(codec, RECORD_HAS_BASE_NOTES))
		codec_text_or_null(codec, &report->against_notes);
	if (codec_has_format(codec, RECORD_HAS_PLAN))
		describe_plan(codec, &entry->plan);
	/* Files of earlier builds of this version end here. */
	if (!codec_is_reading(codec) || codec->left > 0)
		codec_double(codec, &entry->plan.count_seconds);
	if (!codec_is_reading(codec) || codec->left > 0)
		describe_changed_places(codec, entry);
	for (size_t i = 0; i < 2 && codec_has_format(codec, RECORD_HAS_SOURCE_STATES); i++)
		codec_text_or_null(codec, &entry->build_outputs[i]);
	if (codec_has_format(codec, RECORD_HAS_HUNKS))
		describe_changes(codec, entry);
	if (codec_has_format(codec, RECORD_HAS_OWNERS))
		describe_owners(codec, entry);
	entry->folder = file->judged.workload.folder;
	entry->machine = &file->machine;
}

static bool
write_replay(const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	const struct report *report = view->report;
	const struct report_workload *entry = workload->workload;
	struct replay_file file = {
		.report = *report,
		.entry = *entry,
		.machine = entry->machine ? *entry->machine : *report->machine,
		.index = (size_t)(workload - view->workloads),
		.count = report->nworkloads,
	};
	struct buf contents = {0};
	struct codec codec = codec_writer(&contents);

	record_input_fill(&file.judged, workload->judgement);
	describe(&codec, &file);
	bool written = record_pack(&record_replay, &contents, report->tool_version, out);

	if (!written)
		log_warn("%s: too large for " REPLAY_FILE_NAME ", its report cannot be replayed",
			workload->workload->folder);
	buf_release(&contents);
	return written;
}

const struct workload_output output_replay = {
	.name = REPLAY_FILE_NAME,
	.summary = "what it was judged by; profile_run replay makes the report again",
	.write = write_replay,
};

int
replay_file_decode(struct replay_file *file, const char *path, const struct record_contents *record,
	struct err *err)
{
	*file = (struct replay_file){0};
	const size_t len = record->bytes.len;
	struct codec codec =
		codec_reader(buf_text(&record->bytes), len, &file->arena, record_memory(len));

	codec.format = record->format;
	describe(&codec, file);
	if (codec.left > 0)
		codec_fail(&codec, "more than it should have");
	if (!codec.problem)
		return 0;
	replay_file_release(file);
	return err_set(err, ERR_INPUT, "%s: broken, although its checksum is right: %s", path,
		codec.problem);
}

int
replay_file_parse(
	struct replay_file *file, const char *path, const char *bytes, size_t len, struct err *err)
{
	struct record_contents record;
	int result = record_unpack(&record_replay, path, bytes, len, &record, err);

	if (result == 0)
		result = replay_file_decode(file, path, &record, err);
	buf_release(&record.bytes);
	return result;
}

int
replay_file_read(struct replay_file *file, const char *path, struct err *err)
{
	struct buf packed = {0};
	int result = file_read(path, &packed, RECORD_FILE_MAX, err);

	if (result == 0)
		result = replay_file_parse(file, path, buf_text(&packed), packed.len, err);
	buf_release(&packed);
	return result;
}

static void
swap(struct profile *a, struct profile *b)
{
	const struct profile kept = *a;

	*a = *b;
	*b = kept;
}

static void
swap_sides(struct replay_file *file, struct profile *before, struct profile *candidate)
{
	swap(&file->judged.before, before);
	swap(&file->judged.candidate, candidate);
}

void
replay_file_drop_stacks(struct replay_file *file)
{
	if (file->is_brief)
		return;
	if (file->brief_candidate.tree.nnodes == 0) {
		profile_init_brief(&file->brief_before, &file->judged.before);
		profile_init_brief(&file->brief_candidate, &file->judged.candidate);
	}
	swap_sides(file, &file->brief_before, &file->brief_candidate);
	profile_release(&file->brief_before);
	profile_release(&file->brief_candidate);
	file->is_brief = true;
}

int
replay_file_restore_stacks(struct replay_file *file, struct err *err)
{
	if (!file->is_brief)
		return 0;
	struct replay_file *again = mem_zalloc(1, sizeof(*again));
	int result = replay_file_parse(again, file->path, file->packed, file->npacked, err);

	if (result == 0) {
		swap_sides(file, &file->brief_before, &file->brief_candidate);
		swap_sides(file, &again->judged.before, &again->judged.candidate);
		replay_file_release(again);
		file->is_brief = false;
	}
	free(again);
	return result;
}

void
replay_file_release(struct replay_file *file)
{
	record_input_release(&file->judged);
	profile_release(&file->brief_before);
	profile_release(&file->brief_candidate);
	arena_release(&file->arena);
}
