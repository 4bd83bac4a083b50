#include "unwind/unwind_internal.h"

#include "unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

void suite_unwind_cfi_rows(void);

/* One program an instruction: what compilers seldom write is not in the files that libdw checks. */

#define START UINT64_C(0x4000)

static struct saves saves;
static struct cfi_rows rows;

/* Runs `program` behind: CFA is rsp + 8, the return address is at the CFA - 8, rbx at the CFA - 16.
 */
static void
run(const unsigned char *program, size_t len)
{
	static unsigned char bytes[256];
	static const unsigned char initial[] = {
		DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, DW_CFA_offset | 3, 2};
	struct cfi_section loaded = {.bytes = bytes, .len = sizeof(bytes), .eh = true};
	struct cfi_cie cie = {
		.usable = true, .return_column = 16, .code_factor = 2, .data_factor = -8};
	struct cfi_fde fde = {.start = START, .size = 0x100};
	struct cfi_program its = {unwind_machine_find("x86_64"), &loaded, &cie, &fde};

	memcpy(bytes, initial, sizeof(initial));
	memcpy(bytes + 32, program, len);
	cie.instructions = (struct cursor){bytes, bytes + sizeof(initial), false};
	fde.instructions = (struct cursor){bytes + 32, bytes + 32 + len, false};
	cfi_rows_run(&its, &saves, &rows);
}

#define RUN(...) \
	run((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

/* The rule about `reg` in row `i`; NULL if there is none. */
static const struct unwind_rule *
rule(size_t i, unsigned reg)
{
	const struct unwind_saves *set = saves_get(&saves, rows.rows[i].saves);

	for (size_t k = 0; k < set->nrules; k++) {
		if (set->rules[k].reg == reg)
			return &set->rules[k];
	}
	return NULL;
}

static void
check_rule(size_t i, unsigned reg, enum unwind_rule_kind kind, int32_t value)
{
	CU_ASSERT_FATAL(i < rows.count);
	const struct unwind_rule *its = rule(i, reg);

	CU_ASSERT_PTR_NOT_NULL(its);
	if (!its)
		return;
	CU_ASSERT_EQUAL(its->kind, kind);
	CU_ASSERT_EQUAL(its->value, value);
}

static bool
is_kept(size_t i, unsigned reg)
{
	return saves_get(&saves, rows.rows[i].saves)->kept >> reg & 1;
}

static bool
is_undefined(size_t i, unsigned reg)
{
	return saves_get(&saves, rows.rows[i].saves)->undefined >> reg & 1;
}

static void
test_locations(void)
{
	RUN(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc1, 2,
		DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc2, 3, 0, DW_CFA_def_cfa_offset, 32,
		DW_CFA_advance_loc4, 4, 0, 0, 0, DW_CFA_def_cfa_offset, 40, DW_CFA_set_loc, 0x50,
		0x40, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 48, DW_CFA_advance_loc2, 0, 1,
		DW_CFA_def_cfa_offset, 56);
	CU_ASSERT_EQUAL_FATAL(rows.count, 6);
	static const uint32_t starts[] = {0, 2, 6, 12, 20, 0x50};

	for (size_t i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(rows.rows[i].start, starts[i]);
		CU_ASSERT_EQUAL(rows.rows[i].cfa_value, (int)(8 + 8 * i));
	}
	/* Rows that are the same are one. */
	RUN(DW_CFA_advance_loc | 1, DW_CFA_nop, DW_CFA_advance_loc | 1, DW_CFA_GNU_args_size, 0x80,
		1, DW_CFA_advance_loc | 0, 0x2d, 0x2c);
	CU_ASSERT_EQUAL(rows.count, 1);
	/* Backwards is nowhere. */
	RUN(DW_CFA_advance_loc | 4, DW_CFA_set_loc, 0, 0x40, 0, 0, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(rows.rows[rows.count - 1].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_cfa(void)
{
	RUN(DW_CFA_def_cfa_register, 6);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_reg, 6);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 8);
	RUN(DW_CFA_def_cfa_sf, 10, 0x7e);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_reg, 10);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 16);
	RUN(DW_CFA_def_cfa_offset_sf, 0x7d);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 24);
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_EXPRESSION);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 33);
	/* An offset of an expression means nothing; nor does a register that is not followed. */
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_def_cfa_offset, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa, 60, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x7f);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_rules(void)
{
	RUN(DW_CFA_nop);
	check_rule(0, 16, UNWIND_AT_CFA, -8);
	check_rule(0, 3, UNWIND_AT_CFA, -16);
	CU_ASSERT_TRUE(is_kept(0, 6) && is_kept(0, 12) && !is_kept(0, 0) && !is_kept(0, 3));
	RUN(DW_CFA_offset_extended, 12, 3, DW_CFA_offset_extended_sf, 13, 0x7e,
		DW_CFA_GNU_negative_offset_extended, 14, 2, DW_CFA_val_offset, 15, 4,
		DW_CFA_val_offset_sf, 7, 0x7f, DW_CFA_register, 6, 11);
	check_rule(0, 12, UNWIND_AT_CFA, -24);
	check_rule(0, 13, UNWIND_AT_CFA, 16);
	check_rule(0, 14, UNWIND_AT_CFA, 16);
	check_rule(0, 15, UNWIND_CFA_PLUS, -32);
	check_rule(0, 7, UNWIND_CFA_PLUS, 8);
	check_rule(0, 6, UNWIND_IN_REGISTER, 11);
	CU_ASSERT_FALSE(saves_get(&saves, rows.rows[0].saves)->all_at_cfa);
	RUN(DW_CFA_expression, 6, 1, DW_OP_lit1, DW_CFA_val_expression, 0, 1, DW_OP_lit2);
	check_rule(0, 6, UNWIND_AT_EXPRESSION, 34);
	check_rule(0, 0, UNWIND_EXPRESSION, 38);
	RUN(DW_CFA_undefined, 16, DW_CFA_same_value, 0, DW_CFA_undefined, 6);
	CU_ASSERT_TRUE(is_undefined(0, 16) && is_undefined(0, 6) && is_kept(0, 0));
	CU_ASSERT_PTR_NULL(rule(0, 16));
	/* Too far away, or in a register that is not followed. */
	RUN(DW_CFA_offset | 6, 0xff, 0xff, 0xff, 0xff, 0x7f, DW_CFA_register, 12, 70);
	CU_ASSERT_TRUE(is_undefined(0, 6) && is_undefined(0, 12));
	/* Vector registers are read and left out. */
	RUN(DW_CFA_offset_extended, 40, 1, DW_CFA_same_value, 0xff, 0x7f, DW_CFA_restore | 50);
	CU_ASSERT_EQUAL(saves_get(&saves, rows.rows[0].saves)->nrules, 2);
}

