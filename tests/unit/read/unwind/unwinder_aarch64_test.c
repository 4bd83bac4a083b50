/*
 * Walks of AArch64, where no test can ask the processor. tests/e2e/aarch64_test.sh reads what was
 * recorded on one.
 */
#include "unwind/unwinder.h"

#include "unit.h"
#include "unwind/made_walk.h"

#include <stdlib.h>

void suite_unwind_unwinder_aarch64(void);

enum {
	FP = 29,
	LR = 30,
	SP = 31,
};

/* Where the vDSO is mapped: code without rows. */
#define VDSO UINT64_C(0xffff00000000)
/* Bits of a signature, above those of an address. */
#define SIGNED UINT64_C(0x2f51000000000000)

static void
test_link_register(void)
{
	struct made made;

	begin(&made, "aarch64");
	FUNCTION(&made, 0x00, DW_CFA_nop);
	/* stp x29, x30, [sp, -32]!, signed with pointer authentication. */
	FUNCTION(&made, 0x10, 0x2d, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4,
		DW_CFA_offset | 30, 3);
	FUNCTION(&made, 0x20, DW_CFA_undefined, 30);
	set(&made, 30, CODE + 0x14);
	made.words[0] = STACK + 100;
	made.words[1] = (CODE + 0x24) | UINT64_C(0x2f) << 56 | UINT64_C(0x51) << 48;
	walk(&made, 4);
	CHECK_FRAMES(&made, UNWIND_ROOT, 4, 0x14, 0x24);
	CU_ASSERT_EQUAL(made.stack.reached_bytes, 16);
	end(&made);
}

static void
test_link_register_is_used_once(void)
{
	struct made made;

	begin(&made, "aarch64");
	/* It does not save the link register, and yet it called someone. */
	FUNCTION(&made, 0x00, DW_CFA_nop);
	set(&made, 30, CODE + 0x8);
	walk(&made, 4);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 4, 8);
	end(&made);
}

static void
test_frame_records(void)
{
	struct made made;

	begin(&made, "aarch64");
	FUNCTION(&made, 0x20, DW_CFA_def_cfa, 29, 16, DW_CFA_offset | 29, 2, DW_CFA_offset | 30, 1);
	FUNCTION(&made, 0x30, DW_CFA_undefined, 30);
	/* A record's place in its frame is not known: the stack pointer is lost. */
	set(&made, 29, STACK + 32);
	made.words[4] = STACK + 64;
	made.words[5] = CODE + 0x24;
	made.words[8] = STACK + 96;
	made.words[9] = (CODE + 0x34) | UINT64_C(0x7f) << 55;
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x100, 0x24, 0x34);
	end(&made);
}

/* Beside the file, code without rows at VDSO. */
static void
map_vdso(struct made *made, struct unwind_map maps[2], uint64_t pc)
{
	walk(made, 0);
	maps[0] = made->map;
	maps[1] = (struct unwind_map){.start = VDSO, .end = VDSO + 0x1000};
	made->space = (struct unwind_space){.maps = maps, .nmaps = 2};
	made->input.regs.pc = pc;
	unwinder_walk(made->unwinder, &made->input, &made->stack);
}

#define CHECK_STACK(made, how, ...)                                                  \
	do {                                                                         \
		const uint64_t wanted[] = {__VA_ARGS__};                             \
		size_t count = sizeof(wanted) / sizeof(wanted[0]);                   \
		CU_ASSERT_EQUAL((made)->stack.end, how);                             \
		CU_ASSERT_EQUAL((made)->stack.count, count);                         \
		for (size_t i = 0; i < count && i < (made)->stack.count; i++)        \
			CU_ASSERT_EQUAL((made)->stack.frames[i].address, wanted[i]); \
	} while (0)

/* Words of a struct rt_sigframe. */
enum {
	FRAME_REGS = (128 + 176 + 8) / 8,
	FRAME_SP = FRAME_REGS + 31,
	FRAME_PC,
	FRAME_MARK = (128 + 176 + 288) / 8,
	FRAME_WORDS = FRAME_MARK + 66,
};

/* A signal frame at word `at`: a leaf at CODE + `pc`, called from CODE + 0x24, was interrupted. */
static void
put_signal_frame(uint64_t *words, size_t at, uint64_t pc)
{
	words[at + FRAME_REGS + LR] = CODE + 0x24;
	words[at + FRAME_SP] = STACK + (at + FRAME_WORDS) * 8;
	words[at + FRAME_PC] = CODE + pc;
	words[at + FRAME_MARK] = UINT64_C(0x21046508001);
}

