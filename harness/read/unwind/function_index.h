/*
 * The index of a file's functions: which entry of call frame information an address belongs to.
 */
#ifndef UNWIND_FUNCTION_INDEX_H
#define UNWIND_FUNCTION_INDEX_H

#include "elf/elf_image.h"
#include "unwind/cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of a file that are mapped as code. */
struct code_segment {
	uint64_t offset; /* in the file */
	uint64_t address;
	uint64_t size;
};

struct code_segments {
	struct code_segment *list; /* as the file has them */
	size_t count;
	uint64_t base; /* the lowest address */
};

/* False, and nothing to release, where there is no code. */
bool code_segments_read(struct code_segments *code, const struct elf_image *image);
void code_segments_release(struct code_segments *code);
bool code_segments_address(const struct code_segments *code, uint64_t offset, uint64_t *address);
bool code_segments_offset(const struct code_segments *code, uint64_t address, uint64_t *offset);

struct indexed_function {
	uint32_t start; /* from the base */
	uint32_t size;
	uint32_t where; /* its entry */
};

struct function_index {
	struct indexed_function *list; /* by start, once finished */
	size_t count;
	size_t capacity;
	uint64_t base;
	/*
	 * By bucket of 1 << bucket_bits bytes from the base, once finished: the number of functions
	 * that start before it. A search then looks at one bucket.
	 */
	uint32_t *buckets;
	uint32_t nbuckets;
	unsigned bucket_bits;
};

/*
 * Adds the functions of `section` that lie in code, less than 4 GiB from its base: linkers leave
 * entries of functions that they dropped, with an address of 0. `mark` is or'ed to the entries'
 * positions.
 */
void function_index_scan(struct function_index *index, const struct code_segments *code,
	const struct cfi_section *section, uint32_t mark);
/* Sorts what was scanned; of functions with the same start the one scanned first stays. */
void function_index_finish(struct function_index *index);
void function_index_release(struct function_index *index);

/* The number of the function that holds `address`. */
bool function_index_find(const struct function_index *index, uint64_t address, size_t *i);

#endif
