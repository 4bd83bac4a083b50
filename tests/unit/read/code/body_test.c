#include "code/body.h"

#include "unit.h"

#include <elf.h>

void suite_code_body(void);

static const unsigned char code[128];

/* Two instructions with `nothing` bytes between, in steps; the index of the second one. */
static uint32_t
index_behind(uint64_t address, uint32_t nothing, uint32_t step, bool odd)
{
	struct code_body body;
	uint32_t index;

	body = (struct code_body){0};
	code_body_begin(&body, code, address, sizeof(code));
	code_body_instruction(&body, 0);
	for (uint32_t at = 4; at < 4 + nothing; at += step)
		code_body_nothing(&body, at, odd);
	code_body_instruction(&body, 4 + nothing);
	index = code_body_index(&body, 4 + nothing);
	/* Who jumps to the first of them comes to the same. */
	if (nothing > 0 && index == 1)
		CU_ASSERT_EQUAL(code_body_index(&body, 4), 1);
	CU_ASSERT_EQUAL(code_body_index(&body, 1), UINT32_MAX);
	code_body_release(&body);
	return index;
}

static void
test_padding(void)
{
	CU_ASSERT_EQUAL(index_behind(0, 0, 4, false), 1);
	CU_ASSERT_EQUAL(index_behind(0, 12, 12, false), 1);
	CU_ASSERT_EQUAL(index_behind(0, 4, 2, false), 1);
	CU_ASSERT_EQUAL(index_behind(4, 8, 8, true), 1);
}

static void
test_counted(void)
{
	/* Not up to a multiple of 8; longer than what it would align to; too many short ones. */
	CU_ASSERT_EQUAL(index_behind(0, 2, 2, false), 2);
	CU_ASSERT_EQUAL(index_behind(0, 20, 10, false), 3);
	CU_ASSERT_EQUAL(index_behind(0, 4, 1, true), 5);
}

static void
test_archs(void)
{
	CU_ASSERT_PTR_EQUAL(code_arch_find(EM_X86_64), &code_arch_x86);
	CU_ASSERT_PTR_EQUAL(code_arch_find(EM_AARCH64), &code_arch_aarch64);
	CU_ASSERT_PTR_NULL(code_arch_find(EM_RISCV));
}

static const struct unit_case cases[] = {
	{"padding_is_not_counted", test_padding},
	{"what_cannot_be_padding_is", test_counted},
	{"machines_are_found", test_archs},
	{NULL, NULL},
};

void
suite_code_body(void)
{
	unit_suite("code/body", cases);
}
