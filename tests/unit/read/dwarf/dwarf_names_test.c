/* The functions of this very program, by its debug information and by its symbols. */
#include "dwarf/dwarf_names.h"

#include "base/mem.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "unit.h"

void suite_dwarf_dwarf_names(void);

/* The entry of this name; NULL if there is none. */
static const struct symtab_entry *
entry_of(const struct symtab *tab, const char *name)
{
	for (size_t i = 0; i < tab->count; i++)
		if (strcmp(tab->entries[i].name, name) == 0)
			return &tab->entries[i];
	return NULL;
}

static void
functions_stand_where_their_symbols_do(void)
{
	static const char *const names[] = {
		"suite_dwarf_dwarf_names", "main", "dwarf_names_read", "unit_suite"};
	struct elf_image image;
	struct symtab by_debug;
	struct symtab by_symbols;
	GElf_Shdr header;

	CU_ASSERT_FATAL(elf_image_open(&image, "/proc/self/exe"));
	by_debug = (struct symtab){0};
	by_symbols = (struct symtab){0};
	size_t added = dwarf_names_read(&image, &image, &by_debug);

	if (!elf_image_section(&image, ".debug_info", SHT_NULL, &header)) {
		unit_skip("compiled without debug information");
	} else {
		CU_ASSERT_EQUAL(added, by_debug.count);
		elf_image_symbols(&image, &image, SHT_SYMTAB, &by_symbols);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			const struct symtab_entry *one = entry_of(&by_debug, names[i]);
			const struct symtab_entry *other = entry_of(&by_symbols, names[i]);

			CU_ASSERT_PTR_NOT_NULL(one);
			CU_ASSERT_PTR_NOT_NULL(other);
			CU_ASSERT(one && other && one->start == other->start);
		}
		/* Data has a symbol, and is no function. */
		CU_ASSERT_PTR_NOT_NULL(entry_of(&by_symbols, "unit_suites"));
		CU_ASSERT_PTR_NULL(entry_of(&by_debug, "unit_suites"));
	}
	symtab_release(&by_debug);
	symtab_release(&by_symbols);
	elf_image_close(&image);
}

static void
a_file_without_debug_information_names_nothing(void)
{
	struct elf_image image;
	struct symtab tab;

	if (!elf_image_open_vdso(&image)) {
		unit_skip("this machine has no vDSO");
		return;
	}
	tab = (struct symtab){0};
	CU_ASSERT_EQUAL(dwarf_names_read(&image, &image, &tab), 0);
	CU_ASSERT_EQUAL(tab.count, 0);
	symtab_release(&tab);
	elf_image_close(&image);
}

static const struct unit_case cases[] = {
	{"functions_stand_where_their_symbols_do", functions_stand_where_their_symbols_do},
	{"a_file_without_debug_information_names_nothing",
		a_file_without_debug_information_names_nothing},
	{NULL, NULL},
};

void
suite_dwarf_dwarf_names(void)
{
	unit_suite("dwarf/dwarf_names", cases);
}
