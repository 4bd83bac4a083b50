/* Whole files: callgrind_part, callgrind_graph, callgrind_stacks and callgrind_estimate as one. */
#include "base/log.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "profile/folded.h"
#include "unit.h"

#include "stderr_file.h"

void suite_ingest_ingest_callgrind(void);

static int
read_text(const char *text, const struct ingest_options *options, struct profile *profile,
	struct buf *out)
{
	static const struct ingest_options everything;
	struct file_view view = {.data = text, .len = strlen(text)};
	struct err err = {0};

	profile_init(profile);
	int result = ingest_callgrind.read(
		profile, &view, "in.out", options ? options : &everything, &err);

	if (result == 0) {
		profile_sort(profile);
		folded_write(profile, FOLDED_SUM, out);
	} else {
		buf_puts(out, err.text);
	}
	return result;
}

static void
expect(const char *text, struct ingest_options options, const char *expected)
{
	struct profile profile;
	struct buf out = {0};

	CU_ASSERT_EQUAL(read_text(text, &options, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), expected);
	profile_release(&profile);
	buf_release(&out);
}

static void
expect_error(const char *text, struct ingest_options options, const char *part)
{
	struct profile profile;
	struct buf out = {0};

	CU_ASSERT_EQUAL(read_text(text, &options, &profile, &out), -1);
	UNIT_CONTAINS(buf_text(&out), part);
	profile_release(&profile);
	buf_release(&out);
}

#define HEADER                                                                                   \
	"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 42\ncmd: /opt/app -x\n" \
	"part: 1\n\ndesc: Trigger: Program termination\n\npositions: line\nevents: Ir\n"         \
	"summary: 820\n\n"

/* The example of the specification (3.1.5): func2 is called from two places. */
static const char extended[] = HEADER "ob=(1) /opt/app\n"
				      "fl=(1) file1.c\n"
				      "fn=(1) main\n"
				      "16 20\n"
				      "cfn=(2) func1\n"
				      "calls=1 50\n"
				      "+0 400\n"
				      "cfi=(2) file2.c\n"
				      "cfn=(3) func2\n"
				      "calls=3 20\n"
				      "* 400\n"
				      "\n"
				      "fn=(2)\n"
				      "51 100\n"
				      "cfi=(2)\n"
				      "cfn=(3)\n"
				      "calls=2 20\n"
				      "51 300\n"
				      "\n"
				      "fl=(2)\n"
				      "fn=(3)\n"
				      "20 700\n"
				      "totals: 820\n";

static void
costs_of_a_plain_graph_follow_the_calls(void)
{
	expect(extended, (struct ingest_options){0},
		"app;main 20\n"
		"app;main;func1 100\n"
		"app;main;func1;func2 300\n"
		"app;main;func2 400\n");
}

static void
what_the_file_tells_is_taken_over(void)
{
	struct profile profile;
	struct buf out = {0};
	const struct ingest_options options = {0};

	CU_ASSERT_EQUAL_FATAL(read_text(extended, &options, &profile, &out), 0);
	const struct strtab *strings = &profile.strings;

	UNIT_STR_EQ(strtab_str(strings, profile.unit), "instructions");
	UNIT_STR_EQ(strtab_str(strings, profile.metric), "instructions");
	UNIT_STR_EQ(strtab_str(strings, profile.cost_unit), "instructions");
	UNIT_STR_EQ(strtab_str(strings, profile.event), "Ir");
	UNIT_STR_EQ(strtab_str(strings, profile.command), "/opt/app -x");
	UNIT_CONTAINS(strtab_str(strings, profile.callgraph_why), "estimated");
	CU_ASSERT_EQUAL(profile.nruns, 1);
	CU_ASSERT_EQUAL(profile.runs[0].cost_total, 820);
	CU_ASSERT_EQUAL(profile.runs[0].samples, 820);
	CU_ASSERT_FALSE(profile.runs[0].measured);
	const struct frame *frame =
		&profile.frames.frames[profile_frame(&profile, "func2", 5, FRAME_USER)];

	UNIT_STR_EQ(strtab_str(strings, frame->module), "/opt/app");
	UNIT_STR_EQ(strtab_str(strings, frame->file), "file2.c");
	profile_release(&profile);
	buf_release(&out);
}

