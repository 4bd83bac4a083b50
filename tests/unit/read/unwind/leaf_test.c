#include "unwind/unwinder.h"

#include "unit.h"
#include "unwind/made_walk.h"

void suite_unwind_leaf(void);

#define LR 30
#define OTHER UINT64_C(0x660000000000)
#define SIGNED UINT64_C(0x2f51000000000000)

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
suite_unwind_leaf(void)
{
	static const struct unit_case cases[] = {
		{"rows_tell_whether_the_register_was_stored", test_rows},
		{"a_leaf_without_rows_returns_into_other_code", test_no_rows},
		{"addresses_of_no_code_are_no_callers", test_useless},
		{NULL, NULL},
	};

	unit_suite("unwind/leaf", cases);
}
