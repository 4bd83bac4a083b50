/* Resolves addresses of this very program, whose maps are in /proc/self/maps. */
#include "symbols/symbolizer.h"

#include "base/file.h"
#include "elf/elf_image.h"
#include "symbols/own_maps.h"
#include "symbols/spaces.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

void suite_symbols_symbolizer(void);

/* An address in the middle of this suite's function. */
static uint64_t
own_address(void)
{
	return (uint64_t)(uintptr_t)suite_symbols_symbolizer + 4;
}

static void
test_own(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol symbol;

	feed_own_maps(symbolizer);
	symbolizer_resolve(
		symbolizer, symbolizer_maps(symbolizer, OWN_PID), own_address(), false, &symbol);
	UNIT_STR_EQ(symbol.name ? symbol.name : "", "suite_symbols_symbolizer");
	CU_ASSERT_EQUAL(symbol.offset, 4);
	CU_ASSERT(symbol.same_before);
	struct symbol first;

	symbolizer_resolve(
		symbolizer, symbolizer_maps(symbolizer, OWN_PID), own_address() - 4, false, &first);
	CU_ASSERT_PTR_EQUAL(first.name, symbol.name);
	CU_ASSERT_FALSE(first.same_before);
	CU_ASSERT_EQUAL(symbol.source, SYMBOL_ELF);
	symbolizer_resolve(symbolizer, symbolizer_maps(symbolizer, OWN_PID), 0x10, false, &symbol);
	CU_ASSERT_PTR_NULL(symbol.name);
	CU_ASSERT_PTR_NULL(symbol.module);
	symbolizer_resolve(symbolizer, symbolizer_maps(symbolizer, OWN_PID + 1), own_address(),
		false, &symbol);
	CU_ASSERT_PTR_NULL(symbol.module);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_vdso(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol symbol;
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	bool named = false;

	feed_own_maps(symbolizer);
	for (uint64_t at = start; start && at < start + 0x2000 && !named; at += 16) {
		symbolizer_resolve(
			symbolizer, symbolizer_maps(symbolizer, OWN_PID), at, false, &symbol);
		named = symbol.name && strstr(symbol.name, "clock_gettime");
	}
	if (!start)
		unit_skip("this machine has no vDSO");
	else
		CU_ASSERT(named);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

/* Opens what OWN_PID has mapped at `address` for its code. */
static bool
opens_code_at(struct symbolizer *symbolizer, uint64_t address)
{
	const struct space *space = symbolizer_maps(symbolizer, OWN_PID);
	struct mapping mapping;
	bool mapped = space && space_mapping(space, address, &mapping);
	struct elf_image image;
	struct elf_image debug;
	GElf_Shdr header;

	CU_ASSERT(mapped);
	if (!mapped || !symbolizer_open_image(symbolizer, mapping.file, &image, &debug))
		return false;
	CU_ASSERT_PTR_NOT_NULL(elf_image_section(&image, ".eh_frame", SHT_NULL, &header));
	if (debug.elf)
		elf_image_close(&debug);
	elf_image_close(&image);
	return true;
}

static void
test_open_image(void)
{
	static const unsigned char build_id[20] = {1, 2, 3};
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	feed_own_maps(symbolizer);
	CU_ASSERT_PTR_NULL(symbolizer_maps(symbolizer, OWN_PID + 1));
	CU_ASSERT(opens_code_at(symbolizer, own_address()));
	if (vdso)
		CU_ASSERT(opens_code_at(symbolizer, vdso + 0x800));
	feed_own_maps_of(symbolizer, build_id, sizeof(build_id));
	CU_ASSERT_FALSE(opens_code_at(symbolizer, own_address()));
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_other_build(void)
{
	static const unsigned char build_id[20] = {1, 2, 3};
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol symbol;
	bool noted = false;

	feed_own_maps_of(symbolizer, build_id, sizeof(build_id));
	symbolizer_resolve(
		symbolizer, symbolizer_maps(symbolizer, OWN_PID), own_address(), false, &symbol);
	CU_ASSERT_PTR_NULL(symbol.name);
	CU_ASSERT_PTR_NOT_NULL(symbol.module);
	for (size_t i = 0; i < symbol_cache_nnotes(cache); i++)
		noted |= strstr(symbol_cache_note(cache, i), "changed since the capture") != NULL;
	CU_ASSERT(noted);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

/* Copies our own program to `path`, with `extra` bytes behind it. */
static void
copy_self(const char *path, const char *extra)
{
	struct buf bytes = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_read("/proc/self/exe", &bytes, (size_t)1 << 30, &err), 0);
	buf_puts(&bytes, extra);
	CU_ASSERT_EQUAL_FATAL(file_write(path, bytes.data, bytes.len, &err), 0);
	buf_release(&bytes);
}

/* Whether any address of a map of `path` gets a name under a new symbolizer. */
static bool
has_names(struct symbol_cache *cache, const char *path)
{
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol_map map = {.pid = OWN_PID, .size = 1u << 24, .path = path};
	struct symbol symbol = {0};

	symbolizer_map(symbolizer, &map);
	for (uint64_t at = 0; at < map.size && !symbol.name; at += 64)
		symbolizer_resolve(
			symbolizer, symbolizer_maps(symbolizer, OWN_PID), at, false, &symbol);
	symbolizer_free(symbolizer);
	return symbol.name != NULL;
}

static void
test_changed_file(void)
{
	char dir[] = "/tmp/symbolizer_test.XXXXXX";
	struct symbol_cache *cache = symbol_cache_new();
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *path = file_join(dir, "program");

	CU_ASSERT_EQUAL(file_write(path, "text", 4, &err), 0);
	CU_ASSERT_FALSE(has_names(cache, path));
	copy_self(path, "more");
	CU_ASSERT(has_names(cache, path));
	CU_ASSERT_EQUAL(file_remove_tree(path, &err), 0);
	CU_ASSERT_FALSE(has_names(cache, path));
	free(path);
	file_remove_tree(dir, &err);
	symbol_cache_free(cache);
}

static void
test_other_kernel(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol symbol;

	symbolizer_set_os_release(symbolizer, "1.2.3-of-another-machine");
	symbolizer_resolve(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
		UINT64_C(0xffffffff81000000), true, &symbol);
	CU_ASSERT_PTR_NULL(symbol.name);
	UNIT_STR_EQ(symbol.module, "[kernel.kallsyms]");
	CU_ASSERT_EQUAL_FATAL(symbol_cache_nnotes(cache), 1);
	UNIT_CONTAINS(symbol_cache_note(cache, 0), "another kernel release");
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_jit(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol symbol;
	uint32_t pid = (uint32_t)getpid();
	static const char *const paths[] = {"//anon", "[heap]", "/memfd:jit (deleted)",
		"/tmp/removed (deleted)", "/dev/shm/no such file"};
	char path[64];
	struct err err = {0};
	static const char text[] = "7f0000001000 100 jitted code\n";

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &err), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct symbol_map map = {
			.pid = pid, .start = 0x7f0000001000, .size = 0x1000, .path = paths[i]};

		symbolizer_map(symbolizer, &map);
		symbolizer_resolve(symbolizer, symbolizer_maps(symbolizer, pid), 0x7f0000001010,
			false, &symbol);
		CU_ASSERT_EQUAL(symbol.source, SYMBOL_JIT);
		UNIT_STR_EQ(symbol.name ? symbol.name : "", "jitted code");
	}
	unlink(path);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

#if defined(__x86_64__)
/*
 * Four functions, each starting where the one before ends: `fails` ends with a call, `jumps` with
 * the same bytes but for the opcode, and `indirect` with a call through a register.
 */
__asm__(".pushsection .text\n"
	".type boundary_fails, @function\n"
	"boundary_fails: nop; .byte 0xe8, 0, 0, 0, 0\n"
	".size boundary_fails, . - boundary_fails\n"
	".type boundary_jumps, @function\n"
	"boundary_jumps: nop; .byte 0xe9, 0, 0, 0, 0\n"
	".size boundary_jumps, . - boundary_jumps\n"
	".type boundary_indirect, @function\n"
	"boundary_indirect: nop; call *%r12\n"
	".size boundary_indirect, . - boundary_indirect\n"
	".type boundary_end, @function\n"
	"boundary_end: nop; call *%r12; ret\n"
	".size boundary_end, . - boundary_end\n"
	".popsection\n");

extern const char boundary_jumps[];
extern const char boundary_indirect[];
extern const char boundary_end[];

static void
expect_return(struct symbolizer *symbolizer, const char *address, const char *name)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbol symbol;

	CU_ASSERT_EQUAL(symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
				(uintptr_t)address, false, false, &symbol, frames),
		1);
	UNIT_STR_EQ(symbol.name ? symbol.name : "", name);
}

static void
test_return_after_call(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);

	feed_own_maps(symbolizer);
	expect_return(symbolizer, boundary_jumps, "boundary_fails");
	expect_return(symbolizer, boundary_end, "boundary_indirect");
	expect_return(symbolizer, boundary_end + 4, "boundary_end");
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_no_call(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);

	feed_own_maps(symbolizer);
	expect_return(symbolizer, boundary_indirect, "boundary_indirect");
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

/* Resolves the return address behind `boundary_fails` in a copy of this program. */
static void
expect_in_copy(struct symbol_cache *cache, const char *path, bool rewrite, const char *name)
{
	struct symbolizer *symbolizer = symbolizer_new(cache);
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t address = (uintptr_t)boundary_jumps;
	struct symbol_map map = {.pid = OWN_PID, .path = path};
	struct symbol symbol;
	char line[1024];

	CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start;
		unsigned long end;
		unsigned long offset;

		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			address >= start && address < end) {
			map.start = start;
			map.size = end - start;
			map.file_offset = offset;
		}
	}
	fclose(maps);
	symbolizer_map(symbolizer, &map);
	symbolizer_resolve(
		symbolizer, symbolizer_maps(symbolizer, OWN_PID), address, false, &symbol);
	UNIT_STR_EQ(symbol.name ? symbol.name : "", "boundary_jumps");
	if (rewrite)
		copy_self(path, "another file");
	expect_return(symbolizer, boundary_jumps, name);
	symbolizer_free(symbolizer);
}

