/* Walks over programs, registers and stacks made by hand: what real programs do seldom or never. */
#include "unwind/unwinder.h"

#include "unit.h"
#include "unwind/made_walk.h"

#include <stdlib.h>

void suite_unwind_unwinder_made(void);

enum {
	RBX = 3,
	RDI = 5,
	RBP = 6,
	RSP = 7,
	RIP = 16,
};

static void
test_root(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x00, DW_CFA_nop);
	FUNCTION(&made, 0x10, DW_CFA_undefined, RIP);
	made.words[0] = CODE + 0x15;
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0, 0x15);
	CU_ASSERT_EQUAL(made.stack.reached_bytes, 8);
	made.words[0] = 0;
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0);
	end(&made);
}

static void
test_other_registers(void)
{
	struct made made;

	begin(&made, "x86_64");
	/* The CFA is rbx + 16; rbx is at the CFA - 24, and rbp in rbx. */
	FUNCTION(&made, 0x00, DW_CFA_def_cfa, RBX, 16, DW_CFA_offset | RBX, 3, DW_CFA_register, RBP,
		RBX);
	FUNCTION(&made, 0x10, DW_CFA_def_cfa, RBP, 40);
	FUNCTION(&made, 0x20, DW_CFA_undefined, RIP);
	set(&made, RBX, STACK + 64);
	set(&made, RBP, 1);
	made.words[(64 + 8) / 8] = CODE + 0x11;
	made.words[(64 - 8) / 8] = STACK + 8;
	made.words[(64 + 32) / 8] = CODE + 0x21;
	walk(&made, 8);
	CHECK_FRAMES(&made, UNWIND_ROOT, 8, 0x11, 0x21);
	/* Without rbx nothing can be said, and there is no frame pointer either. */
	made.input.regs.known &= ~(BIT(RBX) | BIT(RBP));
	walk(&made, 8);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 8);
	end(&made);
}

static void
test_callers_registers_are_lost(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x00, DW_CFA_nop);
	/* r10 does not survive a call. */
	FUNCTION(&made, 0x10, DW_CFA_def_cfa, 10, 16);
	set(&made, 10, STACK + 8);
	made.words[0] = CODE + 0x11;
	made.words[2] = CODE + 0x11;
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0, 0x11);
	/* In a leaf it is as good as any. */
	walk(&made, 0x11);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x11, 0x11);
	end(&made);
}

static void
test_no_way_up(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x00, DW_CFA_def_cfa, RBP, 16);
	made.words[1] = CODE + 5;
	set(&made, RBP, STACK);
	/* The frame of its own caller, again and again. */
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0, 5);
	set(&made, RBP, STACK - 16);
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0);
	end(&made);
}

static void
test_endless(void)
{
	struct made made;

	begin(&made, "x86_64");
	signals(&made);
	/* A frame that restores itself. */
	FUNCTION(&made, 0x00, DW_CFA_def_cfa, RSP, 0, DW_CFA_offset | RIP, 0x7f, DW_CFA_val_offset,
		RIP, 0, DW_CFA_same_value, RIP);
	walk(&made, 0);
	CU_ASSERT_EQUAL(made.stack.end, UNWIND_TOO_DEEP);
	CU_ASSERT_EQUAL(made.stack.count, UNWIND_DEPTH_MAX);
	end(&made);
}

static void
test_calls_at_the_end(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x00, DW_CFA_nop);
	/* It ends with a call that does not return; behind it another function starts. */
	FUNCTION(&made, 0x10, DW_CFA_def_cfa_offset, 24);
	FUNCTION(&made, 0x20, DW_CFA_def_cfa_offset, 40);
	FUNCTION(&made, 0x30, DW_CFA_undefined, RIP);
	signals(&made);
	FUNCTION(&made, 0x40, DW_CFA_nop);
	made.words[0] = CODE + 0x20;
	made.words[1 + 2] = CODE + 0x31;
	made.words[1 + 4] = CODE + 0x35;
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0, 0x20, 0x31);
	/* A signal has interrupted the very first instruction of that other function. */
	walk(&made, 0x40);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x40, 0x20, 0x35);
	CU_ASSERT_TRUE(made.stack.frames[1].exact);
	CU_ASSERT_FALSE(made.stack.frames[2].exact);
	end(&made);
}

