/* Programs are packed by the tools of the machine, and opened again. */

#include "elf/elf_packed.h"

#include "base/buf.h"
#include "base/file.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_elf_elf_packed(void);

/* What `command` prints; skips the case where there is no xz. */
static bool
run(const char *command, struct buf *out)
{
	char bytes[4096];
	size_t got;
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */

	if (!pipe)
		return false;
	while ((got = fread(bytes, 1, sizeof(bytes), pipe)) > 0)
		buf_put(out, bytes, got);
	if (pclose(pipe) == 0)
		return true;
	unit_skip("xz is not installed");
	return false;
}

static const unsigned char *
bytes_of(const struct buf *text)
{
	return (const unsigned char *)text->data;
}

static void
a_stream_is_as_large_as_it_unpacks_to(void)
{
	static const char *const ways[] = {"-1", "-6 --check=sha256", "-0 --check=none",
		"--block-size=65536 -T2", "--x86 --lzma2=preset=6", "--delta=dist=4 --lzma2"};
	char command[160];
	uint64_t size;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct buf out = {0};

		snprintf(command, sizeof(command),
			"head -c 300001 /proc/self/exe | xz --format=xz %s -c 2>/dev/null",
			ways[i]);
		if (!run(command, &out))
			return;
		uint64_t all = 300001;
		struct buf exe = {0};

		/* For a small program: what it has. */
		run("head -c 300001 /proc/self/exe", &exe);
		all = exe.len < all ? exe.len : all;
		CU_ASSERT_TRUE(xz_size(bytes_of(&out), out.len, &size));
		CU_ASSERT_EQUAL(size, all);
		/* Cut anywhere ahead of the index, it is none. */
		CU_ASSERT_FALSE(xz_size(bytes_of(&out), out.len / 2, &size));
		buf_release(&exe);
		buf_release(&out);
	}
}

static void
other_bytes_are_no_stream(void)
{
	uint64_t size;

	CU_ASSERT_FALSE(xz_size((const unsigned char *)"", 0, &size));
	CU_ASSERT_FALSE(xz_size((const unsigned char *)"\x7f"
						       "ELF, and so on, and on",
		23, &size));
}

/* Room for a command line with a few paths in it. */
#define COMMAND_BYTES 4096

struct scratch {
	char dir[32];
	bool made; /* `program` is in it */
};

static void
scratch_close(struct scratch *scratch)
{
	struct err err = {0};

	file_remove_tree(scratch->dir, &err);
}

/* Runs a shell command in the scratch folder; false, and a skip, where it cannot. */
static bool
run_tool(const struct scratch *scratch, const char *command)
{
	char line[COMMAND_BYTES];

	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", scratch->dir, command);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(line);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	unit_skip("a tool of binutils or a packer is missing or too old");
	return false;
}

/* With a library of hundreds of functions, called `program`, where there is a compiler. */
static void
scratch_open(struct scratch *scratch)
{
	strcpy(scratch->dir, "/tmp/elf_packed_test.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->dir));
	scratch->made =
		run_tool(scratch, "for i in $(seq 500); do echo \"int f$i(void) { return $i; }\"; "
				  "done | ${CC:-cc} -x c -g -shared -o program -");
}

/* How many functions the file at `name` has; 0 where it does not open. */
static size_t
count_symbols(const struct scratch *scratch, const char *name)
{
	char *path = file_join(scratch->dir, name);
	struct elf_image image;
	struct symtab tab;
	size_t count = 0;

	tab = (struct symtab){0};
	if (elf_packed_open(&image, path)) {
		count = elf_image_symbols(&image, &image, SHT_SYMTAB, &tab);
		elf_image_close(&image);
	}
	symtab_release(&tab);
	free(path);
	return count;
}

static void
expect_packed(const char *command)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (scratch.made && run_tool(&scratch, command)) {
		size_t expected = count_symbols(&scratch, "program");

		CU_ASSERT(expected > 0);
		CU_ASSERT_EQUAL(count_symbols(&scratch, "packed"), expected);
		/* Cut short, it is nothing. */
		if (run_tool(&scratch, "head -c 1000 packed >cut"))
			CU_ASSERT_EQUAL(count_symbols(&scratch, "cut"), 0);
	}
	scratch_close(&scratch);
}

