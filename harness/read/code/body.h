/*
 * The instructions of one function, normalised: parts that depend on addresses are taken out, and
 * kept separately as references.
 */
#ifndef CODE_BODY_H
#define CODE_BODY_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_image;

enum code_reference_kind {
	CODE_BRANCH,  /* to code: calls and jumps */
	CODE_ACCESS,  /* `bytes` of memory are read or written */
	CODE_ADDRESS, /* of an object of any length */
};

struct code_reference {
	uint64_t address;
	uint32_t bytes;
	enum code_reference_kind kind;
};

/* For code and constants: the same in every process and on every machine, so that it can be stored.
 */
uint64_t code_hash(const void *bytes, size_t len);

/* Where an instruction starts, and which one it is, not counting padding. */
struct code_place {
	uint32_t offset;
	uint32_t index;
};

/* All zeros is an empty one. */
struct code_body {
	const unsigned char *bytes; /* the code itself */
	uint64_t address;
	uint32_t len;
	struct buf text; /* the instructions without what is in `references` */
	struct code_reference *references;
	size_t nreferences;
	size_t references_capacity;
	struct code_place *places; /* by offset */
	size_t nplaces;
	size_t places_capacity;
	uint32_t ninstructions; /* without padding */

	/* Instructions without effect that may turn out to be padding. */
	size_t run_place;
	uint32_t run_start;
	uint32_t run_single; /* of one byte, or never an assembler's padding */
};

void code_body_release(struct code_body *body);
/* Empties it, for the `len` bytes of code (borrowed) at `address`. */
void code_body_begin(
	struct code_body *body, const unsigned char *bytes, uint64_t address, uint32_t len);

/* For decoders: the next instruction is at `offset`. */
void code_body_instruction(struct code_body *body, uint32_t offset);
/*
 * The next one, at `offset`, has no effect. `odd`: one that pads at most once in a run, since
 * assemblers pad with long ones.
 */
void code_body_nothing(struct code_body *body, uint32_t offset, bool odd);
/* The instruction has this reference; called in the order of the text. */
void code_body_refer(struct code_body *body, struct code_reference reference);

/* The index of the instruction at `offset`; UINT32_MAX where none starts. */
uint32_t code_body_index(const struct code_body *body, uint64_t offset);

/* How to read the machine code of an architecture. */
struct code_arch {
	uint16_t machine; /* EM_... */
	/* Makes the decoder's lasting state; NULL: it has none. */
	void *(*open)(void);
	void (*close)(void *decoder);
	/*
	 * Decodes the code given to code_body_begin(). False where it is not understood: the
	 * contents of the body are then of no use.
	 */
	bool (*read)(void *decoder, const struct code_image *image, struct code_body *body);
	/* The slot that the stub at `code` jumps through; 0 where it is not known. */
	uint64_t (*stub_slot)(const unsigned char *code, size_t len, uint64_t address);
};

extern const struct code_arch code_arch_x86;
extern const struct code_arch code_arch_aarch64;

/* NULL for an unknown machine. New ones go into the array of body.c. */
const struct code_arch *code_arch_find(uint16_t machine);

#endif
