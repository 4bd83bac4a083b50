/* Small files made by hand, without sections: code at an address that is not its offset, and data
 * that is larger in memory. */
#include "elf/elf_image.h"

#include "base/buf.h"
#include "base/file.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* This very program, whose function stands where the symbol says. */
static void
test_symbols(void)
{
	const struct symtab_entry *entry = NULL;
	struct elf_image image;
	struct symtab tab;

	CU_ASSERT_FATAL(elf_image_open(&image, "/proc/self/exe"));
	tab = (struct symtab){0};
	CU_ASSERT(elf_image_symbols(&image, &image, SHT_SYMTAB, &tab) > 0);
	symtab_finish(&tab, false);
	for (size_t i = 0; i < tab.count; i++)
		if (strcmp(tab.entries[i].name, "suite_elf_elf_image") == 0)
			entry = &tab.entries[i];
	CU_ASSERT_PTR_NOT_NULL(entry);
	if (entry) {
		void (*function)(void) = suite_elf_elf_image;
		const void *start;
		unsigned char code[4];

		memcpy(&start, &function, sizeof(start));

		CU_ASSERT_EQUAL(elf_image_code(&image, entry->start + 4, code, 4), 4);
		CU_ASSERT_EQUAL(memcmp(code, start, 4), 0);
	}
	symtab_release(&tab);
	elf_image_close(&image);
}

/* Assembler code of this very program under labels that perf leaves out. */

/* A hidden label within a function, one behind it under two names, and a function that ends it. */
__asm__(".pushsection .text\n"
	".globl hidden_inside, hidden_loop, _hidden_loop\n"
	".hidden hidden_inside, hidden_loop, _hidden_loop\n"
	".type labels_before, %function\n"
	"labels_before: .skip 16, 0\n"
	"hidden_inside: .skip 16, 0\n"
	".size labels_before, . - labels_before\n"
	"_hidden_loop:\n"
	"hidden_loop: .skip 32, 0\n"
	".type labels_behind, %function\n"
	".globl labels_behind\n"
	"labels_behind: .skip 16, 0\n"
	".size labels_behind, . - labels_behind\n"
	".popsection\n");

/* The name `bytes` before labels_behind: offsets in the file are not known to a running program. */
static const char *
name_before(const struct symtab *tab, uint64_t bytes)
{
	uint64_t start = 0;

	for (size_t i = 0; i < tab->count; i++)
		if (strcmp(tab->entries[i].name, "labels_behind") == 0)
			start = tab->entries[i].start;

	const struct symtab_entry *entry = symtab_find(tab, start - bytes);

	return entry ? entry->name : "";
}

static void
test_gaps(void)
{
	struct elf_image image;
	struct symtab tab;

	CU_ASSERT_FATAL(elf_image_open(&image, "/proc/self/exe"));
	tab = (struct symtab){0};
	CU_ASSERT(elf_image_symbols(&image, &image, SHT_SYMTAB, &tab) > 0);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_before(&tab, 8), "");
	elf_image_labels(&image, &image, &tab);
	symtab_index(&tab);
	UNIT_STR_EQ(name_before(&tab, 8), "hidden_loop");
	UNIT_STR_EQ(name_before(&tab, 40), "labels_before");
	symtab_release(&tab);
	elf_image_close(&image);
}

/* Streams of xz, as the tool of that name writes them. */

/* What `command` prints; skips the case where there is no xz. */
static bool
run(const char *command, struct buf *out)
{
	char bytes[4096];
	size_t got;
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */

	if (!pipe)
		return false;
	while ((got = fread(bytes, 1, sizeof(bytes), pipe)) > 0)
		buf_put(out, bytes, got);
	if (pclose(pipe) == 0)
		return true;
	unit_skip("xz is not installed");
	return false;
}

static const unsigned char *
bytes_of(const struct buf *text)
{
	return (const unsigned char *)text->data;
}

static void
a_stream_is_as_large_as_it_unpacks_to(void)
{
	static const char *const ways[] = {"-1", "-6 --check=sha256", "-0 --check=none",
		"--block-size=65536 -T2", "--x86 --lzma2=preset=6", "--delta=dist=4 --lzma2"};
	char command[160];
	uint64_t size;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct buf out = {0};

		snprintf(command, sizeof(command),
			"head -c 300001 /proc/self/exe | xz --format=xz %s -c 2>/dev/null",
			ways[i]);
		if (!run(command, &out))
			return;
		uint64_t all = 300001;
		struct buf exe = {0};

		/* For a small program: what it has. */
		run("head -c 300001 /proc/self/exe", &exe);
		all = exe.len < all ? exe.len : all;
		CU_ASSERT_TRUE(xz_size(bytes_of(&out), out.len, &size));
		CU_ASSERT_EQUAL(size, all);
		/* Cut anywhere ahead of the index, it is none. */
		CU_ASSERT_FALSE(xz_size(bytes_of(&out), out.len / 2, &size));
		buf_release(&exe);
		buf_release(&out);
	}
}