static void
test_code_of_other_file(void)
{
	char dir[] = "/tmp/symbolizer_test.XXXXXX";
	struct symbol_cache *cache = symbol_cache_new();
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *path = file_join(dir, "program");

	copy_self(path, "");
	expect_in_copy(cache, path, false, "boundary_fails");
	expect_in_copy(cache, path, true, "boundary_jumps");
	free(path);
	file_remove_tree(dir, &err);
	symbol_cache_free(cache);
}
#else
static void
test_return_after_call(void)
{
	unit_skip("calls are distinguished on x86-64 only");
}

static void
test_no_call(void)
{
	unit_skip("calls are distinguished on x86-64 only");
}

static void
test_code_of_other_file(void)
{
	unit_skip("calls are distinguished on x86-64 only");
}
#endif

/* Frames of this very program, which is compiled with debug information or not. */

static volatile unsigned seen;

static inline __attribute__((always_inline)) void
inlined_leaf(unsigned value)
{
	seen = value ^ seen;
	seen = value + seen;
}

static __attribute__((noinline)) void
with_inlined(unsigned value)
{
	inlined_leaf(value);
	inlined_leaf(value * 3);
}

/* The first address in with_inlined() that has two frames; 0 if none has. */
static uint64_t
find_inlined(struct symbolizer *symbolizer, struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	uint64_t start = (uint64_t)(uintptr_t)with_inlined;
	struct symbol symbol;

	for (uint64_t at = start; at < start + 256; at++)
		if (symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID), at, false,
			    true, &symbol, frames) == 2)
			return at;
	return 0;
}

