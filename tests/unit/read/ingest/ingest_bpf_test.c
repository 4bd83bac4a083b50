#include "base/log.h"
#include "ingest/bpf_line.h"
#include "ingest/ingest.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_ingest_ingest_bpf(void);

static int
read_text(struct profile *profile, const char *text, const char *event, struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = event};
	const enum log_level level = log_get_level();

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	CU_ASSERT(ingest_find_format(view.data, view.len) == &ingest_bpf);
	log_set_level(LOG_ERROR);
	int result = ingest_bpf.read(profile, &view, "x.txt", &options, err);

	log_set_level(level);
	return result;
}

static void
expect_event(const char *text, const char *event, const char *unit, const char *folded)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(read_text(&profile, text, event, &err), 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	profile_release(&profile);
}

static void
expect(const char *text, const char *folded)
{
	expect_event(text, NULL, "samples", folded);
}

static void
refuses(const char *text, const char *what)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL(read_text(&profile, text, NULL, &err), -1);
	if (!strstr(err.text, what))
		printf("  | %s\n", err.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, what));
	profile_release(&profile);
}

static void
test_maps(void)
{
	expect("Attaching 2 probes...\n\n\n"
	       "@[, \n    leaf+15\n    main+37\n, spin]: 7\n"
	       "@[\n    vfs_read+3\n    entry_SYSCALL_64_after_hwframe+118\n, \n    leaf+25\n    main+37\n"
	       ", spin, 123]: 9\n@h: \n[32, 64)               2 |@@@@    |\n\n@k[19988, spin]: 50\n@n: 4\n",
		"spin;main;leaf 7\n"
		"spin;main;leaf;entry_SYSCALL_64_after_hwframe_[k];vfs_read_[k] 9\n");
	/* The program's stack may be first, and names ahead of it; code without a name. */
	expect("@[sh, \n    0x7f0012345678\n    main+0\n, \n    schedule+3\n    ret_from_fork_asm+26\n]: 1\n",
		"sh;main;[unknown];ret_from_fork_asm_[k];schedule_[k] 1\n");
	expect("@[\n    f+1\n]: 3\n@[\n]: 4\n@[]: 5\n", "(program) 9\n(program);f 3\n");
	/* As perf prints them. */
	expect("@[\n\tffffffff8110d4d3 do_syscall_64+0x5b ([kernel.kallsyms])\n"
	       "\t55e0aa112233 operator new(unsigned long)+12 (/usr/lib/libstdc++.so.6)\n]: 3\n",
		"(program);operator new(unsigned long);do_syscall_64 3\n");
}

static void
test_choice(void)
{
	static const char two[] = "@a[\n    f+1\n]: 3\n@b[\n    f+1\n]: 7\n";

	expect(two, "(program);f 3\n");
	expect_event(two, "@b", "samples", "(program);f 7\n");
}

static void
test_blocks(void)
{
	expect("Sampling at 99 Hertz of all threads by user + kernel stack for 2 secs.\n\n"
	       "    do_syscall_64+0x5b [kernel]\n    --\n    leaf+0x12 [spin]\n    [unknown] [libc.so.6]\n"
	       "    -                my spin (20123)\n        43\n\n"
	       "    [Missed User Stack]\n    -                other (1)\n        2\n\n"
	       "WARNING: 1 stack traces could not be displayed.\n",
		"my spin;[libc.so.6];leaf;do_syscall_64_[k] 43\nother;[Missed User Stack] 2\n");
	expect("Tracing 1 functions for \"ip_output\"... Hit Ctrl-C to end.\n^C\n12:00:59\n"
	       "  ip_output\n  tcp_write\n    --\n  send\n    curl [17]\n    4\n\n  ip_output\n    1\n\n"
	       "Detaching...\n",
		"(program);ip_output 1\ncurl;send;tcp_write_[k];ip_output_[k] 4\n");
}

static void
test_off_cpu(void)
{
	static const char block[] =
		"    bpf_prog_68_sched_switch\n    bpf_trace_run4\n    __schedule\n"
		"    schedule\n    do_nanosleep\n    entry_SYSCALL_64_after_hwframe\n"
		"    sleep\n    -                spin (9)\n        15\n\n";
	static const char folded[] =
		"spin;sleep;entry_SYSCALL_64_after_hwframe_[k];do_nanosleep_[k];"
		"sleep_[w] 15000\n";
	char text[512];

	expect_event(block, NULL, "ns", folded);
	snprintf(
		text, sizeof(text), "Tracing off-CPU time (us) of PID 9 by user stack.\n%s", block);
	expect_event(text, NULL, "ns", folded);
	/* Numbers of events have such stacks, too. */
	snprintf(text, sizeof(text),
		"Tracing 1 functions for \"schedule\"... Hit Ctrl-C to end.\n%s",
		"  schedule\n  f\n    app [3]\n    4\n");
	expect(text, "app;f;schedule 4\n");
	expect("@[\n    __schedule+3\n    f+1\n]: 3\n", "(program);f;__schedule 3\n");
}

static void
test_errors(void)
{
	refuses("@[\n    f+1\n]: 3\nhello\n", "x.txt:4:1: error: expected a map of bpftrace");
	refuses("@[\n    f+1\n]: 3\n@[\n    g+1\n]: 2\n",
		"x.txt:6:4: error: the map is printed a second");
	refuses("@[\n    f+1\n]: count 3, average 5, total 15\n",
		"x.txt:3:4: error: expected a number");
	refuses("@[\n    f+1\n]: -3\n", "expected a number");
	refuses("@[\n    f+1\n, \n    g+1\n, \n    h+1\n]: 3\n", "a third stack");
	refuses("@[\n    f+1\n]: 3\n@[\n    f+1\n",
		"x.txt:5:8: error: the file ends within a stack");
	refuses("@k[spin]: 3\n", "x.txt: holds no stacks");
	refuses("@h: \nsomething\n", "expected a line of a histogram");
	refuses("    f\n    -                a (1)\n    g\n        3\n",
		"x.txt:3:5: error: expected the number");
	refuses("    f\n        3\n    g\n\n", "x.txt:4:1: error: expected a frame");
	refuses("Tracing blocked time (us) by user + kernel stack\n    waker:           a 3\n",
		"with the option -f");
}

