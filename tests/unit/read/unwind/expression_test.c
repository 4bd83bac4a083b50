#include "unwind/unwind_internal.h"

#include "unit.h"

#include <dwarf.h>

void suite_unwind_expression(void);

#define STACK UINT64_C(0x7ffd00000000)

static uint64_t words[] = {10, 0xfedcba9876543210, 30};

static bool
run(const unsigned char *bytes, size_t len, const uint64_t *cfa, uint64_t *result)
{
	struct unwind_regs regs = {.known = 0x81};
	struct stack_copy stack = {
		.bytes = (const unsigned char *)words, .len = sizeof(words), .base = STACK};
	struct expression expression = {bytes, len};

	regs.values[0] = 5;
	regs.values[7] = STACK;
	return expression_run(&expression, &regs, &stack, cfa, result);
}

#define BYTES(...) \
	(const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})
#define GIVES(value, ...)                                               \
	do {                                                            \
		uint64_t result = 0;                                    \
		CU_ASSERT_TRUE(run(BYTES(__VA_ARGS__), NULL, &result)); \
		CU_ASSERT_EQUAL(result, (uint64_t)(value));             \
	} while (0)
#define FAILS(...)                                                       \
	do {                                                             \
		uint64_t result;                                         \
		CU_ASSERT_FALSE(run(BYTES(__VA_ARGS__), NULL, &result)); \
	} while (0)

static void
test_constants(void)
{
	GIVES(17, DW_OP_lit17);
	GIVES(0xf0, DW_OP_const1u, 0xf0);
	GIVES(-16, DW_OP_const1s, 0xf0);
	GIVES(0xff01, DW_OP_const2u, 1, 0xff);
	GIVES(-255, DW_OP_const2s, 1, 0xff);
	GIVES(0x80000001, DW_OP_const4u, 1, 0, 0, 0x80);
	GIVES((int32_t)0x80000001, DW_OP_const4s, 1, 0, 0, 0x80);
	GIVES(UINT64_C(0x8000000000000001), DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 0x80);
	GIVES(300, DW_OP_constu, 0xac, 2);
	GIVES(-3, DW_OP_consts, 0x7d);
}

static void
test_registers_and_memory(void)
{
	GIVES(STACK + 8, DW_OP_breg7, 8);
	GIVES(STACK - 8, DW_OP_breg7, 0x78);
	GIVES(7, DW_OP_bregx, 0, 2);
	GIVES(words[1], DW_OP_breg7, 8, DW_OP_deref);
	GIVES(0x3210, DW_OP_breg7, 8, DW_OP_deref_size, 2);
	GIVES(0x10, DW_OP_breg7, 8, DW_OP_deref_size, 1);
	FAILS(DW_OP_breg7, 17, DW_OP_deref);
	FAILS(DW_OP_breg7, 0x78, DW_OP_deref);
	FAILS(DW_OP_breg7, 8, DW_OP_deref_size, 3);
	FAILS(DW_OP_breg3, 0);
	FAILS(DW_OP_bregx, 200, 1, 0);
}

static void
test_stack_operations(void)
{
	GIVES(2, DW_OP_lit1, DW_OP_lit2, DW_OP_dup, DW_OP_drop);
	GIVES(1, DW_OP_lit1, DW_OP_lit2, DW_OP_over);
	GIVES(1, DW_OP_lit1, DW_OP_lit2, DW_OP_swap);
	GIVES(3, DW_OP_lit3, DW_OP_lit1, DW_OP_lit2, DW_OP_pick, 2);
	/* 1 2 3 becomes 3 1 2. */
	GIVES(2, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot);
	GIVES(1, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop);
	GIVES(3, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop);
	FAILS(DW_OP_drop);
	FAILS(DW_OP_lit1, DW_OP_drop);
	FAILS(DW_OP_lit1, DW_OP_swap);
	FAILS(DW_OP_lit1, DW_OP_lit1, DW_OP_rot);
	FAILS(DW_OP_lit1, DW_OP_pick, 1);
	FAILS(DW_OP_nop);
}

