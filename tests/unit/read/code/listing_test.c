
#include "code/listing.h"

#include "base/mem.h"
#include "code/code_align.h"
#include "code/disassembler.h"
#include "code/image.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_code_listing(void);

__attribute__((noinline, used)) static int
listed_function(int x)
{
	__asm__ volatile("nop");
	return x * 3;
}

#if defined(__x86_64__)
/* kmovd k2, ecx; vmovdqu8 ymm18{k2}, [rsi]; vpcmpnequb k1, ymm17, [rdi + 0x20]: jumped over. */
__attribute__((noinline, used)) static int
function_of_avx512(int x)
{
	__asm__ volatile("jmp 1f\n"
			 ".byte 0xc5, 0xfb, 0x92, 0xd1\n"
			 ".byte 0x62, 0xe1, 0x7f, 0x2a, 0x6f, 0x16\n"
			 ".byte 0x62, 0xf3, 0x75, 0x20, 0x3e, 0x4f, 0x01, 0x04\n"
			 "1: nop");
	return x * 3;
}
#endif

struct opened {
	struct code_image image;
	struct disassembler *disassembler;
};

/* This program, and a decoder for it. */
static bool
open_self(struct opened *opened)
{
	struct err err = {0};

	(void)listed_function(1);
	CU_ASSERT_EQUAL_FATAL(code_image_open(&opened->image, "/proc/self/exe", &err), 0);
	opened->disassembler = disassembler_open(opened->image.machine);
	if (opened->disassembler && opened->image.complete)
		return true;
	code_image_close(&opened->image);
	disassembler_close(opened->disassembler);
	unit_skip("no capstone, or this program is stripped");
	return false;
}

/* The offset in the file of the first byte of a function; 0: not found. */
static uint64_t
offset_of(const struct code_image *image, const char *name)
{
	for (size_t i = 0; i < image->nnames; i++)
		if (strcmp(image->names[i].name, name) == 0)
			return image->names[i].offset;
	return 0;
}

static void
a_function_is_listed_whole(void)
{
	struct opened self;
	struct code_listing listing = {0};
	bool nop = false;
	bool ret = false;

	if (!open_self(&self))
		return;
	const uint64_t start = offset_of(&self.image, "listed_function");

	CU_ASSERT_FATAL(start > 0);
	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, start + 1));
	const size_t count = listing.count;

	CU_ASSERT_FATAL(count >= 3);
	CU_ASSERT_EQUAL(listing.instructions[0].offset, start);
	for (size_t i = 0; i < count; i++) {
		const struct code_instruction *at = &listing.instructions[i];
		const char *text = code_listing_text(&listing, at);

		nop |= strcmp(text, "nop") == 0;
		ret |= strncmp(text, "ret", 3) == 0;
		CU_ASSERT_PTR_EQUAL(code_listing_find(&listing, at->offset), at);
		CU_ASSERT_PTR_EQUAL(code_listing_find(&listing, at->offset + at->bytes - 1), at);
		CU_ASSERT(i == 0 || at->offset == at[-1].offset + at[-1].bytes);
	}
	CU_ASSERT(nop && ret);
	CU_ASSERT_PTR_NULL(code_listing_find(&listing, start - 1));
	/* Once only. */
	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, start));
	CU_ASSERT_EQUAL(listing.count, count);
	/* No code. */
	CU_ASSERT_FALSE(code_listing_add(&listing, &self.image, self.disassembler, UINT64_MAX));
	CU_ASSERT_FALSE(code_listing_add(&listing, &self.image, self.disassembler, 0));
	code_listing_release(&listing);
	disassembler_close(self.disassembler);
	code_image_close(&self.image);
}

/* Functions that are added out of order stand in order. */
static void
targets_have_names(void)
{
	struct opened self;
	struct code_listing listing = {0};
	bool named = false;

	if (!open_self(&self))
		return;
	const uint64_t one = offset_of(&self.image, "suite_code_listing");
	const uint64_t other = offset_of(&self.image, "listed_function");

	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, one));
	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, other));
	for (size_t i = 0; i < listing.count; i++) {
		const char *text = code_listing_text(&listing, &listing.instructions[i]);

		named |= strstr(text, " <unit_suite>") != NULL;
		CU_ASSERT(i == 0 ||
			  listing.instructions[i].offset > listing.instructions[i - 1].offset);
	}
	CU_ASSERT(named);
	code_listing_release(&listing);
	disassembler_close(self.disassembler);
	code_image_close(&self.image);
}

/* Whether capstone knows them or not, the function is listed to its end, and once. */
static void
instructions_that_are_not_known_are_bytes(void)
{
#if defined(__x86_64__)
	struct opened self;
	struct code_listing listing = {0};

	(void)function_of_avx512(1);
	if (!open_self(&self))
		return;
	const uint64_t start = offset_of(&self.image, "function_of_avx512");
	bool lengths[2] = {false, false};

	CU_ASSERT_FATAL(start > 0);
	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, start));
	const size_t count = listing.count;

	CU_ASSERT_FATAL(count > 4);
	for (size_t i = 0; i + 1 < count; i++) {
		const struct code_instruction *at = &listing.instructions[i];

		CU_ASSERT_EQUAL(at->offset + at->bytes, at[1].offset);
		lengths[0] |= at->bytes == 4 && at[1].bytes == 6;
		lengths[1] |=
			at->bytes == 8 && strcmp(code_listing_text(&listing, at + 1), "nop") == 0;
	}
	CU_ASSERT(lengths[0] && lengths[1]);
	CU_ASSERT(code_listing_add(&listing, &self.image, self.disassembler, start + 3));
	CU_ASSERT_EQUAL(listing.count, count);
	code_listing_release(&listing);
	code_image_close(&self.image);
	disassembler_close(self.disassembler);
#else
	unit_skip("the instructions are those of x86-64");
#endif
}

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

static const struct unit_case cases[] = {
	{"a_function_is_listed_whole", a_function_is_listed_whole},
	{"targets_have_names", targets_have_names},
	{"instructions_that_are_not_known_are_bytes", instructions_that_are_not_known_are_bytes},
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

void
suite_code_listing(void)
{
	unit_suite("code/listing", cases);
}
