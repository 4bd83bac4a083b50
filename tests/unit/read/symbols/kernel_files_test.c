#include "symbols/symbols_internal.h"

#include "base/file.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void suite_symbols_kernel_files(void);

#define LINK_TEXT UINT64_C(0xffffffff81000000)

#define MAKE_KERNEL                                                                    \
	"mkdir -p boot lib/modules/6.1.0-test/kernel/fs && "                           \
	"printf '.globl _text\\n_text: .skip 64, 0x90\\n.type walk, @function\\n"      \
	"walk: .skip 32, 0x90\\n.size walk, 32\\n' | "                                 \
	"gcc -x assembler - -nostdlib -static -Wl,-Ttext=0xffffffff81000000,-e,_text " \
	"-Wl,--build-id=0x0102030405060708 -o boot/vmlinux-6.1.0-test"

#define MAKE_MODULE                                                                            \
	"printf '.type probe_it, @function\\nprobe_it: .skip 32, 0x90\\n.size probe_it, 32\\n" \
	".section .init.text, \"ax\"\\n.type start_it, @function\\nstart_it: .skip 8, 0x90\\n" \
	".size start_it, 8\\n' | gcc -x assembler -c - -o one.o && "                           \
	"ld -r --build-id=0x0a0b0c0d one.o -o lib/modules/6.1.0-test/kernel/fs/my-fs.ko && "   \
	"xz -1 lib/modules/6.1.0-test/kernel/fs/my-fs.ko && "                                  \
	"echo 'kernel/fs/my-fs.ko.xz: kernel/lib/other.ko' >lib/modules/6.1.0-test/modules.dep"

/* Makes what `command` makes in a new folder, where `build` then looks. */
static bool
make_files(struct kernel_build *build, char dir[32], const char *command)
{
	char line[4096];

	memcpy(dir, "/tmp/kernel_file_test.XXXXXX", sizeof("/tmp/kernel_file_test.XXXXXX"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	*build = (struct kernel_build){
		.root = dir, .release = "6.1.0-test", .build_id = {{1, 2, 3, 4, 5, 6, 7, 8}, 8}};
	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", dir, command);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(line);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	unit_skip("the compiler, the linker or xz is missing or refuses");
	return false;
}

static void
remove_files(const char *dir)
{
	struct err err = {0};

	file_remove_tree(dir, &err);
}

static const char *
kernel_file_name_at(const struct symtab *tab, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? entry->name : "";
}

static void
test_vmlinux(void)
{
	struct kernel_build build;
	struct symtab tab;
	uint64_t text;
	char dir[32];

	tab = (struct symtab){0};
	if (make_files(&build, dir, MAKE_KERNEL)) {
		CU_ASSERT(kernel_file_vmlinux(&build, &tab, &text));
		CU_ASSERT_EQUAL(text, LINK_TEXT);
		UNIT_STR_EQ(kernel_file_name_at(&tab, LINK_TEXT + 70), "walk");
		build.build_id.bytes[0] = 9;
		CU_ASSERT_FALSE(kernel_file_vmlinux(&build, &tab, &text));
		build.build_id.bytes[0] = 1;
		strcpy(build.release, "../6.1.0-test");
		CU_ASSERT_FALSE(kernel_file_vmlinux(&build, &tab, &text));
	}
	symtab_release(&tab);
	remove_files(dir);
}

static void
test_module(void)
{
	static const struct build_id build_id = {{10, 11, 12, 13}, 4};
	static const struct build_id part = {{10, 11, 12}, 3};
	struct kernel_build build;
	struct symtab tab;
	char dir[32];

	tab = (struct symtab){0};
	if (make_files(&build, dir, MAKE_KERNEL " && " MAKE_MODULE)) {
		CU_ASSERT_FALSE(kernel_file_module(&build, "[my_fs]", &part, &tab));
		CU_ASSERT_FALSE(kernel_file_module(&build, "[my]", &build_id, &tab));
		CU_ASSERT(kernel_file_module(&build, "[my_fs]", &build_id, &tab));
		UNIT_STR_EQ(kernel_file_name_at(&tab, 31), "probe_it");
		CU_ASSERT_EQUAL(tab.count, 1);
		symtab_release(&tab);
		tab = (struct symtab){0};
		CU_ASSERT(kernel_file_module(
			&build, "/lib/modules/6.1.0-test/kernel/fs/my-fs.ko.xz", &build_id, &tab));
	}
	symtab_release(&tab);
	remove_files(dir);
}

static void
test_names(void)
{
	char name[16];

	CU_ASSERT(kernel_file_module_name("[ext4]", name, sizeof(name)));
	UNIT_STR_EQ(name, "[ext4]");
	CU_ASSERT(kernel_file_module_name("/lib/modules/6/a/snd-pcm.ko.zst", name, sizeof(name)));
	UNIT_STR_EQ(name, "[snd_pcm]");
	CU_ASSERT_FALSE(kernel_file_module_name("[kernel.kallsyms]_text", name, sizeof(name)));
	CU_ASSERT_FALSE(kernel_file_module_name("bpf_prog_aa", name, sizeof(name)));
	CU_ASSERT_FALSE(kernel_file_module_name("[a_name_that_is_long]", name, sizeof(name)));
}

static const struct unit_case cases[] = {
	{"a_vmlinux_of_the_build_gives_names_where_it_was_linked", test_vmlinux},
	{"a_packed_module_gives_names_from_where_it_is_loaded", test_module},
	{"modules_are_known_by_one_name", test_names},
	{NULL, NULL},
};

void
suite_symbols_kernel_files(void)
{
	unit_suite("symbols/kernel_files", cases);
}
