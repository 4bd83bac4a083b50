#include "code/body.h"

#include "code/image.h"
#include "unit.h"

#include <elf.h>

void suite_code_body(void);

static const unsigned char zeros[128];

/* Two instructions with `nothing` bytes between, in steps; the index of the second one. */
static uint32_t
index_behind(uint64_t address, uint32_t nothing, uint32_t step, bool odd)
{
	struct code_body body;
	uint32_t index;

	body = (struct code_body){0};
	code_body_begin(&body, zeros, address, sizeof(zeros));
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

/* Whether all of the code is understood; `body` is to be released where it was read. */
static bool
read_code(struct code_body *body, const unsigned char *code, uint32_t len, bool *understood)
{
	void *decoder = code_arch_x86.open();

	if (!decoder) {
		unit_skip("libcapstone is not installed");
		return false;
	}
	*body = (struct code_body){0};
	code_body_begin(body, code, 0x1000, len);
	/* Nothing here refers to the image. */
	*understood = code_arch_x86.read(decoder, &(struct code_image){.fixed = false}, body);
	code_arch_x86.close(decoder);
	return true;
}

static void
instructions_come_one_after_another(void)
{
	static const unsigned char code[] = {0x48, 0x89, 0xe5, 0xc3};
	struct code_body body;
	bool understood;

	if (!read_code(&body, code, sizeof(code), &understood))
		return;
	CU_ASSERT(understood);
	CU_ASSERT_EQUAL(body.ninstructions, 2);
	CU_ASSERT_EQUAL(code_body_index(&body, 3), 1);
	code_body_release(&body);
}

static void
what_is_no_instruction_is_not_passed_over(void)
{
	static const unsigned char code[] = {0xc3, 0x06, 0xc3};
	struct code_body body;
	bool understood;

	if (!read_code(&body, code, sizeof(code), &understood))
		return;
	CU_ASSERT_FALSE(understood);
	CU_ASSERT_EQUAL(body.ninstructions, 1);
	code_body_release(&body);
}

static const struct unit_case cases[] = {
	{"padding_is_not_counted", test_padding},
	{"what_cannot_be_padding_is", test_counted},
	{"machines_are_found", test_archs},
	{"instructions_come_one_after_another", instructions_come_one_after_another},
	{"what_is_no_instruction_is_not_passed_over", what_is_no_instruction_is_not_passed_over},
	{NULL, NULL},
};

void
suite_code_body(void)
{
	unit_suite("code/body", cases);
}
