/* Samples with copies of stacks that are chains of frame pointers, in code that has no rows. */
#include "ingest/samples.h"

#include "folded_check.h"
#include "ingest/code_maps.h"
#include "ingest/ingest_cache.h"
#include "ingest/stack_survey.h"
#include "perfdata/make_perfdata.h"
#include "unit.h"

void suite_ingest_samples(void);

#define STACK_AT UINT64_C(0x7000000)
#define CODE_AT UINT64_C(0x400000)
#define NREGS 3

/* x86-64: BP, SP and IP. */
#define MASK (UINT64_C(1) << 6 | UINT64_C(1) << 7 | UINT64_C(1) << 8)
#define STACK_WANTED 8192

/* Where a sample stood, and the frames of its callers: one in the second page of the code. */
static const uint64_t regs[NREGS] = {STACK_AT, STACK_AT, CODE_AT + 0x10};
static const uint64_t stack[] = {STACK_AT + 16, CODE_AT + 0x1010, 0, 0};

struct bench {
	struct samples samples;
	struct made_file made;
	struct file_view view;
	struct perfdata_reader *reader;
	struct ingest_cache *cache;
	struct symbolizer *symbolizer;
	struct profile profile;
	struct run run;
	struct stack_survey survey;
	node_id root;
};

static void
map(struct bench *bench, uint32_t pid, uint64_t start, const char *path)
{
	struct symbol_map map = {.pid = pid, .start = start, .size = 0x1000, .path = path};

	symbolizer_map(bench->symbolizer, &map);
}

static void
begin(struct bench *bench)
{
	struct err err = {0};

	*bench = (struct bench){.root = 0};
	made_init(&bench->made);
	bench->made.attrs[0].sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	bench->made.attrs[0].sample_regs_user = MASK;
	bench->made.attrs[0].sample_stack_user = STACK_WANTED;
	made_comm(&bench->made, 7, 1, "p");
	bench->view = made_view(&bench->made);
	bench->reader = perfdata_open(&bench->view, "x.data", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bench->reader);
	bench->cache = ingest_cache_new();
	bench->symbolizer = symbolizer_new(bench->cache->symbols);
	profile_init(&bench->profile);
	bench->samples = (struct samples){
		.reader = bench->reader,
		.sink.profile = &bench->profile,
		.sink.column = profile_add_run(&bench->profile),
		.sink.limit = SIZE_MAX,
		.sink.run = &bench->run,
	};

	frame_limit_init(&bench->samples.frames, bench->reader, &bench->view, "x.data");

	struct ingest_options options = {
		.cache = bench->cache, .survey = &bench->survey, .threads = 2};

	CU_ASSERT_EQUAL(samples_init(&bench->samples, bench->symbolizer, &options, &err), 0);
	bench->root = ctree_child(&bench->profile.tree, CTREE_ROOT,
		profile_frame(&bench->profile, "p", 1, FRAME_USER));
	map(bench, 7, CODE_AT, "/nowhere/leaf.so");
	map(bench, 7, CODE_AT + 0x1000, "/nowhere/caller.so");
}

static void
end(struct bench *bench)
{
	samples_release(&bench->samples);
	stack_survey_release(&bench->survey);
	profile_release(&bench->profile);
	symbolizer_free(bench->symbolizer);
	ingest_cache_free(bench->cache);
	perfdata_close(bench->reader);
	made_release(&bench->made);
}

static struct record
sample_of(uint32_t pid)
{
	return (struct record){
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.id = {.pid = pid, .tid = pid},
		.u.sample = {.ip = CODE_AT + 0x10,
			.user_regs = regs,
			.nuser_regs = NREGS,
			.user_regs_abi = PERF_SAMPLE_REGS_ABI_64,
			.user_stack = (const unsigned char *)stack,
			.user_stack_bytes = sizeof(stack),
			.misc = PERF_RECORD_MISC_USER},
	};
}

static void
put(struct bench *bench, const struct record *record)
{
	struct err err = {0};

	const struct timeline_entry no_wait = {.kind = WAIT_NONE};

	CU_ASSERT_EQUAL(samples_put(&bench->samples, record, bench->root, no_wait, &err), 0);
}