static void
test_popped(void)
{
	struct made made;

	begin(&made, "x86_64");
	/* At the return instruction: rbp was popped, its rule still stands. */
	FUNCTION(&made, 0x00, DW_CFA_offset | RBP, 2);
	FUNCTION(&made, 0x10, DW_CFA_def_cfa, RBP, 16);
	FUNCTION(&made, 0x20, DW_CFA_undefined, RIP);
	set(&made, RBP, STACK + 64);
	made.words[0] = CODE + 0x11;
	made.words[64 / 8 + 1] = CODE + 0x21;
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0, 0x11, 0x21);
	end(&made);
}

static void
test_no_frame(void)
{
	struct made made;

	begin(&made, "x86_64");
	/* As glibc's vfork() around its system call: the return address is in rdi. */
	FUNCTION(&made, 0x00, DW_CFA_def_cfa_offset, 0, DW_CFA_register, RIP, RDI);
	FUNCTION(&made, 0x10, DW_CFA_def_cfa_offset, 16);
	FUNCTION(&made, 0x20, DW_CFA_undefined, RIP);
	set(&made, RDI, CODE + 0x11);
	made.words[1] = CODE + 0x21;
	walk(&made, 8);
	CHECK_FRAMES(&made, UNWIND_ROOT, 8, 0x11, 0x21);
	/* A caller has at least its return address on the stack. */
	made.words[1] = CODE + 1;
	walk(&made, 8);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 8, 0x11, 1);
	end(&made);
}

static void
test_stub(void)
{
	struct made made;

	begin(&made, "x86_64");
	/* As linkers write it for .plt: rsp + 8, and 8 more behind the push. */
	FUNCTION(&made, 0x00, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,
		DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	FUNCTION(&made, 0x10, DW_CFA_undefined, RIP);
	made.words[0] = CODE + 0x12;
	made.words[1] = CODE + 0x14;
	walk(&made, 6);
	CHECK_FRAMES(&made, UNWIND_ROOT, 6, 0x12);
	walk(&made, 11);
	CHECK_FRAMES(&made, UNWIND_ROOT, 11, 0x14);
	end(&made);
}

static void
test_frame_pointers(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x10, DW_CFA_undefined, RIP);
	/* Two frames without rows, then one with. */
	set(&made, RBP, STACK + 16);
	made.words[2] = STACK + 48;
	made.words[3] = CODE + 0x105;
	made.words[6] = 12345;
	made.words[7] = CODE + 0x11;
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x100, 0x105, 0x11);
	/* Into no code; no way up; not aligned; below the stack. */
	made.words[7] = CODE - 5;
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x100, 0x105);
	made.words[2] = STACK + 16;
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x100);
	set(&made, RBP, STACK + 17);
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x100);
	set(&made, RBP, STACK - 8);
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x100);
	/* The outermost one is marked by a frame pointer of 0: of a caller, not of a leaf. */
	set(&made, RBP, 0);
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0x100);
	set(&made, RBP, STACK + 16);
	made.words[2] = 0;
	walk(&made, 0x100);
	CHECK_FRAMES(&made, UNWIND_ROOT, 0x100, 0x105);
	end(&made);
}

static void
test_wild_addresses(void)
{
	struct made made;

	begin(&made, "x86_64");
	FUNCTION(&made, 0x00, DW_CFA_def_cfa, RBP, 16);
	set(&made, RBP, STACK + 4096);
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_TRUNCATED, 0);
	/* No stack is that large. */
	set(&made, RBP, STACK << 8);
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0);
	set(&made, RBP, UINT64_MAX - 3);
	walk(&made, 0);
	CHECK_FRAMES(&made, UNWIND_BROKEN, 0);
	end(&made);
}

void
suite_unwind_unwinder_made(void)
{
	static const struct unit_case cases[] = {
		{"rows_and_return_addresses_tell_the_root", test_root},
		{"frames_are_found_by_any_register", test_other_registers},
		{"what_a_call_does_not_preserve_is_lost", test_callers_registers_are_lost},
		{"a_frame_below_its_callee_breaks_the_walk", test_no_way_up},
		{"endless_signal_frames_are_cut_off", test_endless},
		{"a_return_address_belongs_to_the_call_before_it", test_calls_at_the_end},
		{"popped_registers_have_their_value_back", test_popped},
		{"a_leaf_of_x86_may_have_its_return_address_in_a_register", test_no_frame},
		{"stubs_of_the_linkage_table_are_walked", test_stub},
		{"frame_pointers_and_rows_take_turns", test_frame_pointers},
		{"wild_addresses_are_not_called_a_short_copy", test_wild_addresses},
		{0},
	};

	unit_suite("unwind/unwinder_made", cases);
}
