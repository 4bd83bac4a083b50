/*
 * The parts that the table of a file's unwind rows (unwind_table.h) and the unwinder (unwinder.h)
 * are made of. This header declares, in this order:
 *
 *     entries             cfi_entries.c
 *     sections            cfi_sections.c
 *     added entries       added_entries.c
 *     saved registers     saved_registers.c
 *     rows                cfi_rows.c
 *     function index      function_index.c
 *     trampolines         rowless.c
 *     copy of a stack     here
 *     expressions         expression.c
 *     look-up of rows     unwind_table.c
 *     frame cache         frame_cache.c
 *     signal frames       rowless.c
 *     step counts         step_counts.c
 */
#ifndef UNWIND_UNWIND_INTERNAL_H
#define UNWIND_UNWIND_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Entries: those of .eh_frame and .debug_frame, which are the functions, and the instructions that
 * make each one's rows.
 *
 * Sources: DWARF 5, section 6.4.1; LSB Core 5.0, section 10.6; for the augmentations "eh" and "B"
 * binutils/dwarf.c and the AADWARF64 ABI.
 */

/* Positions in a section are kept in 31 bits. */
#define CFI_SECTION_MAX INT32_MAX

struct cfi_section {
	const unsigned char *bytes; /* borrowed */
	size_t len;                 /* at most CFI_SECTION_MAX */
	uint64_t address;           /* of the first byte, as the file is linked */
	bool eh;                    /* .eh_frame */
	void *owned;                /* the same bytes, where cfi_unload() frees them */
};

/* A common information entry, shared by functions. */
struct cfi_cie {
	uint32_t at;      /* its position */
	bool usable;      /* all of it was understood */
	bool sized;       /* 'z': augmentation data says its size */
	bool signal;      /* 'S': the frame of a signal handler's caller */
	uint8_t encoding; /* 'R': of addresses, DW_EH_PE_... */
	uint8_t return_column;
	uint64_t code_factor;
	int64_t data_factor;
	struct cursor instructions;
};

/* A function: a frame description entry. */
struct cfi_fde {
	uint32_t at;
	uint64_t start; /* its address */
	uint64_t size;
	struct cursor instructions;
};

#define CFI_CIES 16

/* An iterator over a section's functions; initially all zeros but for `section`. */
struct cfi_reader {
	const struct cfi_section *section;
	size_t next;
	struct cfi_cie cies[CFI_CIES]; /* those read last, by position */
	bool have[CFI_CIES];
};

/* The next function whose entry can be used; false at the end. */
bool cfi_next(struct cfi_reader *reader, struct cfi_fde *fde, const struct cfi_cie **cie);
/* The function whose entry is at position `at`. */
bool cfi_read(
	struct cfi_reader *reader, uint32_t at, struct cfi_fde *fde, const struct cfi_cie **cie);

/*
 * Reads an address in one of the encodings of .eh_frame (LSB Core 5.0, section 10.5.1), and
 * resolves one that is relative to its own position. False where it cannot be known without running
 * the program.
 */
bool cfi_address(const struct cfi_section *section, struct cursor *cursor, uint8_t encoding,
	uint64_t *address);

/*
 * Sections: those of an ELF file that have such entries. The bytes are copied: a file that is cut
 * short while it is read is an error, and one that is replaced later changes nothing.
 */

/*
 * Fills in the sections of `image`, or with its .debug_frame that of `debug` (NULL, or not open, if
 * there is none). Stubs are added to .eh_frame, and where there is no .debug_frame the functions of
 * Go. False where there are no entries at all or the file is of another machine; cfi_unload() both
 * either way.
 */
bool cfi_load(const struct unwind_machine *machine, struct elf_image *image,
	struct elf_image *debug, struct cfi_section *eh, struct cfi_section *own);

/*
 * The parts. Each fills in `section`, whose bytes cfi_unload() frees; false, and nothing to free,
 * where there is none. .eh_frame is found by its section or, where the file has no sections (or,
 * the vDSO, not all of its bytes), by PT_GNU_EH_FRAME.
 */
bool cfi_load_eh_frame(const struct elf_image *image, struct cfi_section *section);
bool cfi_load_debug_frame(struct elf_image *image, struct cfi_section *section);
void cfi_unload(struct cfi_section *section);

/*
 * Added entries: they are made for code that has none, and appended to .eh_frame.
 */

/*
 * Appends entries for the stubs that jump to other modules to `section`, of this file for
 * `machine`: linkers leave them out, lld and those of static programs, and on AArch64 all. (Where
 * two entries are about the same address, the linker's is first.) `section` may be empty;
 * cfi_unload() frees what is added, too.
 */
void stubs_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section);

/*
 * Appends entries for the functions of a Go program without .debug_frame, by its own table
 * (elf/go_table.h). False where it has none, or the machine is not x86-64: on others frame pointers
 * are tried.
 */
bool go_functions_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section);

/*
 * Saved registers: where a function keeps those of its caller, as sets of rules. Each distinct set
 * is stored once.
 *
 * Nearly all rows of a program share a few hundred of them.
 */

enum unwind_rule_kind {
	UNWIND_AT_CFA,        /* in memory at the CFA plus `value` */
	UNWIND_CFA_PLUS,      /* the CFA plus `value` itself */
	UNWIND_IN_REGISTER,   /* in register `value` */
	UNWIND_AT_EXPRESSION, /* in memory at the address that the expression at `value` gives */
	UNWIND_EXPRESSION,    /* the value of the expression at `value` */
};