static void
contexts_are_stacks(void)
{
	expect(HEADER "fn=(0) start\n1 1\n"
		      "fn=(1) main'start\n1 2\n"
		      "fn=(2) f'main'start\n1 3\ncfn=(3) f'2'f'main'start\ncalls=1 1\n1 9\n"
		      "fn=(3)\n1 4\n"
		      "fn=(4) g'main'start\n1 5\n",
		(struct ingest_options){0},
		"app;start 1\n"
		"app;start;main 2\n"
		"app;start;main;f 3\n"
		"app;start;main;f;f 4\n"
		"app;start;main;g 5\n");
}

static void
numbered_contexts_are_stacks(void)
{
	expect(HEADER "fn=(0) 0x0000000000001100\nfn=(1) main\nfn=(2) it's\n"
		      "ob=(1) /lib/ld.so.2\nfn=(0)\n1 1\n"
		      "ob=(2) /opt/app\nfn=(10) (1)'(0)\n1 2\nfn=(11) (2)'(1)'(0)\n1 3\n",
		(struct ingest_options){0},
		"app;[ld.so.2] 1\n"
		"app;[ld.so.2];main 2\n"
		"app;[ld.so.2];main;it's 3\n");
}

static void
contexts_that_are_cut_are_marked(void)
{
	static const char text[] = HEADER "fn=main\n1 1\n"
					  "fn=f'main\n1 2\n"
					  "fn=g'f\n1 3\n";

	expect(text, (struct ingest_options){0},
		"app;[truncated];f;g 3\napp;main 1\napp;main;f 2\n");
	expect(text, (struct ingest_options){.no_marks = true},
		"app;f;g 3\napp;main 1\napp;main;f 2\n");
}

static void
cycles_are_broken_and_lose_nothing(void)
{
	expect(HEADER "fn=main\n1 10\ncfn=a\ncalls=1 1\n1 90\n"
		      "fn=a\n1 30\ncfn=b\ncalls=1 1\n1 60\ncfn=a\ncalls=1 1\n1 5\n"
		      "fn=b\n1 60\ncfn=a\ncalls=1 1\n1 50\n",
		(struct ingest_options){0}, "app;main 10\napp;main;a 30\napp;main;a;b 60\n");
	expect(HEADER "fn=a\n1 30\ncfn=b\ncalls=1 1\n1 60\n"
		      "fn=b\n1 60\ncfn=a\ncalls=1 1\n1 50\n",
		(struct ingest_options){0}, "app;a 30\napp;a;b 60\n");
}

static void
shares_are_whole_numbers_that_make_the_cost(void)
{
	expect(HEADER "fn=main\n1 1\ncfn=a\ncalls=1 1\n1 10\ncfn=b\ncalls=1 1\n1 10\n"
		      "cfn=c\ncalls=1 1\n1 10\n"
		      "fn=a\n1 0\ncfn=x\ncalls=1 1\n1 10\n"
		      "fn=b\n1 0\ncfn=x\ncalls=1 1\n1 10\n"
		      "fn=c\n1 0\ncfn=x\ncalls=1 1\n1 10\n"
		      "fn=x\n1 100\n",
		(struct ingest_options){0},
		"app;main 1\napp;main;a;x 33\napp;main;b;x 34\napp;main;c;x 33\n");
}

/* Layers of functions that each call both of the next: 2^60 stacks. */
static void
stacks_without_number_are_left_out_by_their_cost(void)
{
	struct buf text = {0};
	struct buf out = {0};
	struct profile profile;
	const struct ingest_options options = {0};

	buf_puts(&text, HEADER "fn=main\n1 1\ncfn=f0_0\ncalls=1 1\n1 6000\ncfn=f0_1\ncalls=1 1\n"
			       "1 6000\n");
	for (int layer = 0; layer < 60; layer++)
		for (int i = 0; i < 2; i++)
			buf_printf(&text,
				"fn=f%d_%d\n1 100\ncfn=f%d_0\ncalls=1 1\n1 %d\ncfn=f%d_1\n"
				"calls=1 1\n1 %d\n",
				layer, i, layer + 1, 50 * (59 - layer), layer + 1,
				50 * (59 - layer));
	CU_ASSERT_EQUAL(read_text(buf_text(&text), &options, &profile, &out), 0);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 12001);
	UNIT_CONTAINS(buf_text(&out), "app;[truncated];f");
	profile_release(&profile);
	buf_release(&text);
	buf_release(&out);
}