/* The leaf of put_signal_frame() and its caller, the root; a handler at 0x40. */
static void
put_interrupted(struct made *made)
{
	FUNCTION(made, 0x00, DW_CFA_nop);
	FUNCTION(made, 0x20, DW_CFA_undefined, LR);
	FUNCTION(made, 0x40, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | LR, 2);
}

static void
test_signal_frame(void)
{
	struct unwind_map maps[2];
	struct made made;
	uint64_t words[FRAME_WORDS + 2] = {VDSO + 0x7bc};

	begin(&made, "aarch64");
	put_interrupted(&made);
	put_signal_frame(words, 2, 0x8);
	made.words_of = words;
	made.input.stack_bytes = sizeof(words);
	map_vdso(&made, maps, CODE + 0x44);
	CHECK_STACK(&made, UNWIND_ROOT, CODE + 0x44, VDSO + 0x7bc, CODE + 0x8, CODE + 0x24);
	CU_ASSERT_TRUE(made.stack.frames[2].exact);
	CU_ASSERT_FALSE(made.stack.frames[3].exact);
	/* Without the mark it is some other code: there is no way on. */
	words[2 + FRAME_MARK]++;
	unwinder_walk(made.unwinder, &made.input, &made.stack);
	CHECK_STACK(&made, UNWIND_BROKEN, CODE + 0x44, VDSO + 0x7bc);
	end(&made);
}

static void
test_trampoline_is_left(void)
{
	struct unwind_map maps[2];
	struct made made;
	uint64_t words[FRAME_WORDS] = {0};

	begin(&made, "aarch64");
	put_interrupted(&made);
	put_signal_frame(words, 0, 0x8);
	made.words_of = words;
	made.input.stack_bytes = sizeof(words);
	set(&made, LR, (VDSO + 0x7bc) | SIGNED);
	map_vdso(&made, maps, VDSO + 0x7bc);
	CHECK_STACK(&made, UNWIND_ROOT, VDSO + 0x7bc, CODE + 0x8, CODE + 0x24);
	made.input.regs.pc = VDSO + 0x7c0;
	unwinder_walk(made.unwinder, &made.input, &made.stack);
	CHECK_STACK(&made, UNWIND_ROOT, VDSO + 0x7c0, CODE + 0x8, CODE + 0x24);
	/* Other code there may find an old signal frame on its stack. */
	made.input.regs.pc = VDSO + 0x100;
	unwinder_walk(made.unwinder, &made.input, &made.stack);
	CHECK_STACK(&made, UNWIND_BROKEN, VDSO + 0x100);
	end(&made);
}

/* So kernels before 5.9 had it: a row to the frame record, whose return address is the caller's. */
static void
test_rows_of_the_trampoline(void)
{
	struct made made;
	uint64_t words[FRAME_WORDS] = {0};

	begin(&made, "aarch64");
	put_interrupted(&made);
	signals(&made);
	FUNCTION(&made, 0x60, DW_CFA_def_cfa, FP, 0, DW_CFA_offset_extended_sf, FP, 0,
		DW_CFA_offset_extended_sf, LR, 0x7f);
	put_signal_frame(words, 0, 0x8);
	made.words_of = words;
	made.input.stack_bytes = sizeof(words);
	set(&made, LR, CODE + 0x60);
	walk(&made, 0x60);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x60, 0x8, 0x24);
	end(&made);
}

static void
test_leaf_without_rows(void)
{
	struct unwind_map maps[2];
	struct made made;

	begin(&made, "aarch64");
	put_interrupted(&made);
	made.words[0] = CODE + 0x24;
	set(&made, LR, (CODE + 0x44) | SIGNED);
	set(&made, FP, 0);
	map_vdso(&made, maps, VDSO + 0x300);
	CHECK_STACK(&made, UNWIND_ROOT, VDSO + 0x300, CODE + 0x44, CODE + 0x24);
	/* It has called someone: where it returns to itself is on the stack. */
	set(&made, LR, VDSO + 0x200);
	unwinder_walk(made.unwinder, &made.input, &made.stack);
	CHECK_STACK(&made, UNWIND_BROKEN, VDSO + 0x300);
	end(&made);
}

/* _dl_runtime_resolve says that its CFA is where the stack pointer was after the stub's push. */
static void
test_pushed_by_stub(void)
{
	struct made made;

	begin(&made, "aarch64");
	put_interrupted(&made);
	FUNCTION(&made, 0x60, DW_CFA_offset_extended_sf, LR, 0x7f, DW_CFA_def_cfa_offset, 16);
	made.words[3] = CODE + 0x44;
	made.words[4] = CODE + 0x24;
	walk(&made, 0x68);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x68, 0x44, 0x24);
	end(&made);
}

