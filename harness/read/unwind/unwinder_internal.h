/*
 * The parts of the unwinder: the copy of the stack, the look-up of rows in a table, and steps where
 * rows are not enough. Internal to unwind/.
 */
#ifndef UNWIND_UNWINDER_INTERNAL_H
#define UNWIND_UNWINDER_INTERNAL_H

#include "base/key_map.h"
#include "elf/elf_image.h"
#include "unwind/cfi.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unwind_table;

/*
 * The copy of a stack that a sample carries, read by the addresses it had.
 */
struct stack_copy {
	const unsigned char *bytes; /* borrowed */
	size_t len;
	uint64_t base;    /* address of the first byte */
	uint64_t reached; /* bytes up to the end of the furthest read */
	uint64_t missing; /* the last address read that is not in the copy */
};

/*
 * `size` (1, 2, 4 or 8) bytes at `address` as a number; false where they are not in the copy. Both
 * machines that are unwound have the low byte first.
 */
static inline bool
stack_copy_read(struct stack_copy *stack, uint64_t address, size_t size, uint64_t *value)
{
	uint64_t at = address - stack->base;

	if (at >= stack->len || stack->len - at < size) {
		stack->missing = address;
		return false;
	}
	*value = 0;
	memcpy(value, stack->bytes + at, size);
	if (at + size > stack->reached)
		stack->reached = at + size;
	return true;
}

static inline bool
stack_copy_word(struct stack_copy *stack, uint64_t address, uint64_t *value)
{
	return stack_copy_read(stack, address, sizeof(*value), value);
}

/*
 * All words from `lowest` to `highest` bytes off `address`, where all are in the copy: the word at
 * offset 0 would be at the pointer returned. NULL where some are not; `missing` is not set then.
 */
static inline const unsigned char *
stack_copy_words(struct stack_copy *stack, uint64_t address, int32_t lowest, int32_t highest)
{
	uint64_t at = address - stack->base;
	int64_t end = (int64_t)at + highest + (int64_t)sizeof(uint64_t);

	/* The copy, and anything just behind it, is within 64 KiB of its start. */
	if (at > INT32_MAX || (int64_t)at + lowest < 0 || end > (int64_t)stack->len)
		return NULL;
	if ((uint64_t)end > stack->reached)
		stack->reached = (uint64_t)end;
	return stack->bytes + at;
}

/*
 * DWARF expressions, as far as unwind rows have them: stubs of the procedure linkage table, signal
 * frames, functions that realign their stack.
 *
 * Source: DWARF 5, section 2.5, without the operations that section 6.4.2 forbids.
 */

struct expression {
	const unsigned char *bytes; /* borrowed */
	size_t len;
};

/*
 * The value that `expression` leaves on top of its stack, which starts with *cfa (NULL: empty).
 * False where it needs a register that is not known or memory beyond the copy (see stack->missing),
 * is malformed, or takes too many steps.
 */
bool expression_run(const struct expression *expression, const struct unwind_regs *regs,
	struct stack_copy *stack, const uint64_t *cfa, uint64_t *result);

/* A row and its rules; the table's, and not changed while it lives. */
struct unwind_found {
	const struct unwind_row *row;
	const struct unwind_saves *saves;
	uint64_t first; /* the range of the file that it holds for */
	uint64_t end;   /* behind its last byte */
};

/*
 * The row at `file_offset` of the mapped file, made first if need be. False where there is none, or
 * none that can be used.
 */
bool unwind_table_find(
	struct unwind_table *table, uint64_t file_offset, struct unwind_found *found);

/* The expression that a row or rule refers to; its length was checked when the row was made. */
struct expression unwind_table_expression(const struct unwind_table *table, uint32_t where);

/* The start and size of function `i` of the index, as the ELF file has them. */
void unwind_table_function(
	const struct unwind_table *table, size_t i, uint64_t *start, uint64_t *size);
/* The offset in the file of an address; false where it is no code. */
bool unwind_table_offset(const struct unwind_table *table, uint64_t address, uint64_t *offset);

/*
 * The cache of an unwinder: the row of each place in code that it has looked up.
 *
 * The same few thousand return addresses recur in the samples of a program, and so in all processes
 * that run it, wherever it is mapped. Looking a row up takes two binary searches; finding it here
 * takes one cache line.
 */

/* How to step out of code at one place. */
struct cached_frame {
	uint64_t file_offset;
	struct unwind_table *table;       /* of the file; NULL: nothing is kept here */
	const struct unwind_saves *saves; /* NULL: there is no row */
	int32_t cfa_value;
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	uint8_t return_column;
	bool signal;
};

/*
 * The same of a leaf, which can be anywhere in a function: samples rarely hit the same address
 * again, but often the same row. That row holds from frame.file_offset to `end`.
 */
struct cached_leaf {
	struct cached_frame frame;
	uint64_t end; /* behind the last byte that it holds for */
};

struct frame_cache {
	struct cached_frame *frames;
	struct cached_leaf *leaves;
};