static void
parts_and_files_are_added_up(void)
{
	expect(HEADER "fn=(1) main\n1 5\ntotals: 5\n"
		      "part: 2\nevents: Ir\nfn=(1)\n1 6\ntotals: 6\n" HEADER
		      "fn=(1) other\n1 7\ntotals: 7\n",
		(struct ingest_options){0}, "app;main 11\napp;other 7\n");
}

static const char threads[] =
	"version: 1\npid: 7\ncmd: a b\nthread: 1\nevents: Ir Dr\nfn=f\n1 2 1\n"
	"thread: 2\nevents: Ir Dr\nfn=f\n1 3 9\n"
	"version: 1\npid: 8\ncmd: c\nevents: Ir Dr\nfn=g\n1 4 8\n";

static void
options_choose_processes_threads_and_events(void)
{
	expect(threads, (struct ingest_options){0}, "a;f 5\nc;g 4\n");
	expect(threads, (struct ingest_options){.pid = 7}, "a;f 5\n");
	expect(threads, (struct ingest_options){.tid = 2}, "a;f 3\n");
	expect(threads, (struct ingest_options){.comm = "c"}, "c;g 4\n");
	expect(threads, (struct ingest_options){.event = "Dr"}, "a;f 10\nc;g 8\n");
	expect(threads, (struct ingest_options){.by = {{{LABEL_TID, "tid"}}, 1}},
		"a-7/1;f 2\na-7/2;f 3\nc-8/8;g 4\n");
	expect_error(threads, (struct ingest_options){.event = "Dw"}, "its events are: Ir, Dr");
	expect_error(threads, (struct ingest_options){.pid = 9}, "9 of other processes");
}

#define CACHE_EVENTS "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\n"
#define CACHE_COSTS                            \
	"fn=f'main\n3 100 20 10 2 4 5 1 2 3\n" \
	"fn=main\n9 30 0 0 1\ntotals: 130 20 10 3 4 5 1 2 3\n"

/* callgrind_annotate and KCachegrind say 12, 6 and 130 + 10 * 12 + 100 * 6 of such a file. */
static void
misses_are_sums_of_events(void)
{
	static const char text[] = "version: 1\ncmd: a\n" CACHE_EVENTS CACHE_COSTS;
	struct stderr_file file;
	char said[512];

	stderr_file_begin(&file);
	expect(text, (struct ingest_options){0}, "a;main 30\na;main;f 100\n");
	expect(text, (struct ingest_options){.event = "instructions"}, "a;main 30\na;main;f 100\n");
	expect(text, (struct ingest_options){.event = "D1mw"}, "a;main;f 5\n");
	expect(text, (struct ingest_options){.event = "l1_misses"}, "a;main 1\na;main;f 11\n");
	expect(text, (struct ingest_options){.event = "ll_misses"}, "a;main;f 6\n");
	expect(text, (struct ingest_options){.event = "estimated_cycles"},
		"a;main 40\na;main;f 810\n");
	stderr_file_end(&file, said, sizeof(said));
	UNIT_STR_EQ(said, "");
	expect_error(threads, (struct ingest_options){.event = "l1_misses"},
		"'l1_misses' needs those of callgrind --cache-sim=yes");
}

