/* Address spaces that hold this very program, as records would describe it. */

#include "ingest/code_maps.h"
#include "ingest/ingest_cache.h"
#include "symbols/spaces.h"
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

void suite_ingest_code_maps(void);

#if defined(__aarch64__)
#define OWN_MACHINE "aarch64"
#else
#define OWN_MACHINE "x86_64"
#endif

struct bench {
	struct ingest_cache *cache;
	struct symbolizer *symbolizer;
	struct code_maps maps;
	char own_path[4096];
};

static void
begin_maps(struct bench *bench)
{
	bench->maps = (struct code_maps){
		.symbolizer = bench->symbolizer,
		.cache = bench->cache,
		.machine = unwind_machine_find(OWN_MACHINE),
	};
}

/* False, and the case is skipped, where the program does not know its own file. */
static bool
begin(struct bench *bench)
{
	ssize_t len = readlink("/proc/self/exe", bench->own_path, sizeof(bench->own_path) - 1);

	if (len <= 0) {
		unit_skip("there is no /proc/self/exe");
		return false;
	}
	bench->own_path[len] = '\0';
	bench->cache = ingest_cache_new();
	bench->symbolizer = symbolizer_new(bench->cache->symbols);
	begin_maps(bench);
	return true;
}

static void
end(struct bench *bench)
{
	code_maps_release(&bench->maps);
	symbolizer_free(bench->symbolizer);
	ingest_cache_free(bench->cache);
}

static void
map(struct bench *bench, uint32_t pid, uint64_t start, const char *path)
{
	struct symbol_map map = {
		.pid = pid, .start = start, .size = 0x1000, .file_offset = 0x2000, .path = path};

	symbolizer_map(bench->symbolizer, &map);
}

/* The maps of a process that some are known of. */
static const struct code_space *
known(struct bench *bench, uint32_t pid)
{
	static const struct code_space none;
	const struct code_space *space = code_maps_of(&bench->maps, pid);

	CU_ASSERT_PTR_NOT_NULL_FATAL(space);
	return space ? space : &none;
}

/* What is mapped at `address`; a map of nothing where nothing is. */
static const struct unwind_map *
found(const struct code_space *space, uint64_t address)
{
	static const struct unwind_map nothing;
	const struct unwind_map *map = unwind_space_map(&space->unwind, address);

	return map ? map : &nothing;
}

static uint32_t
owner(const struct code_space *space, uint64_t address)
{
	return code_space_range(space, found(space, address)).owner;
}

static void
test_spaces(void)
{
	struct bench bench;
	struct mapping mapping;

	if (!begin(&bench))
		return;
	CU_ASSERT_PTR_NULL(code_maps_of(&bench.maps, 7));
	map(&bench, 7, 0x400000, bench.own_path);
	map(&bench, 7, 0x500000, "//anon");

	CU_ASSERT_FALSE(code_maps_are_loaded(&bench.maps, 7));
	const struct code_space *before = known(&bench, 7);

	CU_ASSERT(code_maps_are_loaded(&bench.maps, 7));
	CU_ASSERT_PTR_EQUAL(code_maps_of(&bench.maps, 7), before);
	CU_ASSERT_EQUAL(found(before, 0x400000)->start, 0x400000);
	CU_ASSERT_EQUAL(found(before, 0x400fff)->end, 0x401000);
	CU_ASSERT_EQUAL(found(before, 0x400000)->file_offset, 0x2000);
	CU_ASSERT_PTR_NOT_NULL(found(before, 0x400000)->table);
	CU_ASSERT_EQUAL(found(before, 0x500000)->end, 0x501000);
	CU_ASSERT_PTR_NULL(found(before, 0x500000)->table);

	map(&bench, 7, 0x600000, "/nowhere/a.so");

	const struct code_space *after = known(&bench, 7);

	CU_ASSERT_PTR_NOT_EQUAL(after, before);
	/* A file's code stays the same; of other memory nobody knows. */
	CU_ASSERT_EQUAL(owner(after, 0x400000), owner(before, 0x400000));
	CU_ASSERT_NOT_EQUAL(owner(after, 0x500000), owner(before, 0x500000));
	CU_ASSERT_EQUAL(found(after, 0x600000)->end, 0x601000);
	CU_ASSERT_PTR_NULL(found(after, 0x600000)->table);
	/* Threads may still walk the stacks of the one before, and name what they find. */
	CU_ASSERT_PTR_NULL(unwind_space_map(&before->unwind, 0x600000));
	CU_ASSERT_FALSE(space_mapping(&before->maps, 0x600000, &mapping));
	CU_ASSERT_FATAL(space_mapping(&before->maps, 0x400000, &mapping));
	UNIT_STR_EQ(mapping.file->key.path, bench.own_path);
	CU_ASSERT_PTR_EQUAL(found(after, 0x400000), found(before, 0x400000));
	end(&bench);
}

static void
test_shared_rows(void)
{
	struct bench bench;

	if (!begin(&bench))
		return;
	map(&bench, 7, 0x400000, bench.own_path);
	map(&bench, 8, 0x700000, bench.own_path);

	const struct unwind_table *table = found(known(&bench, 7), 0x400000)->table;

	CU_ASSERT_PTR_NOT_NULL(table);
	CU_ASSERT_PTR_EQUAL(found(known(&bench, 8), 0x700000)->table, table);

	/* Another capture of the session reads no file again either. */
	struct symbolizer *symbolizer = bench.symbolizer;

	code_maps_release(&bench.maps);
	bench.symbolizer = symbolizer_new(bench.cache->symbols);
	begin_maps(&bench);
	map(&bench, 9, 0x400000, bench.own_path);
	CU_ASSERT_PTR_EQUAL(found(known(&bench, 9), 0x400000)->table, table);
	symbolizer_free(symbolizer);
	end(&bench);
}

struct visited {
	const char *path;
	size_t count;
};

static void
visit(void *context, const char *path, const struct unwind_table *table)
{
	struct visited *visited = context;

	CU_ASSERT_PTR_NOT_NULL(table);
	visited->path = path;
	visited->count++;
}

/* Many files without rows, so that what is kept of them grows around the one that has some. */
static void
test_visits(void)
{
	struct visited visited = {NULL, 0};
	struct bench bench;
	char path[64];

	if (!begin(&bench))
		return;
	for (unsigned i = 0; i < 600; i++) {
		snprintf(path, sizeof(path), "/nowhere/%u.so", i);
		map(&bench, 7, 0x10000 + UINT64_C(0x1000) * i, i == 300 ? bench.own_path : path);
	}
	CU_ASSERT_PTR_NOT_NULL(code_maps_of(&bench.maps, 7));
	code_maps_each(&bench.maps, visit, &visited);
	CU_ASSERT_EQUAL(visited.count, 1);
	UNIT_STR_EQ(visited.path ? visited.path : "", bench.own_path);
	end(&bench);
}

static const struct unit_case cases[] = {
	{"maps_are_copied_once_for_each_state_and_stay_as_they_were", test_spaces},
	{"a_module_s_rows_are_made_once_for_all_processes_and_captures", test_shared_rows},
	{"only_files_that_have_rows_are_visited_however_many_there_are", test_visits},
	{NULL, NULL},
};

void
suite_ingest_code_maps(void)
{
	unit_suite("ingest/code_maps", cases);
}
