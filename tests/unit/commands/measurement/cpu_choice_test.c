#include "measurement/cpu_choice.h"

#include "base/file.h"
#include "code/disassembler.h"
#include "scratch.h"
#include "unit.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

void suite_measurement_cpu_choice(void);

#ifdef __x86_64__
__attribute__((noinline, used)) void unit_asks_the_cpu(void);
__attribute__((noinline, used)) void unit_asks_nothing(void);

void
unit_asks_the_cpu(void)
{
	unsigned a = 0;
	unsigned c = 0;

	__asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "rbx", "rdx");
}

/* A function whose code has the bytes of CPUID only as a part of a number. */
void
unit_asks_nothing(void)
{
	__asm__ volatile("movl $0x11a20f11, %%eax" : : : "eax");
}

/* Finds the files in a capture, whose text `format` has %s for the program's path. */
static void
tell(const char *format, struct buf *text)
{
	char *self = realpath("/proc/self/exe", NULL);
	struct scratch scratch;
	struct err err = {0};
	struct buf capture = {0};

	scratch_init(&scratch);
	for (const char *at = format; *at; at++)
		buf_puts(&capture, *at == '%' ? self : (char[]){*at, '\0'});
	const char *path = scratch_path(&scratch, "capture");

	CU_ASSERT_EQUAL(file_write(path, capture.data, capture.len, &err), 0);
	cpu_choice_find(path, text);
	buf_release(&capture);
	scratch_release(&scratch);
	free(self);
}

static void
functions_that_were_executed_are_looked_at(void)
{
	static const struct {
		const char *text;
		bool chooses;
	} cases[] = {
		{"version: 1\nob=(1) %\nfn=(1) unit_asks_the_cpu'(2)'(3)\n", true},
		{"ob=%\nfn=unit_asks_the_cpu\n", true},
		{"ob=(2) /bin/sh\ncob=(1) %\nfn=(9) main\ncob=(1)\ncfn=(4) unit_asks_the_cpu\n",
			true},
		{"ob=(2) /bin/sh\nob=(1) %\nfn=(9) unit_asks_nothing\n", false},
		{"ob=(1) %\nfn=(9) main\nob=(2) /bin/sh\nfn=(4) unit_asks_the_cpu\n", false},
		{"ob=(3)\nfn=(4) unit_asks_the_cpu\nob=\nfn=(\ncfn=(2)\ncob=(", false},
		{"ob=/no/such/file\nfn=unit_asks_the_cpu\n", false},
	};
	struct disassembler *disassembler = disassembler_open(EM_X86_64);

	if (!disassembler) {
		unit_skip("libcapstone is not here");
		return;
	}
	disassembler_close(disassembler);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = {0};

		tell(cases[i].text, &text);
		CU_ASSERT_EQUAL(text.len > 0, cases[i].chooses);
		if (cases[i].chooses)
			UNIT_STR_EQ(strchr(buf_text(&text), '\n'), "\n");
		buf_release(&text);
	}
}
#else
static void
functions_that_were_executed_are_looked_at(void)
{
	unit_skip("this processor has no cpuid");
}
#endif

void
suite_measurement_cpu_choice(void)
{
	static const struct unit_case cases[] = {
		{"functions_that_were_executed_are_looked_at",
			functions_that_were_executed_are_looked_at},
		{NULL, NULL},
	};

	unit_suite("measurement/cpu_choice", cases);
}
