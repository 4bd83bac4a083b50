#include "code/body.h"
#include "code/image.h"

#include "unit.h"

void suite_code_x86(void);

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

void
suite_code_x86(void)
{
	static const struct unit_case cases[] = {
		{"instructions_come_one_after_another", instructions_come_one_after_another},
		{"what_is_no_instruction_is_not_passed_over",
			what_is_no_instruction_is_not_passed_over},
		{NULL, NULL},
	};

	unit_suite("code/x86", cases);
}