#define LR 30
#define OTHER UINT64_C(0x660000000000)
/* A leaf at CODE, a function that has stored the register at 0x10; code without rows at OTHER. */
struct leaf {
	struct made made;
	struct unwind_map maps[2];
	struct unwind_regs regs;
	uint64_t caller;
};

static void
leaf_begin(struct leaf *leaf)
{
	begin(&leaf->made, "aarch64");
	FUNCTION(&leaf->made, 0x00, DW_CFA_nop);
	FUNCTION(&leaf->made, 0x10, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 30, 1);
	walk(&leaf->made, 0);
	leaf->maps[0] = leaf->made.map;
	leaf->maps[1] = (struct unwind_map){.start = OTHER, .end = OTHER + 0x1000};
	leaf->made.space = (struct unwind_space){.maps = leaf->maps, .nmaps = 2};
	leaf->regs = (struct unwind_regs){.known = BIT(LR)};
	leaf->regs.values[LR] = (CODE + 0x18) | SIGNED;
}

static bool
returns(struct leaf *leaf, uint64_t pc)
{
	return unwind_leaf_caller(
		leaf->made.machine, &leaf->made.space, &leaf->regs, pc, &leaf->caller);
}

static void
test_rows(void)
{
	struct leaf leaf;

	leaf_begin(&leaf);
	CU_ASSERT_TRUE(returns(&leaf, CODE + 4));
	CU_ASSERT_EQUAL(leaf.caller, CODE + 0x18);
	CU_ASSERT_FALSE(returns(&leaf, CODE + 0x14));
	/* No row at all, in a file that has some. */
	CU_ASSERT_FALSE(returns(&leaf, CODE + 0x44));
	end(&leaf.made);
}

static void
test_no_rows(void)
{
	struct leaf leaf;

	leaf_begin(&leaf);
	CU_ASSERT_TRUE(returns(&leaf, OTHER + 0x100));
	CU_ASSERT_EQUAL(leaf.caller, CODE + 0x18);
	/* Its own address is where a call from it has returned to. */
	leaf.regs.values[LR] = OTHER + 0x80;
	CU_ASSERT_FALSE(returns(&leaf, OTHER + 0x100));
	end(&leaf.made);
}

static void
test_useless(void)
{
	struct leaf leaf;

	leaf_begin(&leaf);
	leaf.regs.values[LR] = 0;
	CU_ASSERT_FALSE(returns(&leaf, CODE + 4));
	leaf.regs.values[LR] = 0x1234;
	CU_ASSERT_FALSE(returns(&leaf, CODE + 4));
	leaf.regs.values[LR] = CODE + 0x18;
	CU_ASSERT_FALSE(returns(&leaf, 0x1234));
	leaf.regs.known = 0;
	CU_ASSERT_FALSE(returns(&leaf, CODE + 4));
	leaf.regs.known = BIT(LR);
	CU_ASSERT_FALSE(
		unwind_leaf_caller(leaf.made.machine, NULL, &leaf.regs, CODE + 4, &leaf.caller));
	CU_ASSERT_FALSE(unwind_leaf_caller(unwind_machine_find("x86_64"), &leaf.made.space,
		&leaf.regs, CODE + 4, &leaf.caller));
	end(&leaf.made);
}

void
suite_unwind_unwinder_aarch64(void)
{
	static const struct unit_case cases[] = {
		{"a_leaf_returns_by_the_link_register", test_link_register},
		{"the_link_register_is_the_leafs_alone", test_link_register_is_used_once},
		{"frame_records_are_followed_without_stack_pointer", test_frame_records},
		{"a_signal_frame_is_known_by_its_looks", test_signal_frame},
		{"the_trampoline_itself_is_left", test_trampoline_is_left},
		{"a_signal_frame_goes_before_the_trampolines_rows", test_rows_of_the_trampoline},
		{"a_leaf_without_rows_returns_into_other_code", test_leaf_without_rows},
		{"what_a_stub_has_pushed_is_below_its_callers_frame", test_pushed_by_stub},
		{"rows_tell_whether_the_register_was_stored", test_rows},
		{"a_leaf_without_rows_returns_into_other_code", test_no_rows},
		{"addresses_of_no_code_are_no_callers", test_useless},
		{0},
	};

	unit_suite("unwind/unwinder_aarch64", cases);
}
