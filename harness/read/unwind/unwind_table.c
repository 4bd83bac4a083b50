/*
 * The rows of one file: the index of its functions, and the rows of each function, which are made
 * when an address of it is looked up first.
 */
#include "unwind/unwinder.h"

#include "base/mem.h"
#include "base/sort.h"
#include "unwind/unwind_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* False, and nothing to release, where there is no code. */
static bool
code_segments_read(struct code_segments *code, const struct elf_image *image)
{
	GElf_Phdr header;
	size_t capacity = 0;

	*code = (struct code_segments){.base = UINT64_MAX};
	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD ||
			!(header.p_flags & PF_X) || header.p_filesz == 0 ||
			header.p_filesz > UINT64_MAX - header.p_vaddr)
			continue;
		code->list = mem_grow(code->list, &capacity, code->count + 1, sizeof(*code->list));
		code->list[code->count++] =
			(struct code_segment){header.p_offset, header.p_vaddr, header.p_filesz};
		if (header.p_vaddr < code->base)
			code->base = header.p_vaddr;
	}
	return code->count > 0;
}

static void
code_segments_release(struct code_segments *code)
{
	free(code->list);
	*code = (struct code_segments){0};
}

bool
code_segments_address(const struct code_segments *code, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct code_segment *segment = &code->list[i];

		if (offset - segment->offset < segment->size) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}

static const struct code_segment *
find_segment(const struct code_segments *code, uint64_t address)
{
	for (size_t i = 0; i < code->count; i++) {
		if (address - code->list[i].address < code->list[i].size)
			return &code->list[i];
	}
	return NULL;
}

bool
code_segments_offset(const struct code_segments *code, uint64_t address, uint64_t *offset)
{
	const struct code_segment *segment = find_segment(code, address);

	if (segment)
		*offset = address - segment->address + segment->offset;
	return segment != NULL;
}

/*
 * Adds the functions of `section` that lie in code, less than 4 GiB from its base: linkers leave
 * entries of functions that they dropped, with an address of 0. `mark` is or'ed to the entries'
 * positions.
 */
static void
function_index_scan(struct function_index *index, const struct code_segments *code,
	const struct cfi_section *section, uint32_t mark)
{
	const struct code_segment *segment = &code->list[0];
	struct cfi_reader reader = {.section = section};
	struct cfi_fde fde;
	const struct cfi_cie *cie;

	index->base = code->base;
	while (cfi_next(&reader, &fde, &cie)) {
		/* Nearly all functions are in the same segment. */
		if (fde.start - segment->address >= segment->size) {
			segment = find_segment(code, fde.start);
			if (!segment) {
				segment = &code->list[0];
				continue;
			}
		}
		uint64_t start = fde.start - code->base;
		uint64_t room = segment->size - (fde.start - segment->address);
		uint64_t size = fde.size < room ? fde.size : room;

		if (size == 0 || start > UINT32_MAX || size > UINT32_MAX)
			continue;
		if (index->count == index->capacity)
			index->list = mem_grow(index->list, &index->capacity, index->count + 1,
				sizeof(*index->list));
		index->list[index->count++] =
			(struct indexed_function){(uint32_t)start, (uint32_t)size, fde.at | mark};
	}
}

static bool
is_sorted(const struct function_index *index)
{
	for (size_t i = 1; i < index->count; i++) {
		if (index->list[i - 1].start > index->list[i].start)
			return false;
	}
	return true;
}

/* Entries are in the order of their objects: a comparing sort takes longer than reading them. */
static void
sort(struct function_index *index)
{
	struct indexed_function *sorted = mem_zalloc(index->count, sizeof(*sorted));
	struct sort_key *keys = mem_zalloc(index->count, sizeof(*keys));

	for (size_t i = 0; i < index->count; i++)
		keys[i] = (struct sort_key){index->list[i].start, (uint32_t)i};
	sort_keys(keys, index->count);
	for (size_t i = 0; i < index->count; i++)
		sorted[i] = index->list[keys[i].at];
	free(keys);
	free(index->list);
	index->list = sorted;
	index->capacity = index->count;
}

