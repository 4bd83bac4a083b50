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

void suite_symbols_jit_map(void);

static const char *
name_at(struct symtab *tab, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? entry->name : "";
}

static void
test_lines(void)
{
	static const char text[] = "7f0000001000 40 LazyCompile:~f a.js:1\n"
				   "0x7f0000002000 0x20 int Spin.fib(int)\n"
				   "nonsense\n"
				   "7f0000003000 0 empty\n"
				   "7f0000004000 10\n"
				   "7f0000005000 10 unterminated";
	struct symtab tab;

	tab = (struct symtab){0};
	jit_map_parse(&tab, text, strlen(text));
	CU_ASSERT_EQUAL(tab.count, 3);
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f000000103f)), "LazyCompile:~f a.js:1");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000001040)), "");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000002000)), "int Spin.fib(int)");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000005000)), "unterminated");
	symtab_release(&tab);
}

static void
test_long(void)
{
	struct symtab tab = {0};
	struct buf text = {0};

	buf_puts(&text, "1000 100 ");
	for (size_t i = 0; i < JIT_NAME_BYTES_MAX + 10; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\n1100 100 next\n");
	jit_map_parse(&tab, buf_text(&text), text.len);
	CU_ASSERT_EQUAL(strlen(name_at(&tab, 0x1000)), JIT_NAME_BYTES_MAX);
	UNIT_STR_EQ(name_at(&tab, 0x1100), "next");
	symtab_release(&tab);
	buf_release(&text);
}

static void
test_last_wins(void)
{
	static const char text[] = "1000 100 old\n"
				   "1200 100 beside\n"
				   "1040 20 inner\n"
				   "10f0 120 over both\n"
				   "1050 8 innermost\n"
				   "1050 8 innermost again\n"
				   "fffffffffffffff0 ff at the end\n";
	struct symtab tab;

	tab = (struct symtab){0};
	jit_map_parse(&tab, text, strlen(text));
	UNIT_STR_EQ(name_at(&tab, 0x1000), "old");
	UNIT_STR_EQ(name_at(&tab, 0x103f), "old");
	UNIT_STR_EQ(name_at(&tab, 0x1040), "inner");
	UNIT_STR_EQ(name_at(&tab, 0x1050), "innermost again");
	UNIT_STR_EQ(name_at(&tab, 0x1058), "inner");
	UNIT_STR_EQ(name_at(&tab, 0x1060), "old");
	UNIT_STR_EQ(name_at(&tab, 0x10f0), "over both");
	UNIT_STR_EQ(name_at(&tab, 0x120f), "over both");
	UNIT_STR_EQ(name_at(&tab, 0x1210), "beside");
	UNIT_STR_EQ(name_at(&tab, 0x1300), "");
	UNIT_STR_EQ(name_at(&tab, UINT64_MAX - 1), "at the end");
	symtab_release(&tab);
}

/* Many lines, against the plain rule: the last one that covers an address. */
static void
test_against_the_rule(void)
{
	enum { LINES = 400, SPACE = 1000 };
	uint64_t starts[LINES];
	uint64_t sizes[LINES];
	uint32_t state = 1;
	struct symtab tab;
	struct buf text = {0};

	tab = (struct symtab){0};
	for (int i = 0; i < LINES; i++) {
		state = state * 1664525 + 1013904223;
		starts[i] = state >> 8 & 1023;
		state = state * 1664525 + 1013904223;
		sizes[i] = (state >> 20 & 63) + 1;
		buf_printf(&text, "%x %x f%d\n", (unsigned)starts[i], (unsigned)sizes[i], i);
	}
	jit_map_parse(&tab, buf_text(&text), text.len);
	for (uint64_t at = 0; at < SPACE; at++) {
		char expected[16] = "";

		for (int i = 0; i < LINES; i++)
			if (at >= starts[i] && at - starts[i] < sizes[i])
				snprintf(expected, sizeof(expected), "f%d", i);
		UNIT_STR_EQ(name_at(&tab, at), expected);
	}
	symtab_release(&tab);
	buf_release(&text);
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

static const char *
jit_dump_name_at(struct symtab *tab, uint64_t address)
{
	struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? symtab_name(tab, entry) : "";
}

static void
test_paths(void)
{
	CU_ASSERT(jit_dump_is_path("/tmp/jit-4711.dump"));
	CU_ASSERT(jit_dump_is_path("/var/tmp/jit/java/jit-1.dump"));
	CU_ASSERT_FALSE(jit_dump_is_path("/tmp/jit-4711.dump.old"));
	CU_ASSERT_FALSE(jit_dump_is_path("/tmp/jit-a.dump"));
	CU_ASSERT_FALSE(jit_dump_is_path("/tmp/jit-.dump"));
	CU_ASSERT_FALSE(jit_dump_is_path("/tmp/jitted-12-1.so"));
	CU_ASSERT(jit_dump_is_program("/tmp/jitted-12-1.so"));
	CU_ASSERT_FALSE(jit_dump_is_program("/tmp/jitted-12.so"));
	CU_ASSERT_FALSE(jit_dump_is_program("/tmp/jit-12-1.so"));
	CU_ASSERT_FALSE(jit_dump_is_program("/usr/lib/libjitted-1-1.so"));
}

static void
test_names(void)
{
	struct symtab tab = {0};
	struct buf bytes = {0};

	jit_dump_begin(&bytes);
	jit_dump_load(&bytes, 0x1000, 0x100, "first");
	jit_dump_load(&bytes, 0x2000, 0x10, "JS:*f a b.js:1");
	jit_dump_head(&bytes, 4, 8); /* unwinding information */
	buf_put_zeros(&bytes, 8);
	jit_dump_load(&bytes, 0x1080, 0x10, "over it");
	jit_dump_move(&bytes, 0x2000, 0x3000, 0x10);
	jit_dump_load(&bytes, 0x2000, 0x10, "in its place");
	jit_dump_load(&bytes, 0x6000, 0x10, "Lorg/Truth;seven(D)V");
	jit_dump_load(&bytes, 0x7000, 0x10, "_ZN2ns3addIiEEvT_");
	jit_dump_move(&bytes, 0x4000, 0x5000, 0x10); /* nothing was there */
	CU_ASSERT(jit_dump_parse(&tab, bytes.data, bytes.len));
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x1000), "first");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x1088), "over it");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x1090), "first");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x2000), "in its place");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x300f), "JS:*f a b.js:1");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x5000), "");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x6000), "void org.Truth.seven(double)");
	UNIT_STR_EQ(jit_dump_name_at(&tab, 0x7000), "ns::add<int>");
	symtab_release(&tab);
	buf_release(&bytes);
}

