/*
 * What the unwinder asks a table for.
 */
#ifndef UNWIND_UNWIND_TABLE_INTERNAL_H
#define UNWIND_UNWIND_TABLE_INTERNAL_H

#include "unwind/cfi_rows.h"
#include "unwind/expression.h"

#include <stdbool.h>
#include <stdint.h>

struct unwind_table;

/* A row and its rules; the table's, and not changed while it lives. */
struct unwind_found {
	const struct unwind_row *row;
	const struct unwind_saves *saves;
	uint64_t first; /* the stretch of the file that it holds for */
	uint64_t end;   /* behind its last byte */
};

/*
 * The row at `file_offset` of the mapped file, made first if need be. False where there is none, or
 * none that can be used.
 */
bool unwind_table_find(
	struct unwind_table *table, uint64_t file_offset, struct unwind_found *found);

/* The expression that a row or rule names; it was found whole when the row was made. */
struct expression unwind_table_expression(const struct unwind_table *table, uint32_t where);

/* The start and size of function `i` of the index, as the ELF file has them. */
void unwind_table_function(
	const struct unwind_table *table, size_t i, uint64_t *start, uint64_t *size);
/* The offset in the file of an address; false where it is no code. */
bool unwind_table_offset(const struct unwind_table *table, uint64_t address, uint64_t *offset);

#endif