struct unwind_rule {
	uint8_t reg; /* whose value in the caller this is */
	uint8_t kind;
	int32_t value;
};

struct unwind_saves {
	uint64_t kept;      /* registers that have the same value in the caller */
	uint64_t undefined; /* registers whose value is said to be lost */
	uint16_t nrules;
	bool all_at_cfa; /* all rules are UNWIND_AT_CFA */
	int32_t lowest;  /* of the rules of such a set: the smallest and the largest value */
	int32_t highest;
	struct unwind_rule rules[];
};

/* The contents of a set. */
struct saves_key {
	uint64_t kept;
	uint64_t undefined;
	const struct unwind_rule *rules; /* by register */
	size_t nrules;
};

/* Sets are in chunks that never move: one thread adds sets while others read earlier ones. */
#define SAVES_CHUNKS 20
#define SAVES_FIRST_CHUNK 64

/* Initially all zeros but for the limit. */
struct saves {
	struct arena arena;
	struct unwind_saves **chunks[SAVES_CHUNKS]; /* each twice as large as the one before */
	struct map numbers;                         /* by contents */
	uint32_t count;
	size_t limit_bytes; /* for all sets: hostile programs can ask for a new one in every row */
};

void saves_release(struct saves *saves);

#define SAVES_FULL UINT32_MAX

/* The number of the set, added if it is new; SAVES_FULL where there is no room for it. */
uint32_t saves_intern(struct saves *saves, const struct saves_key *key);

/* The chunk that holds set `number`, and its place there. */
static inline const struct unwind_saves *
saves_get(const struct saves *saves, uint32_t number)
{
	uint32_t part = number / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);

	return saves->chunks[chunk][number - ((1u << chunk) - 1) * SAVES_FIRST_CHUNK];
}

/*
 * Rows: a function's instructions are run, and become its rows.
 *
 * Source: DWARF 5, sections 6.4.2 and 6.4.3; GNU and AArch64 instructions from binutils/dwarf.c and
 * the AADWARF64 ABI.
 */

enum unwind_cfa_kind {
	UNWIND_CFA_NONE,       /* it cannot be known here */
	UNWIND_CFA_REGISTER,   /* register `cfa_reg` plus `cfa_value` */
	UNWIND_CFA_EXPRESSION, /* the value of the expression at `cfa_value` */
};

/* How to compute the caller's registers, from this row's address up to the next row's. */
struct unwind_row {
	uint32_t start; /* from the function's start */
	int32_t cfa_value;
	uint32_t saves; /* of struct saves */
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	uint8_t return_column; /* the register that holds the return address in the caller */
	bool signal;           /* the caller was interrupted: its address is no return address */
};

/* The rows of the function run last. */
struct cfi_rows {
	struct unwind_row *rows; /* by start */
	size_t count;
	size_t capacity;
};

/*
 * Expressions are named by their position: that of their length in the section, with the highest
 * bit set for .debug_frame.
 */
#define CFI_EXPRESSION_DEBUG (UINT32_C(1) << 31)

struct cfi_program {
	const struct unwind_machine *machine;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	const struct cfi_fde *fde;
};

/*
 * Replaces `rows`. From an instruction that cannot be interpreted on, the function has a row of
 * kind UNWIND_CFA_NONE.
 */
void cfi_rows_run(const struct cfi_program *program, struct saves *saves, struct cfi_rows *rows);

/*
 * Function index: which entry of call frame information an address in a file belongs to.
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

/* False, and nothing to release, where the file has no code. */
bool code_segments_read(struct code_segments *code, const struct elf_image *image);
void code_segments_release(struct code_segments *code);
/* The address of an offset in the file, or the reverse; false where it is no code. */
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
/* trampoline_frame_bytes() of the template in `image`; 0 where it has none. */
uint32_t trampoline_find(const struct unwind_machine *machine, const struct elf_image *image);

/*
 * Copy of a stack: a sample carries it, and it is read by the addresses it had.
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
 * Expressions: those of DWARF, as far as unwind rows have them, in stubs of the procedure linkage
 * table, signal frames, and functions that realign their stack.
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

/*
 * Look-up of rows: those of one file (unwind_table.h), by the place in the file.
 */

struct unwind_table;

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
 * Frame cache: the row of each place in code that an unwinder has looked up.
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
 * The cached row of a leaf, which can be anywhere in a function: samples rarely hit the same
 * address again, but often the same row. That row holds from frame.file_offset to `end`.
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
 * Signal frames: the kernel leaves one on the stack when it calls a signal handler. It has the
 * registers of the code that was interrupted.
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
 * Step counts: for each table, the number of steps out of its code, and how many of them are the
 * same by the frame pointer.
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

/* The counts of a table, added if it is new; valid until the next call. */
struct step_count *step_counts_of(struct step_counts *counts, const struct unwind_table *table);
/* The counts of a table; zeros where it has none. */
struct step_count step_counts_get(
	const struct step_counts *counts, const struct unwind_table *table);

/* Stands for an unknown frame pointer: nothing is at this address. */
#define STEP_NO_FRAME_POINTER UINT64_MAX

/*
 * Whether a step by rows to the caller's registers `to`, out of a frame with the frame pointer `fp`
 * and the CFA `cfa`, is the same by the frame pointer. `copy` is a value: its `reached` and
 * `missing` are not kept.
 */
bool step_is_alike(const struct unwind_machine *machine, struct stack_copy copy,
	const struct unwind_regs *to, uint64_t fp, uint64_t cfa);

#endif
