#include "unwind/unwind_internal.h"

#include "unit.h"
#include "unwind/own_space.h"

#include <string.h>

void suite_unwind_added_entries(void);

/* Whether `section` has an entry that starts at the section `name` of the image. */
static bool
has_entry_for(const struct cfi_section *section, const struct elf_image *image, const char *name)
{
	struct cfi_reader reader = {.section = section};
	struct cfi_fde fde;
	const struct cfi_cie *cie;
	GElf_Shdr header;

	if (!elf_image_section(image, name, SHT_NULL, &header))
		return false;
	while (cfi_next(&reader, &fde, &cie))
		if (fde.start == header.sh_addr && fde.size == header.sh_size)
			return true;
	return false;
}

static size_t
count_entries(const struct cfi_section *section)
{
	struct cfi_reader reader = {.section = section};
	struct cfi_fde fde;
	const struct cfi_cie *cie;
	size_t n = 0;

	while (cfi_next(&reader, &fde, &cie))
		n++;
	return n;
}

/* This very program calls libraries: it has stubs. */
static void
test_empty(void)
{
	struct cfi_section section = {.len = 0};
	struct elf_image image;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	stubs_add(unwind_machine_find(OWN_MACHINE), &image, &section);
	if (section.len == 0) {
		unit_skip("this program was linked without stubs");
	} else {
		CU_ASSERT_TRUE(section.eh);
		CU_ASSERT_TRUE(has_entry_for(&section, &image, ".plt") ||
			       has_entry_for(&section, &image, ".plt.got"));
	}
	cfi_unload(&section);
	elf_image_close(&image);
}

static void
test_behind(void)
{
	struct cfi_section section;
	struct elf_image image;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	CU_ASSERT_TRUE_FATAL(cfi_load_eh_frame(&image, &section));

	size_t before = count_entries(&section);
	size_t len = section.len;
	struct cfi_section copy = section;

	stubs_add(unwind_machine_find(OWN_MACHINE), &image, &section);
	CU_ASSERT(section.len >= len);
	CU_ASSERT(count_entries(&section) >= before);
	if (section.len == len)
		CU_ASSERT_PTR_EQUAL(section.bytes, copy.bytes);
	cfi_unload(&section);
	elf_image_close(&image);
}

void
suite_unwind_added_entries(void)
{
	static const struct unit_case cases[] = {
		{"stubs_get_entries_where_there_are_none", test_empty},
		{"the_linkers_entries_stay_ahead", test_behind},
		{NULL, NULL},
	};

	unit_suite("unwind/added_entries", cases);
}
