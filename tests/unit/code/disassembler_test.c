#include "code/disassembler.h"

#include "unit.h"

void suite_code_disassembler(void);

static struct disassembler *
open_it(void)
{
	struct disassembler *disassembler = disassembler_open();

	if (!disassembler)
		unit_skip("libcapstone is not installed");
	return disassembler;
}

static void
instructions_come_one_after_another(void)
{
	static const uint8_t bytes[] = {0x48, 0x89, 0xe5, 0xc3};
	struct disassembler *disassembler = open_it();
	const uint8_t *code = bytes;
	size_t left = sizeof(bytes);
	uint64_t address = 0x1000;

	if (!disassembler)
		return;
	const cs_insn *insn = disassembler_next(disassembler, &code, &left, &address);

	UNIT_NEED(insn);
	CU_ASSERT_EQUAL(insn->id, X86_INS_MOV);
	CU_ASSERT_EQUAL(address, 0x1003);
	insn = disassembler_next(disassembler, &code, &left, &address);
	UNIT_NEED(insn);
	CU_ASSERT_EQUAL(insn->id, X86_INS_RET);
	CU_ASSERT_EQUAL(left, 0);
	CU_ASSERT_PTR_EQUAL(code, bytes + sizeof(bytes));
	disassembler_close(disassembler);
}

static void
what_is_no_instruction_is_not_passed_over(void)
{
	static const uint8_t bytes[] = {0x06};
	struct disassembler *disassembler = open_it();
	const uint8_t *code = bytes;
	size_t left = sizeof(bytes);
	uint64_t address = 0x1000;

	if (!disassembler)
		return;
	CU_ASSERT_PTR_NULL(disassembler_next(disassembler, &code, &left, &address));
	CU_ASSERT_EQUAL(left, 1);
	CU_ASSERT_EQUAL(address, 0x1000);
	CU_ASSERT_PTR_EQUAL(code, bytes);
	disassembler_close(disassembler);
}

void
suite_code_disassembler(void)
{
	static const struct unit_case cases[] = {
		{"instructions_come_one_after_another", instructions_come_one_after_another},
		{"what_is_no_instruction_is_not_passed_over",
			what_is_no_instruction_is_not_passed_over},
		{NULL, NULL},
	};

	unit_suite("code/disassembler", cases);
}