static void
test_gzip(void)
{
	expect_packed("gzip -c program >packed");
}

static void
test_xz(void)
{
	expect_packed("xz -c -1 program >packed");
}

static void
test_zstd(void)
{
	expect_packed("zstd -q -c program >packed");
}

/* A megabyte of zeros is no program, and a bomb is not unpacked at all. */
static void
test_bomb(void)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (run_tool(&scratch, "head -c 100000000 /dev/zero | xz -c -1 >bomb.xz") &&
		run_tool(&scratch, "head -c 100000000 /dev/zero | zstd -q -c >bomb.zst")) {
		CU_ASSERT_EQUAL(count_symbols(&scratch, "bomb.xz"), 0);
		CU_ASSERT_EQUAL(count_symbols(&scratch, "bomb.zst"), 0);
	}
	scratch_close(&scratch);
}

static void
test_mini(void)
{
	struct scratch scratch;
	struct elf_image image;
	struct elf_image mini;
	struct symtab tab;

	scratch_open(&scratch);
	tab = (struct symtab){0};
	if (scratch.made &&
		run_tool(&scratch,
			"objcopy --only-keep-debug program mini && strip -g mini && xz -1 mini && "
			"objcopy -S --add-section .gnu_debugdata=mini.xz program stripped")) {
		char *path = file_join(scratch.dir, "stripped");

		CU_ASSERT_FATAL(elf_image_open(&image, path));
		CU_ASSERT_EQUAL(elf_image_symbols(&image, &image, SHT_SYMTAB, &tab), 0);
		CU_ASSERT_FATAL(elf_packed_open_mini(&mini, &image));
		CU_ASSERT(elf_image_symbols(&mini, &image, SHT_SYMTAB, &tab) > 100);
		elf_image_close(&mini);
		elf_image_close(&image);
		free(path);
	}
	symtab_release(&tab);
	scratch_close(&scratch);
}

/* Bytes of .debug_info of the file at `name`, -1 where it cannot be had or is packed. */
static long
info_bytes(const struct scratch *scratch, const char *name)
{
	char *path = file_join(scratch->dir, name);
	struct elf_image image;
	GElf_Shdr header;
	long result = -1;

	CU_ASSERT_FATAL(elf_image_open(&image, path));
	CU_ASSERT(elf_packed_expand(&image));

	Elf_Scn *section = elf_image_section(&image, ".debug_info", SHT_NULL, &header);

	if (section && !(header.sh_flags & SHF_COMPRESSED))
		result = (long)header.sh_size;
	CU_ASSERT(image.build_id.len == 0 || image.build_id.len == 20);
	elf_image_close(&image);
	free(path);
	return result;
}

static void
test_zstd_sections(void)
{
	struct scratch scratch;

	scratch_open(&scratch);
	if (scratch.made &&
		run_tool(&scratch, "objcopy --compress-debug-sections=zstd program packed && "
				   "readelf -t packed | grep -q ZSTD"))
		CU_ASSERT_EQUAL(info_bytes(&scratch, "packed"), info_bytes(&scratch, "program"));
	scratch_close(&scratch);
}

static const struct unit_case cases[] = {
	{"a_stream_is_as_large_as_it_unpacks_to", a_stream_is_as_large_as_it_unpacks_to},
	{"other_bytes_are_no_stream", other_bytes_are_no_stream},
	{"a_file_that_gzip_packed_opens", test_gzip},
	{"a_file_that_xz_packed_opens", test_xz},
	{"a_file_that_zstd_packed_opens", test_zstd},
	{"what_unpacks_to_more_than_a_program_is_left", test_bomb},
	{"a_stripped_programs_small_table_opens", test_mini},
	{"sections_that_zstd_packed_become_plain", test_zstd_sections},
	{NULL, NULL},
};

void
suite_elf_elf_packed(void)
{
	unit_suite("elf/elf_packed", cases);
}