static void
test_inlined(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX] = {{0}};
	struct symbol symbol;

	with_inlined(1);
	feed_own_maps(symbolizer);
	symbolizer_set_inlining(symbolizer, true);

	uint64_t address = find_inlined(symbolizer, frames);

	if (address == 0) {
		unit_skip("compiled without debug information");
	} else {
		UNIT_STR_EQ(frames[0].name, "inlined_leaf");
		CU_ASSERT(frames[0].inlined);
		UNIT_CONTAINS(frames[0].file ? frames[0].file : "", "symbolizer_test.c");
		CU_ASSERT(frames[0].line > 0 && frames[0].at_line > frames[0].line);
		UNIT_STR_EQ(frames[1].name, "with_inlined");
		CU_ASSERT_FALSE(frames[1].inlined);
		CU_ASSERT(frames[1].at_line > frames[0].at_line);
		/* As a return address the next one belongs to the call before it. */
		CU_ASSERT_EQUAL(symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
					address + 1, false, false, &symbol, frames),
			2);
		UNIT_STR_EQ(symbol.name, "with_inlined");
		CU_ASSERT_PTR_EQUAL(frames[1].name, symbol.name);
	}
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_off(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbol symbol;

	feed_own_maps(symbolizer);
	CU_ASSERT_EQUAL(find_inlined(symbolizer, frames), 0);
	CU_ASSERT_EQUAL(
		symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID),
			(uint64_t)(uintptr_t)with_inlined + 1, false, true, &symbol, frames),
		1);
	UNIT_STR_EQ(frames[0].name, "with_inlined");
	CU_ASSERT_PTR_NULL(frames[0].file);
	symbolizer_set_inlining(symbolizer, true);
	CU_ASSERT_EQUAL(symbolizer_frames(symbolizer, symbolizer_maps(symbolizer, OWN_PID), 0x10,
				false, true, &symbol, frames),
		1);
	CU_ASSERT_PTR_NULL(frames[0].name);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

