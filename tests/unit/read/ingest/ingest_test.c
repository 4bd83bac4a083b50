
#include "ingest/ingest.h"

#include "base/log.h"
#include "ingest/labels.h"
#include "ingest/selection.h"
#include "perfdata/make_perfdata.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

void suite_ingest_ingest(void);

/* Writes `bytes` into a file, reads it, and puts the folded result or the error into `out`. */
static int
ingest_bytes(const char *bytes, size_t len, struct profile *profile, struct buf *out)
{
	char dir[] = "/tmp/ingest_test.XXXXXX";
	struct err err = {0};
	enum log_level level = log_get_level();

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *path = file_join(dir, "input");

	CU_ASSERT_EQUAL_FATAL(file_write(path, bytes, len, &err), 0);
	profile_init(profile);
	*out = (struct buf){0};
	log_set_level(LOG_ERROR);

	int result = ingest_file(profile, path, NULL, &err);

	log_set_level(level);
	if (result == 0) {
		profile_sort(profile);
		folded_write(profile, FOLDED_SUM, out);
	} else {
		buf_puts(out, err.text);
	}
	file_remove_tree(dir, &err);
	free(path);
	return result;
}

static void
expect_folded(const char *bytes, size_t len, const char *expected)
{
	struct profile profile;
	struct buf out;

	CU_ASSERT_EQUAL(ingest_bytes(bytes, len, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
	profile_release(&profile);
}

static void
expect_error(const char *bytes, size_t len, const char *part)
{
	struct profile profile;
	struct buf out;

	CU_ASSERT_EQUAL(ingest_bytes(bytes, len, &profile, &out), -1);
	UNIT_CONTAINS(buf_text(&out), part);
	buf_release(&out);
	profile_release(&profile);
}

static const uint64_t user_chain[] = {PERF_CONTEXT_USER, 0x1000, 0x5004};
static const uint64_t guest_chain[] = {
	PERF_CONTEXT_GUEST_KERNEL, 0x7777, PERF_CONTEXT_USER, 0x1000};

static void
test_perfdata(void)
{
	struct made_file made;
	struct profile profile;
	struct buf out;

	made_init(&made);
	made_comm(&made, 7, 1, "my prog");
	made_comm(&made, 9, 1, "");
	made_mmap(&made, 7, 2, 0x5000, 0x1000, "/nowhere/libgone.so");
	made_sample(&made, 11, 7, 1000000000, user_chain, 3);
	made_sample(&made, 11, 7, 1500000000, user_chain, 3);
	made_sample(&made, 11, 8, 2500000000, user_chain, 2);
	made_sample(&made, 11, 9, 2550000000, user_chain, 2);
	made_sample(&made, 11, 7, 2600000000, guest_chain, 4);
	made_lost(&made, 30, 5);

	struct file_view view = made_view(&made);

	CU_ASSERT_EQUAL(ingest_bytes(view.data, view.len, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), "(unnamed);[unknown] 1\n"
				    ":8;[unknown] 1\n"
				    "my_prog;[libgone.so];[unknown] 2\n"
				    "my_prog;[unknown] 1\n");
	CU_ASSERT_EQUAL_FATAL(profile.nruns, 1);
	CU_ASSERT_EQUAL(profile.runs[0].samples, 5);
	CU_ASSERT_EQUAL(profile.runs[0].lost, 5);
	CU_ASSERT_EQUAL(profile.runs[0].unknown_frames, 5);
	CU_ASSERT_EQUAL(profile.runs[0].period, 1000000);
	UNIT_NEAR(profile.runs[0].cost_total, 5e6, 0);
	UNIT_NEAR(profile.frequency_hz, 1000, 0);
	UNIT_NEAR(profile.duration_s, 1.6, 1e-9);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.event), "cpu-clock");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "cpu");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.callgraph), "fp");
	buf_release(&out);
	profile_release(&profile);
	made_release(&made);
}

