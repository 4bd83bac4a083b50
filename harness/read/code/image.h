/*
 * A program file opened for its machine code: sections by address, symbols with the names that
 * frames have and with those of the linker, and the values that the dynamic linker fills in.
 */
#ifndef CODE_IMAGE_H
#define CODE_IMAGE_H

#include "base/err.h"
#include "elf/elf_image.h"
#include "elf/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_section {
	uint64_t address;
	uint64_t size;
	const char *name;
	const unsigned char *bytes; /* the file's; NULL where it has none, as of .bss */
	bool code;
	bool writable;
	bool slots; /* .got and the like: addresses that are filled in */
	bool stubs; /* .plt and the like */
};

/* The symbol at an address as the linker has it: of several the one that sorts first. */
struct code_name {
	uint64_t offset; /* in the file, as in a symtab */
	const char *name;
	uint8_t binding;
};

/* A value that the dynamic linker puts at an address. */
struct code_slot {
	uint64_t address;
	uint32_t type;
	const char *name; /* of the symbol; NULL: none */
	int64_t addend;
};

struct code_image {
	struct elf_image file;
	uint16_t machine;
	bool fixed;    /* linked for one address, so that code may hold addresses as they are */
	bool complete; /* static functions have names, too */
	struct code_section *sections; /* by address */
	size_t nsections;
	struct symtab tab;       /* by offset in the file, code and data */
	struct code_name *names; /* by offset */
	size_t nnames;
	struct code_slot *slots; /* by address; read at the first look-up */
	size_t nslots;
	bool slots_read;
};

/*
 * Opens the file of a program or library with its debug file, as symbols/ would. A file without
 * sections or of another machine than x86-64 and AArch64 is an error; one without symbols is not.
 */
int code_image_open(struct code_image *image, const char *path, struct err *err);
void code_image_close(struct code_image *image);

/* The section that holds `address`; NULL if none. */
const struct code_section *code_image_section(const struct code_image *image, uint64_t address);
/* `len` bytes at `address`, all in `section`; NULL where the file does not have them. */
const unsigned char *code_section_bytes(
	const struct code_section *section, uint64_t address, uint64_t len);

/*
 * The name of the symbol that covers `address` in the same section, how far behind its start that
 * is, and how long it is. NULL if none, or only a label without a size that is ahead of it.
 */
struct code_symbol {
	const char *name;
	uint64_t offset;
	uint64_t size;
};
bool code_image_symbol(
	const struct code_image *image, uint64_t address, struct code_symbol *symbol);
/* The address of the first symbol behind `address`; UINT64_MAX if there is none. */
uint64_t code_image_next_symbol(const struct code_image *image, uint64_t address);

/* The value that is filled in at exactly `address`; NULL if none is. */
const struct code_slot *code_image_slot(struct code_image *image, uint64_t address);

#endif
