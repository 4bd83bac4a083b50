/* Functions of this very program, and a USDT probe in it. */
#include "elf/probe_sites.h"

#include "unit.h"
#include "usdt_note.h"

#include <stdio.h>

void suite_elf_probe_sites(void);

/* With a semaphore, at two places. */
#define NOTE USDT_NOTE("unit_test", "some__probe", "sites_semaphore")

__asm__(".pushsection .data\n"
	".balign 8\n"
	"sites_before: .8byte 0x1234567890abcdef\n"
	"sites_semaphore: .2byte 0xabcd\n"
	".balign 8\n"
	".popsection\n"
	".pushsection .text\n"
	".type sites_function, @function\n"
	".type sites_alias, @function\n"
	".globl sites_function\n"
	"sites_function:\n"
	"sites_alias:\n"
	"	.byte 0x90, 0x91, 0x92, 0x93\n" NOTE NOTE ".size sites_function, 4\n"
	".type _ZN5sites3addEi, @function\n"
	"_ZN5sites3addEi: .skip 4, 0\n"
	".type _ZN5sites3addEl, @function\n"
	"_ZN5sites3addEl: .skip 4, 0\n"
	".type _ZN5sites3addEl.cold, @function\n"
	"_ZN5sites3addEl.cold: .skip 4, 0\n"
	".popsection\n");

static struct elf_image
open_own(void)
{
	struct elf_image image;

	CU_ASSERT_TRUE_FATAL(elf_image_open(&image, "/proc/self/exe"));
	return image;
}

/* The bytes of the program's file at an offset. */
static void
expect_bytes(uint64_t offset, const char *bytes, size_t len)
{
	FILE *own = fopen("/proc/self/exe", "re");
	char found[8] = "";

	UNIT_NEED(own);
	fseek(own, (long)offset, SEEK_SET);
	CU_ASSERT_EQUAL(fread(found, 1, len, own), len);
	CU_ASSERT_EQUAL(memcmp(found, bytes, len), 0);
	fclose(own);
}

static size_t
count_functions(const char *name)
{
	struct elf_image image = open_own();
	struct probe_sites sites = {0};

	probe_sites_add_function(&sites, &image, "/proc/self/exe", name);
	const size_t count = sites.count;

	probe_sites_release(&sites);
	elf_image_close(&image);
	return count;
}

static void
a_function_has_its_offset(void)
{
	struct elf_image image = open_own();
	struct probe_sites sites = {0};

	probe_sites_add_function(&sites, &image, "/proc/self/exe", "sites_function");
	CU_ASSERT_EQUAL_FATAL(sites.count, 1);
	UNIT_STR_EQ(sites.all[0].name, "sites_function");
	CU_ASSERT_EQUAL(sites.all[0].semaphore, 0);
	expect_bytes(sites.all[0].offset, "\x90\x91\x92\x93", 4);
	/* Another name of the same place adds nothing. */
	probe_sites_add_function(&sites, &image, "/proc/self/exe", "sites_alias");
	CU_ASSERT_EQUAL(sites.count, 1);
	probe_sites_release(&sites);
	elf_image_close(&image);
}

static void
readable_names_can_be_of_several(void)
{
	CU_ASSERT_EQUAL(count_functions("sites::add"), 2);
	CU_ASSERT_EQUAL(count_functions("_ZN5sites3addEi"), 1);
	CU_ASSERT_EQUAL(count_functions("sites_nowhere"), 0);
	/* Data is no function. */
	CU_ASSERT_EQUAL(count_functions("sites_before"), 0);
}

static void
a_usdt_probe_has_its_places_and_its_semaphore(void)
{
	struct elf_image image = open_own();
	struct probe_sites sites = {0};

	probe_sites_add_usdt(&sites, &image, "unit_test", "some__probe");
	CU_ASSERT_EQUAL_FATAL(sites.count, 2);
	CU_ASSERT_EQUAL(sites.all[1].offset, sites.all[0].offset + 1);
	expect_bytes(sites.all[0].offset - 4, "\x90\x91\x92\x93\x90\x90", 6);
	expect_bytes(sites.all[0].semaphore - 8, "\xef\xcd\xab\x90\x78\x56\x34\x12", 8);
	CU_ASSERT_EQUAL(sites.all[1].semaphore, sites.all[0].semaphore);
	probe_sites_release(&sites);
	probe_sites_add_usdt(&sites, &image, "unit_test", "other");
	probe_sites_add_usdt(&sites, &image, "other", "some__probe");
	CU_ASSERT_EQUAL(sites.count, 0);
	probe_sites_release(&sites);
	elf_image_close(&image);
}

static void
what_is_there_is_listed(void)
{
	struct elf_image image = open_own();
	struct buf names = {0};

	probe_sites_put_similar(&image, "/proc/self/exe", "sites_fun", &names);
	UNIT_STR_EQ(buf_text(&names), "sites_function");
	buf_clear(&names);
	probe_sites_put_usdt(&image, "unit_test", &names);
	UNIT_STR_EQ(buf_text(&names), "unit_test:some__probe");
	buf_clear(&names);
	probe_sites_put_usdt(&image, "nobody", &names);
	UNIT_STR_EQ(buf_text(&names), "");
	CU_ASSERT_FALSE(probe_sites_are_exported_only(&image, "/proc/self/exe"));
	buf_release(&names);
	elf_image_close(&image);
}

void
suite_elf_probe_sites(void)
{
	static const struct unit_case cases[] = {
		{"a_function_has_its_offset", a_function_has_its_offset},
		{"readable_names_can_be_of_several", readable_names_can_be_of_several},
		{"a_usdt_probe_has_its_places_and_its_semaphore",
			a_usdt_probe_has_its_places_and_its_semaphore},
		{"what_is_there_is_listed", what_is_there_is_listed},
		{NULL, NULL},
	};

	unit_suite("elf/probe_sites", cases);
}
