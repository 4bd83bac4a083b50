/*
 * The rows of one file: a function's rows are made when an address of it is looked up first.
 */
#include "unwind/unwind_table.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "unwind/unwind_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Rows that a table may make: real ones need some four times the bytes of their section. */
#define LIMIT_FIRST_BYTES ((size_t)1 << 20)
#define LIMIT_FACTOR 32

enum {
	SECTION_EH,
	SECTION_DEBUG,
	SECTIONS,
};

/* The rows of one function. */
struct made_rows {
	uint32_t count;
	struct unwind_row rows[];
};

/* For functions with an unusable entry, or without room for their rows. */
static struct made_rows no_rows;

typedef _Atomic(struct made_rows *) made_pointer;

struct unwind_table {
	const struct unwind_machine *machine;
	struct code_segments code;
	struct cfi_section sections[SECTIONS];
	struct function_index index;
	made_pointer *made; /* by function; NULL until it is looked up */
	atomic_size_t nrows;
	uint32_t trampoline_bytes;

	/* The rest is used under the lock, to make rows; rows do not change once they are made. */
	pthread_mutex_t lock;
	struct cfi_reader readers[SECTIONS];
	struct cfi_rows scratch;
	struct saves saves;
	struct arena arena;
	size_t limit_bytes;
};

/* Reads what is needed of the files. False where there are no rows. */
static bool
load(struct unwind_table *table, struct elf_image *image, struct elf_image *debug)
{
	if (!code_segments_read(&table->code, image) ||
		!cfi_load(table->machine, image, debug, &table->sections[SECTION_EH],
			&table->sections[SECTION_DEBUG]))
		return false;
	for (unsigned i = 0; i < SECTIONS; i++) {
		struct cfi_section *section = &table->sections[i];

		function_index_scan(&table->index, &table->code, section,
			i == SECTION_DEBUG ? CFI_EXPRESSION_DEBUG : 0);
		table->limit_bytes += section->len * LIMIT_FACTOR;
		table->readers[i].section = section;
	}
	function_index_finish(&table->index);
	table->trampoline_bytes = trampoline_find(table->machine, image);
	return table->index.count > 0;
}

struct unwind_table *
unwind_table_new(
	const struct unwind_machine *machine, struct elf_image *image, struct elf_image *debug)
{
	struct unwind_table *table = mem_zalloc(1, sizeof(*table));

	table->machine = machine;
	table->limit_bytes = LIMIT_FIRST_BYTES;
	pthread_mutex_init(&table->lock, NULL);
	bool loaded = load(table, image, debug);

	/* All that is needed was copied; a hundred tables need no hundred open files. */
	elf_image_close(image);
	if (debug)
		elf_image_close(debug);
	if (!loaded) {
		unwind_table_free(table);
		return NULL;
	}
	table->made = mem_zalloc(table->index.count, sizeof(*table->made));
	table->saves.limit_bytes = table->limit_bytes / 2;
	return table;
}

void
unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	for (unsigned i = 0; i < SECTIONS; i++)
		cfi_unload(&table->sections[i]);
	saves_release(&table->saves);
	arena_release(&table->arena);
	function_index_release(&table->index);
	code_segments_release(&table->code);
	free(table->scratch.rows);
	free(table->made);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static void
run(struct unwind_table *table, uint32_t where)
{
	unsigned i = where & CFI_EXPRESSION_DEBUG ? SECTION_DEBUG : SECTION_EH;
	struct cfi_fde fde;
	const struct cfi_cie *cie;

	table->scratch.count = 0;
	if (table->arena.used_bytes > table->limit_bytes / 2 ||
		!cfi_read(&table->readers[i], where & ~CFI_EXPRESSION_DEBUG, &fde, &cie))
		return;
	struct cfi_program program = {table->machine, &table->sections[i], cie, &fde};

	/* Normally the machine's return column; others are in unusual files only. */
	if (cie->return_column < UNWIND_REGS && fde.size <= UINT32_MAX)
		cfi_rows_run(&program, &table->saves, &table->scratch);
}

