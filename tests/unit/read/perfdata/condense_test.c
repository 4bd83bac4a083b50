#include "perfdata/condense.h"

#include "perfdata/make_perfdata.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void suite_perfdata_condense(void);

#define STACK_TYPE                                                                             \
	(MADE_SAMPLE_TYPE | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
		PERF_SAMPLE_WEIGHT)
#define NREGS 3
#define ROUND_MARK 68
#define ID_INDEX 69
#define A_TYPE_TO_COME 90
#define STACK_WORDS UINT64_C(64)

/* A file of samples with stacks, what it is condensed to, and both being read. */
struct condensing {
	struct made_file made;
	struct file_view view;
	struct perfdata_reader *source;
	char dir[64];
	char path[128];
	struct perfdata_condenser *condenser;
	struct file_view result_view;
	struct perfdata_reader *result;
};

static void
put_stack_sample(struct made_file *made, uint32_t pid, uint64_t time)
{
	static const uint64_t kernel[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000000};
	struct buf body = {0};

	made_u64(&body, 11);
	made_u64(&body, 0x1000); /* ip */
	made_u32s(&body, pid, pid);
	made_u64(&body, time);
	made_u64(&body, 2);
	buf_put(&body, kernel, sizeof(kernel));
	made_u32s(&body, 4, 0x11223344); /* raw */
	made_u64(&body, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < NREGS; i++)
		made_u64(&body, i);
	made_u64(&body, STACK_WORDS * 8);
	for (uint64_t i = 0; i < STACK_WORDS; i++)
		made_u64(&body, i * time);
	made_u64(&body, 16);
	made_u64(&body, 5000 + pid); /* weight */
	made_record(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);
}

static void
begin(struct condensing *it)
{
	memset(it, 0, sizeof(*it));
	made_init(&it->made);
	it->made.attrs[0].sample_type = STACK_TYPE;
	it->made.attrs[0].sample_regs_user = 7;
	it->made.attrs[0].sample_stack_user = STACK_WORDS * 8;
	it->made.attrs[0].exclude_callchain_user = 1;
	snprintf(it->dir, sizeof(it->dir), "/tmp/profile_run-unit-XXXXXX");
	if (!mkdtemp(it->dir))
		abort();
	snprintf(it->path, sizeof(it->path), "%s/perf.data", it->dir);
}

static void
open_source(struct condensing *it)
{
	struct err err = {0};

	it->view = made_view(&it->made);
	it->source = perfdata_open(&it->view, "x.data", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(it->source);
	it->condenser = perfdata_condenser_open(it->path, it->source, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(it->condenser);
}

/* Condenses all; samples get `chain`. */
static void
condense(struct condensing *it, const uint64_t *chain, size_t nchain)
{
	struct err err = {0};
	struct record record;

	while (perfdata_next(it->source, &record, &err) > 0)
		CU_ASSERT_EQUAL_FATAL(
			perfdata_condenser_put(it->condenser, &record, chain, nchain, &err), 0);
	CU_ASSERT_EQUAL_FATAL(perfdata_condenser_finish(it->condenser, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file_view_open(&it->result_view, it->path, &err), 0);
	it->result = perfdata_open(&it->result_view, it->path, &err);
	UNIT_STR_EQ(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(it->result);
}

static void
end(struct condensing *it)
{
	perfdata_close(it->result);
	if (it->result)
		file_view_close(&it->result_view);
	perfdata_close(it->source);
	made_release(&it->made);
	unlink(it->path);
	CU_ASSERT_EQUAL(rmdir(it->dir), 0); /* nothing else was left in it */
}

static void
expect_condensed(struct condensing *it)
{
	static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1001, 0x1002, 0x1003};
	const struct perfdata_event *event;
	struct err err = {0};
	struct record record;

	condense(it, chain, 4);
	event = perfdata_event(it->result, 0);
	CU_ASSERT_EQUAL(
		event->attr.sample_type, MADE_SAMPLE_TYPE | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT);
	/* It tells what the chains were found from. */
	CU_ASSERT_EQUAL(event->attr.sample_stack_user, STACK_WORDS * 8);
	CU_ASSERT(!event->attr.exclude_callchain_user);
	UNIT_STR_EQ(event->name, "cpu-clock");
	CU_ASSERT_EQUAL_FATAL(event->nids, 1);
	CU_ASSERT_EQUAL(event->ids[0], 11);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(it->result, &record, &err), 1);
	CU_ASSERT_EQUAL_FATAL(record.type, PERF_RECORD_COMM);
	UNIT_STR_EQ(record.u.comm.name, "the-name");
	for (uint32_t pid = 1; pid <= 2; pid++) {
		const uint64_t *words;

		CU_ASSERT_EQUAL_FATAL(perfdata_next(it->result, &record, &err), 1);
		words = (const uint64_t *)record.raw;
		CU_ASSERT_EQUAL(record.id.pid, pid);
		CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 4);
		CU_ASSERT_EQUAL(memcmp(record.u.sample.chain, chain, sizeof(chain)), 0);
		CU_ASSERT_EQUAL_FATAL(record.raw_bytes, 12 * sizeof(uint64_t));
		CU_ASSERT_EQUAL(words[10] >> 32, 0x11223344);
		CU_ASSERT_EQUAL(words[11], 5000 + pid);
	}
	CU_ASSERT_EQUAL(perfdata_next(it->result, &record, &err), 0);
}

static void
test_compressed(void)
{
	struct condensing it;

	begin(&it);
	put_stack_sample(&it.made, 2, 30);
	put_stack_sample(&it.made, 1, 20);
	made_comm(&it.made, 1, 10, "the-name");
	open_source(&it);
	expect_condensed(&it);
	CU_ASSERT(it.result_view.len < 1300);
	end(&it);
}

static void
test_plain(void)
{
	static const char name[] = "the-name";
	struct condensing it;

	begin(&it);
	put_stack_sample(&it.made, 2, 30);
	put_stack_sample(&it.made, 1, 20);
	made_comm(&it.made, 1, 10, name);
	open_source(&it);
	perfdata_condenser_expand(it.condenser);
	expect_condensed(&it);
	CU_ASSERT_PTR_NOT_NULL(memmem(it.result_view.data, it.result_view.len, name, sizeof(name)));
	end(&it);
}

static void
test_kept(void)
{
	struct condensing it;
	struct err err = {0};
	struct record record;

	begin(&it);
	put_stack_sample(&it.made, 1, 20);
	open_source(&it);
	condense(&it, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(it.result, &record, &err), 1);
	CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 2);
	CU_ASSERT_EQUAL(record.u.sample.chain[1], 0xffffffff81000000);
	end(&it);
}

