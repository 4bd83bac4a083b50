/*
 * The reader of perf script's text beside the fields that perf's own printer knows: for each of
 * them a text that has it, as perf prints it.
 *
 * Source of the list: all_output_options[] of tools/perf/builtin-script.c of Linux 6.12.
 */
#include "base/log.h"
#include "ingest/ingest.h"
#include "profile/folded.h"
#include "unit.h"

void suite_ingest_script_fields(void);

static int
fold(const char *text, struct buf *out)
{
	static const struct ingest_options everything;
	struct file_view view = {.data = text, .len = strlen(text)};
	struct profile profile;
	struct err err = {0};
	enum log_level level = log_get_level();

	profile_init(&profile);
	log_set_level(LOG_ERROR);
	int result = ingest_script.read(&profile, &view, "in.txt", &everything, &err);

	log_set_level(level);
	if (result == 0) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_SUM, out);
	} else {
		buf_puts(out, err.text);
	}
	profile_release(&profile);
	return result;
}

/* NULL: is refused. */
static void
expect(const char *text, const char *folded)
{
	struct buf out = {0};

	CU_ASSERT_EQUAL(fold(text, &out), folded ? 0 : -1);
	if (folded && strcmp(buf_text(&out), folded) != 0)
		UNIT_STR_EQ(buf_text(&out), folded);
	buf_release(&out);
}

struct field {
	const char *name;
	const char *text;
	const char *folded;
};

#define START "my prog   100/100    837.986916:          1 cpu-clock: "
#define ALONE "         my prog   100/100    837.986916:          1 cpu-clock: "
#define CHAIN                                           \
	"\n"                                            \
	"\t            30d7 leaf+0x10 (/opt/my prog)\n" \
	"\t            29aa main+0x20 (/opt/my prog)\n"
#define FRAME "             30d7 leaf+0x10 (/opt/my prog)"
#define BOTH "my_prog;main;leaf 1\n"
#define ONE "my_prog;leaf 1\n"

