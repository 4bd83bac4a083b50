/*
 * The parts of program_digest.h: where everything is (digest_layout.c), what is left out
 * (digest_omit.c), and the contents of each kind of section.
 */
#ifndef CODE_DIGEST_INTERNAL_H
#define CODE_DIGEST_INTERNAL_H

#include "base/hash.h"
#include "elf/elf_image.h"
#include "elf/go_table.h"

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

	struct hash_stream *out;
	const unsigned char *run; /* bytes as they are, not added yet */
	size_t run_len;
};

/* digest_layout.c */
int digest_layout_read(struct digest *digest, const char *path, struct err *err);
const struct digest_section *digest_section_at(const struct digest *digest, uint64_t address);
const struct digest_section *digest_section_named(const struct digest *digest, const char *name);
/*
 * Where `address` is, as it is compared: the number of its section and the place in that. The end
 * of a section counts as in it. False where it is in none, or within omitted bytes.
 */
bool digest_place(const struct digest *digest, uint64_t address, uint32_t *number, uint64_t *place);
/* Whether bytes are omitted between two addresses. */
bool digest_omits(const struct digest *digest, uint64_t from, uint64_t to);

/* Bytes as they are; they must stay where they are until digest_flush(). */
void digest_raw(struct digest *digest, const unsigned char *bytes, size_t len);
void digest_flush(struct digest *digest);
/* A mark and a number; a mark and a text. */
void digest_mark(struct digest *digest, char mark, uint64_t value);
void digest_text(struct digest *digest, char mark, const char *text);
/* In the place of bytes that hold `address` in some way. False, and nothing, if it is nowhere. */
bool digest_address(struct digest *digest, char mark, uint64_t address);

/* digest_omit.c */
void digest_omit(struct digest *digest);
/* What is put in the place of a range. */
void digest_put_omitted(struct digest *digest, const struct digest_range *range);
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

struct go_lines;
struct go_inlines;

/* digest_go.c */
void digest_omit_go(struct digest *digest);
/* Go's table of lines: its beginning has offsets behind what is omitted. 0: not at all. */
size_t digest_go_table(struct digest *digest, const struct digest_section *section);

/* digest_code.c */
void digest_code_targets(struct digest *digest, const struct digest_section *section);
void digest_code(struct digest *digest, const struct digest_section *section);

/* digest_data.c */
void digest_add_target(struct digest *digest, uint64_t address);
void digest_data(struct digest *digest, const struct digest_section *section, uint64_t from);
void digest_exceptions(struct digest *digest, const struct digest_section *section);

/* digest_link.c */
void digest_find_filled(struct digest *digest);
/* Whether the section is one of the dynamic linker's tables, and then added. */
bool digest_link_table(struct digest *digest, const struct digest_section *section);

/*
 * Where Go's table of functions (elf/go_table.h) has lines of the source, and what else it has of
 * each function. Of Go 1.18 and later.
 *
 * Source: runtime/symtab.go ("pcHeader", "moduledata", "_func", "inlinedCall") and
 * cmd/link/internal/ld/pcln.go of Go 1.19; checked with programs of Go 1.19, 1.23 and 1.26.
 */

#define GO_TABLE_SECTION ".gopclntab"
#define GO_HEADER_WORDS 8
/* The runtime's data about the program, "moduledata": they begin with the table's address. */
#define GO_MODULE_WORDS 41

/* Places are offsets in the section. */
struct go_lines {
	struct go_table
		table; /* `stacks` and `index` are the values' and the functions' beginning */
	uint64_t address;
	uint64_t units; /* indexes into the file names, 4 bytes each */
	uint64_t files; /* their names */
	bool has_first; /* functions and inlined calls have their first line: from Go 1.20 */
	/* By the module: */
	uint64_t values_end;
	uint64_t functions_end;
	uint64_t data; /* address that functions' data are counted from */
};

/* Reads the header. False where it is none, or of another version. */
bool go_lines_read(
	struct go_lines *lines, const unsigned char *bytes, uint64_t size, uint64_t address);

/* Whether `words` are the module's, which is then read. */
bool go_lines_read_module(struct go_lines *lines, const uint64_t words[GO_MODULE_WORDS]);

/* What the table has of a function; tables of values are places in all values, 0: none. */
struct go_record {
	struct go_function function;
	const unsigned char *plain; /* GO_RECORD_PLAIN bytes without such a place */
	uint32_t frame_sizes;
	uint32_t files;
	uint32_t unit;
	const unsigned char *kind; /* 4 bytes: what it is, and the number of its data */
	uint32_t ntables;
	const unsigned char *tables; /* their places, 4 bytes each */
	uint32_t ndata;
	const unsigned char *data; /* distances of its data, 4 bytes each; UINT32_MAX: none */
};
#define GO_RECORD_PLAIN 16
#define GO_RECORD_KIND 4

/* Of function number `i`. False where the table is damaged. */
bool go_lines_record(struct go_lines *lines, uint64_t i, struct go_record *record);

/* The bytes of a table of values, and the largest value in it. 0: it is damaged. */
uint64_t go_lines_values(const struct go_lines *lines, uint32_t place, int64_t *largest);

/* The calls that are inlined into a function. */
struct go_inlines {
	uint64_t address;
	uint64_t count;
	uint64_t bytes; /* of each */
	uint64_t line;  /* offset of its line, 4 bytes */
	uint64_t name;  /* ... and of the place of the called function's name, 4 bytes */
};
/* False where the table is damaged; `count` is 0 where there are none. */
bool go_lines_inlines(
	const struct go_lines *lines, const struct go_record *record, struct go_inlines *inlines);

/* A name, by its place in all names. NULL: there is none. */
const char *go_lines_name(const struct go_lines *lines, uint32_t place);

#endif