static void
test_long_chain(void)
{
	static uint64_t chain[10000];
	struct condensing it;
	struct err err = {0};
	struct record record;

	for (size_t i = 0; i < 10000; i++)
		chain[i] = i;
	begin(&it);
	put_stack_sample(&it.made, 1, 20);
	put_stack_sample(&it.made, 2, 30);
	open_source(&it);
	condense(&it, chain, 10000);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(it.result, &record, &err), 1);
	CU_ASSERT_EQUAL(record.raw_bytes, 65528);
	CU_ASSERT(record.u.sample.nchain > 8000);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(it.result, &record, &err), 1);
	CU_ASSERT_EQUAL(record.id.pid, 2);
	end(&it);
}

/* A program's samples: 30 frames each, whose last ones change. */
static void
make_chain(uint64_t chain[31], uint32_t sample)
{
	uint32_t state = sample * 2654435761U;

	chain[0] = PERF_CONTEXT_USER;
	for (size_t i = 0; i < 30; i++) {
		state = state * 1664525 + 1013904223;
		chain[1 + i] = 0x400000 + i * 0x100 + (i < 12 ? state >> 28 : 0);
	}
}

static void
condense_many(struct condensing *it, uint32_t count, bool expand)
{
	struct err err = {0};
	struct record record;
	uint64_t chain[31];

	begin(it);
	made_comm(&it->made, 7, 1, "many");
	for (uint32_t i = 0; i < count; i++)
		put_stack_sample(&it->made, 7, 1000 + i);
	open_source(it);
	if (expand)
		perfdata_condenser_expand(it->condenser);
	while (perfdata_next(it->source, &record, &err) > 0) {
		make_chain(chain, (uint32_t)record.id.time_ns);
		CU_ASSERT_EQUAL_FATAL(
			perfdata_condenser_put(it->condenser, &record, chain, 31, &err), 0);
	}
	CU_ASSERT_EQUAL_FATAL(perfdata_condenser_finish(it->condenser, &err), 0);
}

static void
test_small(void)
{
	struct condensing it;
	struct err err = {0};
	struct file_view view;
	struct record record;
	uint64_t chain[31];
	uint32_t count = 0;

	condense_many(&it, 5000, false);
	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, it.path, &err), 0);
	CU_ASSERT(view.len < (size_t)5000 * 100);

	struct perfdata_reader *reader = perfdata_open(&view, it.path, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	while (perfdata_next(reader, &record, &err) > 0) {
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		make_chain(chain, 1000 + count++);
		CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 31);
		CU_ASSERT_EQUAL_FATAL(memcmp(record.u.sample.chain, chain, sizeof(chain)), 0);
	}
	CU_ASSERT_EQUAL(count, 5000);
	perfdata_close(reader);
	file_view_close(&view);
	end(&it);
}

