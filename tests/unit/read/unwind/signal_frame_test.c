#include "unwind/unwind_internal.h"

#include "unit.h"

#include <string.h>

void suite_unwind_signal_frame(void);

#define STACK UINT64_C(0xfffff0001000)
#define LR 30
#define SP 31
#define ALL (UINT64_MAX >> (64 - 33))

/* In words: the first register, the stack pointer, the program counter and the mark. */
enum {
	REGS = 39,
	FRAME_SP = REGS + 31,
	FRAME_PC,
	MARK = 74,
	WORDS = 75,
};

static void
make(uint64_t words[WORDS], struct stack_copy *copy, struct unwind_regs *regs)
{
	memset(words, 0, WORDS * sizeof(words[0]));
	for (unsigned reg = 0; reg < 31; reg++)
		words[REGS + reg] = 1000 + reg;
	words[FRAME_SP] = STACK + 8192;
	words[FRAME_PC] = 0x400120;
	words[MARK] = UINT64_C(528) << 32 | 0x46508001;
	*copy = (struct stack_copy){
		(const unsigned char *)words, WORDS * sizeof(words[0]), STACK, 0, 0};
	*regs = (struct unwind_regs){.known = ALL, .pc = 0x1000};
	regs->values[SP] = STACK;
}

static void
test_registers(void)
{
	uint64_t words[WORDS];
	struct stack_copy copy;
	struct unwind_regs regs;

	make(words, &copy, &regs);
	CU_ASSERT_TRUE(signal_frame_leave(unwind_machine_find("aarch64"), &copy, false, &regs));
	CU_ASSERT_EQUAL(regs.pc, 0x400120);
	CU_ASSERT_EQUAL(regs.values[SP], STACK + 8192);
	for (unsigned reg = 0; reg < 31; reg++)
		CU_ASSERT_EQUAL(regs.values[reg], 1000 + reg);
	CU_ASSERT_EQUAL(regs.known, UINT64_MAX >> (64 - 32));
}

static void
test_others(void)
{
	const struct unwind_machine *machine = unwind_machine_find("aarch64");
	uint64_t words[WORDS];
	struct stack_copy copy;
	struct unwind_regs regs;

	make(words, &copy, &regs);
	CU_ASSERT_FALSE(signal_frame_leave(unwind_machine_find("x86_64"), &copy, false, &regs));
	regs.known &= ~(UINT64_C(1) << SP);
	CU_ASSERT_FALSE(signal_frame_leave(machine, &copy, false, &regs));
	make(words, &copy, &regs);
	copy.len -= 1;
	CU_ASSERT_FALSE(signal_frame_leave(machine, &copy, false, &regs));
	make(words, &copy, &regs);
	words[MARK] ^= 1;
	CU_ASSERT_FALSE(signal_frame_leave(machine, &copy, false, &regs));
	CU_ASSERT_EQUAL(regs.pc, 0x1000);
	CU_ASSERT_EQUAL(regs.known, ALL);
}

static void
test_executing(void)
{
	const struct unwind_machine *machine = unwind_machine_find("aarch64");
	uint64_t words[WORDS];
	struct stack_copy copy;
	struct unwind_regs regs;

	make(words, &copy, &regs);
	CU_ASSERT_FALSE(signal_frame_leave(machine, &copy, true, &regs));
	for (unsigned at = 0; at <= 4; at += 4) {
		make(words, &copy, &regs);
		regs.values[LR] = regs.pc - at;
		CU_ASSERT_TRUE(signal_frame_leave(machine, &copy, true, &regs));
	}
}

void
suite_unwind_signal_frame(void)
{
	static const struct unit_case cases[] = {
		{"registers_are_those_of_what_was_interrupted", test_registers},
		{"what_is_no_signal_frame_changes_nothing", test_others},
		{"a_handler_has_just_returned_to_a_trampoline_that_executes", test_executing},
		{NULL, NULL},
	};

	unit_suite("unwind/signal_frame", cases);
}
