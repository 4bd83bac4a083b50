/* Assembler code of this very program under labels that perf leaves out. */
#include "elf/elf_image.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

void suite_elf_elf_labels(void);

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

void
suite_elf_elf_labels(void)
{
	static const struct unit_case cases[] = {
		{"hidden_labels_name_what_no_function_covers", test_gaps},
		{NULL, NULL},
	};

	unit_suite("elf/elf_labels", cases);
}
