#include "code/listing.h"

#include "code/disassembler.h"
#include "code/image.h"
#include "unit.h"

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

static const struct unit_case cases[] = {
	{"a_function_is_listed_whole", a_function_is_listed_whole},
	{"targets_have_names", targets_have_names},
	{"instructions_that_are_not_known_are_bytes", instructions_that_are_not_known_are_bytes},
	{NULL, NULL},
};

void
suite_code_listing(void)
{
	unit_suite("code/listing", cases);
}