static void
test_others(void)
{
	static const char *const others[] = {"", "\n", "a;b 1\n", "    main;f 3\n", "    text\n",
		"@\n", "@x;f 3\n", "@x:y;f 3\n", "prog 1 1.0: 1 cycles:\n\t55e0 f+0x1 (/a)\n"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (ingest_bpf.detect(others[i], strlen(others[i])))
			CU_FAIL(others[i]);
}

/* Each kind of line that the tools' own printers know. */
static void
test_lines(void)
{
	static const struct {
		const char *text;
		enum bpf_line_kind kind;
	} lines[] = {
		/* bpftrace: src/output/text.cpp, and src/bpftrace.cpp of 0.17 */
		{"Attaching 2 probes...", BPF_NOTICE},
		{"Attached 1 probe", BPF_NOTICE},
		{"Lost 12 events", BPF_MESSAGE},
		{"WARNING: Map full; can't update element.", BPF_MESSAGE},
		{"ERROR: couldn't set RLIMIT_MEMLOCK for bpftrace.", BPF_MESSAGE},
		{"@[", BPF_MAP},
		{"@x_1[comm]: 3", BPF_MAP},
		{"@total: 3", BPF_MAP},
		{"    main+12", BPF_INDENTED},
		{"\t55e0 main+12 (/a)", BPF_INDENTED},
		{", comm]: 3", BPF_OTHER},
		/* bcc: tools/profile.py, offcputime.py, stackcount.py; libbpf-tools */
		{"Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.",
			BPF_HEADER},
		{"Sampling at every 100 events of PID [3] by kernel stack on CPU#1 for 3 secs.",
			BPF_HEADER},
		{"Tracing off-CPU time (us) of all threads by user stack for 5 secs.", BPF_HEADER},
		{"Tracing 3 functions for \"tcp*\"... Hit Ctrl-C to end.", BPF_HEADER},
		{"WARNING: 3 stack traces lost and could not be displayed.", BPF_MESSAGE},
		{"WARNING: hash table full. Consider increasing --hash-storage-size.", BPF_MESSAGE},
		{"failed to get syms", BPF_MESSAGE},
		{"failed to lookup info: -2", BPF_MESSAGE},
		{"Detaching...", BPF_NOTICE},
		{"^C", BPF_NOTICE},
		{"12:01:02", BPF_NOTICE},
		{"    [Missed Kernel Stack]", BPF_INDENTED},
		{"    --", BPF_INDENTED},
		{"    -                comm (12)", BPF_INDENTED},
		{"        12", BPF_NUMBER},
		{"", BPF_EMPTY},
		{"something else", BPF_OTHER},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (bpf_line_kind((struct line){lines[i].text, strlen(lines[i].text)}) !=
			lines[i].kind)
			CU_FAIL(lines[i].text);
}

static void
test_frames(void)
{
	static const struct {
		const char *text, *name;
		enum frame_kind kind;
	} frames[] = {
		{"main+15", "main", FRAME_USER},
		{"main+0x1f", "main", FRAME_USER},
		{"do_idle+0x1 [kernel]", "do_idle", FRAME_KERNEL},
		{"[unknown] [prog]", "[prog]", FRAME_USER},
		{"[unknown]", "[unknown]", FRAME_USER},
		{"unknown", "[unknown]", FRAME_USER},
		{"0x7f1234", "[unknown]", FRAME_USER},
		{"0x000055e012345678 f(int)+0x12 [prog]", "f(int)", FRAME_USER},
		{"#3  0x55e012345678 f+0x12 (prog+0x2e0)", "f", FRAME_USER},
		{"#3  0x55e012345678 [unknown]", "[unknown]", FRAME_USER},
		{"operator+", "operator+", FRAME_USER},
		{"T::operator+(T) const+7", "T::operator+(T) const", FRAME_USER},
		{"f (int)", "f (int)", FRAME_USER},
		{"ffffffff816b8244", "[unknown]", FRAME_USER},
		{"56373e9d6af7 0x56373e9d6af7 ([unknown])", "[unknown]", FRAME_USER},
		{"beef", "beef", FRAME_USER},
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct bpf_frame frame;

		CU_ASSERT(bpf_frame_parse(
			(struct line){frames[i].text, strlen(frames[i].text)}, &frame));
		if (frame.kind != frames[i].kind || frame.name.len != strlen(frames[i].name) ||
			memcmp(frame.name.at, frames[i].name, frame.name.len) != 0)
			CU_FAIL(frames[i].text);
	}
}

static const struct unit_case cases[] = {
	{"stacks_of_maps_are_read_with_their_names", test_maps},
	{"one_map_is_read_and_others_can_be_chosen", test_choice},
	{"blocks_of_bcc_are_stacks", test_blocks},
	{"times_off_the_cpu_have_their_reasons", test_off_cpu},
	{"errors_point_at_the_line", test_errors},
	{"other_text_is_not_taken", test_others},
	{"every_line_of_the_printers_is_known", test_lines},
	{"frames_are_without_addresses_offsets_and_modules", test_frames},
	{NULL, NULL},
};

void
suite_ingest_ingest_bpf(void)
{
	unit_suite("ingest/ingest_bpf", cases);
}
