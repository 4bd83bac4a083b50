
#include "elf/elf_symbols.h"

#include "elf/elf_image.h"
#include "unit.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

void suite_elf_elf_symbols(void);

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
		if (strcmp(tab.entries[i].name, "suite_elf_elf_symbols") == 0)
			entry = &tab.entries[i];
	CU_ASSERT_PTR_NOT_NULL(entry);
	if (entry) {
		void (*function)(void) = suite_elf_elf_symbols;
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

static const struct unit_case cases[] = {
	{"symbols_stand_where_their_code_is", test_symbols},
	{"hidden_labels_name_what_no_function_covers", test_gaps},
	{"symbols_of_every_binding_are_met", symbols_of_every_binding_are_met},
	{"a_symbol_may_have_no_name", a_symbol_may_have_no_name},
	{"the_walk_ends_behind_the_last_one", the_walk_ends_behind_the_last_one},
	{"a_file_without_a_table_has_no_symbols", a_file_without_a_table_has_no_symbols},
	{NULL, NULL},
};

void
suite_elf_elf_symbols(void)
{
	unit_suite("elf/elf_symbols", cases);
}
