/* Whose code lies where: names are kept by that. */
#include "symbols/symbolizer.h"

#include "symbols/spaces.h"
#include "unit.h"

#include <unistd.h>

void suite_symbols_range(void);

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
suite_symbols_range(void)
{
	static const struct unit_case cases[] = {
		{"a_files_code_is_the_same_in_all_processes", test_file},
		{"other_memory_is_its_processes_own_and_as_of_now", test_memory},
		{"where_nothing_is_mapped_nobody_owns_it", test_nothing},
		{0},
	};

	unit_suite("symbols/range", cases);
}
