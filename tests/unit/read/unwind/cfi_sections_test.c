#include "unwind/unwind_internal.h"

#include "base/file.h"
#include "unit.h"
#include "unwind/made_elf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_unwind_cfi_sections(void);

static void
make(struct made_elf *made, bool debug_frame)
{
	made_elf_init(made);
	made->debug_frame = debug_frame;
	for (uint64_t i = 0; i < 200; i++)
		made_elf_function(made, MADE_ELF_TEXT + i * 16, 16, NULL, 0);
	made_elf_finish(made, EM_X86_64);
}

static void
test_memory(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;

	make(&made, false);
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, made.bytes.len));
	CU_ASSERT_FALSE(cfi_load_debug_frame(&image, &loaded));
	CU_ASSERT_TRUE_FATAL(cfi_load_eh_frame(&image, &loaded));
	elf_image_close(&image);
	CU_ASSERT_EQUAL(loaded.address, MADE_ELF_DATA);
	CU_ASSERT_EQUAL_FATAL(loaded.len, made.section.len);
	CU_ASSERT_EQUAL(memcmp(loaded.bytes, made.section.data, loaded.len), 0);
	cfi_unload(&loaded);
	made_elf_release(&made);
}

/* Memory that ends within the section: what is there is read. */
static void
test_cut_short(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;

	make(&made, false);
	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&image, made.bytes.data, made_elf_before_sections(&made)));
	CU_ASSERT_TRUE_FATAL(cfi_load_eh_frame(&image, &loaded));
	CU_ASSERT(loaded.len >= made.section.len);
	cfi_unload(&loaded);
	elf_image_close(&image);
	/* And where even the header of the table is gone, nothing. */
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, 0x300));
	CU_ASSERT_FALSE(cfi_load_eh_frame(&image, &loaded));
	elf_image_close(&image);
	made_elf_release(&made);
}

/* Has libelf compress the section of the file at `path`. */
static bool
compress(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_RDWR, NULL);
	Elf_Scn *scn = elf ? elf_getscn(elf, 2) : NULL;
	bool done = scn && elf_compress(scn, ELFCOMPRESS_ZLIB, ELF_CHF_FORCE) == 1 &&
		    elf_update(elf, ELF_C_WRITE) > 0;

	elf_end(elf);
	close(fd);
	return done;
}

static void
test_compressed(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;
	struct err err = {0};
	char *dir;

	make(&made, true);
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	char *path = file_join(dir, "debug");

	CU_ASSERT_EQUAL_FATAL(file_write(path, made.bytes.data, made.bytes.len, &err), 0);
	for (unsigned round = 0; round < 2; round++) {
		CU_ASSERT_TRUE_FATAL(elf_image_open(&image, path));
		CU_ASSERT_TRUE_FATAL(cfi_load_debug_frame(&image, &loaded));
		CU_ASSERT_EQUAL_FATAL(loaded.len, made.section.len);
		CU_ASSERT_EQUAL(memcmp(loaded.bytes, made.section.data, loaded.len), 0);
		cfi_unload(&loaded);
		elf_image_close(&image);
		if (round == 0 && !compress(path)) {
			unit_skip("libelf cannot compress sections");
			break;
		}
	}
	free(path);
	file_dir_abandon(dir);
	made_elf_release(&made);
}

void
suite_unwind_cfi_sections(void)
{
	static const struct unit_case cases[] = {
		{"a_section_is_copied", test_memory},
		{"memory_that_ends_early_is_read_as_far_as_it_goes", test_cut_short},
		{"a_compressed_section_is_unpacked", test_compressed},
		{0},
	};

	unit_suite("unwind/cfi_sections", cases);
}
