#include "code/listing.h"

#include "base/mem.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_code_alignment(void);

#define NONE LCS_NONE
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
expect(const struct aligned_instruction *from, size_t nfrom, const struct aligned_instruction *into,
	size_t ninto, const uint32_t *wanted)
{
	uint32_t *of = code_align(from, nfrom, into, ninto);

	for (size_t i = 0; i < nfrom; i++) {
		if (of[i] != wanted[i])
			printf("  | %zu, %s: %u, not %u\n", i, from[i].text, (unsigned)of[i],
				(unsigned)wanted[i]);
		CU_ASSERT_EQUAL(of[i], wanted[i]);
	}
	free(of);
}

static void
addresses_make_no_difference(void)
{
	static const struct aligned_instruction before[] = {
		{"f", "mov     eax, dword ptr [rip + 0x2ee4]"},
		{"f", "call    0x1180 <helper>"},
		{"f", "jne     0x1149 <f+0x20>"},
		{"f", "cbz     x0, #0x4005c4"},
		{"f", "jmp     0x1150"},
		{"f", "add     rsp, 0x18"},
	};
	static const struct aligned_instruction after[] = {
		{"f", "mov     eax, dword ptr [rip + 0x1c]"},
		{"f", "call    0x2190 <helper>"},
		{"f", "jne     0x2159 <f+0x30>"},
		{"f", "cbz     x0, #0x5005c4"},
		{"f", "jmp     0x2150"},
		{"f", "add     rsp, 0x18"},
	};

	expect(before, COUNT(before), after, COUNT(after), (const uint32_t[]){0, 1, 2, 3, 4, 5});
}

static void
what_was_inserted_or_removed_has_no_partner(void)
{
	static const struct aligned_instruction before[] = {
		{"f", "push    rbp"},
		{"f", "xor     eax, eax"},
		{"f", "imul    edx, edx"},
		{"f", "call    0x1180 <helper>"},
		{"f", "ret"},
	};
	static const struct aligned_instruction after[] = {
		{"f", "push    rbp"},
		{"f", "mov     ecx, 5"},
		{"f", "xor     eax, eax"},
		{"f", "call    0x1180 <helper>"},
		{"f", "div     ecx"},
		{"f", "inc     eax"},
		{"f", "ret"},
	};

	expect(before, COUNT(before), after, COUNT(after), (const uint32_t[]){0, 2, NONE, 3, 6});
}

static void
another_operand_in_the_same_place_is_a_partner_another_operation_is_not(void)
{
	static const struct aligned_instruction before[] = {
		{"f", "push    rbp"},
		{"f", "cmp     eax, 1999999"},
		{"f", "shl     eax, 1"},
		{"f", "call    0x1180 <helper>"},
		{"f", "ret"},
	};
	static const struct aligned_instruction after[] = {
		{"f", "push    rbp"},
		{"f", "cmp     eax, 7999999"},
		{"f", "add     eax, eax"},
		{"f", "call    0x1180 <other>"},
		{"f", "ret"},
	};

	expect(before, COUNT(before), after, COUNT(after), (const uint32_t[]){0, 1, NONE, 3, 4});
}

static void
functions_are_paired_by_name_and_one_alone_in_any_case(void)
{
	static const struct aligned_instruction before[] = {
		{"f", "push    rbp"},
		{"f", "ret"},
		{"g", "push    rbx"},
		{"g", "ret"},
		{"gone", "ret"},
	};
	static const struct aligned_instruction after[] = {
		{"g", "push    rbx"},
		{"g", "ret"},
		{"f", "push    rbp"},
		{"f", "ret"},
	};

	expect(before, COUNT(before), after, COUNT(after), (const uint32_t[]){2, 3, 0, 1, NONE});
	expect(&before[4], 1, &after[3], 1, (const uint32_t[]){0});
	expect(before, COUNT(before), NULL, 0, (const uint32_t[]){NONE, NONE, NONE, NONE, NONE});
}

/* Neither the time nor the memory of a comparison of all with all. */
static void
large_functions_are_aligned_at_their_ends_only(void)
{
	enum { MANY = 20000 };
	struct aligned_instruction *before = mem_zalloc(MANY, sizeof(*before));
	struct aligned_instruction *after = mem_zalloc(MANY, sizeof(*after));

	for (size_t i = 0; i < MANY; i++) {
		before[i] = (struct aligned_instruction){"f", i % 2 == 0 ? "nop" : "ret"};
		after[i] = (struct aligned_instruction){"f", i % 3 == 0 ? "nop" : "leave"};
	}
	uint32_t *of = code_align(before, MANY, after, MANY - 1);

	CU_ASSERT_EQUAL(of[0], 0);
	CU_ASSERT_EQUAL(of[1], LCS_NONE);
	free(of);
	free(before);
	free(after);
}

void
suite_code_alignment(void)
{
	static const struct unit_case cases[] = {
		{"addresses_make_no_difference", addresses_make_no_difference},
		{"what_was_inserted_or_removed_has_no_partner",
			what_was_inserted_or_removed_has_no_partner},
		{"another_operand_in_the_same_place_is_a_partner_another_operation_is_not",
			another_operand_in_the_same_place_is_a_partner_another_operation_is_not},
		{"functions_are_paired_by_name_and_one_alone_in_any_case",
			functions_are_paired_by_name_and_one_alone_in_any_case},
		{"large_functions_are_aligned_at_their_ends_only",
			large_functions_are_aligned_at_their_ends_only},
		{NULL, NULL},
	};

	unit_suite("code/alignment", cases);
}