static void
test_invalid_marker(void)
{
	static const uint64_t after_leaf[] = {
		PERF_CONTEXT_USER, 0x5000, UINT64_MAX, PERF_CONTEXT_USER, 0x6000};
	static const uint64_t after_caller[] = {PERF_CONTEXT_USER, 0x5000, 0x6000, UINT64_MAX - 15};
	static const uint64_t at_once[] = {UINT64_MAX, 0x5000};
	struct made_file made;
	struct profile profile;
	struct buf out;

	made_init(&made);
	made_comm(&made, 7, 1, "p");
	made_mmap(&made, 7, 2, 0x5000, 0x1000, "/nowhere/leaf.so");
	made_mmap(&made, 7, 3, 0x6000, 0x1000, "/nowhere/caller.so");
	made_sample(&made, 11, 7, 10, after_leaf, 5);
	made_sample(&made, 11, 7, 20, after_caller, 4);
	made_sample(&made, 11, 7, 30, at_once, 2);

	struct file_view view = made_view(&made);

	CU_ASSERT_EQUAL(ingest_bytes(view.data, view.len, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), "p;[broken];[caller.so];[leaf.so] 1\n"
				    "p;[broken];[leaf.so] 2\n");
	CU_ASSERT_EQUAL_FATAL(profile.nruns, 1);
	CU_ASSERT_EQUAL(profile.runs[0].broken_stacks, 3);
	buf_release(&out);
	profile_release(&profile);
	made_release(&made);
}

static void
test_guest_marker(void)
{
	struct made_file made;
	struct profile profile;
	struct buf out;

	made_init(&made);
	made_comm(&made, 7, 1, "p");
	made_mmap(&made, 7, 2, 0x1000, 0x1000, "/nowhere/host.so");
	made_sample(&made, 11, 7, 10, guest_chain, 4);

	struct file_view view = made_view(&made);

	CU_ASSERT_EQUAL(ingest_bytes(view.data, view.len, &profile, &out), 0);
	UNIT_STR_EQ(buf_text(&out), "p;[host.so] 1\n");
	CU_ASSERT_EQUAL(profile.runs[0].broken_stacks, 0);
	buf_release(&out);
	profile_release(&profile);
	made_release(&made);
}

static void
test_remapped(void)
{
	static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x5000};
	struct made_file made;

	made_init(&made);
	made_comm(&made, 7, 1, "p");
	made_mmap(&made, 7, 2, 0x5000, 0x1000, "/nowhere/old.so");
	made_sample(&made, 11, 7, 10, chain, 2);
	made_mmap(&made, 7, 20, 0x5000, 0x1000, "/nowhere/new.so");
	made_sample(&made, 11, 7, 30, chain, 2);

	struct file_view view = made_view(&made);

	expect_folded(view.data, view.len, "p;[new.so] 1\np;[old.so] 1\n");
	made_release(&made);
}

static void
test_largest_event(void)
{
	struct made_file made;

	made_init(&made);
	made.nattrs = 2;
	made_comm(&made, 7, 1, "p");
	made_sample(&made, 12, 7, 10, user_chain, 2);
	made_sample(&made, 11, 7, 20, user_chain, 2);
	made_sample(&made, 12, 7, 30, user_chain, 2);

	struct file_view view = made_view(&made);

	/* Each stands for the period of its event. */
	expect_folded(view.data, view.len, "p;[unknown] 2000000\n");
	made_release(&made);
}

static void
test_no_samples(void)
{
	struct made_file made;

	made_init(&made);
	made.attrs[0].enable_on_exec = 1;
	made_comm(&made, 7, 1, "p");

	struct file_view view = made_view(&made);

	expect_error(view.data, view.len, "holds no samples of cpu-clock");
	expect_error(view.data, view.len, "execute it repeatedly");
	made_release(&made);
	/* For a process that ran already there is no command to execute repeatedly. */
	made_init(&made);
	made_comm(&made, 7, 1, "p");
	view = made_view(&made);
	expect_error(view.data, view.len, "holds no samples of cpu-clock");
	expect_error(view.data, view.len, "record for longer, or, for a process that waits,");
	made_release(&made);
}

static void
test_script(void)
{
	static const char text[] = "# a comment\n"
				   "my prog  7/8 [000]  1.5:  100 cpu-clock:ppp: \n"
				   "\t  1010 leaf+0x10 (/tmp/a prog)\n"
				   "\t  2020 [unknown] (/tmp/a prog)\n"
				   "\n"
				   "other  9  2.5:  100 page-faults: \n"
				   "\t  1010 leaf+0x10 (/tmp/a prog)\n"
				   "\n"
				   "my prog  7/8 [000]  3.5:  100 cpu-clock:ppp: \n"
				   "\tffffffff81 do_mmap+0x1 ([kernel.kallsyms])\n"
				   "\t  1010 inner (inlined)\n"
				   "\t  1010 leaf+0x10 (/tmp/a prog)";

	expect_folded(text, strlen(text),
		"my_prog;[a prog];leaf 1\n"
		"my_prog;leaf;inner_[i];do_mmap_[k] 1\n");
}

static void
test_script_broken(void)
{
	static const char text[] = "prog  7  1.5:  100 cpu-clock: \n"
				   "\t  1010 leaf (/tmp/a)\n"
				   "\n"
				   "something else\n";

	expect_error(text, strlen(text), ":4:1: error:");
}