/* Whose code lies where: names are kept by that. */

static void
map(struct symbolizer *symbolizer, uint32_t pid, uint64_t start, const char *path)
{
	struct symbol_map map = {
		.pid = pid, .start = start, .size = 0x2000, .file_offset = 0x1000, .path = path};

	symbolizer_map(symbolizer, &map);
}

static struct symbol_range
range(struct symbolizer *symbolizer, uint32_t pid, uint64_t address)
{
	return symbolizer_range(symbolizer, symbolizer_maps(symbolizer, pid), address);
}

static void
test_file(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);
	char own_path[512];
	ssize_t len = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);

	CU_ASSERT_FATAL(len > 0);
	own_path[len > 0 ? len : 0] = '\0';
	map(symbolizer, 1, 0x400000, own_path);
	map(symbolizer, 2, 0x700000, own_path);

	struct symbol_range one = range(symbolizer, 1, 0x400010);
	struct symbol_range other = range(symbolizer, 2, 0x701fff);

	CU_ASSERT_EQUAL(one.start, 0x400000);
	CU_ASSERT_EQUAL(one.end, 0x402000);
	CU_ASSERT_EQUAL(one.offset, 0x1000);
	CU_ASSERT_EQUAL(other.start, 0x700000);
	CU_ASSERT_EQUAL(other.offset, 0x1000);
	CU_ASSERT_EQUAL(one.owner, other.owner);
	/* Also after other memory was mapped. */
	map(symbolizer, 1, 0x500000, "//anon");
	CU_ASSERT_EQUAL(range(symbolizer, 1, 0x400010).owner, one.owner);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_memory(void)
{
	static const char *const paths[] = {
		"//anon", "/nowhere/gone.so", "/memfd:code (deleted)", "[heap]"};
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		uint64_t start = 0x400000 + i * 0x10000;

		map(symbolizer, 1, start, paths[i]);
		map(symbolizer, 2, start, paths[i]);
		struct symbol_range one = range(symbolizer, 1, start);
		struct symbol_range other = range(symbolizer, 2, start);

		CU_ASSERT_EQUAL(one.offset, start);
		CU_ASSERT_NOT_EQUAL(one.owner, 0);
		CU_ASSERT_NOT_EQUAL(one.owner, other.owner);
		/* Equal addresses may be other code from now on. */
		map(symbolizer, 1, 0x900000 + i * 0x10000, "//anon");
		CU_ASSERT_NOT_EQUAL(range(symbolizer, 1, start).owner, one.owner);
	}
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

static void
test_nothing(void)
{
	struct symbol_cache *cache = symbol_cache_new();
	struct symbolizer *symbolizer = symbolizer_new(cache);

	CU_ASSERT_EQUAL(range(symbolizer, 1, 0x400000).owner, 0);
	map(symbolizer, 1, 0x400000, "//anon");
	struct symbol_range none = range(symbolizer, 1, 0x402000);

	CU_ASSERT_EQUAL(none.owner, 0);
	CU_ASSERT_EQUAL(none.start, 0x402000);
	CU_ASSERT_EQUAL(none.end, 0x402001);
	CU_ASSERT_EQUAL(none.offset, 0x402000);
	symbolizer_free(symbolizer);
	symbol_cache_free(cache);
}

void
suite_symbols_symbolizer(void)
{
	static const struct unit_case cases[] = {
		{"functions_of_this_program_are_found", test_own},
		{"the_vdso_has_names", test_vdso},
		{"the_mapped_file_opens_unless_it_is_another_build", test_open_image},
		{"another_build_id_gives_no_names_and_a_note", test_other_build},
		{"a_file_that_changed_between_captures_is_read_again", test_changed_file},
		{"another_kernels_addresses_get_no_names", test_other_kernel},
		{"jit_names_are_found_where_no_program_is", test_jit},
		{"a_return_address_behind_a_call_belongs_to_the_caller", test_return_after_call},
		{"a_functions_start_without_a_call_before_it_is_itself", test_no_call},
		{"code_of_a_file_that_changed_is_not_looked_at", test_code_of_other_file},
		{"inlined_functions_come_before_the_one_that_has_the_code", test_inlined},
		{"without_inlining_and_without_code_there_is_one_frame", test_off},
		{"a_files_code_is_the_same_in_all_processes", test_file},
		{"other_memory_is_its_processes_own_and_as_of_now", test_memory},
		{"where_nothing_is_mapped_nobody_owns_it", test_nothing},
		{NULL, NULL},
	};

	unit_suite("symbols/symbolizer", cases);
}
