/*
 * The parts of program_digest.h: the places of addresses and the output (digest_layout.c), the
 * bytes that are omitted (digest_omit.c, digest_go.c), and the contents of each kind of section.
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
	uint64_t before; /* bytes that the ranges before this one omit, less a byte for each
			    substitute */
	enum digest_omission kind;
	char *text; /* owned; NULL: none */
};

/* A program while its digest is made. */
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
/* A letter that says what follows, and a number or a text. */
void digest_mark(struct digest *digest, char mark, uint64_t value);
void digest_text(struct digest *digest, char mark, const char *text);
/* In the place of bytes that hold `address` in some way. False, and nothing, if it is nowhere. */
bool digest_address(struct digest *digest, char mark, uint64_t address);

/*
 * Where `address` is, as it is compared: the number of its section and the place in that. The end
 * of a section counts as in it. False where it is in none, or within omitted bytes.
 */
bool digest_place(const struct digest *digest, uint64_t address, uint32_t *number, uint64_t *place);
/* Whether bytes are omitted between two addresses. */
bool digest_omits(const struct digest *digest, uint64_t from, uint64_t to);

/* digest_omit.c */
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
/* Puts the substitute of a range. */
void digest_put_omitted(struct digest *digest, const struct digest_range *range);

/* digest_data.c */
/* An address that code or a relocation leads to. */
void digest_add_target(struct digest *digest, uint64_t address);
/* The contents of a section of data, from its byte `from` on. */
void digest_data(struct digest *digest, const struct digest_section *section, uint64_t from);

/* digest_go.c */
void digest_omit_go(struct digest *digest);
/* Go's table of lines: its beginning has offsets behind what is omitted. 0: not at all. */
size_t digest_go_table(struct digest *digest, const struct digest_section *section);

/* go_line_readers.c */
struct go_lines;
/*
 * Whether lines are read; true also where that is unknown: the table is damaged, or of another
 * processor.
 */
bool go_lines_are_read(const struct digest *digest, struct go_lines *lines);

/* digest_link.c */
/* Where the dynamic linker writes, and what it leads to. */
void digest_find_filled(struct digest *digest);
/* Whether the section is one of the dynamic linker's tables, and then added. */
bool digest_link_table(struct digest *digest, const struct digest_section *section);

/* digest_unwind.c */
/* .eh_frame. False: not understood. */
bool digest_unwind(struct digest *digest, const struct digest_section *section);
/*
 * The index of .eh_frame, which follows from it: a table of pairs, both from its own beginning,
 * where code is, and its record in .eh_frame. False: not understood.
 */
bool digest_unwind_index(struct digest *digest, const struct digest_section *section);

/* digest_code.c */
void digest_code_targets(struct digest *digest, const struct digest_section *section);
void digest_code(struct digest *digest, const struct digest_section *section);

#endif
