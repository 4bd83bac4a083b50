#include "symbols/symbols_internal.h"

#include "base/buf.h"
#include "base/file.h"
#include "elf/program_copies.h"
#include "make_jit_dump.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_symbols_jit_names(void);

static const char *
name_at(struct symtab *tab, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? entry->name : "";
}

static void
test_trust(void)
{
	uint32_t pid = (uint32_t)getpid();
	char path[64];
	struct err err = {0};
	struct symtab tab;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", (unsigned)pid);
	CU_ASSERT_EQUAL_FATAL(file_write(path, "1000 10 f\n", 10, &err), 0);
	tab = (struct symtab){0};
	jit_names_load_map(&tab, "", NULL, pid);
	UNIT_STR_EQ(name_at(&tab, 0x1000), "f");
	symtab_release(&tab);
	unlink(path);
	/* Whoever made the link chose what it leads to. */
	CU_ASSERT_EQUAL_FATAL(symlink("/proc/self/maps", path), 0);
	tab = (struct symtab){0};
	jit_names_load_map(&tab, "", NULL, pid);
	CU_ASSERT_EQUAL(tab.count, 0);
	symtab_release(&tab);
	unlink(path);
}

static void
test_copied_map(void)
{
	struct err err = {0};
	struct symtab tab = {0};
	char dir[] = "/tmp/jit_names_test.XXXXXX";
	char here[64];
	const uint32_t pid = 4294967294; /* above any that there can be */

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *copy = program_copies_jit_map(dir, pid);
	char *folder = file_join(dir, PROGRAM_COPIES);

	CU_ASSERT_EQUAL_FATAL(file_make_dirs(folder, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file_write(copy, "1000 10 copied\n", 15, &err), 0);
	snprintf(here, sizeof(here), "/tmp/perf-%u.map", (unsigned)pid);
	CU_ASSERT_EQUAL_FATAL(file_write(here, "1000 10 here\n", 13, &err), 0);
	jit_names_load_map(&tab, "", dir, pid);
	UNIT_STR_EQ(name_at(&tab, 0x1000), "copied");
	symtab_release(&tab);
	unlink(copy);
	jit_names_load_map(&tab, "", dir, pid);
	UNIT_STR_EQ(name_at(&tab, 0x1000), "here");
	symtab_release(&tab);
	unlink(here);
	file_remove_tree(dir, &err);
	free(folder);
	free(copy);
}

static void
test_dump_and_map(void)
{
	struct scratch scratch;
	struct module_table modules;
	struct jit_names names = {.modules = &modules};
	struct buf bytes = {0};
	struct err err = {0};
	char path[128];
	char missing[128];

	scratch_init(&scratch);
	module_table_init(&modules);
	snprintf(path, sizeof(path), "%s/jit-1.dump", scratch.dir);
	snprintf(missing, sizeof(missing), "%s/jit-2.dump", scratch.dir);
	jit_dump_begin(&bytes);
	jit_dump_load(&bytes, 0x1000, 0x100, "f");
	CU_ASSERT_EQUAL_FATAL(file_write(path, buf_text(&bytes), bytes.len, &err), 0);
	/* No process has this number. */
	struct symtab *tab = jit_names_of(&names, 4194305, NULL);

	CU_ASSERT_EQUAL(tab->count, 0);
	CU_ASSERT_PTR_EQUAL(jit_names_of(&names, 4194305, path), tab);
	UNIT_STR_EQ(name_at(tab, 0x1080), "f");
	CU_ASSERT_EQUAL(module_table_nnotes(&modules), 0);
	jit_names_of(&names, 4194306, missing);
	CU_ASSERT_EQUAL_FATAL(module_table_nnotes(&modules), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(module_table_note(&modules, 0),
		"jit-2.dump: cannot be read as a jitdump: no names for the code of process "
		"4194306"));
	jit_names_release(&names);
	module_table_release(&modules);
	buf_release(&bytes);
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"a_link_is_not_followed_to_a_map", test_trust},
	{"a_copy_beside_the_capture_comes_before_the_file_of_that_pid", test_copied_map},
	{"a_dump_is_read_once_it_is_mapped_or_noted", test_dump_and_map},
	{NULL, NULL},
};

void
suite_symbols_jit_names(void)
{
	unit_suite("symbols/jit_names", cases);
}
