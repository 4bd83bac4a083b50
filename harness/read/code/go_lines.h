/*
 * The lines of the source, and all else, that Go's table of functions (elf/go_table.h) has of each
 * function. Of Go 1.18 and later.
 *
 * Source: runtime/symtab.go ("pcHeader", "moduledata", "_func", "inlinedCall") and
 * cmd/link/internal/ld/pcln.go of Go 1.19; checked with programs of Go 1.19, 1.23 and 1.26.
 */
#ifndef CODE_GO_LINES_H
#define CODE_GO_LINES_H

#include "code/digest_internal.h"
#include "elf/go_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GO_TABLE_SECTION ".gopclntab"
#define GO_HEADER_WORDS 8
/* The runtime's data about the program, "moduledata": they begin with the table's address. */
#define GO_MODULE_WORDS 41

/* Places are offsets in the section. */
struct go_lines {
	struct go_table table; /* `stacks` and `index` are where the tables of values and of
				  functions begin */
	uint64_t address;
	uint64_t units;      /* indexes into the file names, 4 bytes each */
	uint64_t files;      /* their names */
	bool has_first_line; /* of functions and inlined calls: from Go 1.20 */
	/* Set by go_lines_read_module(): */
	uint64_t values_end;
	uint64_t functions_end;
	uint64_t data; /* address that functions' data are counted from */
};

/* A function in the table; tables of values are places in all values, 0: none. */
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

/* The calls that are inlined into a function. */
struct go_inlines {
	uint64_t address;
	uint64_t count;
	uint64_t bytes; /* of each */
	uint64_t line;  /* offset of its line, 4 bytes */
	uint64_t name;  /* ... and of the place of the called function's name, 4 bytes */
};

/* Word number `word` of 4 bytes. */
static inline uint32_t
go_word_at(const unsigned char *bytes, size_t word)
{
	uint32_t number;

	memcpy(&number, bytes + word * sizeof(number), sizeof(number));
	return number;
}

/* Reads the header. False where it is none, or of another version. */
bool go_lines_read(
	struct go_lines *lines, const unsigned char *bytes, uint64_t size, uint64_t address);
/* Whether `words` are the module's, which is then read. */
bool go_lines_read_module(struct go_lines *lines, const uint64_t words[GO_MODULE_WORDS]);
/* A name, by its place in all names. NULL: there is none. */
const char *go_lines_name(const struct go_lines *lines, uint32_t place);
/* The record of function number `i`. False where the table is damaged. */
bool go_lines_record(struct go_lines *lines, uint64_t i, struct go_record *record);
/* The bytes of a table of values, and the largest value in it. 0: it is damaged. */
uint64_t go_lines_values(const struct go_lines *lines, uint32_t place, int64_t *largest);
/* False where the table is damaged; `count` is 0 where there are none. */
bool go_lines_inlines(
	const struct go_lines *lines, const struct go_record *record, struct go_inlines *inlines);
/* The inlined calls as they are in the file; NULL: they are in no constant section. */
const unsigned char *go_inlines_bytes(
	const struct digest *digest, const struct go_inlines *inlines);

#endif