static void
put_text(struct made_file *made, uint32_t type, const char *text)
{
	struct buf body = {0};

	made_text(&body, text);
	made_record(made, type, 0, &body);
	buf_release(&body);
}

/* The end of a large file is looked at while its start is condensed, by another thread. */
static void
test_start(void)
{
	static const char early[] = "said at the start";
	static const char late[] = "said at the end";
	char padding[60000];
	struct condensing it;

	memset(padding, 'x', sizeof(padding) - 1);
	padding[sizeof(padding) - 1] = '\0';
	begin(&it);
	put_text(&it.made, ID_INDEX, early);
	put_stack_sample(&it.made, 1, 20);
	for (int i = 0; i < 1200; i++)
		put_text(&it.made, A_TYPE_TO_COME, padding);
	put_text(&it.made, ROUND_MARK, "");
	put_text(&it.made, ID_INDEX, late);
	open_source(&it);
	condense(&it, NULL, 0);
	CU_ASSERT_PTR_NOT_NULL(
		memmem(it.result_view.data, it.result_view.len, early, sizeof(early)));
	CU_ASSERT_PTR_NULL(memmem(it.result_view.data, it.result_view.len, late, sizeof(late)));
	end(&it);
}

/* What perf script prints of the file must be each sample's frames, in order. */
static void
expect_perf_reads(const char *path, uint32_t count)
{
	char command[256];
	char line[256];
	uint64_t chain[31];
	uint32_t samples = 0;
	size_t frame = 30;

	snprintf(command, sizeof(command), "perf script -i %s -F comm,tid,ip 2>&1", path);

	FILE *out = popen(command, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	while (fgets(line, sizeof(line), out)) {
		char *end;
		uint64_t ip = strtoull(line, &end, 16);

		if (strstr(line, "many")) {
			CU_ASSERT_EQUAL(frame, 30);
			make_chain(chain, 1000 + samples++);
			frame = 0;
		} else if (end > line && frame < 30) {
			/* perf shows the call, not what it returns to. */
			CU_ASSERT(chain[1 + frame] - ip <= 1);
			frame++;
		}
	}
	CU_ASSERT_EQUAL(frame, 30);
	CU_ASSERT_EQUAL(samples, count);
	CU_ASSERT_EQUAL(pclose(out), 0);
}

static void
test_perf(void)
{
	struct condensing it;

	if (system("perf version >/dev/null 2>&1") != 0) {
		unit_skip("perf is not installed");
		return;
	}
	condense_many(&it, 3000, true);
	expect_perf_reads(it.path, 3000);
	end(&it);
	if (system("perf version --build-options 2>/dev/null | grep -q 'zstd: \\[ on'") != 0) {
		unit_skip("perf was built without zstd");
		return;
	}
	condense_many(&it, 3000, false);
	expect_perf_reads(it.path, 3000);
	end(&it);
}

static void
test_abandoned(void)
{
	struct condensing it;
	struct err err = {0};
	struct record record;

	begin(&it);
	put_stack_sample(&it.made, 1, 20);
	open_source(&it);
	CU_ASSERT_EQUAL(perfdata_next(it.source, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_condenser_put(it.condenser, &record, NULL, 0, &err), 0);
	perfdata_condenser_abandon(it.condenser);
	CU_ASSERT_NOT_EQUAL(access(it.path, F_OK), 0);
	CU_ASSERT_PTR_NULL(perfdata_condenser_open("/nonexistent/x", it.source, &err));
	UNIT_CONTAINS(err.text, "/nonexistent/x");
	end(&it);
}

void
suite_perfdata_condense(void)
{
	static const struct unit_case cases[] = {
		{"chains_take_the_place_of_stacks_and_all_else_is_kept", test_compressed},
		{"records_can_be_written_as_they_are", test_plain},
		{"a_sample_without_a_new_chain_keeps_its_own", test_kept},
		{"a_chain_too_long_for_a_record_is_cut", test_long_chain},
		{"samples_of_thirty_frames_take_less_than_a_hundred_bytes", test_small},
		{"the_start_is_written_when_the_condenser_is_opened", test_start},
		{"perf_script_prints_the_chains", test_perf},
		{"an_abandoned_file_leaves_nothing", test_abandoned},
		{NULL, NULL},
	};

	unit_suite("perfdata/condense", cases);
}