void frame_cache_init(struct frame_cache *cache);
void frame_cache_release(struct frame_cache *cache);

/* Fills in the frame of a place, which replaces that of another. */
void frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset);
void frame_cache_fill_leaf(
	struct cached_leaf *leaf, struct unwind_table *table, uint64_t file_offset);

#define FRAME_CACHE_BITS 15
/* Rows of leaves are cached by ranges of FRAME_CACHE_LEAF_BYTES. */
#define FRAME_CACHE_LEAF_BITS 12
#define FRAME_CACHE_LEAF_BYTES 64

/* The frame of a place; valid until the next call. */
static inline const struct cached_frame *
frame_cache_find(struct frame_cache *cache, struct unwind_table *table, uint64_t file_offset)
{
	uint64_t hash = (file_offset + ((uintptr_t)table << 16)) * UINT64_C(0x9e3779b97f4a7c15);
	struct cached_frame *frame = &cache->frames[hash >> (64 - FRAME_CACHE_BITS)];

	if (frame->file_offset != file_offset || frame->table != table)
		frame_cache_fill(frame, table, file_offset);
	return frame;
}

/* The frame of a leaf; its file_offset is that of any place with the same row. */
static inline const struct cached_frame *
frame_cache_find_leaf(struct frame_cache *cache, struct unwind_table *table, uint64_t file_offset)
{
	uint64_t hash = (file_offset / FRAME_CACHE_LEAF_BYTES + ((uintptr_t)table << 16)) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct cached_leaf *leaf = &cache->leaves[hash >> (64 - FRAME_CACHE_LEAF_BITS)];

	if (leaf->frame.table != table || file_offset < leaf->frame.file_offset ||
		file_offset >= leaf->end)
		frame_cache_fill_leaf(leaf, table, file_offset);
	return &leaf->frame;
}

/*
 * The frame that the kernel leaves on the stack when it calls a signal handler: the registers of
 * the code that was interrupted.
 *
 * The handler returns to a trampoline that restores them. Where the trampoline has rows, these find
 * them; on AArch64 it lies in the vDSO, which has had no rows since Linux 5.9, and which is not
 * available for a recording of another machine. There the frame is recognised by its layout.
 */

/*
 * Whether `regs` are in the trampoline, their stack pointer then that of a signal frame; for code
 * without rows. `exact` says that it was executing there rather than being returned to. If so,
 * `regs` become those of the interrupted code; otherwise they stay.
 */
bool signal_frame_leave(const struct unwind_machine *machine, struct stack_copy *copy, bool exact,
	struct unwind_regs *regs);

/*
 * Trampolines: CPython's `-X perf` copies a few instructions into memory once for each function of
 * a script, so that a profiler finds the script's functions on the stack and a perf map names them.
 * The memory has no rows. The template that is copied is in the interpreter's file, with a symbol.
 *
 * Source: Python/asm_trampoline.S of CPython 3.12.
 */

/*
 * How many bytes `code`, the template on x86-64, keeps on the stack beside its return address while
 * it calls; 0 where it is another code or can be unwound by the frame pointer.
 */
uint32_t trampoline_frame_bytes(const unsigned char *code, size_t len);
/* The same of the template in `image`; 0 where it has none. */
uint32_t trampoline_find(const struct unwind_machine *machine, const struct elf_image *image);

/*
 * By table: the number of steps out of its code, and how many of them are the same by the frame
 * pointer.
 */

struct step_count {
	uint64_t steps;
	uint64_t alike;
};

/* Initially all zeros. */
struct step_counts {
	struct key_map by_table;   /* by the table's address */
	struct step_count *counts; /* by number in by_table; owned */
	size_t capacity;
};

void step_counts_release(struct step_counts *counts);

/* The table's count, added if it is new; valid until the next call. */
struct step_count *step_counts_of(struct step_counts *counts, const struct unwind_table *table);
/* The same without adding: zeros for a table that was not met. */
struct step_count step_counts_get(
	const struct step_counts *counts, const struct unwind_table *table);

/* Stands for an unknown frame pointer: no pair is at this address. */
#define STEP_NO_FRAME_POINTER UINT64_MAX

/*
 * Whether a step by rows to the caller's registers `to`, out of a frame with the frame pointer `fp`
 * and the CFA `cfa`, is the same by the frame pointer. `copy` is a value: its `reached` and
 * `missing` are not kept.
 */
bool step_is_alike(const struct unwind_machine *machine, struct stack_copy copy,
	const struct unwind_regs *to, uint64_t fp, uint64_t cfa);

/*
 * The index of a file's functions: which entry of call frame information an address belongs to.
 */

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

/* Sorts what was scanned; of functions with the same start the one scanned first stays. */
void function_index_finish(struct function_index *index);
void function_index_release(struct function_index *index);

/* The number of the function that holds `address`. */
bool function_index_find(const struct function_index *index, uint64_t address, size_t *i);

#endif