/* Makes the rows of a function; the caller holds the lock. */
static struct made_rows *
make(struct unwind_table *table, size_t i)
{
	struct made_rows *made = atomic_load_explicit(&table->made[i], memory_order_relaxed);

	if (made)
		return made;
	run(table, table->index.list[i].where);
	size_t count = table->scratch.count;

	made = &no_rows;
	if (count > 0) {
		size_t bytes = count * sizeof(made->rows[0]);

		made = arena_alloc(&table->arena, sizeof(*made) + bytes);
		made->count = (uint32_t)count;
		memcpy(made->rows, table->scratch.rows, bytes);
	}
	atomic_fetch_add_explicit(&table->nrows, count, memory_order_relaxed);
	/* A thread that sees the pointer sees the rows and their sets. */
	atomic_store_explicit(&table->made[i], made, memory_order_release);
	return made;
}

/* Where row `row` of function `i` ends, from the function's start. */
static uint32_t
row_end(const struct unwind_table *table, size_t i, const struct made_rows *made, size_t row)
{
	const struct indexed_function *function = &table->index.list[i];
	uint32_t end = function->size;

	/* Among functions that overlap, the later one counts. */
	if (i + 1 < table->index.count && function[1].start - function->start < end)
		end = function[1].start - function->start;
	if (row + 1 < made->count && made->rows[row + 1].start < end)
		end = made->rows[row + 1].start;
	return end;
}

bool
unwind_table_find(struct unwind_table *table, uint64_t file_offset, struct unwind_found *found)
{
	uint64_t address;
	size_t i;

	if (!code_segments_address(&table->code, file_offset, &address) ||
		!function_index_find(&table->index, address, &i))
		return false;
	const struct made_rows *made = atomic_load_explicit(&table->made[i], memory_order_acquire);

	if (!made) {
		pthread_mutex_lock(&table->lock);
		made = make(table, i);
		pthread_mutex_unlock(&table->lock);
	}
	uint32_t offset = (uint32_t)(address - table->index.base - table->index.list[i].start);
	size_t until =
		search_until(made->rows, made->count, SEARCH_BY(struct unwind_row, start), offset);

	if (until == 0 || made->rows[until - 1].cfa_kind == UNWIND_CFA_NONE)
		return false;
	found->row = &made->rows[until - 1];
	found->saves = saves_get(&table->saves, found->row->saves);
	found->first = file_offset - (offset - found->row->start);
	found->end = file_offset + (row_end(table, i, made, until - 1) - offset);
	return true;
}

struct expression
unwind_table_expression(const struct unwind_table *table, uint32_t where)
{
	const struct cfi_section *section =
		&table->sections[where & CFI_EXPRESSION_DEBUG ? SECTION_DEBUG : SECTION_EH];
	struct cursor cursor = {section->bytes + (where & ~CFI_EXPRESSION_DEBUG),
		section->bytes + section->len, false};
	uint64_t len = cursor_uleb(&cursor);
	const unsigned char *bytes = cursor_take(&cursor, len);

	return (struct expression){bytes, bytes ? (size_t)len : 0};
}

uint32_t
unwind_table_trampoline(const struct unwind_table *table)
{
	return table->trampoline_bytes;
}

size_t
unwind_table_nfunctions(const struct unwind_table *table)
{
	return table->index.count;
}

size_t
unwind_table_nrows(const struct unwind_table *table)
{
	return atomic_load_explicit(&table->nrows, memory_order_relaxed);
}

void
unwind_table_make_all(struct unwind_table *table)
{
	pthread_mutex_lock(&table->lock);
	for (size_t i = 0; i < table->index.count; i++)
		make(table, i);
	pthread_mutex_unlock(&table->lock);
}

void
unwind_table_function(const struct unwind_table *table, size_t i, uint64_t *start, uint64_t *size)
{
	*start = table->index.base + table->index.list[i].start;
	*size = table->index.list[i].size;
}

bool
unwind_table_offset(const struct unwind_table *table, uint64_t address, uint64_t *offset)
{
	return code_segments_offset(&table->code, address, offset);
}
