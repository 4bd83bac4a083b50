#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "perfdata/make_perfdata.h"
#include "profile/folded.h"
#include "unit.h"

#include <unistd.h>

static const uint64_t chain_a[] = {PERF_CONTEXT_USER, 0x5000};
static const uint64_t chain_b[] = {PERF_CONTEXT_USER, 0x6000};

/* Two processes, one of them with a second thread, and two events. */
static void
make_two(struct made_file *made)
{
	made_init(made);
	made->nattrs = 2;
	made_comm(made, 7, 1, "server one");
	made_comm(made, 8, 2, "client");
	made_mmap(made, 7, 3, 0x5000, 0x1000, "/nowhere/a.so");
	made_mmap(made, 8, 4, 0x6000, 0x1000, "/nowhere/b.so");
	made_sample(made, 11, 7, 10, chain_a, 2);
	made_sample(made, 11, 8, 20, chain_b, 2);
	made_sample(made, 12, 8, 30, chain_b, 2);
	made_sample(made, 12, 8, 40, chain_b, 2);
}

static int
read_made(struct made_file *made, const struct ingest_options *options, struct buf *out,
	struct err *err)
{
	struct file_view view = made_view(made);
	char path[] = "/tmp/profile_run-unit-XXXXXX";
	int fd = mkstemp(path);
	struct profile profile;
	int result = -1;

	*out = (struct buf){0};
	profile_init(&profile);
	if (fd >= 0 && write(fd, view.data, view.len) == (ssize_t)view.len)
		result = ingest_file(&profile, path, options, err);
	if (result == 0) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_SUM, out);
	}
	close(fd);
	unlink(path);
	profile_release(&profile);
	return result;
}

static void
expect(struct made_file *made, const struct ingest_options *options, const char *folded)
{
	struct err err = {0};
	struct buf out;

	CU_ASSERT_EQUAL(read_made(made, options, &out, &err), 0);
	UNIT_STR_EQ(buf_text(&out), folded);
	buf_release(&out);
}

static void
expect_error(struct made_file *made, const struct ingest_options *options, const char *part)
{
	struct err err = {0};
	struct buf out;

	CU_ASSERT_EQUAL(read_made(made, options, &out, &err), -1);
	UNIT_CONTAINS(err.text, part);
	buf_release(&out);
}

static void
test_selection(void)
{
	struct made_file made;

	make_two(&made);
	expect(&made, &(struct ingest_options){.pid = 7}, "server_one;[a.so] 1\n");
	expect(&made, &(struct ingest_options){.tid = 8}, "client;[b.so] 1\n");
	expect(&made, &(struct ingest_options){.comm = "client"}, "client;[b.so] 1\n");
	expect(&made, &(struct ingest_options){.comm = "server one"}, "server_one;[a.so] 1\n");
	expect(&made, &(struct ingest_options){.comm = "server_one"}, "server_one;[a.so] 1\n");
	expect_error(&made, &(struct ingest_options){.pid = 99},
		"none of its 2 samples are of the selected process, thread, phase or time");
	made_release(&made);
}

static void
test_events(void)
{
	struct made_file made;

	make_two(&made);
	expect(&made, &(struct ingest_options){.event = NULL},
		"client;[b.so] 1\nserver_one;[a.so] 1\n");
	expect(&made, &(struct ingest_options){.event = "page-faults"}, "client;[b.so] 2000000\n");
	expect(&made, &(struct ingest_options){.event = "page-faults", .weight = SAMPLE_WEIGHS_ONE},
		"client;[b.so] 2\n");
	expect_error(&made, &(struct ingest_options){.event = "page"}, "has no event 'page'");
	expect_error(&made, &(struct ingest_options){.event = "cycles"},
		"its events are: cpu-clock, page-faults");
	made_release(&made);
}

static void
test_no_phases(void)
{
	struct made_file made;

	make_two(&made);
	expect_error(&made, &(struct ingest_options){.by = {{{LABEL_PHASE, "phase"}}, 1}},
		"has no phases");
	made_release(&made);
}