static void
the_metric_that_a_file_states_is_read(void)
{
#define STATING(metric)                                                 \
	"# callgrind format\nversion: 1\ncmd: a\ndesc: Metric: " metric \
	"\n" CACHE_EVENTS CACHE_COSTS
	struct profile profile;
	struct buf out = {0};
	const struct ingest_options options = {0};

	CU_ASSERT_EQUAL_FATAL(read_text(STATING("l1_misses"), &options, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), "a;main 1\na;main;f 11\n");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "l1_misses");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.event), "l1_misses");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.unit), "simulated L1 misses");
	CU_ASSERT_EQUAL(profile.runs[0].cost_total, 12);
	profile_release(&profile);
	buf_release(&out);
	expect(STATING("l1_misses"), (struct ingest_options){.event = "Dr"}, "a;main;f 20\n");
	/* What is not known, or cannot be, is as if it were not there. */
	expect(STATING("cpu"), (struct ingest_options){0}, "a;main 30\na;main;f 100\n");
	expect(STATING("a very long name, longer than any of ours"), (struct ingest_options){0},
		"a;main 30\na;main;f 100\n");
	expect("desc: Metric: l1_misses\nevents: Ir\nfn=f\n1 2\n", (struct ingest_options){0},
		"(unnamed);f 2\n");
#undef STATING
}

static void
addresses_and_jumps_are_no_costs(void)
{
	expect("positions: instr line\nevents: Ir\nfn=f\n0x80001234 90 1\n"
	       "jcnd=3/4 +3 *\n+3 +1\njump=2 0x1 1\n* *\n+3 * 5\n",
		(struct ingest_options){0}, "(unnamed);f 6\n");
	/* For jumps between files; the names of their targets are defined there. */
	expect("version: 1\ncmd: ./p\nevents: Ir\nfl=a.c\nfn=main\n1 5\njfi=b.h\njcnd=1/1 3\n2\n"
	       "fi=b.h\n3 7\n",
		(struct ingest_options){0}, "p;main 12\n");
	expect(HEADER "fl=(1) a.c\nfn=(1) f\n1 5\njfi=(2) b.h\njfn=(2) g\njump=4 9\n2\n"
		      "fl=(2)\nfn=(2)\n9 7\n",
		(struct ingest_options){0}, "app;f 5\napp;g 7\n");
}

static void
each_process_has_its_own_root(void)
{
	/* As many nodes of the tree as of frames would hide that one is taken for the other. */
#define PROCESS(name) "version: 1\ncmd: ./" name "\nevents: Ir\n"
	expect(PROCESS("one") "fn=main\n1 1\nfn=f'main\n1 2\nfn=g'main\n1 3\nfn=f'g'main\n1 4\n"
			      "fn=g'f'main\n1 5\n" PROCESS(
				      "other") "fn=main\n1 6\nfn=f'main\n1 7\n",
		(struct ingest_options){0},
		"one;main 1\none;main;f 2\none;main;f;g 5\none;main;g 3\none;main;g;f 4\n"
		"other;main 6\nother;main;f 7\n");
#undef PROCESS
}

static void
names_lose_the_versions_of_symbols(void)
{
	expect(HEADER "ob=/lib/libc.so.6\nfn=memcpy@@GLIBC_2.14\n1 1\nfn=0x12ab\n1 2\n"
		      "ob=???\nfn=???\n1 3\n",
		(struct ingest_options){0}, "app;[libc.so.6] 2\napp;[unknown] 3\napp;memcpy 1\n");
}

static void
totals_that_are_not_met_are_reported(void)
{
	struct stderr_file file;
	char text[512];

	stderr_file_begin(&file);
	expect(HEADER "fn=f\n1 2\ntotals: 3\n", (struct ingest_options){0}, "app;f 2\n");
	stderr_file_end(&file, text, sizeof(text));
	UNIT_CONTAINS(text, "a total of 3, but its costs add up to 2");
}

