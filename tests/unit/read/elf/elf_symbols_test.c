/* The symbols of this very program, and of the vDSO, which has no .symtab. */

#include "elf/elf_image.h"
#include "unit.h"

void suite_elf_elf_symbols(void);

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
