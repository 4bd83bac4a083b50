/*
 * Go's own table of functions, .gopclntab: it is in every program of Go, also in one that was
 * linked with -s -w, as `go run` does, and has neither symbols nor unwind rows then.
 *
 * Source: Go's debug/gosym/pclntab.go and cmd/link/internal/ld/pcln.go, the layouts of
 * Go 1.2, 1.16, 1.18 and 1.20.
 */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_table {
	const unsigned char *bytes; /* borrowed */
	size_t len;
	unsigned quantum; /* of code: 1 on x86, 4 on AArch64 */
	bool relative;    /* addresses of functions are 32 bits, behind `text` (from Go 1.18) */
	uint64_t text;    /* as the table says it; 0 where it is relocated */
	uint64_t text_at; /* the place of that in the table */
	uint64_t names;   /* places in the table: of the names, */
	uint64_t stacks;  /* of what the stack pointer is at each address, */
	uint64_t index;   /* and of the functions */
	uint64_t base;    /* that an entry of the index counts from */
	uint64_t nfunctions;
	struct allowance left; /* bytes of names that may still be looked at */
};

struct go_function {
	uint64_t start; /* addresses as linked */
	uint64_t end;
	const char *name;            /* terminated; the table's */
	const unsigned char *stacks; /* see go_stack_next(); the table's */
	size_t nstacks;              /* bytes up to the table's end */
};

/* Reads the head of a table; false where it is none that is known, or not of 64-bit machines. */
bool go_table_parse(struct go_table *table, const void *bytes, size_t len);
/* The table of a program, valid as long as it is open; false where it has none. */
bool go_table_open(struct go_table *table, const struct elf_image *image);
/*
 * Function number `i`; false where its entry leads out of the table, or the names so far are many
 * times as long as it.
 */
bool go_table_function(struct go_table *table, uint64_t i, struct go_function *function);

/* How far the stack pointer is below the return address, from address to address. */
struct go_stack {
	const unsigned char *at; /* at first: those of a go_function */
	const unsigned char *end;
	int64_t bytes;  /* at first -1 */
	uint64_t until; /* behind the last address that has these bytes; at first the start */
	bool started;
};

struct go_stack go_stack_of(const struct go_function *function);
/* The next part of the function; false at the end, and where it is damaged. */
bool go_stack_next(const struct go_table *table, struct go_stack *stack);

/* Adds the functions of the program `image` to `tab`, at their offsets in the file; how many. */
size_t go_table_symbols(const struct elf_image *image, struct symtab *tab);

#endif
