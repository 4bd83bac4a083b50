#include "code/go_lines.h"

#include "code/digest_internal.h"
#include "elf/go_table.h"

#include <elf.h>
#include <string.h>

#define MAGIC_1_18 UINT32_C(0xfffffff0)
#define MAGIC_1_20 UINT32_C(0xfffffff1)
#define HEADER_BYTES (8 + GO_HEADER_WORDS * 8)

/* Bytes of a function in the index: where its code and its record are. */
#define INDEX_ENTRY 8

/* A function's record, in words of 4 bytes; the rest is bytes. */
enum record_word {
	RECORD_FRAME_SIZES = 4,
	RECORD_FILES = 5,
	RECORD_NTABLES = 7,
	RECORD_UNIT = 8,
	RECORD_WORDS = 9, /* and one more: the first line */
};
#define TABLE_INLINES 2 /* of a function's tables of values: which inlined call it is */
#define DATA_INLINES 3  /* of a function's data: the inlined calls */

/* Words of the module. */
enum module_word {
	MODULE_HEADER,
	MODULE_NAMES,
	MODULE_VALUES = 10,
	MODULE_FUNCTIONS = 13,
	MODULE_TEXT = 22,
	MODULE_DATA_1_18 = 38,
	MODULE_DATA_1_20 = 40,
};

bool
go_lines_read(struct go_lines *lines, const unsigned char *bytes, uint64_t size, uint64_t address)
{
	uint64_t words[GO_HEADER_WORDS];
	struct go_table table;

	if (!bytes || size < HEADER_BYTES || !go_table_parse(&table, bytes, size))
		return false;
	const uint32_t magic = go_word_at(bytes, 0);

	if (magic != MAGIC_1_18 && magic != MAGIC_1_20)
		return false;
	memcpy(words, bytes + 8, sizeof(words));
	*lines = (struct go_lines){
		.table = table,
		.address = address,
		.has_first_line = magic == MAGIC_1_20,
		.units = words[4],
		.files = words[5],
	};
	return table.names >= HEADER_BYTES && table.names <= lines->units &&
	       lines->units % 4 == 0 && lines->units <= lines->files &&
	       lines->files < table.stacks && table.stacks <= table.index;
}

bool
go_lines_read_module(struct go_lines *lines, const uint64_t words[GO_MODULE_WORDS])
{
	struct go_table *table = &lines->table;
	/* Each has an address, a length and a capacity. */
	const uint64_t *values = words + MODULE_VALUES;
	const uint64_t *functions = words + MODULE_FUNCTIONS;

	if (words[MODULE_HEADER] != lines->address ||
		words[MODULE_NAMES] != lines->address + table->names ||
		values[0] != lines->address + table->stacks || values[1] != values[2] ||
		functions[0] != lines->address + table->index || functions[1] != functions[2] ||
		values[1] > table->index - table->stacks ||
		functions[1] > table->len - table->index ||
		table->nfunctions >= functions[1] / INDEX_ENTRY)
		return false;
	lines->values_end = table->stacks + values[1];
	lines->functions_end = table->index + functions[1];
	lines->data = words[lines->has_first_line ? MODULE_DATA_1_20 : MODULE_DATA_1_18];
	table->text = words[MODULE_TEXT];
	return true;
}

const char *
go_lines_name(const struct go_lines *lines, uint32_t place)
{
	const uint64_t len = lines->units - lines->table.names;
	const char *name = (const char *)lines->table.bytes + lines->table.names + place;

	return place < len && memchr(name, '\0', len - place) ? name : NULL;
}

bool
go_lines_record(struct go_lines *lines, uint64_t i, struct go_record *record)
{
	const uint64_t fixed = (uint64_t)(RECORD_WORDS + (lines->has_first_line ? 1 : 0)) * 4;
	const uint64_t size = lines->functions_end - lines->table.index;
	struct go_function function;

	if (!go_table_function(&lines->table, i, &function))
		return false;
	const unsigned char *all = lines->table.bytes + lines->table.index;
	const uint64_t at = go_word_at(all + i * INDEX_ENTRY, 1);

	if (at > size || size - at < fixed + GO_RECORD_KIND)
		return false;
	const unsigned char *plain = all + at;
	const unsigned char *kind = plain + fixed;
	const uint64_t ntables = go_word_at(plain, RECORD_NTABLES);
	const uint64_t ndata = kind[GO_RECORD_KIND - 1];

	if ((ntables + ndata) * 4 > size - at - fixed - GO_RECORD_KIND)
		return false;
	*record = (struct go_record){
		.function = function,
		.plain = plain,
		.frame_sizes = go_word_at(plain, RECORD_FRAME_SIZES),
		.files = go_word_at(plain, RECORD_FILES),
		.unit = go_word_at(plain, RECORD_UNIT),
		.kind = kind,
		.ntables = (uint32_t)ntables,
		.tables = kind + GO_RECORD_KIND,
		.ndata = (uint32_t)ndata,
		.data = kind + GO_RECORD_KIND + ntables * 4,
	};
	return true;
}

uint64_t
go_lines_values(const struct go_lines *lines, uint32_t place, int64_t *largest)
{
	const unsigned char *begin = lines->table.bytes + lines->table.stacks + place;
	const unsigned char *end = lines->table.bytes + lines->values_end;
	/* Values are written as the sizes of stack frames are. */
	struct go_stack value = {.at = begin, .end = end, .bytes = -1};

	*largest = -1;
	if (place >= lines->values_end - lines->table.stacks)
		return 0;
	while (go_stack_next(&lines->table, &value))
		*largest = value.bytes > *largest ? value.bytes : *largest;
	return value.started && value.at[-1] == 0 ? (uint64_t)(value.at - begin) : 0;
}

bool
go_lines_inlines(
	const struct go_lines *lines, const struct go_record *record, struct go_inlines *inlines)
{
	int64_t largest;

	*inlines = lines->has_first_line ? (struct go_inlines){.bytes = 16, .line = 12, .name = 4}
					 : (struct go_inlines){.bytes = 20, .line = 8, .name = 12};
	if (record->ndata <= DATA_INLINES || record->ntables <= TABLE_INLINES)
		return true;
	const uint32_t data = go_word_at(record->data, DATA_INLINES);
	const uint32_t place = go_word_at(record->tables, TABLE_INLINES);

	if (data == UINT32_MAX || place == 0)
		return true;
	if (go_lines_values(lines, place, &largest) == 0)
		return false;
	inlines->address = lines->data + data;
	inlines->count = (uint64_t)(largest + 1);
	return true;
}

const unsigned char *
go_inlines_bytes(const struct digest *digest, const struct go_inlines *inlines)
{
	const struct digest_section *section = digest_section_at(digest, inlines->address);
	const uint64_t offset = section ? inlines->address - section->address : 0;

	return section && section->bytes &&
			       !(section->header.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) &&
			       inlines->count <= (section->size - offset) / inlines->bytes
		       ? section->bytes + offset
		       : NULL;
}