static void
settle(struct bench *bench)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(samples_flush(&bench->samples, &err), 0);
}

static void
finish(struct bench *bench)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(samples_finish(&bench->samples, &err), 0);
}

static void
expect(struct bench *bench, const char *expected)
{
	folded_check(&bench->profile, expected);
}

/* The case is skipped where the registers above are other ones. */
static bool
can_unwind(struct bench *bench)
{
	const struct unwind_machine *machine = bench->samples.machine;

	if (machine && strcmp(machine->name, "x86_64") == 0)
		return true;
	unit_skip("the samples are made for x86-64");
	end(bench);
	return false;
}

static void
test_walked(void)
{
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	/* Some that are walked at once, and more than one batch for several threads. */
	for (int i = 0; i < 10000; i++)
		put(&bench, &record);
	finish(&bench);
	expect(&bench, "p;[caller.so];[leaf.so] 10000\n");
	CU_ASSERT_EQUAL(bench.run.broken_stacks, 0);
	CU_ASSERT_EQUAL(bench.run.unknown_frames, 10000);
	CU_ASSERT_EQUAL(bench.survey.stacks, 10000);
	CU_ASSERT_EQUAL(bench.survey.complete, 10000);
	CU_ASSERT_EQUAL(bench.survey.alike, 0);
	end(&bench);
}

static void
test_settled(void)
{
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	put(&bench, &record);
	settle(&bench);
	expect(&bench, "p;[caller.so];[leaf.so] 1\n");
	finish(&bench);
	end(&bench);
}

/* Enough for several batches: of those before the change, some are named behind it. */
static void
test_maps_of_their_time(void)
{
	struct record record = sample_of(7);
	struct record other = sample_of(8);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	for (int i = 0; i < 5000; i++)
		put(&bench, &record);
	map(&bench, 7, CODE_AT, "/nowhere/other.so");
	symbolizer_fork(bench.symbolizer, 8, 7);
	symbolizer_exec(bench.symbolizer, 7);
	map(&bench, 7, CODE_AT, "/nowhere/third.so");
	put(&bench, &record);
	put(&bench, &other);
	finish(&bench);
	expect(&bench, "p;[caller.so];[leaf.so] 5000\np;[caller.so];[other.so] 1\n"
		       "p;[caller.so];[third.so] 1\n");
	end(&bench);
}

static void
test_deleted(void)
{
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	map(&bench, 7, CODE_AT, "/nowhere/replaced.so (deleted)");
	put(&bench, &record);
	finish(&bench);
	expect(&bench, "p;[caller.so];[replaced.so] 1\n");
	end(&bench);
}

static void
test_shapes(void)
{
	/* The stack grows downwards: callers lie above. */
	static const uint64_t astray[] = {16, CODE_AT + 0x1010};
	static uint64_t full[STACK_WANTED / sizeof(uint64_t)];
	struct record truncated = sample_of(7);
	struct record broken = sample_of(7);
	struct record ended;
	struct record cut;
	struct record without = sample_of(7);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	without.u.sample.user_stack = NULL;
	without.u.sample.user_stack_bytes = 0;
	full[0] = STACK_AT + STACK_WANTED;
	full[1] = CODE_AT + 0x1010;
	truncated.u.sample.user_stack = (const unsigned char *)full;
	truncated.u.sample.user_stack_bytes = sizeof(full);
	broken.u.sample.user_stack = (const unsigned char *)astray;
	broken.u.sample.user_stack_bytes = sizeof(astray);
	/* A copy of less than was requested holds all of the stack, or all that a record can. */
	ended = truncated;
	ended.u.sample.user_stack_bytes = sizeof(full) / 2;
	cut = ended;
	cut.u.sample.user_stack_cut = true;
	put(&bench, &without);
	put(&bench, &broken);
	put(&bench, &truncated);
	put(&bench, &ended);
	put(&bench, &cut);
	finish(&bench);
	CU_ASSERT_EQUAL(bench.survey.stacks, 5);
	CU_ASSERT_EQUAL(bench.survey.complete, 0);
	CU_ASSERT_EQUAL(bench.survey.truncated, 2);
	CU_ASSERT_EQUAL(bench.run.broken_stacks, 5);
	CU_ASSERT_EQUAL(bench.run.truncated_stacks, 2);
	expect(&bench, "p;[broken];[caller.so];[leaf.so] 1\np;[broken];[leaf.so] 2\n"
		       "p;[truncated];[caller.so];[leaf.so] 2\n");
	end(&bench);
}