static void
other_bytes_are_no_stream(void)
{
	uint64_t size;

	CU_ASSERT_FALSE(xz_size((const unsigned char *)"", 0, &size));
	CU_ASSERT_FALSE(xz_size((const unsigned char *)"\x7f"
						       "ELF, and so on, and on",
		23, &size));
}

/* The symbols of this very program, and of the vDSO, which has no .symtab. */

/* One of each binding; the names are met nowhere else. */
__asm__(".pushsection .text\n"
	".globl symbols_global\n"
	".weak symbols_weak\n"
	"symbols_global: .skip 4, 0\n"
	"symbols_weak: .skip 4, 0\n"
	"symbols_local: .skip 4, 0\n"
	".popsection\n");

static bool
find(const struct elf_image *image, const char *name, GElf_Sym *sym)
{
	struct elf_symbols symbols;

	elf_symbols_begin(&symbols, image, SHT_SYMTAB);
	while (elf_symbols_next(&symbols, sym)) {
		const char *its = elf_symbols_name(&symbols, sym);

		if (its && strcmp(its, name) == 0)
			return true;
	}
	return false;
}

static void
expect_binding(const struct elf_image *image, const char *name, enum symbol_binding binding)
{
	GElf_Sym sym;

	CU_ASSERT_TRUE(find(image, name, &sym));
	CU_ASSERT_EQUAL(elf_symbol_binding(&sym), binding);
}

static void
symbols_of_every_binding_are_met(void)
{
	struct elf_image image;
	GElf_Sym sym;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	expect_binding(&image, "symbols_global", BINDING_GLOBAL);
	expect_binding(&image, "symbols_weak", BINDING_WEAK);
	expect_binding(&image, "symbols_local", BINDING_LOCAL);
	CU_ASSERT_FALSE(find(&image, "symbols_nowhere", &sym));
	elf_image_close(&image);
}

/* The first one of every table stands for no symbol. */
static void
a_symbol_may_have_no_name(void)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	CU_ASSERT_TRUE(elf_symbols_next(&symbols, &sym));
	CU_ASSERT_PTR_NULL(elf_symbols_name(&symbols, &sym));
	elf_image_close(&image);
}

static void
the_walk_ends_behind_the_last_one(void)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;
	size_t met = 0;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	while (elf_symbols_next(&symbols, &sym))
		met++;
	CU_ASSERT_EQUAL(met, symbols.count);
	CU_ASSERT_FALSE(elf_symbols_next(&symbols, &sym));
	elf_image_close(&image);
}

static void
a_file_without_a_table_has_no_symbols(void)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;

	if (!elf_image_open_vdso(&image)) {
		unit_skip("this machine has no vDSO");
		return;
	}
	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	CU_ASSERT_FALSE(elf_symbols_next(&symbols, &sym));
	elf_symbols_begin(&symbols, &image, SHT_DYNSYM);
	CU_ASSERT_TRUE(elf_symbols_next(&symbols, &sym));
	elf_image_close(&image);
}

/* Packs a program by the tools of the machine and opens it again. */

/* Room for a command line with a few paths in it. */
#define COMMAND_BYTES 4096

struct scratch {
	char dir[32];
	bool made; /* `program` is in it */
};

static void
scratch_close(struct scratch *scratch)
{
	struct err err = {0};

	file_remove_tree(scratch->dir, &err);
}

/* Runs a shell command in the scratch folder; false, and a skip, where it cannot. */
static bool
run_tool(const struct scratch *scratch, const char *command)
{
	char line[COMMAND_BYTES];

	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", scratch->dir, command);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(line);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	unit_skip("a tool of binutils or a packer is missing or too old");
	return false;
}

/* With a library of hundreds of functions, called `program`, where there is a compiler. */
static void
scratch_open(struct scratch *scratch)
{
	strcpy(scratch->dir, "/tmp/elf_packed_test.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->dir));
	scratch->made =
		run_tool(scratch, "for i in $(seq 500); do echo \"int f$i(void) { return $i; }\"; "
				  "done | ${CC:-cc} -x c -g -shared -o program -");
}

/* How many functions the file at `name` has; 0 where it does not open. */
static size_t
count_symbols(const struct scratch *scratch, const char *name)
{
	char *path = file_join(scratch->dir, name);
	struct elf_image image;
	struct symtab tab;
	size_t count = 0;

	tab = (struct symtab){0};
	if (elf_packed_open(&image, path)) {
		count = elf_image_symbols(&image, &image, SHT_SYMTAB, &tab);
		elf_image_close(&image);
	}
	symtab_release(&tab);
	free(path);
	return count;
}

static void
expect_packed(const char *command)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (scratch.made && run_tool(&scratch, command)) {
		size_t expected = count_symbols(&scratch, "program");

		CU_ASSERT(expected > 0);
		CU_ASSERT_EQUAL(count_symbols(&scratch, "packed"), expected);
		/* Cut short, it is nothing. */
		if (run_tool(&scratch, "head -c 1000 packed >cut"))
			CU_ASSERT_EQUAL(count_symbols(&scratch, "cut"), 0);
	}
	scratch_close(&scratch);
}

