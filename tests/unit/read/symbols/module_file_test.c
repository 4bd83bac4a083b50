/* Files that were deleted or replaced while this very process has them mapped. */
#include "symbols/module_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/program_copies.h"
#include "symbols/module.h"
#include "symbols/module_table.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void suite_symbols_module_file(void);

struct scratch {
	char dir[40];
	char *path;
	struct stat seen; /* the copy of this program that is mapped */
	void *map;
	struct elf_image self;
};

static void
copy_self(const char *path)
{
	struct err err = {0};
	struct buf bytes = {0};

	CU_ASSERT_EQUAL_FATAL(file_read("/proc/self/exe", &bytes, (size_t)1 << 30, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file_write(path, bytes.data, bytes.len, &err), 0);
	buf_release(&bytes);
}

/* A copy of this program, mapped and then replaced by another file. */
static void
scratch_open(struct scratch *scratch)
{
	struct err err = {0};

	strcpy(scratch->dir, "/tmp/module_file_test.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->dir));
	scratch->path = file_join(scratch->dir, "program");
	copy_self(scratch->path);

	int fd = open(scratch->path, O_RDONLY | O_CLOEXEC);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(fstat(fd, &scratch->seen), 0);
	scratch->map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	CU_ASSERT_NOT_EQUAL_FATAL(scratch->map, MAP_FAILED);
	CU_ASSERT_FATAL(elf_image_open(&scratch->self, scratch->path));
	CU_ASSERT_EQUAL(file_write(scratch->path, "other", 5, &err), 0);
}

static void
scratch_close(struct scratch *scratch)
{
	struct err err = {0};

	elf_image_close(&scratch->self);
	munmap(scratch->map, 4096);
	file_remove_tree(scratch->dir, &err);
	free(scratch->path);
}

static struct module *
find(struct module_table *table, const struct module_key *key)
{
	module_table_init(table);
	return module_find(table, key);
}

static bool
has_note(const struct module_table *table, const char *text)
{
	for (size_t i = 0; i < module_table_nnotes(table); i++)
		if (strstr(module_table_note(table, i), text))
			return true;
	return false;
}

static void
test_paths(void)
{
	CU_ASSERT(module_file_is_deleted("/bin/a (deleted)"));
	CU_ASSERT_FALSE(module_file_is_deleted("/bin/a"));
	CU_ASSERT_FALSE(module_file_is_deleted(" (deleted)"));
	CU_ASSERT_EQUAL(module_file_path_len("/bin/a (deleted)"), 6);
}

static void
test_still_mapped(void)
{
	struct scratch scratch;
	struct module_table table;
	char link[64];

	scratch_open(&scratch);
	char *path = mem_printf("%s (deleted)", scratch.path);
	struct module_key key = {
		.path = path, .inode = scratch.seen.st_ino, .pid = (uint32_t)getpid()};
	const struct module *module = find(&table, &key);

	snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx",
		(unsigned long)(uintptr_t)scratch.map,
		(unsigned long)(uintptr_t)scratch.map + 4096);
	if (access(link, R_OK) < 0) {
		unit_skip("the kernel does not let this user follow /proc/self/map_files");
	} else {
		CU_ASSERT_PTR_NOT_NULL(module->code);
		CU_ASSERT(module->tab.count > 100);
		CU_ASSERT_EQUAL(module_table_nnotes(&table), 0);
	}
	module_table_release(&table);
	free(path);
	scratch_close(&scratch);
}

static void
test_own_program(void)
{
	struct scratch scratch;
	struct module_table table;

	scratch_open(&scratch);
	struct module_key key = {
		.path = scratch.path, .build_id = scratch.self.build_id, .pid = (uint32_t)getpid()};

	if (scratch.self.build_id.len == 0) {
		unit_skip("this program was linked without a build-id");
	} else {
		/* Whatever the path, /proc/PID/exe has that build. */
		CU_ASSERT_PTR_NOT_NULL(find(&table, &key)->code);
		module_table_release(&table);
		key.pid = 0;
		CU_ASSERT_PTR_NULL(find(&table, &key)->code);
		CU_ASSERT(has_note(&table, "cannot be read as a program"));
		module_table_release(&table);
	}
	scratch_close(&scratch);
}

static void
test_never_guessed(void)
{
	struct scratch scratch;
	struct module_table table;

	scratch_open(&scratch);
	copy_self(scratch.path);
	char *path = mem_printf("%s (deleted)", scratch.path);
	struct module_key key = {.path = path};

	CU_ASSERT_PTR_NULL(find(&table, &key)->code);
	CU_ASSERT(has_note(&table, "replaced while it ran"));
	module_table_release(&table);
	/* A file that neither is at the path nor mapped by this process, whose pid may be a new
	 * one. */
	key.inode = UINT64_MAX;
	key.pid = (uint32_t)getpid();
	CU_ASSERT_PTR_NULL(find(&table, &key)->code);
	CU_ASSERT(has_note(&table, "replaced while it ran"));
	module_table_release(&table);
	key.path = scratch.path;
	CU_ASSERT_PTR_NOT_NULL(find(&table, &key)->code);
	CU_ASSERT(has_note(&table, "its names may be wrong"));
	module_table_release(&table);
	free(path);
	scratch_close(&scratch);
}

static void
test_root(void)
{
	struct module_table table;
	char dir[] = "/tmp/module_file_test.XXXXXX";
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *path = file_join(dir, "module_file_test_program");
	char *root = mem_printf("%s//", dir);
	/* For another system: neither the inode nor the process are of this one. */
	struct module_key key = {
		.path = "/module_file_test_program", .inode = 1, .pid = (uint32_t)getpid()};

	copy_self(path);
	module_table_init(&table);
	module_table_set_root(&table, root);
	const struct module *module = module_find(&table, &key);

	CU_ASSERT_STRING_EQUAL(module->path, "/module_file_test_program");
	CU_ASSERT_PTR_NOT_NULL_FATAL(module->code);
	CU_ASSERT_STRING_EQUAL(module->code, path);
	CU_ASSERT(module->tab.count > 0);
	CU_ASSERT_EQUAL(module_table_nnotes(&table), 0);
	key.path = "/proc/self/exe";
	CU_ASSERT_PTR_NULL(module_find(&table, &key)->code);
	CU_ASSERT(has_note(&table, "/proc/self/exe: cannot be read"));
	module_table_release(&table);
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
	free(root);
	free(path);
}

/* Puts a copy of this program where a capture in the folder would have put one. */
static char *
make_copy(const struct scratch *scratch, const struct build_id *id, uint64_t inode)
{
	struct err err = {0};
	char *path = program_copies_path(scratch->dir, id, scratch->path, inode);
	char *folder = file_join(scratch->dir, PROGRAM_COPIES);

	CU_ASSERT_EQUAL(file_make_dirs(folder, &err), 0);
	copy_self(path);
	free(folder);
	return path;
}

static void
test_copied_by_inode(void)
{
	const struct build_id none = {.len = 0};
	struct scratch scratch;
	struct module_table table;

	scratch_open(&scratch);
	char *copy = make_copy(&scratch, &none, UINT64_MAX);
	char *deleted = mem_printf("%s (deleted)", scratch.path);
	char *capture = file_join(scratch.dir, "perf.data");
	struct module_key key = {.path = deleted, .inode = UINT64_MAX};

	module_table_init(&table);
	module_table_set_capture(&table, capture);
	const struct module *module = module_find(&table, &key);

	CU_ASSERT_PTR_NOT_NULL_FATAL(module->code);
	UNIT_STR_EQ(module->code, copy);
	CU_ASSERT(module->tab.count > 100);
	CU_ASSERT_EQUAL(module_table_nnotes(&table), 0);
	/* A file of the same path is another one, by its inode: it has no copy. */
	key.inode = UINT64_MAX - 1;
	CU_ASSERT_PTR_NULL(module_find(&table, &key)->code);
	module_table_release(&table);
	free(capture);
	free(deleted);
	free(copy);
	scratch_close(&scratch);
}

static void
test_copied_by_build_id(void)
{
	struct scratch scratch;
	struct module_table table;
	struct buf missing = {0};
	struct err err = {0};

	scratch_open(&scratch);
	struct module_key key = {.path = scratch.path, .build_id = scratch.self.build_id};
	char *capture = file_join(scratch.dir, "perf.data");

	if (scratch.self.build_id.len == 0) {
		unit_skip("this program was linked without a build-id");
	} else {
		char *copy = make_copy(&scratch, &key.build_id, 0);
		char *problems = program_copies_problems(scratch.dir);
		char *line = mem_printf("%s\ttoo large\n", scratch.path);

		module_table_init(&table);
		module_table_set_capture(&table, capture);
		CU_ASSERT_PTR_NOT_NULL(module_find(&table, &key)->code);
		module_table_put_missing(&table, &missing);
		UNIT_STR_EQ(buf_text(&missing), "");
		/* A build-id of a file in its place says that it is another one. */
		key.build_id.bytes[0] ^= 1;
		char *other = make_copy(&scratch, &key.build_id, 0);

		CU_ASSERT_EQUAL(file_write(problems, line, strlen(line), &err), 0);
		CU_ASSERT_PTR_NULL(module_find(&table, &key)->code);
		module_table_put_missing(&table, &missing);
		UNIT_CONTAINS(buf_text(&missing), "; it could not be copied: too large\n");
		CU_ASSERT(has_note(&table, "it could not be copied: too large, no names"));
		module_table_release(&table);
		buf_release(&missing);
		free(line);
		free(problems);
		free(other);
		free(copy);
	}
	free(capture);
	scratch_close(&scratch);
}

void
suite_symbols_module_file(void)
{
	static const struct unit_case cases[] = {
		{"the_word_for_deleted_files_is_no_part_of_the_path", test_paths},
		{"a_replaced_file_is_found_where_it_is_still_mapped", test_still_mapped},
		{"a_build_is_found_as_the_process_own_program", test_own_program},
		{"another_file_of_that_name_is_never_taken_for_a_deleted_one", test_never_guessed},
		{"a_file_without_a_build_id_has_a_copy_by_inode_and_path", test_copied_by_inode},
		{"a_copy_beside_the_capture_is_taken_by_its_own_build_id", test_copied_by_build_id},
		{"below_a_root_only_the_path_counts", test_root},
		{NULL, NULL},
	};

	unit_suite("symbols/module_file", cases);
}