static void
test_arithmetic(void)
{
	GIVES(5, DW_OP_lit2, DW_OP_lit3, DW_OP_plus);
	GIVES(-1, DW_OP_lit2, DW_OP_lit3, DW_OP_minus);
	GIVES(6, DW_OP_lit2, DW_OP_lit3, DW_OP_mul);
	GIVES(-2, DW_OP_lit5, DW_OP_neg, DW_OP_lit2, DW_OP_div);
	GIVES(5, DW_OP_lit5, DW_OP_const1s, 0xff, DW_OP_div, DW_OP_neg);
	GIVES(1, DW_OP_lit5, DW_OP_lit2, DW_OP_mod);
	GIVES(4, DW_OP_lit4, DW_OP_neg, DW_OP_abs);
	GIVES(-1, DW_OP_lit0, DW_OP_not);
	FAILS(DW_OP_lit1, DW_OP_lit0, DW_OP_div);
	FAILS(DW_OP_lit1, DW_OP_lit0, DW_OP_mod);
	FAILS(DW_OP_lit1, DW_OP_plus);
}

static void
test_bits_and_order(void)
{
	GIVES(2, DW_OP_lit3, DW_OP_lit6, DW_OP_and);
	GIVES(7, DW_OP_lit3, DW_OP_lit6, DW_OP_or);
	GIVES(5, DW_OP_lit3, DW_OP_lit6, DW_OP_xor);
	GIVES(302, DW_OP_lit2, DW_OP_plus_uconst, 0xac, 2);
	GIVES(-1, DW_OP_lit1, DW_OP_neg, DW_OP_lit3, DW_OP_shra);
	GIVES(-1, DW_OP_lit1, DW_OP_neg, DW_OP_const1u, 70, DW_OP_shra);
	GIVES(UINT64_MAX >> 3, DW_OP_lit1, DW_OP_neg, DW_OP_lit3, DW_OP_shr);
	GIVES(0, DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl);
	GIVES(1, DW_OP_lit1, DW_OP_neg, DW_OP_lit1, DW_OP_lt);
	GIVES(0, DW_OP_lit1, DW_OP_lit1, DW_OP_ne);
	GIVES(1, DW_OP_lit1, DW_OP_lit1, DW_OP_ge);
}

static void
test_branches(void)
{
	GIVES(7, DW_OP_lit7, DW_OP_skip, 1, 0, DW_OP_lit8);
	GIVES(7, DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit8);
	GIVES(8, DW_OP_lit7, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit8);
	/* For ever; out of the expression; into the middle of nothing. */
	FAILS(DW_OP_skip, 0xfd, 0xff);
	FAILS(DW_OP_lit1, DW_OP_skip, 1, 0);
	FAILS(DW_OP_lit1, DW_OP_skip, 0x00, 0x80);
	FAILS(DW_OP_bra, 0, 0);
}

static void
test_bounds(void)
{
	unsigned char many[100];
	uint64_t value = 0;
	uint64_t cfa = 1234;

	memset(many, DW_OP_lit1, sizeof(many));
	CU_ASSERT_FALSE(run(many, sizeof(many), NULL, &value));
	CU_ASSERT_TRUE(run(many, 0, &cfa, &value));
	CU_ASSERT_EQUAL(value, 1234);
	CU_ASSERT_TRUE(run(BYTES(DW_OP_plus_uconst, 6), &cfa, &value));
	CU_ASSERT_EQUAL(value, 1240);
	FAILS(DW_OP_const4u, 1, 2, 3);
	FAILS(DW_OP_constu, 0x80);
	FAILS(DW_OP_addr, 0, 0, 0, 0, 0, 0, 0, 0);
	FAILS(DW_OP_lit1, DW_OP_lit1, DW_OP_call_frame_cfa);
	FAILS(0xff);
}

void
suite_unwind_expression(void)
{
	static const struct unit_case cases[] = {
		{"constants_of_all_sizes", test_constants},
		{"registers_and_memory_are_read_where_they_are_known", test_registers_and_memory},
		{"values_are_moved_about", test_stack_operations},
		{"arithmetic_has_the_signs_of_the_standard", test_arithmetic},
		{"bits_are_moved_and_values_compared", test_bits_and_order},
		{"branches_stay_inside_and_end", test_branches},
		{"what_does_not_fit_fails", test_bounds},
		{0},
	};

	unit_suite("unwind/expression", cases);
}
