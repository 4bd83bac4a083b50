
#include "elf/elf_image.h"

#include "unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_elf_elf_image(void);

#define TEXT_AT 0x200
#define TEXT_BYTES 0x20
#define FILE_BYTES (TEXT_AT + TEXT_BYTES + 0x10)
#define TEXT UINT64_C(0x401200)
#define DATA UINT64_C(0x602220)

struct made {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	unsigned char rest[FILE_BYTES - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr)];
};

/* In memory that ends with the file, so that a read beyond it is seen. */
static bool
open_made(struct elf_image *image, uint64_t text_file_bytes)
{
	struct made *made = calloc(1, sizeof(*made));

	CU_ASSERT_PTR_NOT_NULL_FATAL(made);
	if (!made)
		return false;
	made->header = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					    ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(made->header),
		.e_ehsize = sizeof(made->header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2};
	made->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = TEXT_AT,
		.p_vaddr = TEXT,
		.p_filesz = text_file_bytes,
		.p_memsz = TEXT_BYTES};
	made->segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = TEXT_AT + TEXT_BYTES,
		.p_vaddr = DATA,
		.p_filesz = 0x10,
		.p_memsz = 0x100};
	for (size_t i = 0; i < TEXT_BYTES; i++)
		((unsigned char *)made)[TEXT_AT + i] = (unsigned char)i;

	elf_version(EV_CURRENT);

	Elf *elf = elf_memory((char *)made, sizeof(*made));

	return elf_image_adopt(image, elf, made);
}

static uint64_t
offset_of(const struct elf_image *image, uint64_t address)
{
	uint64_t offset;

	return elf_image_offset(image, address, &offset) ? offset : UINT64_MAX;
}

static uint64_t
address_of(const struct elf_image *image, uint64_t offset)
{
	uint64_t address;

	return elf_image_address(image, offset, &address) ? address : UINT64_MAX;
}

static void
test_segments(void)
{
	struct elf_image image;

	CU_ASSERT_FATAL(open_made(&image, TEXT_BYTES));
	CU_ASSERT_EQUAL(image.nheaders, 2);
	CU_ASSERT_EQUAL(image.build_id.len, 0);
	CU_ASSERT_EQUAL(offset_of(&image, TEXT), TEXT_AT);
	CU_ASSERT_EQUAL(offset_of(&image, TEXT + TEXT_BYTES - 1), TEXT_AT + TEXT_BYTES - 1);
	CU_ASSERT_EQUAL(offset_of(&image, TEXT + TEXT_BYTES), UINT64_MAX);
	CU_ASSERT_EQUAL(offset_of(&image, TEXT - 1), UINT64_MAX);
	/* What is only in memory has symbols, too. */
	CU_ASSERT_EQUAL(offset_of(&image, DATA + 0xff), TEXT_AT + TEXT_BYTES + 0xff);
	CU_ASSERT_EQUAL(address_of(&image, TEXT_AT + 3), TEXT + 3);
	CU_ASSERT_EQUAL(address_of(&image, TEXT_AT + TEXT_BYTES), DATA);
	CU_ASSERT_EQUAL(address_of(&image, TEXT_AT + TEXT_BYTES + 0x10), UINT64_MAX);
	CU_ASSERT_EQUAL(address_of(&image, 0), UINT64_MAX);
	elf_image_close(&image);
}

static void
test_code(void)
{
	unsigned char code[8] = {0};
	struct elf_image image;

	CU_ASSERT_FATAL(open_made(&image, TEXT_BYTES));
	CU_ASSERT_EQUAL(elf_image_code(&image, TEXT_AT + 16, code, sizeof(code)), sizeof(code));
	CU_ASSERT_EQUAL(code[0], 8);
	CU_ASSERT_EQUAL(code[7], 15);
	/* No more than the segment has ahead of it. */
	CU_ASSERT_EQUAL(elf_image_code(&image, TEXT_AT + 3, code, sizeof(code)), 3);
	CU_ASSERT_EQUAL(code[2], 2);
	CU_ASSERT_EQUAL(elf_image_code(&image, TEXT_AT, code, sizeof(code)), 0);
	CU_ASSERT_EQUAL(elf_image_code(&image, 0, code, sizeof(code)), 0);
	CU_ASSERT_EQUAL(elf_image_code(&image, TEXT_AT + TEXT_BYTES + 4, code, sizeof(code)), 0);
	elf_image_close(&image);
	/* A segment that claims more than the file has. */
	CU_ASSERT_FATAL(open_made(&image, FILE_BYTES));
	CU_ASSERT_EQUAL(elf_image_code(&image, FILE_BYTES + 8, code, sizeof(code)), 0);
	elf_image_close(&image);
}

/* objcopy --only-keep-debug leaves addresses, but neither bytes nor offsets. */
static void
test_place(void)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct elf_image image;

	CU_ASSERT_FATAL(open_made(&image, 0));
	CU_ASSERT(!elf_image_place(&image, 0x3000, 2 * page)); /* another size */
	CU_ASSERT(elf_image_place(&image, 0x3000, page));
	CU_ASSERT_EQUAL(offset_of(&image, TEXT + 5), 0x3000 + TEXT % page + 5);
	CU_ASSERT_EQUAL(offset_of(&image, TEXT + TEXT_BYTES), UINT64_MAX);
	CU_ASSERT_EQUAL(offset_of(&image, 0), UINT64_MAX);
	elf_image_close(&image);
	/* One that kept its headers needs none of this. */
	CU_ASSERT_FATAL(open_made(&image, TEXT_BYTES));
	CU_ASSERT(elf_image_place(&image, 0x3000, 7));
	CU_ASSERT_EQUAL(offset_of(&image, TEXT), TEXT_AT);
	elf_image_close(&image);
}

static void
test_no_elf(void)
{
	char text[] = "#!/bin/sh\n";
	struct elf_image image;

	CU_ASSERT(!elf_image_open(&image, "/nowhere/a.so"));
	CU_ASSERT(!elf_image_open(&image, "/"));
	CU_ASSERT(!elf_image_open_memory(&image, text, sizeof(text)));
	CU_ASSERT(!elf_image_adopt(&image, NULL, malloc(8)));
}

static const struct unit_case cases[] = {
	{"addresses_and_offsets_are_reported_from_each_other_by_segment", test_segments},
	{"code_is_read_up_to_an_offset_within_its_segment", test_code},
	{"a_debug_file_learns_offsets_from_what_was_mapped", test_place},
	{"what_is_no_elf_file_is_not_open", test_no_elf},
	{NULL, NULL},
};

void
suite_elf_elf_image(void)
{
	unit_suite("elf/elf_image", cases);
}
