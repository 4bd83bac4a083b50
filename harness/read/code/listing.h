/*
 * The instructions of functions as text, as assemblers take them: Intel's syntax on x86-64.
 */
#ifndef CODE_LISTING_H
#define CODE_LISTING_H

#include "base/buf.h"
#include "base/err.h"
#include "base/lcs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_image;
struct disassembler;

struct code_instruction {
	uint64_t offset;  /* in the file */
	uint64_t address; /* as the program has it before it is moved */
	uint32_t bytes;
	size_t text;     /* where it begins in `texts` */
	size_t function; /* where the name of its function does */
};

/* All zeros is an empty one. */
struct code_listing {
	struct code_instruction *instructions; /* by offset */
	size_t count;
	size_t capacity;
	struct buf texts; /* each ended by a null character */
};

void code_listing_release(struct code_listing *listing);

/*
 * Appends all instructions of the function of a program that has `offset` of its file in its code,
 * unless they are there; fastest in the order of offsets. False where no symbol tells where it
 * begins, or its code is not understood.
 */
bool code_listing_add(struct code_listing *listing, const struct code_image *image,
	struct disassembler *disassembler, uint64_t offset);

/* The instruction that holds this byte; NULL if none was added. */
const struct code_instruction *code_listing_find(
	const struct code_listing *listing, uint64_t offset);
const char *code_listing_text(
	const struct code_listing *listing, const struct code_instruction *instruction);
/* The name of its function. */
const char *code_listing_function(
	const struct code_listing *listing, const struct code_instruction *instruction);

#endif
