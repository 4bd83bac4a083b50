#include "symbols/symbols_internal.h"

#include "unit.h"

#include <string.h>
#include <sys/wait.h>

void suite_symbols_kernel_space(void);

#define TODAY_TEXT UINT64_C(0xffffffff81000000)
#define OTHER_TEXT UINT64_C(0xffffffff9a000000)
#define MODULE_AT UINT64_C(0xffffffffc0300000)

static const unsigned char kernel_id[20] = {1, 2, 3};

struct fixture {
	struct kernel_names today;
	struct module_table notes;
	struct kernel_space space;
};

/* Today's kernel is of this build and has these names. */
static void
fixture_open(struct fixture *fixture)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000200 T last\n"
				   "ffffffffc0000000 t init_it\t[ext4]\n"
				   "ffffffffc0000040 t last_of_ext4\t[ext4]\n"
				   "ffffffffc0800000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

	fixture->today = (struct kernel_names){0};
	kernel_names_parse(&fixture->today, text, strlen(text));
	fixture->today.loaded = true;
	strcpy(fixture->today.release, "6.1.0-test");
	fixture->today.build_id = build_id_of(kernel_id, sizeof(kernel_id));
	module_table_init(&fixture->notes);
	kernel_space_init(&fixture->space, &fixture->today, &fixture->notes);
}

static void
fixture_close(struct fixture *fixture)
{
	kernel_space_release(&fixture->space);
	module_table_release(&fixture->notes);
	kernel_names_release(&fixture->today);
}

static void
feed(struct fixture *fixture, const char *path, uint64_t start, uint64_t size,
	const unsigned char *build_id)
{
	struct symbol_map map = {
		.kernel = true,
		.path = path,
		.start = start,
		.size = size,
		.file_offset = start,
		.build_id = build_id,
		.build_id_len = build_id ? sizeof(kernel_id) : 0,
	};

	kernel_space_map(&fixture->space, &map);
}

static void
feed_text(struct fixture *fixture, uint64_t start, const unsigned char *build_id)
{
	feed(fixture, "[kernel.kallsyms]_text", start, 0x10000, build_id);
}

static const char *
name_at(struct fixture *fixture, uint64_t address)
{
	const struct symtab_entry *entry = kernel_space_find(&fixture->space, address);

	return entry ? entry->name : "";
}

static uint64_t
start_at(struct fixture *fixture, uint64_t address)
{
	const struct symtab_entry *entry = kernel_space_find(&fixture->space, address);

	return entry ? entry->start : 0;
}

static const char *
module_at(struct fixture *fixture, uint64_t address)
{
	const struct symtab_entry *entry = kernel_space_find(&fixture->space, address);

	return entry && entry->module ? entry->module : "";
}

static void
test_same_boot(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	feed_text(&fixture, TODAY_TEXT, kernel_id);
	UNIT_STR_EQ(name_at(&fixture, TODAY_TEXT + 0x110), "helper");
	UNIT_STR_EQ(name_at(&fixture, UINT64_C(0xffffffffc0000041)), "last_of_ext4");
	UNIT_STR_EQ(name_at(&fixture, UINT64_C(0xffffffffc0800010)), "bpf_prog_6deef7357e7b4530");
	CU_ASSERT_EQUAL(module_table_nnotes(&fixture.notes), 0);
	fixture_close(&fixture);
}

static void
test_other_boot(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	feed_text(&fixture, OTHER_TEXT, kernel_id);
	feed(&fixture, "[ext4]", MODULE_AT, 0x1000, kernel_id);
	UNIT_STR_EQ(name_at(&fixture, OTHER_TEXT + 0x110), "helper");
	CU_ASSERT_EQUAL(start_at(&fixture, OTHER_TEXT + 0x210), OTHER_TEXT + 0x200);
	/* What passed then is not what passes now. */
	UNIT_STR_EQ(name_at(&fixture, UINT64_C(0xffffffffc0800010)), "");
	CU_ASSERT_EQUAL(module_table_nnotes(&fixture.notes), 0);
	/* A module that was loaded anew. */
	fixture.space.modules[0].loaded = true;
	fixture.space.modules[0].today = UINT64_C(0xffffffffc0000000);
	UNIT_STR_EQ(name_at(&fixture, MODULE_AT + 0x44), "last_of_ext4");
	UNIT_STR_EQ(module_at(&fixture, MODULE_AT + 0x44), "[ext4]");
	CU_ASSERT_EQUAL(start_at(&fixture, MODULE_AT + 0x44), MODULE_AT + 0x40);
	fixture_close(&fixture);
}

