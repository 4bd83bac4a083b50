/* Copies this very program, and looks copies up. */

#include "elf/program_copies.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_symbols.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

void suite_elf_program_copies(void);

#define SELF "/proc/self/exe"

struct scratch {
	char dir[40];
	char *copy;
};

static void
scratch_open(struct scratch *scratch)
{
	strcpy(scratch->dir, "/tmp/program_copies_test.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->dir));
	scratch->copy = file_join(scratch->dir, "copy");
}

static void
scratch_close(struct scratch *scratch)
{
	struct err err = {0};

	file_remove_tree(scratch->dir, &err);
	free(scratch->copy);
}

static size_t
count_symbols(const char *path)
{
	struct elf_image image;
	struct symtab tab = {0};

	CU_ASSERT_FATAL(elf_image_open(&image, path));
	const size_t count = elf_image_symbols(&image, &image, SHT_SYMTAB, &tab);

	symtab_release(&tab);
	elf_image_close(&image);
	return count;
}

/* Bytes of a section that are in the file; 0 where it has none. */
static uint64_t
section_bytes(const char *path, const char *name)
{
	struct elf_image image;
	GElf_Shdr header;
	uint64_t bytes = 0;

	CU_ASSERT_FATAL(elf_image_open(&image, path));
	if (elf_image_section(&image, name, SHT_NULL, &header) && header.sh_type != SHT_NOBITS)
		bytes = header.sh_size;
	elf_image_close(&image);
	return bytes;
}

static int
copy_self(const char *to, struct allowance *allowance, struct err *err)
{
	struct elf_image self;

	CU_ASSERT_FATAL(elf_image_open(&self, SELF));
	const int status = program_copies_write(&self, to, allowance, err);

	elf_image_close(&self);
	return status;
}

static void
test_parts(void)
{
	struct scratch scratch;
	struct allowance allowance = {(uint64_t)1 << 32};
	struct err err = {0};
	struct stat self;
	struct stat copy;

	scratch_open(&scratch);
	CU_ASSERT_EQUAL_FATAL(copy_self(scratch.copy, &allowance, &err), 0);
	CU_ASSERT_EQUAL(count_symbols(scratch.copy), count_symbols(SELF));
	CU_ASSERT_EQUAL(section_bytes(scratch.copy, ".eh_frame"), section_bytes(SELF, ".eh_frame"));
	CU_ASSERT_EQUAL(
		section_bytes(scratch.copy, ".debug_info"), section_bytes(SELF, ".debug_info"));
	CU_ASSERT_EQUAL(section_bytes(scratch.copy, ".rodata"), 0);
	/* Offsets are those of the file: it is as long. */
	CU_ASSERT_EQUAL(stat(SELF, &self), 0);
	CU_ASSERT_EQUAL(stat(scratch.copy, &copy), 0);
	CU_ASSERT_EQUAL(copy.st_size, self.st_size);
	CU_ASSERT(allowance.left < (uint64_t)1 << 32);
	CU_ASSERT(((uint64_t)1 << 32) - allowance.left < (uint64_t)self.st_size);
	scratch_close(&scratch);
}

static void
test_allowance(void)
{
	struct scratch scratch;
	struct allowance allowance = {(uint64_t)1 << 32};
	struct err err = {0};
	uint64_t debug = section_bytes(SELF, ".debug_info");

	scratch_open(&scratch);
	CU_ASSERT_EQUAL_FATAL(copy_self(scratch.copy, &allowance, &err), 0);
	/* One byte less than all: names and rows are there, debug information is not. */
	allowance.left = ((uint64_t)1 << 32) - allowance.left - 1;
	CU_ASSERT_EQUAL(copy_self(scratch.copy, &allowance, &err), 0);
	CU_ASSERT_EQUAL(count_symbols(scratch.copy), count_symbols(SELF));
	if (debug > 0)
		CU_ASSERT_EQUAL(section_bytes(scratch.copy, ".debug_info"), 0);
	unlink(scratch.copy);
	allowance.left = 1000;
	CU_ASSERT_EQUAL(copy_self(scratch.copy, &allowance, &err), -1);
	UNIT_CONTAINS(err.text, "MiB are needed of it");
	CU_ASSERT_FALSE(file_exists(scratch.copy));
	scratch_close(&scratch);
}

static void
test_names(void)
{
	const struct build_id id = {.bytes = {0xab, 0xcd, 0x01}, .len = 3};
	const struct build_id none = {.len = 0};
	char *by_id = program_copies_path("out", &id, "/bin/a", 7);
	char *by_inode = program_copies_path("out", &none, "/bin/a", 7);
	char *by_other = program_copies_path("out", &none, "/bin/b", 7);

	UNIT_STR_EQ(by_id, "out/programs/abcd01");
	/* printf /bin/a | sha256sum */
	UNIT_STR_EQ(by_inode, "out/programs/inode-7-198e4d3cf6bc0322");
	CU_ASSERT_STRING_NOT_EQUAL(by_inode, by_other);
	CU_ASSERT_PTR_NULL(program_copies_path("out", &none, "/bin/a", 0));
	free(by_id);
	free(by_inode);
	free(by_other);
}

/* Whether the build is found with the copy at `at`, below the scratch folder. */
static bool
is_found(const struct scratch *scratch, const char *at, const struct build_id *id)
{
	struct elf_image image;
	struct allowance allowance = {(uint64_t)1 << 32};
	struct err err = {0};
	char *path = NULL;
	char *to = file_join(scratch->dir, at);
	char *folder = mem_dup(to, (size_t)(file_basename(to) - to));

	CU_ASSERT_EQUAL(file_make_dirs(folder, &err), 0);
	CU_ASSERT_EQUAL(copy_self(to, &allowance, &err), 0);
	const bool found = program_copies_open(&image, scratch->dir, scratch->dir, id, &path);

	if (found) {
		UNIT_STR_EQ(path, to);
		elf_image_close(&image);
	}
	unlink(to);
	rmdir(folder);
	free(path);
	free(folder);
	free(to);
	return found;
}

static void
test_perf(void)
{
	struct scratch scratch;
	struct elf_image self;
	char digits[BUILD_ID_TEXT_SIZE];
	char at[128];

	scratch_open(&scratch);
	CU_ASSERT_FATAL(elf_image_open(&self, SELF));
	const struct build_id id = self.build_id;

	elf_image_close(&self);
	build_id_text(&id, digits);
	if (id.len < 2) {
		unit_skip("this program was linked without a build-id");
	} else {
		snprintf(at, sizeof(at), ".build-id/%.2s/%s/elf", digits, digits + 2);
		CU_ASSERT(is_found(&scratch, at, &id));
		snprintf(at, sizeof(at), ".debug/.build-id/%.2s/%s/elf", digits, digits + 2);
		CU_ASSERT(is_found(&scratch, at, &id));
		snprintf(at, sizeof(at), ".debug/.build-id/%.2s/%s", digits, digits + 2);
		CU_ASSERT(is_found(&scratch, at, &id));
		CU_ASSERT(is_found(&scratch, digits, &id) == false);
	}
	scratch_close(&scratch);
}

static void
test_problem(void)
{
	static const char text[] = "/bin/a\ttoo large\n/bin/ab\tgone\n/bin/c";
	struct scratch scratch;
	struct err err = {0};

	scratch_open(&scratch);
	char *folder = file_join(scratch.dir, PROGRAM_COPIES);
	char *path = program_copies_problems(scratch.dir);

	CU_ASSERT_PTR_NULL(program_copies_problem(scratch.dir, "/bin/a"));
	CU_ASSERT_EQUAL(file_make_dirs(folder, &err), 0);
	CU_ASSERT_EQUAL(file_write(path, text, strlen(text), &err), 0);
	char *first = program_copies_problem(scratch.dir, "/bin/a");
	char *second = program_copies_problem(scratch.dir, "/bin/ab");

	UNIT_NEED(first);
	UNIT_NEED(second);
	UNIT_STR_EQ(first, "too large");
	UNIT_STR_EQ(second, "gone");
	CU_ASSERT_PTR_NULL(program_copies_problem(scratch.dir, "/bin/c"));
	CU_ASSERT_PTR_NULL(program_copies_problem(scratch.dir, "/bin/"));
	free(first);
	free(second);
	free(path);
	free(folder);
	scratch_close(&scratch);
}

void
suite_elf_program_copies(void)
{
	static const struct unit_case cases[] = {
		{"a_copy_has_names_and_rows_but_no_data", test_parts},
		{"debug_information_is_left_out_where_the_allowance_ends", test_allowance},
		{"copies_are_named_by_build_id_or_by_inode_and_path", test_names},
		{"perfs_cache_and_archives_are_looked_up_by_build_id", test_perf},
		{"why_a_file_was_not_copied_is_kept_by_its_path", test_problem},
		{NULL, NULL},
	};

	unit_suite("elf/program_copies", cases);
}