/* At every length, as while it is written: what is whole is there. */
static void
test_cut(void)
{
	struct buf bytes = {0};

	jit_dump_begin(&bytes);
	const size_t header = bytes.len;

	jit_dump_load(&bytes, 0x1000, 0x100, "first");
	const size_t first = bytes.len;

	jit_dump_load(&bytes, 0x2000, 0x100, "second");
	for (size_t len = 0; len <= bytes.len; len++) {
		struct symtab tab = {0};

		CU_ASSERT_EQUAL(jit_dump_parse(&tab, bytes.data, len), len >= header);
		CU_ASSERT_EQUAL(tab.count, (size_t)(len >= first) + (len == bytes.len));
		symtab_release(&tab);
	}
	buf_release(&bytes);
}

static void
test_damaged(void)
{
	struct symtab tab = {0};
	struct buf bytes = {0};

	jit_dump_begin(&bytes);
	jit_dump_load(&bytes, 0x1000, 0, "empty");
	jit_dump_load(&bytes, 0x1000, 0x10, "");
	jit_dump_head(&bytes, 0, 42); /* a name without an end */
	jit_dump_put(&bytes, (const uint64_t[]){0, 0x1000, 0x1000, 0x10, 0}, 5);
	buf_puts(&bytes, "ab");
	jit_dump_head(&bytes, 1, 0);
	jit_dump_load(&bytes, UINT64_MAX - 4, 0x10, "at the end");
	CU_ASSERT(jit_dump_parse(&tab, bytes.data, bytes.len));
	CU_ASSERT_EQUAL(tab.count, 1);
	UNIT_STR_EQ(jit_dump_name_at(&tab, UINT64_MAX - 1), "at the end");
	symtab_release(&tab);
	/* Another byte order. */
	bytes.data[0] = 'J';
	CU_ASSERT_FALSE(jit_dump_parse(&tab, bytes.data, bytes.len));
	symtab_release(&tab);
	buf_release(&bytes);
}

void
suite_symbols_jit_map(void)
{
	static const struct unit_case cases[] = {
		{"long_names_are_cut", test_long},
		{"names_with_spaces_are_read_and_other_lines_left_out", test_lines},
		{"the_last_line_about_an_address_holds", test_last_wins},
		{"pieces_follow_the_rule_at_every_address", test_against_the_rule},
		{"a_link_is_not_followed_to_a_map", test_trust},
		{"a_copy_beside_the_capture_comes_before_the_file_of_that_pid", test_copied_map},
		{"a_dump_is_read_once_it_is_mapped_or_noted", test_dump_and_map},
		{"a_dump_is_known_by_its_name", test_paths},
		{"functions_are_where_they_were_put_or_moved_to_last", test_names},
		{"what_is_whole_is_read_while_the_rest_is_written", test_cut},
		{"records_without_names_or_code_are_left_out", test_damaged},
		{NULL, NULL},
	};

	unit_suite("symbols/jit_map", cases);
}