static void
test_other_boot_of_unknown_build(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	feed_text(&fixture, OTHER_TEXT, NULL);
	UNIT_STR_EQ(name_at(&fixture, OTHER_TEXT + 0x110), "");
	CU_ASSERT_EQUAL_FATAL(module_table_nnotes(&fixture.notes), 1);
	UNIT_CONTAINS(module_table_note(&fixture.notes, 0), "another boot of the kernel");
	fixture_close(&fixture);
}

static void
test_other_build(void)
{
	static const unsigned char other_id[20] = {9, 8, 7};
	struct fixture fixture;

	fixture_open(&fixture);
	CU_ASSERT(kernel_space_is_todays_build(&fixture.space));
	feed_text(&fixture, TODAY_TEXT, other_id);
	UNIT_STR_EQ(name_at(&fixture, TODAY_TEXT + 0x110), "");
	CU_ASSERT_FALSE(kernel_space_is_todays_build(&fixture.space));
	CU_ASSERT_EQUAL_FATAL(module_table_nnotes(&fixture.notes), 1);
	UNIT_CONTAINS(module_table_note(&fixture.notes, 0), "another kernel build");
	fixture_close(&fixture);
}

static void
test_passing(void)
{
	const uint64_t at = UINT64_C(0xffffffffc0900000);
	struct fixture fixture;

	fixture_open(&fixture);
	feed_text(&fixture, TODAY_TEXT, kernel_id);
	kernel_space_symbol(&fixture.space, at, 0x100, "bpf_prog_aa_one", false);
	kernel_space_symbol(&fixture.space, at + 0x200, 0x100, "kprobe_insn_page", false);
	UNIT_STR_EQ(name_at(&fixture, at + 0xff), "bpf_prog_aa_one");
	UNIT_STR_EQ(module_at(&fixture, at), "[bpf]");
	UNIT_STR_EQ(name_at(&fixture, at + 0x100), "");
	UNIT_STR_EQ(name_at(&fixture, at + 0x200), "kprobe_insn_page");
	/* Over both of them, as their end was not seen. */
	kernel_space_symbol(&fixture.space, at + 0x80, 0x200, "bpf_prog_bb_two", false);
	UNIT_STR_EQ(name_at(&fixture, at + 0x10), "");
	UNIT_STR_EQ(name_at(&fixture, at + 0x80), "bpf_prog_bb_two");
	CU_ASSERT_PTR_NOT_NULL(range_map_next(&fixture.space.passing, 0));
	kernel_space_symbol(&fixture.space, at + 0x80, 0x200, "bpf_prog_bb_two", true);
	UNIT_STR_EQ(name_at(&fixture, at + 0x80), "");
	kernel_space_symbol(&fixture.space, UINT64_MAX - 1, 16, "over the end", false);
	CU_ASSERT_PTR_NULL(range_map_next(&fixture.space.passing, 0));
	fixture_close(&fixture);
}

static const struct unit_case cases[] = {
	{"todays_names_hold_for_captures_of_this_boot", test_same_boot},
	{"names_move_with_the_kernel_and_its_modules", test_other_boot},
	{"without_a_build_id_another_boot_has_no_names", test_other_boot_of_unknown_build},
	{"another_build_has_no_names_of_todays", test_other_build},
	{"programs_that_come_and_go_are_named_while_they_are_there", test_passing},
	{NULL, NULL},
};

void
suite_symbols_kernel_space(void)
{
	unit_suite("symbols/kernel_space", cases);
}
