/*
 * The parts of program_digest.h: where everything is and what is left out (digest_layout.c), and
 * the contents of each kind of section.
 */
#ifndef CODE_DIGEST_INTERNAL_H
#define CODE_DIGEST_INTERNAL_H

#include "base/sha256.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded section. */
struct digest_section {
	uint64_t address;
	uint64_t size;
	const char *name;
	const unsigned char *bytes; /* NULL: all zeros, not in the file */
	GElf_Shdr header;
	size_t index;    /* in the file */
	uint32_t number; /* among those that are compared */
};

enum digest_omission {
	OMIT_FOLDER = 'B',  /* of the build */
	OMIT_STAMP = 'G',   /* Go's build info; `text` is the rest of it */
	OMIT_LINES = 'L',   /* of Go's functions; `text` is a hash of the rest there */
	OMIT_PADDING = 'P', /* zeros to which nothing leads: no trace of them is left */
};

/* Bytes that are not compared. */
struct digest_range {
	uint64_t end; /* behind them */
	uint64_t address;
	uint64_t before; /* by how much less the place of what is before it is */
	enum digest_omission kind;
	char *text; /* owned; NULL: none */
};

struct digest {
	struct elf_image file;
	const unsigned char *bytes; /* of the file */
	size_t len;
	uint16_t machine;
	bool fixed;                      /* linked for one address */
	const char *const *folders;      /* of the build */
	struct digest_section *sections; /* by address */
	size_t nsections;
	struct digest_range *ranges; /* by end */
	size_t nranges;
	size_t ranges_capacity;
	uint64_t *targets; /* addresses that code and relocations lead to, rising */
	size_t ntargets;
	size_t targets_capacity;
	uint64_t *filled; /* where the dynamic linker writes a whole word, rising */
	size_t nfilled;
	size_t filled_capacity;
	uint64_t *moved; /* ... and where it adds the program's place to the word, rising */
	size_t nmoved;
	size_t moved_capacity;

	struct sha256_stream *out;
	const unsigned char *run; /* bytes as they are, not added yet */
	size_t run_len;
};

/* digest_layout.c */
const struct digest_section *digest_section_at(const struct digest *digest, uint64_t address);

/* Bytes as they are; they must stay where they are until digest_flush(). */
void digest_raw(struct digest *digest, const unsigned char *bytes, size_t len);
void digest_flush(struct digest *digest);
/* A mark and a number; a mark and a text. */
void digest_mark(struct digest *digest, char mark, uint64_t value);
void digest_text(struct digest *digest, char mark, const char *text);
/* In the place of bytes that hold `address` in some way. False, and nothing, if it is nowhere. */
bool digest_address(struct digest *digest, char mark, uint64_t address);

void digest_add_target(struct digest *digest, uint64_t address);

/* Finds all that is left out, once the targets are known. */
void digest_omit(struct digest *digest);
/* A name of a library or its folder, without the folders of the build. */
void digest_put_name(struct digest *digest, char mark, const char *name);
/* `text`: owned, or NULL. */
void digest_add_range(struct digest *digest, uint64_t address, uint64_t size,
	enum digest_omission kind, char *text);
/*
 * Folders of the build at the front of paths, from one offset to another; and zeros that align what
 * is behind. Returns whether there are any.
 */
bool digest_omit_folders(struct digest *digest, const struct digest_section *section, uint64_t from,
	uint64_t to, bool padded);

/* The contents of a section of data, from its byte `from` on. */
void digest_data(struct digest *digest, const struct digest_section *section, uint64_t from);

/* digest_go.c */
void digest_omit_go(struct digest *digest);
/* Go's table of lines: its beginning has offsets behind what is omitted. 0: not at all. */
size_t digest_go_table(struct digest *digest, const struct digest_section *section);

/* digest_code.c */
void digest_code_targets(struct digest *digest, const struct digest_section *section);
void digest_code(struct digest *digest, const struct digest_section *section);

#endif
