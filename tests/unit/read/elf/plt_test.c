#include "elf/plt.h"

#include "unit.h"

#include <elf.h>
#include <string.h>

void suite_elf_plt(void);

#define STP 0xa9bf7bf0
#define BTI 0xd503245f
#define ADRP 0xf00000f0
#define LDR 0xf9400211
#define ADD 0x91000210
#define BR 0xd61f0220
#define AUT 0xd503219f
#define NOP 0xd503201f

#define STUBS_AT 0x1000

/* A file of one segment that holds code at STUBS_AT. */
struct made {
	unsigned char bytes[STUBS_AT + 0x100];
	struct elf_image image;
	GElf_Shdr stubs;
};

static void
begin(struct made *made, uint16_t machine, const uint32_t *words, size_t count)
{
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1};
	Elf64_Phdr text = {.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = sizeof(made->bytes),
		.p_memsz = sizeof(made->bytes)};

	memset(made, 0, sizeof(*made));
	memcpy(made->bytes, &header, sizeof(header));
	memcpy(made->bytes + sizeof(header), &text, sizeof(text));
	memcpy(made->bytes + STUBS_AT, words, count * sizeof(*words));
	made->stubs.sh_offset = STUBS_AT;
	made->stubs.sh_size = count * sizeof(*words);
	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&made->image, (char *)made->bytes, sizeof(made->bytes)));
}

static void
check_shape(const struct made *made, uint64_t first, uint64_t entry, uint64_t push)
{
	struct plt_shape shape = plt_shape_of(&made->image, &made->stubs);

	CU_ASSERT_EQUAL(shape.first_bytes, first);
	CU_ASSERT_EQUAL(shape.entry_bytes, entry);
	CU_ASSERT_EQUAL(shape.push_bytes, push);
}

#define CHECK_SHAPE(machine, first, entry, push, ...)                           \
	do {                                                                    \
		const uint32_t words[] = {__VA_ARGS__};                         \
		struct made made;                                               \
		begin(&made, machine, words, sizeof(words) / sizeof(words[0])); \
		check_shape(&made, first, entry, push);                         \
		elf_image_close(&made.image);                                   \
	} while (0)

static void
test_aarch64(void)
{
	CHECK_SHAPE(
		EM_AARCH64, 32, 16, 4, STP, ADRP, LDR, ADD, BR, NOP, NOP, NOP, ADRP, LDR, ADD, BR);
	/* -z force-bti, -z pac-plt */
	CHECK_SHAPE(EM_AARCH64, 32, 24, 8, BTI, STP, ADRP, LDR, ADD, BR, NOP, NOP, BTI, ADRP, LDR,
		ADD, BR, NOP);
	CHECK_SHAPE(EM_AARCH64, 32, 24, 4, STP, ADRP, LDR, ADD, BR, NOP, NOP, NOP, ADRP, LDR, ADD,
		AUT, BR, NOP);
	/* A static program's: there is nothing to be found on a first call. */
	CHECK_SHAPE(EM_AARCH64, 0, 16, 0, ADRP, LDR, ADD, BR, ADRP, LDR, ADD, BR);
	CHECK_SHAPE(EM_AARCH64, 0, 16, 0, ADRP);
}

static void
test_x86_64(void)
{
	static const uint32_t words[8] = {0};
	struct made made;

	begin(&made, EM_X86_64, words, 8);
	made.stubs.sh_entsize = 16;
	check_shape(&made, 0, 16, 0);
	made.stubs.sh_entsize = 8;
	check_shape(&made, 0, 8, 0);
	/* Not to be believed. */
	made.stubs.sh_entsize = UINT64_MAX / 2;
	check_shape(&made, 0, 16, 0);
	elf_image_close(&made.image);
}

static void
test_outside(void)
{
	static const uint32_t words[] = {STP};
	struct made made;

	begin(&made, EM_AARCH64, words, 1);
	made.stubs.sh_offset = UINT64_MAX - 8;
	made.stubs.sh_size = 64;
	check_shape(&made, 0, 16, 0);
	elf_image_close(&made.image);
}

