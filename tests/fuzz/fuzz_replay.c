/*
 * replay.bin: any bytes as the file and as its unpacked contents. What is accepted is judged and
 * written as a report, its first finding explained, and is the same when it is written and read
 * again.
 */
#include "gate/judge.h"
#include "output/explanation.h"
#include "output/output.h"
#include "output/replay_file.h"
#include "replay/record_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

/* Its first finding is explained within the limit. */
static void
explain(const struct report_view *view)
{
	struct explanation explanation;
	struct buf text = {0};
	struct err err = {0};

	check(explanation_init(&explanation, view, NULL, &err) == 0);
	explanation_put_text(&explanation, &text);
	check(text.len <= EXPLANATION_BYTES_MAX);
	buf_clear(&text);
	explanation_put_json(&explanation, &text);
	check(text.len <= EXPLANATION_BYTES_MAX);
	explanation_release(&explanation);
	buf_release(&text);
}

/* Judges it, and gives the file that a report would keep. */
static void
judge(const struct replay_file *file, struct buf *kept)
{
	struct judgement judgement = {.input = file->judged.input};
	struct report report = file->report;
	struct report_workload entry = file->entry;
	struct report_view view;
	struct buf text = {0};

	entry.judgement = &judgement;
	report.workloads = &entry;
	report.nworkloads = 1;
	judge_gate(&(struct judgement *){&judgement}, 1, &report.status);
	report.exit_code = judge_exit_code(&(struct judgement *){&judgement}, 1);
	for (size_t i = 0; report_outputs[i]; i++)
		output_write(report_outputs[i], &report, &text);
	report_view_init(&view, &report);
	for (size_t i = 0; workload_outputs[i]; i++)
		workload_outputs[i]->write(&view, view.workloads, &text);
	check(output_replay.write(&view, view.workloads, kept));
	explain(&view);
	report_view_release(&view);
	buf_release(&text);
	judgement_release(&judgement);
}

static void
check_again(const struct buf *kept)
{
	struct replay_file file;
	struct record_contents record;
	struct buf again = {0};
	struct err err = {0};

	check(record_unpack(&record_replay, "again", kept->data, kept->len, &record, &err) == 0);
	check(replay_file_decode(&file, "again", &record, &err) == 0);
	judge(&file, &again);
	check(again.len == kept->len && memcmp(again.data, kept->data, kept->len) == 0);
	replay_file_release(&file);
	buf_release(&record.bytes);
	buf_release(&again);
}

static void
decode(const struct record_contents *record)
{
	struct replay_file file;
	struct buf kept = {0};
	struct err err = {0};

	if (replay_file_decode(&file, "contents", record, &err) < 0) {
		check(err.kind == ERR_INPUT && err.len > 0);
		return;
	}
	judge(&file, &kept);
	check_again(&kept);
	buf_release(&kept);
	replay_file_release(&file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_contents record;
	struct err err = {0};

	if (record_unpack(&record_replay, "file", (const char *)data, size, &record, &err) == 0)
		decode(&record);
	else
		check(err.kind == ERR_INPUT && err.len > 0);
	buf_clear(&record.bytes);
	buf_put(&record.bytes, data, size);
	for (record.format = 1; record.format <= RECORD_FORMAT; record.format++)
		decode(&record);
	buf_release(&record.bytes);
	return 0;
}