static void
test_roots(void)
{
	struct made_file made;

	make_two(&made);
	expect(&made, &(struct ingest_options){.by = {{{LABEL_PROCESS, "process"}}, 1}},
		"client;[b.so] 1\nserver_one;[a.so] 1\n");
	expect(&made, &(struct ingest_options){.by = {{{LABEL_PID, "pid"}}, 1}},
		"client-8;[b.so] 1\nserver_one-7;[a.so] 1\n");
	expect(&made, &(struct ingest_options){.by = {{{LABEL_TID, "tid"}}, 1}},
		"client-8/8;[b.so] 1\nserver_one-7/7;[a.so] 1\n");
	made_release(&made);
}

/* As a condensed file has them. */
static void
test_marked_chains(void)
{
	static const uint64_t truncated[] = {PERF_CONTEXT_USER, 0x5000, PERF_CONTEXT_USER};
	static const uint64_t broken[] = {
		PERF_CONTEXT_USER, 0x5000, PERF_CONTEXT_USER, PERF_CONTEXT_USER};
	struct made_file made;

	made_init(&made);
	made_comm(&made, 7, 1, "p");
	made_mmap(&made, 7, 2, 0x5000, 0x1000, "/nowhere/a.so");
	made_sample(&made, 11, 7, 10, chain_a, 2);
	made_sample(&made, 11, 7, 20, truncated, 3);
	made_sample(&made, 11, 7, 30, broken, 4);
	expect(&made, NULL, "p;[a.so] 1\np;[broken];[a.so] 1\np;[truncated];[a.so] 1\n");
	expect(&made, &(struct ingest_options){.no_marks = true}, "p;[a.so] 3\n");
	made_release(&made);
}

/* A sample whose chain has `n` addresses, the outermost of which is `root`. */
static void
put_deep(struct made_file *made, size_t n, uint64_t root)
{
	uint64_t chain[256] = {PERF_CONTEXT_USER};

	for (size_t i = 1; i <= n; i++)
		chain[i] = 0x5000;
	chain[n] = root;
	made_sample(made, 11, 7, 10, chain, n + 1);
}

/* How many samples of the file have a stack that is cut. */
static void
expect_cut(struct made_file *made, uint64_t number, uint64_t of)
{
	static const struct ingest_options no_options;
	struct file_view view = made_view(made);
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_perfdata.read(&profile, &view, "x.data", &no_options, &err), 0);
	CU_ASSERT_EQUAL(profile.runs[0].samples, of);
	CU_ASSERT_EQUAL(profile.runs[0].truncated_stacks, number);
	CU_ASSERT_EQUAL(profile.runs[0].broken_stacks, number);
	profile_release(&profile);
	made_release(made);
}

static void
make_deep(struct made_file *made)
{
	made_init(made);
	made_comm(made, 7, 1, "p");
	made_mmap(made, 7, 2, 0x5000, 0x1000, "/nowhere/a.so");
}

static void
chains_end_at_the_limit_that_is_stated(void)
{
	struct made_file made;

	make_deep(&made);
	made.attrs[0].sample_max_stack = 3;
	put_deep(&made, 2, 0x5000);
	put_deep(&made, 3, 0x5000);
	expect(&made, NULL, "p;[a.so];[a.so] 1\np;[truncated];[a.so];[a.so];[a.so] 1\n");
	expect(&made, &(struct ingest_options){.no_marks = true},
		"p;[a.so];[a.so] 1\np;[a.so];[a.so];[a.so] 1\n");
	expect_cut(&made, 1, 2);
}

/* Stacks that were unwound from copies are as deep as they were. */
static void
copies_have_no_limit_of_frames(void)
{
	struct made_file made;

	make_deep(&made);
	made.attrs[0].sample_stack_user = 8192;
	put_deep(&made, 127, 0x5000);
	expect_cut(&made, 0, 1);
}

static void
chains_end_at_the_usual_limit(void)
{
	struct made_file made;

	make_deep(&made);
	put_deep(&made, 126, 0x5000);
	put_deep(&made, 127, 0x5000);
	put_deep(&made, 127, 0x5008);
	expect_cut(&made, 2, 3);
}

