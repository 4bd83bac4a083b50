#include "symbols/spaces.h"

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

void suite_symbols_spaces(void);

static struct mapped_file file_a = {.key.path = "a", .kind = MAPPING_FILE};
static struct mapped_file file_b = {.key.path = "b", .kind = MAPPING_FILE};
static struct mapped_file anonymous = {.key.path = "//anon", .kind = MAPPING_ANONYMOUS};

static void
map(struct spaces *spaces, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	struct mapped_file *file)
{
	struct mapping mapping = {.start = start, .end = end, .file_offset = offset, .file = file};

	spaces_map(spaces, pid, &mapping);
}

/* "path:offset" of what is mapped at `address`, "" if nothing. */
static const char *
found(const struct spaces *spaces, uint32_t pid, uint64_t address)
{
	static char text[64];
	const struct space *space = spaces_find(spaces, pid);
	struct mapping mapping;

	if (!space || !space_mapping(space, address, &mapping))
		return "";
	snprintf(text, sizeof(text), "%s:%" PRIx64, mapping.file->key.path,
		address - mapping.start + mapping.file_offset);
	return text;
}

static void
test_overlap(void)
{
	struct spaces spaces;

	spaces = (struct spaces){0};
	map(&spaces, 1, 0x1000, 0x9000, 0x100, &file_a);
	map(&spaces, 1, 0x3000, 0x5000, 0, &file_b);
	UNIT_STR_EQ(found(&spaces, 1, 0xfff), "");
	UNIT_STR_EQ(found(&spaces, 1, 0x2fff), "a:20ff");
	UNIT_STR_EQ(found(&spaces, 1, 0x3000), "b:0");
	UNIT_STR_EQ(found(&spaces, 1, 0x5000), "a:4100");
	UNIT_STR_EQ(found(&spaces, 1, 0x9000), "");
	map(&spaces, 1, 0x0, 0x10000, 0, &file_b);
	UNIT_STR_EQ(found(&spaces, 1, 0x5000), "b:5000");
	struct mapping first;

	CU_ASSERT(space_mapping(spaces_find(&spaces, 1), 0, &first));
	CU_ASSERT_EQUAL(first.end, 0x10000);
	CU_ASSERT_FALSE(space_next(spaces_find(&spaces, 1), 0, &first));
	spaces_release(&spaces);
}

#define LARGE UINT64_C(0x200000)

static void
test_copied_code(void)
{
	struct spaces spaces = {0};

	/* The program: memory that replaces a part of its code, and more, is a copy of it. */
	map(&spaces, 1, 0x1000, 0x9000, 0x1000, &file_a);
	map(&spaces, 1, 0x3000, 0x5000, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 0x2fff), "a:2fff");
	UNIT_STR_EQ(found(&spaces, 1, 0x3000), "a:3000");
	map(&spaces, 1, 0x8000, 0xb000, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 0x8fff), "a:8fff");
	UNIT_STR_EQ(found(&spaces, 1, 0x9000), "//anon:1000");
	/* A library that was unmapped, and memory of a JIT in its place. */
	map(&spaces, 1, 0x101000, 0x109000, 0, &file_b);
	map(&spaces, 1, 0x103000, 0x105000, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 0x103000), "//anon:0");
	UNIT_STR_EQ(found(&spaces, 1, 0x105000), "b:4000");
	/* One that is replaced whole, or in large pages, stays the library. */
	map(&spaces, 1, 0x201000, 0x209000, 0, &file_b);
	map(&spaces, 1, 0x201000, 0x209000, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 0x203000), "b:2000");
	map(&spaces, 1, 2 * LARGE - 0x1000, 4 * LARGE, 0, &file_b);
	map(&spaces, 1, 2 * LARGE, 3 * LARGE, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 2 * LARGE), "b:1000");
	/* After exec another file is the program; another file always takes its place. */
	spaces_exec(&spaces, 1);
	map(&spaces, 1, 0x1000, 0x9000, 0, &file_b);
	map(&spaces, 1, 0x11000, 0x19000, 0, &file_a);
	map(&spaces, 1, 0x12000, 0x13000, 0, &anonymous);
	UNIT_STR_EQ(found(&spaces, 1, 0x12000), "//anon:0");
	map(&spaces, 1, 0x2000, 0x3000, 0, &file_a);
	UNIT_STR_EQ(found(&spaces, 1, 0x2000), "a:0");
	spaces_release(&spaces);
}