static const struct field fields[] = {
	{"comm", "  100/100    837.986916:          1 cpu-clock: " CHAIN "\n", "main;leaf 1\n"},
	{"tid", "my prog   100    837.986916:          1 cpu-clock: " CHAIN "\n", BOTH},
	{"pid", "my prog    837.986916:          1 cpu-clock: " CHAIN "\n", BOTH},
	{"time", "my prog   100          1 cpu-clock: " CHAIN "\n", BOTH},
	{"cpu", "my prog   100 [003]    837.986916:          1 cpu-clock: " CHAIN "\n", BOTH},
	{"event", "my prog   100    837.986916:          1 " CHAIN "\n", BOTH},
	{"trace",
		"  my prog   100    837.986916: sched:sched_switch: prev_comm=a b ==> c=1" CHAIN
		"\n",
		BOTH},
	{"trace", "my prog   100    837.986916: probe:f: (55d0c0de1234) a=1\n", "my_prog 1\n"},
	{"ip", "         my prog   100    837.986916:          1 cpu-clock: \n", "my_prog 1\n"},
	{"ip", "my prog \n\t            30d7\n\n", NULL},
	{"sym", START "\n\t            30d7 (/opt/my prog)\n\n", "my_prog;[my prog] 1\n"},
	{"dso",
		START
		"\n\tffffffff81000c82 f(int) const\n\t            29aa operator() (x)+0x1\n\n",
		"my_prog;operator() (x);f(int) const_[k] 1\n"},
	{"dsoff", START "\n\t            30d7 leaf+0x10 (/opt/my prog+0x30d7)\n\n", ONE},
	{"addr", START "    7ffd10936970 [unknown] ([stack])" CHAIN "\n", BOTH},
	{"addr", ALONE "    7ffd10936970 [unknown] ([stack])" FRAME "\n", ONE},
	{"addr", ALONE "    7ffd10936970 [unknown] ([stack])\n", "my_prog 1\n"},
	{"symoff", START "\n\t            30d7 leaf (/opt/my prog)\n\n", ONE},
	{"srcline",
		START "\n\t            30d7 leaf+0x10\n  prog.cc:14 (inlined)\n"
		      "\t            30d7 main+0x10 (/opt/my prog)\n  prog.cc:25\n\n",
		"my_prog;main;leaf_[i] 1\n"},
	{"srcline", ALONE FRAME "\n  prog.cc:14 ABI:2    AX:0x1  ilen: 3\n", ONE},
	{"period", "my prog   100    837.986916: cpu-clock: " CHAIN "\n", BOTH},
	{"iregs", START CHAIN " ABI:2    AX:0x1    BX:0x2 \n", BOTH},
	{"uregs", ALONE FRAME " ABI:2    AX:0x1    BX:0x2  ABI:2    AX:0x1 \n", ONE},
	{"brstack", START CHAIN " 0x1010/0x1020/P/-/-/0/COND/-  0x1/0x2/M/X/A/12//- \n", BOTH},
	{"brstack", ALONE FRAME " 0x1010(/a b)/0x1020(/a)/P/-/-/0/COND/- \n", ONE},
	{"brstacksym", START CHAIN "main+0x3(/opt/my prog)/leaf+0x1(/x)/P/-/-/0/CALL/- \n", BOTH},
	{"brstacksym", ALONE FRAME "main+0x3(/opt/my prog)/leaf+0x1(/x)/P/-/-/0/CALL/- \n", NULL},
	{"data_src",
		ALONE "         5080021 |OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK N/A "
		      "             35" FRAME "\n",
		ONE},
	{"weight", ALONE "              35" FRAME "\n", ONE},
	{"weight", START "              35" CHAIN "\n", BOTH},
	{"bpf-output",
		ALONE FRAME "\n      BPF output: 0000: 01 02 03 04 05 06 07 08  ........\n"
			    "                  0008: 61 00                    a.\n"
			    "      BPF string: \"a\"\n\n",
		ONE},
	{"callindent",
		ALONE "    leaf                        " FRAME " =>     7f01c0de1234 g (/x)\n",
		ONE},
	{"insn", START CHAIN " insn: 48 31 d0\n", BOTH},
	{"insn", ALONE FRAME " insn: 48 31 d0\n", ONE},
	{"disasm", START CHAIN "\t\txorq %rdx, %rax\n", BOTH},
	{"insnlen", ALONE FRAME " ilen: 3\n", ONE},
	{"brstackinsn",
		START CHAIN "\n\tmain+12:\n\t0000000000401136\tpush %rbp\n"
			    "\t0000000000401137\tjz 0x12  \t# PRED 3 cycles [3]\n\n",
		BOTH},
	{"brstackoff", ALONE FRAME " 0x10(/a)/0x20(/a)/P/-/-/0 \n", ONE},
	{"synth", ALONE " cbr: 42 freq: 4219 MHz (156%)   " FRAME "\n", ONE},
	{"synth",
		"         my prog   100    837.986916:  cbr:  cbr: 42 freq: 4219 MHz (156%)" FRAME
		"\n",
		ONE},
	{"phys_addr", START CHAIN "        12345678\n", BOTH},
	{"phys_addr", ALONE FRAME "        12345678 N/A 4K\n", ONE},
	{"metric",
		START CHAIN "\nmy prog   100/100    837.986916: \tmetric:  1.00 insn per cycle\n",
		BOTH},
	{"misc", "my prog   100/100   U        837.986916:          1 cpu-clock: " CHAIN "\n",
		BOTH},
	{"srccode", START CHAIN "\n|14       int main(void) { return 5.5: 1 cycles: }\n", BOTH},
	{"ipc", ALONE FRAME " \t IPC: 0.50 (10/20) \n", ONE},
	{"tod",
		"my prog   100/100   2026-11-27 23:45:16.039120   837.986916:          1 cpu-clock: " CHAIN
		"\n",
		BOTH},
	{"data_page_size", START CHAIN " N/A\n", BOTH},
	{"code_page_size", ALONE FRAME " 4K\n", ONE},
	{"ins_lat", ALONE "              35               7" FRAME "\n", ONE},
	{"brstackinsnlen", START CHAIN "\n\tmain+12:\n\t0000000000401136\tpush %rbp\tilen: 1\n\n",
		BOTH},
	{"machine_pid", "VM:  123 " START CHAIN "\n", BOTH},
	{"vcpu", "VM:  123 VCPU:001 " START CHAIN "\n", BOTH},
	{"cgroup", ALONE " /user.slice/a b" FRAME "\n", ONE},
	{"retire_lat", ALONE "              35               7               1" FRAME "\n", ONE},
	{"brstackdisasm", START CHAIN "\n\tmain+12:\n\t0000000000401136\tpushq %rbp\n\n", BOTH},
	{"brcntr", START CHAIN " 0x1010/0x1020/P/-/-/0/COND/-/A \n", BOTH},
	/* -F +flags */
	{"flags", ALONE "                        " FRAME "\n", ONE},
	{"flags", ALONE "  call                  " FRAME "\n", ONE},
	{"flags", ALONE "                            7ffd10936970\n", "my_prog 1\n"},
};

