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

#define ENDS(text) call_site_ends(EM_X86_64, (const unsigned char *)(text), sizeof(text) - 1)

static void
test_direct(void)
{
	CU_ASSERT(ENDS("\xe8\x10\x20\x30\x40"));
	CU_ASSERT(ENDS("\x90\x90\xe8\xfb\xff\xff\xff"));
	CU_ASSERT(ENDS("\x66\x66\x48\xe8\x10\x20\x30\x40")); /* as for __tls_get_addr */
}

static void
test_indirect(void)
{
	CU_ASSERT(ENDS("\xff\xd0"));                     /* call *%rax */
	CU_ASSERT(ENDS("\x41\xff\xd4"));                 /* call *%r12 */
	CU_ASSERT(ENDS("\x3e\xff\xd0"));                 /* notrack call *%rax */
	CU_ASSERT(ENDS("\xff\x10"));                     /* call *(%rax) */
	CU_ASSERT(ENDS("\xff\x50\x18"));                 /* call *0x18(%rax) */
	CU_ASSERT(ENDS("\xff\x90\x00\x01\x00\x00"));     /* call *0x100(%rax) */
	CU_ASSERT(ENDS("\xff\x15\x10\x20\x30\x40"));     /* call *0x40302010(%rip) */
	CU_ASSERT(ENDS("\xff\x14\xc3"));                 /* call *(%rbx,%rax,8) */
	CU_ASSERT(ENDS("\xff\x54\x24\x08"));             /* call *8(%rsp) */
	CU_ASSERT(ENDS("\xff\x94\x24\x80\x00\x00\x00")); /* call *0x80(%rsp) */
	CU_ASSERT(ENDS("\xff\x14\xc5\x10\x20\x30\x40")); /* call *0x40302010(,%rax,8) */
	CU_ASSERT(ENDS("\x41\xff\x94\x24\x80\x00\x00\x00"));
}

static void
test_others(void)
{
	CU_ASSERT_FALSE(ENDS(""));
	CU_ASSERT_FALSE(ENDS("\xc3"));
	CU_ASSERT_FALSE(ENDS("\x90\x90\x90\x90\x90\x90\x90"));
	CU_ASSERT_FALSE(ENDS("\xe9\x10\x20\x30\x40")); /* jmp */
	CU_ASSERT_FALSE(ENDS("\xff\xe0"));             /* jmp *%rax */
	CU_ASSERT_FALSE(ENDS("\xff\xd8"));             /* far call: no such encoding */
	CU_ASSERT_FALSE(ENDS("\xff\x30"));             /* push (%rax) */
	CU_ASSERT_FALSE(ENDS("\x66\x0f\x1f\x84\x00\x00\x00"));
}

static void
test_cut_short(void)
{
	CU_ASSERT_FALSE(ENDS("\x10\x20\x30\x40"));
	CU_ASSERT_FALSE(ENDS("\xff"));
	CU_ASSERT_FALSE(ENDS("\xff\x14"));                 /* its SIB byte would follow */
	CU_ASSERT_FALSE(ENDS("\xff\x50"));                 /* its displacement would follow */
	CU_ASSERT_FALSE(ENDS("\xe8\x10\x20\x30\x40\x90")); /* the call ended one byte before */
	CU_ASSERT_FALSE(ENDS("\xff\xd0\x90"));
}

#define ENDS_AARCH64(text) \
	call_site_ends(EM_AARCH64, (const unsigned char *)(text), sizeof(text) - 1)

static void
call_site_test_aarch64(void)
{
	CU_ASSERT(ENDS_AARCH64("\x0e\x01\x00\x94"));                 /* bl */
	CU_ASSERT(ENDS_AARCH64("\xf4\xff\xff\x97"));                 /* bl, backwards */
	CU_ASSERT(ENDS_AARCH64("\x1f\x20\x03\xd5\x20\x00\x3f\xd6")); /* nop; blr x1 */
	CU_ASSERT(ENDS_AARCH64("\x22\x08\x3f\xd7"));                 /* blraa x1, x2 */
	CU_ASSERT(ENDS_AARCH64("\x3f\x0c\x3f\xd6"));                 /* blrabz x1 */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xa7\xff\xff\x17"));           /* b */
	CU_ASSERT_FALSE(ENDS_AARCH64("\x20\x02\x1f\xd6"));           /* br x17 */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xc0\x03\x5f\xd6"));           /* ret */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xff\x0b\x5f\xd6"));           /* retaa */
	CU_ASSERT_FALSE(ENDS_AARCH64("\x0e\x01\x00\x94\x1f\x20\x03\xd5"));
	CU_ASSERT_FALSE(ENDS_AARCH64("\x01\x00\x94"));
	CU_ASSERT_FALSE(ENDS_AARCH64(""));
}

void
suite_elf_plt(void)
{
	static const struct unit_case cases[] = {
		{"stubs_of_aarch64_are_measured_by_their_code", test_aarch64},
		{"stubs_of_x86_64_are_as_the_section_says", test_x86_64},
		{"a_section_outside_of_the_file_has_no_first_stub", test_outside},
		{"stubs_are_named_after_what_they_jump_to", test_names},
		{"stubs_without_relocations_that_can_be_read_have_no_names", test_unreadable},
		{"a_direct_call_is_seen_with_and_without_prefixes", test_direct},
		{"every_form_of_an_indirect_call_is_seen", test_indirect},
		{"jumps_padding_and_returns_are_no_calls", test_others},
		{"a_call_must_end_at_the_address_itself", test_cut_short},
		{"calls_of_aarch64_are_seen", call_site_test_aarch64},
		{NULL, NULL},
	};

	unit_suite("elf/plt", cases);
}