/* Functions in a bucket, on average. */
#define BUCKET_FUNCTIONS 4

static void
fill_buckets(struct function_index *index)
{
	uint64_t last = index->list[index->count - 1].start;
	size_t at = 0;

	index->bucket_bits = 0;
	while (last >> index->bucket_bits > index->count / BUCKET_FUNCTIONS)
		index->bucket_bits++;
	index->nbuckets = (uint32_t)(last >> index->bucket_bits) + 1;
	free(index->buckets);
	index->buckets = mem_zalloc((size_t)index->nbuckets + 1, sizeof(*index->buckets));
	for (uint32_t bucket = 0; bucket <= index->nbuckets; bucket++) {
		while (at < index->count &&
			(uint64_t)index->list[at].start >> index->bucket_bits < bucket)
			at++;
		index->buckets[bucket] = (uint32_t)at;
	}
}

void
function_index_finish(struct function_index *index)
{
	size_t kept = 0;

	if (!is_sorted(index))
		sort(index);
	for (size_t i = 0; i < index->count; i++) {
		if (kept == 0 || index->list[kept - 1].start != index->list[i].start)
			index->list[kept++] = index->list[i];
	}
	index->count = kept;
	if (kept > 0)
		fill_buckets(index);
}

void
function_index_release(struct function_index *index)
{
	free(index->list);
	free(index->buckets);
	*index = (struct function_index){0};
}

bool
function_index_find(const struct function_index *index, uint64_t address, size_t *i)
{
	uint64_t wanted = address - index->base;
	uint64_t bucket = wanted >> index->bucket_bits;
	size_t low = index->count;
	size_t high = low;

	if (bucket < index->nbuckets) {
		low = index->buckets[bucket];
		high = index->buckets[bucket + 1];
	}
	low = search_within(
		index->list, low, high, SEARCH_BY(struct indexed_function, start), wanted);
	if (low == 0 || wanted - index->list[low - 1].start >= index->list[low - 1].size)
		return false;
	*i = low - 1;
	return true;
}

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

/* Trampolines: see trampoline_frame_bytes(). */

#define TEMPLATE "_Py_trampoline_func_start"
#define TEMPLATE_BYTES_MAX 16

uint32_t
trampoline_frame_bytes(const unsigned char *code, size_t len)
{
	static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	static const unsigned char sub[] = {0x48, 0x83, 0xec};        /* sub $N, %rsp */
	size_t at = len > sizeof(mark) && memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;

	/* Behind it a call by register: 0xff with 2 in the middle bits of the next byte. */
	if (len - at < sizeof(sub) + 3 || memcmp(code + at, sub, sizeof(sub)) != 0)
		return 0;
	const unsigned char *rest = code + at + sizeof(sub);

	return rest[0] <= INT8_MAX && rest[0] % 16 == 8 && rest[1] == 0xff && rest[2] >> 3 == 032
		       ? rest[0]
		       : 0;
}

/* The same of the template in `image`; 0 where it has none. */
static uint32_t
trampoline_find(const struct unwind_machine *machine, const struct elf_image *image)
{
	struct elf_symbols symbols;
	GElf_Sym sym;
	uint64_t offset;
	unsigned char code[TEMPLATE_BYTES_MAX];

	/* With a link register the template stores it in a frame record. */
	if (machine->has_link_register)
		return 0;
	elf_symbols_begin(&symbols, image, SHT_DYNSYM);
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name =
			sym.st_shndx != SHN_UNDEF ? elf_symbols_name(&symbols, &sym) : NULL;

		if (name && strcmp(name, TEMPLATE) == 0)
			return elf_image_offset(image, sym.st_value, &offset)
				       ? trampoline_frame_bytes(
						 code, elf_image_code(image, offset + sizeof(code),
							       code, sizeof(code)))
				       : 0;
	}
	return 0;
}

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