static void
test_states(void)
{
	RUN(DW_CFA_remember_state, DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2,
		DW_CFA_advance_loc | 1, DW_CFA_restore_state, DW_CFA_advance_loc | 1,
		DW_CFA_same_value, 3, DW_CFA_advance_loc | 1, DW_CFA_restore | 3,
		DW_CFA_advance_loc | 1, DW_CFA_undefined, 16, DW_CFA_advance_loc | 1,
		DW_CFA_restore_extended, 16);
	CU_ASSERT_EQUAL_FATAL(rows.count, 6);
	check_rule(0, 6, UNWIND_AT_CFA, -16);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_reg, 7);
	CU_ASSERT_PTR_NULL(rule(1, 6));
	CU_ASSERT_TRUE(is_kept(2, 3));
	check_rule(3, 3, UNWIND_AT_CFA, -16);
	CU_ASSERT_TRUE(is_undefined(4, 16));
	check_rule(5, 16, UNWIND_AT_CFA, -8);
	CU_ASSERT_EQUAL(rows.rows[5].saves, rows.rows[1].saves);
	/* More is restored than was remembered. */
	RUN(DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_what_cannot_be_followed(void)
{
	unsigned char deep[40];

	/* What comes before stays. */
	RUN(DW_CFA_advance_loc | 8, 0x3e);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_REGISTER);
	CU_ASSERT_EQUAL(rows.rows[1].start, 16);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa_expression, 0x7f, DW_OP_lit1);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_offset | 3, 0x80);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	memset(deep, DW_CFA_remember_state, sizeof(deep));
	run(deep, sizeof(deep));
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	/* Behind the function's end nothing matters any more. */
	RUN(DW_CFA_advance_loc2, 0x80, 0, 0x3e);
	CU_ASSERT_EQUAL_FATAL(rows.count, 1);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_REGISTER);
}

static void
with_saves(void (*test)(void))
{
	saves = (struct saves){.limit_bytes = 1 << 20};
	rows = (struct cfi_rows){0};
	test();
	free(rows.rows);
	saves_release(&saves);
}

#define CASE(name)                       \
	static void run_##name(void)     \
	{                                \
		with_saves(test_##name); \
	}

CASE(locations)
CASE(cfa)
CASE(rules)
CASE(states)
CASE(what_cannot_be_followed)

void
suite_unwind_cfi_rows(void)
{
	static const struct unit_case cases[] = {
		{"rows_start_at_their_locations", run_locations},
		{"the_cfa_is_a_register_or_an_expression", run_cfa},
		{"registers_have_all_kinds_of_rules", run_rules},
		{"states_are_remembered_and_restored", run_states},
		{"what_cannot_be_followed_ends_the_rows", run_what_cannot_be_followed},
		{0},
	};

	unit_suite("unwind/cfi_rows", cases);
}