static void
errors_point_at_the_line(void)
{
	expect_error("version: 1\nevents: Ir\nfn=f\n1 x\n", (struct ingest_options){0},
		"in.out:4:3: error: expected a number");
	expect_error("version: 1\nevents: Ir\nfn=(3)\n", (struct ingest_options){0},
		"in.out:3:4: error: this function was given no name");
	expect_error("version: 1\nfn=f\n", (struct ingest_options){0}, "in.out:2:1: error:");
	expect_error(
		"version: 1\nevents: Ir\nwhat\n", (struct ingest_options){0}, "in.out:3:1: error:");
	expect_error("version: 1\nevents: Ir\n", (struct ingest_options){0}, "holds no costs");
	expect_error(
		HEADER "fn=f\n1 2 3\n", (struct ingest_options){0}, ":5: error: expected a number");
	expect_error(
		HEADER "fn=f\n1 2.5\n", (struct ingest_options){0}, ":3: error: expected a number");
	expect_error(HEADER "fn=f\n+\n", (struct ingest_options){0}, "a number for each position");
	expect_error(HEADER "fn=f\n1 2\ncalls=1 2\n1 2\n", (struct ingest_options){0},
		":1: error: expected \"cfn=NAME\"");
	expect_error(
		HEADER "fn=f\ncfn=g\ncalls=x\n1 2\n", (struct ingest_options){0}, ":7: error:");
	expect_error(HEADER "fn=f\n1 2\ncfn=g\ncalls=1 2\nfn=h\n1 2\n", (struct ingest_options){0},
		"expected the line of the costs of the call");
	expect_error(HEADER "fn=f\n1 2\njump=1 2\n3 4\n", (struct ingest_options){0},
		":3: error: expected a number");
	expect_error(HEADER "fn=f\n1 2\ncfn=g\ncalls=1 2\n", (struct ingest_options){0},
		"ends after a call");
	expect_error("positions:\nevents: Ir\nfn=f\n1 2\n", (struct ingest_options){0},
		"in.out:3:1: error: the line \"positions:\"");
}

static bool
detects(const char *text)
{
	return ingest_callgrind.detect(text, strlen(text));
}

static void
it_is_distinguished_from_other_formats(void)
{
	CU_ASSERT_TRUE(detects("# callgrind format\nversion: 1\n"));
	CU_ASSERT_TRUE(detects("version: 1\ncreator: x\npid: 1\ncmd: a\n\nevents: Ir\n"));
	CU_ASSERT_TRUE(detects("desc: I1 cache: x\ncmd: a\nevents: Ir I1mr\nfl=x\n"));
	CU_ASSERT_FALSE(detects("# runs: 2\n# event: cycles\nmain;f 3 4\n"));
	CU_ASSERT_FALSE(detects("app 42 1.0: 200000 cpu-clock:\n\t1 f+0x1 (/a)\n"));
	CU_ASSERT_FALSE(detects("version: 1;f 3\n"));
	CU_ASSERT_FALSE(detects("desc;f 3\n"));
	CU_ASSERT_FALSE(detects(""));
}

void
suite_ingest_ingest_callgrind(void)
{
	static const struct unit_case cases[] = {
		{"costs_of_a_plain_graph_follow_the_calls",
			costs_of_a_plain_graph_follow_the_calls},
		{"what_the_file_tells_is_taken_over", what_the_file_tells_is_taken_over},
		{"contexts_are_stacks", contexts_are_stacks},
		{"numbered_contexts_are_stacks", numbered_contexts_are_stacks},
		{"contexts_that_are_cut_are_marked", contexts_that_are_cut_are_marked},
		{"cycles_are_broken_and_lose_nothing", cycles_are_broken_and_lose_nothing},
		{"shares_are_whole_numbers_that_make_the_cost",
			shares_are_whole_numbers_that_make_the_cost},
		{"stacks_without_number_are_left_out_by_their_cost",
			stacks_without_number_are_left_out_by_their_cost},
		{"parts_and_files_are_added_up", parts_and_files_are_added_up},
		{"options_choose_processes_threads_and_events",
			options_choose_processes_threads_and_events},
		{"misses_are_sums_of_events", misses_are_sums_of_events},
		{"the_metric_that_a_file_states_is_read", the_metric_that_a_file_states_is_read},
		{"addresses_and_jumps_are_no_costs", addresses_and_jumps_are_no_costs},
		{"each_process_has_its_own_root", each_process_has_its_own_root},
		{"names_lose_the_versions_of_symbols", names_lose_the_versions_of_symbols},
		{"totals_that_are_not_met_are_reported", totals_that_are_not_met_are_reported},
		{"errors_point_at_the_line", errors_point_at_the_line},
		{"it_is_distinguished_from_other_formats", it_is_distinguished_from_other_formats},
		{NULL, NULL},
	};

	unit_suite("ingest/ingest_callgrind", cases);
}
