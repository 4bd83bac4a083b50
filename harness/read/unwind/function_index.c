/*
 * Finds the entry of call frame information for an address: the functions of a file, sorted by
 * their start, and the addresses at which the parts of the file are mapped.
 */
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>

bool
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

void
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

void
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