/* Longer chains than usual: another limit where they begin elsewhere than others, else none. */
static void
longer_chains_tell_the_limit(void)
{
	struct made_file made;

	make_deep(&made);
	put_deep(&made, 100, 0x5000);
	put_deep(&made, 200, 0x5008);
	put_deep(&made, 200, 0x5010);
	put_deep(&made, 127, 0x5000);
	expect_cut(&made, 2, 4);
	make_deep(&made);
	put_deep(&made, 100, 0x5000);
	put_deep(&made, 200, 0x5000);
	put_deep(&made, 200, 0x5000);
	expect_cut(&made, 0, 3);
	make_deep(&made);
	put_deep(&made, 150, 0x5000);
	put_deep(&made, 200, 0x5008);
	expect_cut(&made, 0, 2);
}

static void
test_branches(void)
{
	struct made_file made;

	made_init(&made);
	made.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
	made.attrs[0].branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	made_comm(&made, 7, 1, "p");
	made_sample(&made, 11, 7, 10, chain_a, 2);
	expect_error(&made, NULL, "record with --call-graph fp or dwarf");
	made_release(&made);
}

static void
put_nothing(struct made_file *made, uint32_t type, size_t bytes)
{
	struct buf body = {0};

	buf_put_zeros(&body, bytes);
	made_record(made, type, 0, &body);
	buf_release(&body);
}

/* A large file is not ordered as a whole: a damaged one has old samples behind newer ones. */
static void
test_time_goes_back(void)
{
	static const struct ingest_options everything;
	const uint32_t round_mark = 68;
	const uint32_t a_type_to_come = 90;
	struct made_file made;
	struct profile profile;
	struct err err = {0};

	make_two(&made);
	made.nattrs = 1;
	made_sample(&made, 11, 7, UINT64_C(5000000000), chain_a, 2);
	put_nothing(&made, round_mark, 0);
	put_nothing(&made, round_mark, 0);
	for (int i = 0; i < 1200; i++)
		put_nothing(&made, a_type_to_come, 60000);
	put_nothing(&made, round_mark, 0);
	made_sample(&made, 11, 7, UINT64_C(3000000000), chain_a, 2);

	struct file_view view = made_view(&made);

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_perfdata.read(&profile, &view, "x.data", &everything, &err), 0);
	CU_ASSERT_DOUBLE_EQUAL(profile.duration_s, 5, 0.001);
	profile_release(&profile);
	made_release(&made);
}

static void
test_condensing_other_formats(void)
{
	struct err err = {0};
	struct profile profile;
	char path[] = "/tmp/profile_run-unit-XXXXXX";
	int fd = mkstemp(path);

	profile_init(&profile);
	CU_ASSERT_EQUAL(write(fd, "a;b 1\n", 6), 6);
	CU_ASSERT_EQUAL(ingest_file(&profile, path,
				&(struct ingest_options){.condensed = "/nowhere/x"}, &err),
		-1);
	UNIT_CONTAINS(err.text, "only perf.data can become a smaller perf.data");
	close(fd);
	unlink(path);
	profile_release(&profile);
}

static const struct unit_case cases[] = {
	{"only_the_process_thread_or_name_asked_for_is_read", test_selection},
	{"each_event_is_a_profile_of_its_own", test_events},
	{"roots_tell_processes_and_threads_apart", test_roots},
	{"a_file_without_phases_is_not_cut_by_them", test_no_phases},
	{"incomplete_stacks_stand_below_a_mark", test_marked_chains},
	{"chains_end_at_the_limit_that_is_stated", chains_end_at_the_limit_that_is_stated},
	{"copies_have_no_limit_of_frames", copies_have_no_limit_of_frames},
	{"chains_end_at_the_usual_limit", chains_end_at_the_usual_limit},
	{"longer_chains_tell_the_limit", longer_chains_tell_the_limit},
	{"call_chains_out_of_branch_records_are_refused", test_branches},
	{"the_duration_is_from_the_oldest_sample_to_the_newest", test_time_goes_back},
	{"only_perf_data_is_condensed", test_condensing_other_formats},
	{NULL, NULL},
};

void suite_ingest_ingest_perfdata(void);

void
suite_ingest_ingest_perfdata(void)
{
	unit_suite("ingest/ingest_perfdata", cases);
}