static void
test_gzip(void)
{
	expect_packed("gzip -c program >packed");
}

static void
test_xz(void)
{
	expect_packed("xz -c -1 program >packed");
}

static void
test_zstd(void)
{
	expect_packed("zstd -q -c program >packed");
}

/* A megabyte of zeros is no program, and a bomb is not unpacked at all. */
static void
test_bomb(void)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (run_tool(&scratch, "head -c 100000000 /dev/zero | xz -c -1 >bomb.xz") &&
		run_tool(&scratch, "head -c 100000000 /dev/zero | zstd -q -c >bomb.zst")) {
		CU_ASSERT_EQUAL(count_symbols(&scratch, "bomb.xz"), 0);
		CU_ASSERT_EQUAL(count_symbols(&scratch, "bomb.zst"), 0);
	}
	scratch_close(&scratch);
}

static void
test_mini(void)
{
	struct scratch scratch;
	struct elf_image image;
	struct elf_image mini;
	struct symtab tab;

	scratch_open(&scratch);
	tab = (struct symtab){0};
	if (scratch.made &&
		run_tool(&scratch,
			"objcopy --only-keep-debug program mini && strip -g mini && xz -1 mini && "
			"objcopy -S --add-section .gnu_debugdata=mini.xz program stripped")) {
		char *path = file_join(scratch.dir, "stripped");

		CU_ASSERT_FATAL(elf_image_open(&image, path));
		CU_ASSERT_EQUAL(elf_image_symbols(&image, &image, SHT_SYMTAB, &tab), 0);
		CU_ASSERT_FATAL(elf_packed_open_mini(&mini, &image));
		CU_ASSERT(elf_image_symbols(&mini, &image, SHT_SYMTAB, &tab) > 100);
		elf_image_close(&mini);
		elf_image_close(&image);
		free(path);
	}
	symtab_release(&tab);
	scratch_close(&scratch);
}

/* Bytes of .debug_info of the file at `name`, -1 where it cannot be had or is packed. */
static long
info_bytes(const struct scratch *scratch, const char *name)
{
	char *path = file_join(scratch->dir, name);
	struct elf_image image;
	GElf_Shdr header;
	long result = -1;

	CU_ASSERT_FATAL(elf_image_open(&image, path));
	CU_ASSERT(elf_packed_expand(&image));

	Elf_Scn *section = elf_image_section(&image, ".debug_info", SHT_NULL, &header);

	if (section && !(header.sh_flags & SHF_COMPRESSED))
		result = (long)header.sh_size;
	CU_ASSERT(image.build_id.len == 0 || image.build_id.len == 20);
	elf_image_close(&image);
	free(path);
	return result;
}

static void
test_zstd_sections(void)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (scratch.made &&
		run_tool(&scratch, "objcopy --compress-debug-sections=zstd program packed && "
				   "readelf -t packed | grep -q ZSTD"))
		CU_ASSERT_EQUAL(info_bytes(&scratch, "packed"), info_bytes(&scratch, "program"));
	scratch_close(&scratch);
}

void
suite_elf_elf_image(void)
{
	static const struct unit_case cases[] = {
		{"addresses_and_offsets_are_reported_from_each_other_by_segment", test_segments},
		{"code_is_read_up_to_an_offset_within_its_segment", test_code},
		{"a_debug_file_learns_offsets_from_what_was_mapped", test_place},
		{"what_is_no_elf_file_is_not_open", test_no_elf},
		{"symbols_stand_where_their_code_is", test_symbols},
		{"hidden_labels_name_what_no_function_covers", test_gaps},
		{"a_stream_is_as_large_as_it_unpacks_to", a_stream_is_as_large_as_it_unpacks_to},
		{"other_bytes_are_no_stream", other_bytes_are_no_stream},
		{"symbols_of_every_binding_are_met", symbols_of_every_binding_are_met},
		{"a_symbol_may_have_no_name", a_symbol_may_have_no_name},
		{"the_walk_ends_behind_the_last_one", the_walk_ends_behind_the_last_one},
		{"a_file_without_a_table_has_no_symbols", a_file_without_a_table_has_no_symbols},
		{"a_file_that_gzip_packed_opens", test_gzip},
		{"a_file_that_xz_packed_opens", test_xz},
		{"a_file_that_zstd_packed_opens", test_zstd},
		{"what_unpacks_to_more_than_a_program_is_left", test_bomb},
		{"a_stripped_programs_small_table_opens", test_mini},
		{"sections_that_zstd_packed_become_plain", test_zstd_sections},
		{NULL, NULL},
	};

	unit_suite("elf/elf_image", cases);
}
