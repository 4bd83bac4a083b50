#include "symbols/symbols_internal.h"

#include "base/buf.h"
#include "base/file.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
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

static const char *
kernel_names_name_at(struct kernel_names *kernel, uint64_t address)
{
	struct symtab_entry *entry = symtab_find(&kernel->tab, address);

	return entry ? entry->name : "";
}

static const char *
kernel_names_module_at(struct kernel_names *kernel, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(&kernel->tab, address);

	return entry && entry->module ? entry->module : "";
}

static void
test_lines(void)
{
	static const char text[] = "0000000000001000 A per_cpu\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000200 r rodata\n"
				   "ffffffffc0000000 t init_it\t[ext4]\n"
				   "broken\n"
				   "ffffffffc0000040 t last_of_ext4\t[ext4]\n"
				   "ffffffffc0100000 t other\t[xfs]";
	struct kernel_names kernel;

	kernel = (struct kernel_names){0};
	kernel_names_parse(&kernel, text, strlen(text));
	CU_ASSERT(kernel.readable);
	CU_ASSERT_EQUAL(kernel.text, UINT64_C(0xffffffff81000000));
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffff810000ff)), "_text");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffff81000250)), "helper");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, 0x1000), "");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffffc0000041)), "last_of_ext4");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffffc0080000)), "");
	UNIT_STR_EQ(kernel_names_module_at(&kernel, UINT64_C(0xffffffffc0100000)), "[xfs]");
	kernel_names_release(&kernel);
}

static void
test_hidden(void)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 T other\n";
	struct kernel_names kernel;

	kernel = (struct kernel_names){0};
	kernel_names_parse(&kernel, text, strlen(text));
	CU_ASSERT_FALSE(kernel.readable);
	kernel_names_release(&kernel);
}

/* A kernel of two functions and a module of one, made by the compiler of this machine. */

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

void
suite_symbols_kernel_space(void)
{
	static const struct unit_case cases[] = {
		{"todays_names_hold_for_captures_of_this_boot", test_same_boot},
		{"names_move_with_the_kernel_and_its_modules", test_other_boot},
		{"without_a_build_id_another_boot_has_no_names", test_other_boot_of_unknown_build},
		{"another_build_has_no_names_of_todays", test_other_build},
		{"programs_that_come_and_go_are_named_while_they_are_there", test_passing},
		{"code_symbols_are_taken_and_modules_keep_apart", test_lines},
		{"hidden_addresses_give_no_names", test_hidden},
		{"a_vmlinux_of_the_build_gives_names_where_it_was_linked", test_vmlinux},
		{"a_packed_module_gives_names_from_where_it_is_loaded", test_module},
		{"modules_are_known_by_one_name", test_names},
		{NULL, NULL},
	};

	unit_suite("symbols/kernel_space", cases);
}