static void
fields_that_perf_prints_are_read_or_refused(void)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const unsigned failures = CU_get_number_of_failures();

		expect(fields[i].text, fields[i].folded);
		if (CU_get_number_of_failures() > failures)
			fprintf(stderr, "field %s, row %zu\n", fields[i].name, i);
	}
}

static void
fields_that_are_missing_are_no_others(void)
{
	/* Names of threads that look like ids and periods, and the reverse. */
	expect("io 31337    837.986916: cpu-clock: " CHAIN "\n"
	       "pool (x) 12: y    837.986917: cpu-clock: " CHAIN "\n",
		"io_31337;main;leaf 1\npool_(x)_12:_y;main;leaf 1\n");
	expect("            1234 cpu-clock: " FRAME "\n         my prog cpu-clock: " FRAME "\n",
		"1234;leaf 1\nmy_prog;leaf 1\n");
	expect("\n\t            30d7 leaf\n\t            29aa main\n\n"
	       "\n\t            29aa main\n\n",
		"main 1\nmain;leaf 1\n");
	expect("my prog \n\t            30d7 leaf\n\t            29aa main\n\n", BOTH);
	expect("         my prog              30d7 leaf\n", ONE);
	/* Lists without stacks are no folded text. */
	expect("         my prog   100 \n", NULL);
	expect("   1001001 \n", NULL);
}

static void
other_lines_between_samples_are_skipped(void)
{
	expect("# captured on: x\n"
	       "perf-exec  4721 [003]     5.000000: PERF_RECORD_COMM exec: prog:4721/4721\n"
	       "prog  4721 [003]     5.000000: PERF_RECORD_MMAP2 4721/4721: [0x4(0x1) @ 0]: r-xp /a\n"
	       "PERF_RECORD_FINISHED_ROUND\n" START CHAIN "\n"
	       "Warning:\nProcessed 4346 events and lost 144 chunks!\n\n"
	       "Check IO/CPU overload!\n\n" START "\n\t            30d7 leaf+0x10 (/opt/my prog)\n"
	       "addr2line: 'x': No such file\n"
	       "\t            29aa main+0x20 (/opt/my prog)\n\n"
	       "[kernel.kallsyms] with build id 12ab not found, continuing without symbols\n"
	       " instruction trace error type 1 time 5.5 cpu 1 pid 1 tid 1 ip 0 code 5: Lost\n"
	       "prog  4721     5.000000: PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 7\n"
	       "\t\t[0/net: 3/0xf0000081, 1/uts: 3/0xeffffffe, 2/ipc: 3/0xefffffff, \n"
	       "\t\t 4/user: 3/0xeffffffd]\n",
		"my_prog;main;leaf 2\n");
	expect(START CHAIN "\nTerminated by somebody:\n\n", NULL);
	expect(START "\n\t            30d7 leaf+0x10 (/opt/my prog)\nnobody knows this\n", NULL);
	expect(START CHAIN "\n\t            29aa main+0x20 (/opt/my prog)\n", NULL);
}

void
suite_ingest_script_fields(void)
{
	static const struct unit_case cases[] = {
		{"fields_that_perf_prints_are_read_or_refused",
			fields_that_perf_prints_are_read_or_refused},
		{"fields_that_are_missing_are_no_others", fields_that_are_missing_are_no_others},
		{"other_lines_between_samples_are_skipped",
			other_lines_between_samples_are_skipped},
		{NULL, NULL},
	};

	unit_suite("ingest/script_fields", cases);
}
