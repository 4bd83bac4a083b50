/* Debug files that the tools of this machine make of this very program. */

#include "elf/debug_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_elf_debug_file(void);

#define COMMAND_BYTES 4096

/* Runs a shell command in `dir`, where $SELF is this program; false, and a skip, where it cannot.
 */
static bool
run_tool(const char *dir, const char *command)
{
	char line[COMMAND_BYTES];

	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", dir, command);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(line);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	unit_skip("a tool of binutils, a packer or dwz is missing or refuses");
	return false;
}

static char *
scratch_dir(char dir[32])
{
	char *self = realpath("/proc/self/exe", NULL);

	memcpy(dir, "/tmp/debug_file_test.XXXXXX", sizeof("/tmp/debug_file_test.XXXXXX"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	setenv("SELF", self, 1);
	free(self);
	return dir;
}

static void
remove_dir(const char *dir)
{
	struct err err = {0};

	unsetenv("SELF");
	file_remove_tree(dir, &err);
}

/* How many functions the debug file of DIR/program has; 0 where none is found. */
static size_t
count_debug(const char *dir)
{
	char *path = file_join(dir, "program");
	struct elf_image image;
	struct elf_image debug;
	struct symtab tab;
	size_t count = 0;

	tab = (struct symtab){0};
	CU_ASSERT_FATAL(elf_image_open(&image, path));
	if (debug_file_open(&debug, &image, "", path)) {
		count = elf_image_symbols(&debug, &image, SHT_SYMTAB, &tab);
		elf_image_close(&debug);
	}
	elf_image_close(&image);
	symtab_release(&tab);
	free(path);
	return count;
}

#define SPLIT                                           \
	"objcopy --only-keep-debug $SELF its.debug && " \
	"objcopy -S --add-gnu-debuglink=its.debug $SELF program"

static void
test_link(void)
{
	char dir[32];

	if (run_tool(scratch_dir(dir), SPLIT)) {
		CU_ASSERT(count_debug(dir) > 100);
		if (run_tool(dir, "xz -1 its.debug"))
			CU_ASSERT(count_debug(dir) > 100);
		if (run_tool(dir, "xz -d its.debug.xz && mkdir .debug && mv its.debug .debug"))
			CU_ASSERT(count_debug(dir) > 100);
		if (run_tool(dir, "cp /bin/true .debug/its.debug"))
			CU_ASSERT_EQUAL(count_debug(dir), 0);
	}
	remove_dir(dir);
}

/* The offsets of a debug file alone are the program's, though objcopy forgot them. */
static void
test_place(void)
{
	char dir[32];
	char *path = file_join(scratch_dir(dir), "its.debug");
	struct elf_image image;
	struct elf_image debug;
	GElf_Phdr header;

	CU_ASSERT_FATAL(elf_image_open(&image, "/proc/self/exe"));
	if (run_tool(dir, SPLIT)) {
		CU_ASSERT_FATAL(elf_image_open(&debug, path));
		for (size_t i = 0; i < image.nheaders; i++) {
			uint64_t offset = 0;

			gelf_getphdr(image.elf, (int)i, &header);
			if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
				continue;
			uint64_t from = header.p_offset / 4096 * 4096;
			uint64_t to = (header.p_offset + header.p_filesz + 4095) / 4096 * 4096;

			CU_ASSERT_FALSE(elf_image_place(&debug, from, to - from + 4096));
			CU_ASSERT(elf_image_place(&debug, from, to - from));
			CU_ASSERT(elf_image_offset(&debug, header.p_vaddr + 16, &offset));
			CU_ASSERT_EQUAL(offset, header.p_offset + 16);
		}
		elf_image_close(&debug);
	}
	elf_image_close(&image);
	free(path);
	remove_dir(dir);
}

static void
test_alt(void)
{
	char dir[32];
	char *path = file_join(scratch_dir(dir), "one");
	struct elf_image image;
	struct elf_image alt;
	GElf_Shdr header;

	if (run_tool(dir, "cp $SELF one && cp $SELF two && chmod u+w one two && "
			  "dwz -m alt -M alt one two && test -f alt")) {
		CU_ASSERT_FATAL(elf_image_open(&image, path));
		CU_ASSERT_FATAL(debug_file_open_alt(&alt, &image));
		CU_ASSERT_PTR_NOT_NULL(elf_image_section(&alt, ".debug_str", SHT_NULL, &header));
		elf_image_close(&alt);
		if (run_tool(dir, "cp two alt"))
			CU_ASSERT_FALSE(debug_file_open_alt(&alt, &image));
		elf_image_close(&image);
	}
	free(path);
	remove_dir(dir);
}

/* A folder laid out as a server's, which the client's library reads by a file: address. */
static void
test_debuginfod(void)
{
	static const struct build_id build_id = {{0x12, 0x34}, 20};
	static const struct build_id shorter = {{0x12, 0x34}, 19};
	struct debuginfod servers = {.state = DEBUGINFOD_ON};
	char dir[32];
	char *urls = mem_printf("file://%s/", scratch_dir(dir));
	char *cache = file_join(dir, "cache");

	CU_ASSERT_PTR_NULL(debuginfod_fetch(&(struct debuginfod){0}, &build_id, false));
	unsetenv("DEBUGINFOD_URLS");
	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, false));
	UNIT_STR_EQ(servers.trouble ? servers.trouble : "", "DEBUGINFOD_URLS names no server");
	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	servers = (struct debuginfod){.state = DEBUGINFOD_ON};
	if (run_tool(dir,
		    "mkdir -p buildid/1234000000000000000000000000000000000000 && "
		    "echo text >buildid/1234000000000000000000000000000000000000/debuginfo")) {
		char *path = debuginfod_fetch(&servers, &build_id, false);

		if (servers.trouble)
			unit_skip(servers.trouble);
		else
			CU_ASSERT(path && file_exists(path));
		free(path);
		CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &shorter, true));
	}
	debuginfod_release(&servers);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	free(cache);
	free(urls);
	remove_dir(dir);
}

/* Nothing here asks a server: what is tested is that nobody does unasked. */

static const struct build_id build_id = {{1, 2, 3, 4}, 4};

static void
test_off(void)
{
	struct debuginfod servers = {.state = DEBUGINFOD_OFF};

	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, false));
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_OFF);
	CU_ASSERT_PTR_NULL(servers.library);
	debuginfod_release(&servers);
}

static void
test_no_server(void)
{
	struct debuginfod servers = {.state = DEBUGINFOD_ON};
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *kept = urls ? strdup(urls) : NULL;

	unsetenv("DEBUGINFOD_URLS");
	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, true));
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_USELESS);
	UNIT_CONTAINS(servers.trouble ? servers.trouble : "", "DEBUGINFOD_URLS");
	CU_ASSERT_PTR_NULL(servers.library);
	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, false));
	debuginfod_release(&servers);
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_OFF);
	if (kept)
		setenv("DEBUGINFOD_URLS", kept, 1);
	free(kept);
}

void
suite_elf_debug_file(void)
{
	static const struct unit_case cases[] = {
		{"a_link_is_followed_to_the_file_of_the_same_build", test_link},
		{"a_debug_file_alone_knows_the_programs_offsets", test_place},
		{"what_dwz_moved_to_another_file_is_found", test_alt},
		{"servers_are_asked_only_when_named", test_debuginfod},
		{"servers_are_not_asked_unless_that_is_wanted", test_off},
		{"without_a_server_s_name_there_is_a_reason_and_no_library", test_no_server},
		{NULL, NULL},
	};

	unit_suite("elf/debug_file", cases);
}