static void
test_folded(void)
{
	static const char text[] = "main;parse 3\nmain 1\n";

	static const char wide[] = "main;parse;read;next_token 201400\n";

	expect_folded(text, strlen(text), "main 1\nmain;parse 3\n");
	/* A weight as wide as the id of a thread in perf's text. */
	expect_folded(wide, strlen(wide), wide);
}

static void
test_folded_brackets(void)
{
	static const char lambda[] = "<lambda>;f 3\n";
	static const char closure[] = "{closure};f 3\n";
	static const char svg[] = "<?xml version=\"1.0\" standalone=\"no\"?>\n<a x=\"1\" y= 3\n";

	expect_folded(lambda, strlen(lambda), lambda);
	expect_folded(closure, strlen(closure), closure);
	expect_error(svg, strlen(svg), "XML");
	expect_error("{ \"a\": 1,\n", 10, "JSON");
	expect_error("{\"a\": 1\n", 8, "JSON");
}

static void
test_refused(void)
{
	expect_error("", 0, "an empty file");
	expect_error("\x1f\x8b\x08\x00", 4, "gzip");
	expect_error("\x7f"
		     "ELF\x02\x01",
		6, "its ELF header is damaged");
	expect_error("{\"a\": 1}", 8, "JSON");
	expect_error("hello there\n", 12, "some other text");
	expect_error("hello there\n", 12,
		"perf.data, ELF, callgrind, pprof, speedscope, cpuprofile, firefox, bpf-stacks, perf-script, gprof, "
		"offcputime, folded");
}

static void
test_folder(void)
{
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_file(&profile, "/usr", NULL, &err), -1);
	UNIT_CONTAINS(err.text, "is a folder");
	profile_release(&profile);
}

static void
test_formats(void)
{
	for (size_t i = 0; input_formats[i]; i++) {
		CU_ASSERT(strlen(input_formats[i]->name) > 0);
		CU_ASSERT(strlen(input_formats[i]->summary) > 0);
		CU_ASSERT_PTR_NOT_NULL(input_formats[i]->read);
		CU_ASSERT(input_formats[i]->detect && !input_formats[i]->detect("", 0));
	}
}

static bool
takes(const char *wanted, const char *name, size_t len)
{
	const struct ingest_options options = {.comm = wanted};

	return selection_takes(&options, 7, 8, name, len);
}

static void
test_match(void)
{
	CU_ASSERT(takes("a b", "a b", 3));
	CU_ASSERT(takes("a_b", "a b", 3));
	CU_ASSERT(takes("a b", "a_b", 3));
	CU_ASSERT(!takes("a b", "a-b", 3));
	CU_ASSERT(!takes("a b", "a b", 2));
	CU_ASSERT(!takes("a", "ab", 2));
	CU_ASSERT(takes("", "x", 0));
}

static void
expect_value(enum label_kind kind, const char *name, const char *expected)
{
	char *text = selection_value(kind, name, strlen(name), 7, 8);

	UNIT_STR_EQ(text, expected);
	free(text);
}

static void
test_roots(void)
{
	expect_value(LABEL_THREAD, "a b", "a_b");
	expect_value(LABEL_PROCESS, "", "(unnamed)");
	expect_value(LABEL_PID, "a b", "a_b-7");
	expect_value(LABEL_TID, "a", "a-7/8");
}

static const struct unit_case cases[] = {
	{"perfdata_gives_stacks_counts_and_description", test_perfdata},
	{"a_stack_ends_at_a_marker_that_does_not_exist_and_is_broken", test_invalid_marker},
	{"a_guests_addresses_are_left_out_and_break_nothing", test_guest_marker},
	{"an_address_is_named_by_the_map_of_its_moment", test_remapped},
	{"of_two_events_the_largest_is_read", test_largest_event},
	{"perfdata_without_samples_is_an_error", test_no_samples},
	{"perf_script_text_reads_as_its_stacks", test_script},
	{"broken_perf_script_text_is_pointed_at", test_script_broken},
	{"folded_text_is_distinguished", test_folded},
	{"folded_text_may_begin_with_a_bracket", test_folded_brackets},
	{"what_no_format_reads_is_named", test_refused},
	{"a_folder_is_refused", test_folder},
	{"every_format_says_what_it_is", test_formats},
	{"a_space_and_an_underscore_match_each_other", test_match},
	{"roots_are_called_as_they_are_shown", test_roots},
	{NULL, NULL},
};

void
suite_ingest_ingest(void)
{
	unit_suite("ingest/ingest", cases);
}
