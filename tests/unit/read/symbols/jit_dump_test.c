#include "symbols/module_file.h"
#include "symbols/symbols_internal.h"

#include "base/buf.h"
#include "make_jit_dump.h"
#include "unit.h"

void suite_symbols_jit_dump(void);

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

static const struct unit_case cases[] = {
	{"a_dump_is_known_by_its_name", test_paths},
	{"functions_are_where_they_were_put_or_moved_to_last", test_names},
	{"what_is_whole_is_read_while_the_rest_is_written", test_cut},
	{"records_without_names_or_code_are_left_out", test_damaged},
	{NULL, NULL},
};

void
suite_symbols_jit_dump(void)
{
	unit_suite("symbols/jit_dump", cases);
}