/* What the kernel's own chain has is compared without its outermost frames. */
static void
test_chains(void)
{
	static const uint64_t same[] = {PERF_CONTEXT_USER, CODE_AT + 0x10, CODE_AT + 0x1010};
	static const uint64_t other[] = {PERF_CONTEXT_USER, CODE_AT + 0x20, CODE_AT + 0x1010};
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	record.u.sample.chain = same;
	record.u.sample.nchain = 3;
	put(&bench, &record);
	record.u.sample.chain = other;
	put(&bench, &record);
	finish(&bench);
	CU_ASSERT_EQUAL(bench.survey.complete, 2);
	CU_ASSERT_EQUAL(bench.survey.alike, 1);
	expect(&bench, "p;[caller.so];[leaf.so] 2\n");
	end(&bench);
}

static void
test_not_walked(void)
{
	static const uint64_t chain[] = {PERF_CONTEXT_USER, CODE_AT + 0x1010};
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	/* Registers of a 32-bit program. */
	record.u.sample.user_regs_abi = PERF_SAMPLE_REGS_ABI_32;
	record.u.sample.chain = chain;
	record.u.sample.nchain = 2;
	put(&bench, &record);
	expect(&bench, "p;[caller.so] 1\n");
	finish(&bench);
	CU_ASSERT_EQUAL(bench.survey.stacks, 0);
	end(&bench);
}

/* The reader's memory of a sample is used again after PERFDATA_KEPT records, wanted or not. */
static void
test_passed(void)
{
	struct record record = sample_of(7);
	struct record passed = {.type = PERF_RECORD_SAMPLE};
	uint64_t memory[sizeof(stack) / sizeof(stack[0])];
	struct bench bench;
	struct err err = {0};

	begin(&bench);
	if (!can_unwind(&bench))
		return;
	memcpy(memory, stack, sizeof(stack));
	record.u.sample.user_stack = (const unsigned char *)memory;
	put(&bench, &record);
	for (size_t i = 0; i < PERFDATA_KEPT; i++)
		CU_ASSERT_EQUAL(samples_forward(&bench.samples, &passed, &err), 0);
	memset(memory, 0, sizeof(memory));
	finish(&bench);
	expect(&bench, "p;[caller.so];[leaf.so] 1\n");
	end(&bench);
}

static void
test_abandoned(void)
{
	struct record record = sample_of(7);
	struct bench bench;

	begin(&bench);
	for (int i = 0; i < 10000; i++)
		put(&bench, &record);
	end(&bench);
}

void
suite_ingest_samples(void)
{
	static const struct unit_case cases[] = {
		{"every_sample_counts_however_many_batches_there_are", test_walked},
		{"settled_samples_are_in_the_tree", test_settled},
		{"samples_keep_the_maps_of_their_time", test_maps_of_their_time},
		{"a_deleted_files_code_is_named_by_the_file", test_deleted},
		{"stacks_that_cannot_be_walked_to_the_end_are_counted_as_such", test_shapes},
		{"the_kernel_s_chain_is_alike_where_it_has_the_same_callers", test_chains},
		{"a_sample_whose_stack_cannot_be_walked_has_the_kernel_s_chain", test_not_walked},
		{"samples_are_walked_while_others_are_passed_over", test_passed},
		{"samples_may_be_given_up_while_threads_walk_them", test_abandoned},
		{NULL, NULL},
	};

	unit_suite("ingest/samples", cases);
}