/* This very program calls its libraries. */
static void
test_names(void)
{
	struct elf_image image;
	struct symtab tab;
	GElf_Shdr header;

	tab = (struct symtab){0};
	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	plt_symbols(&image, &tab);
	if (!elf_image_section(&image, ".rela.plt", SHT_NULL, &header) ||
		header.sh_size <= header.sh_entsize) {
		unit_skip("this program was linked without stubs");
	} else {
		symtab_finish(&tab, false);
		CU_ASSERT_TRUE(tab.count > 0);
		for (size_t i = 0; i < tab.count; i++) {
			const char *name = symtab_name(&tab, &tab.entries[i]);
			size_t len = strlen(name);

			CU_ASSERT_TRUE(len > 4 && strcmp(name + len - 4, "@plt") == 0);
		}
	}
	elf_image_close(&image);
	symtab_release(&tab);
}

/* Sections of names for a file with stubs. */
enum {
	AT_PLT = 1,
	AT_RELA,
	AT_DYNSYM,
	AT_NAMES,
	NSECTIONS,
};

/* Sections that claim more bytes than any file has; `type` is of the relocations. */
static void
check_unreadable(uint32_t type)
{
	static const char names[] = "\0.plt\0.rela.plt";
	static const uint32_t words[16] = {0};
	const Elf64_Shdr sections[NSECTIONS] = {
		[AT_PLT] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = UINT64_C(1) << 62},
		[AT_RELA] = {.sh_name = 6,
			.sh_type = type,
			.sh_link = AT_DYNSYM,
			.sh_offset = STUBS_AT,
			.sh_size = UINT64_C(24) << 50,
			.sh_entsize = 24},
		[AT_DYNSYM] = {.sh_type = SHT_DYNSYM,
			.sh_link = AT_NAMES,
			.sh_offset = STUBS_AT,
			.sh_size = 24,
			.sh_entsize = 24},
		[AT_NAMES] = {.sh_type = SHT_STRTAB,
			.sh_offset = STUBS_AT + 0x40,
			.sh_size = sizeof(names)},
	};
	struct symtab tab;
	struct made made;
	Elf64_Ehdr header;

	begin(&made, EM_X86_64, words, 16);
	elf_image_close(&made.image);
	memcpy(&header, made.bytes, sizeof(header));
	header.e_shoff = 0x800;
	header.e_shentsize = sizeof(Elf64_Shdr);
	header.e_shnum = NSECTIONS;
	header.e_shstrndx = AT_NAMES;
	memcpy(made.bytes, &header, sizeof(header));
	memcpy(made.bytes + header.e_shoff, sections, sizeof(sections));
	memcpy(made.bytes + STUBS_AT + 0x40, names, sizeof(names));
	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&made.image, (char *)made.bytes, sizeof(made.bytes)));
	tab = (struct symtab){0};
	plt_symbols(&made.image, &tab);
	CU_ASSERT_EQUAL(tab.count, 0);
	symtab_release(&tab);
	elf_image_close(&made.image);
}

static void
test_unreadable(void)
{
	check_unreadable(SHT_RELA);
	/* As in a debug file that lies where the program was. */
	check_unreadable(SHT_NOBITS);
}

static const struct unit_case cases[] = {
	{"stubs_of_aarch64_are_measured_by_their_code", test_aarch64},
	{"stubs_of_x86_64_are_as_the_section_says", test_x86_64},
	{"a_section_outside_of_the_file_has_no_first_stub", test_outside},
	{"stubs_are_named_after_what_they_jump_to", test_names},
	{"stubs_without_relocations_that_can_be_read_have_no_names", test_unreadable},
	{NULL, NULL},
};

void
suite_elf_plt(void)
{
	unit_suite("elf/plt", cases);
}