static void
test_fork(void)
{
	struct spaces spaces;

	spaces = (struct spaces){0};
	map(&spaces, 1, 0x1000, 0x2000, 0, &file_a);
	spaces_fork(&spaces, 2, 1);
	UNIT_STR_EQ(found(&spaces, 2, 0x1000), "a:0");
	CU_ASSERT_EQUAL(spaces_find(&spaces, 1)->id, spaces_find(&spaces, 2)->id);
	map(&spaces, 2, 0x1000, 0x2000, 0, &file_b);
	UNIT_STR_EQ(found(&spaces, 1, 0x1000), "a:0");
	UNIT_STR_EQ(found(&spaces, 2, 0x1000), "b:0");
	CU_ASSERT_NOT_EQUAL(spaces_find(&spaces, 1)->id, spaces_find(&spaces, 2)->id);
	spaces_fork(&spaces, 2, 2);
	UNIT_STR_EQ(found(&spaces, 2, 0x1000), "b:0");
	spaces_release(&spaces);
}

static void
test_fork_jit(void)
{
	struct spaces spaces;

	spaces = (struct spaces){0};
	map(&spaces, 1, 0x1000, 0x2000, 0, &anonymous);
	spaces_fork(&spaces, 2, 1);
	CU_ASSERT_NOT_EQUAL(spaces_find(&spaces, 1)->id, spaces_find(&spaces, 2)->id);
	spaces_release(&spaces);
}

static void
test_exec(void)
{
	struct spaces spaces;

	spaces = (struct spaces){0};
	map(&spaces, 1, 0x1000, 0x3000, 0, &file_a);
	spaces_exec(&spaces, 1);
	UNIT_STR_EQ(found(&spaces, 1, 0x1000), "a:0");
	map(&spaces, 1, 0x1000, 0x2000, 0, &file_b);
	UNIT_STR_EQ(found(&spaces, 1, 0x1000), "b:0");
	UNIT_STR_EQ(found(&spaces, 1, 0x2000), "a:1000");
	spaces_exec(&spaces, 1);
	UNIT_STR_EQ(found(&spaces, 1, 0x2000), "");
	UNIT_STR_EQ(found(&spaces, 1, 0x1000), "b:0");
	spaces_release(&spaces);
}

static void
test_many(void)
{
	struct spaces spaces;

	spaces = (struct spaces){0};
	for (uint32_t pid = 1; pid <= 1000; pid++)
		map(&spaces, pid, UINT64_C(0x1000) * pid, UINT64_C(0x1000) * (pid + 1), 0, &file_a);
	for (uint32_t pid = 1; pid <= 1000; pid++) {
		UNIT_STR_EQ(found(&spaces, pid, UINT64_C(0x1000) * pid), "a:0");
		UNIT_STR_EQ(found(&spaces, pid, UINT64_C(0x1000) * (pid + 1)), "");
	}
	CU_ASSERT_PTR_NULL(spaces_find(&spaces, 1001));
	spaces_release(&spaces);
}

static void
test_kinds(void)
{
	CU_ASSERT_EQUAL(mapping_kind_of("/usr/bin/a"), MAPPING_FILE);
	CU_ASSERT_EQUAL(mapping_kind_of("[vdso]"), MAPPING_VDSO);
	CU_ASSERT_EQUAL(mapping_kind_of("[stack]"), MAPPING_OTHER);
	CU_ASSERT_EQUAL(mapping_kind_of("[heap]"), MAPPING_ANONYMOUS);
	CU_ASSERT_EQUAL(mapping_kind_of(""), MAPPING_ANONYMOUS);
	CU_ASSERT_EQUAL(mapping_kind_of("/memfd:jit (deleted)"), MAPPING_ANONYMOUS);
}

void
suite_symbols_spaces(void)
{
	static const struct unit_case cases[] = {
		{"a_new_map_replaces_what_it_overlaps", test_overlap},
		{"a_fork_starts_with_its_parents_maps", test_fork},
		{"a_fork_does_not_share_jit_names", test_fork_jit},
		{"maps_before_exec_stay_until_covered_or_the_next_exec", test_exec},
		{"a_thousand_processes_are_kept_apart", test_many},
		{"a_path_says_what_is_mapped", test_kinds},
		{"code_that_was_copied_over_its_mapping_stays_the_files", test_copied_code},
		{NULL, NULL},
	};

	unit_suite("symbols/spaces", cases);
}
