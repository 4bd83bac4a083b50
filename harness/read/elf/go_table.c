#include "elf/go_table.h"

#include <string.h>

/* The first word, by the oldest version of Go that writes it. */
#define MAGIC_1_2 0xfffffffbU
#define MAGIC_1_16 0xfffffffaU
#define MAGIC_1_18 0xfffffff0U
#define MAGIC_1_20 0xfffffff1U

/* Generic functions have long names; all names together are a part of the table. */
#define NAME_BYTES_MAX 65536
#define NAMES_LEAST ((uint64_t)1 << 20)
#define NAMES_RATIO 4

#define HEAD_BYTES 8
#define WORD 8

/* A little-endian number of `bytes` at `at`; 0 beyond the end. */
static uint64_t
number_at(const struct go_table *table, uint64_t at, unsigned bytes)
{
	uint64_t value = 0;

	if (at > table->len || table->len - at < bytes)
		return 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)table->bytes[at + i] << (8 * i);
	return value;
}

static uint64_t
word_at(const struct go_table *table, unsigned word)
{
	return number_at(table, HEAD_BYTES + (uint64_t)word * WORD, WORD);
}

/* Bytes of an entry of the index: an address, and where the function's record is. */
static unsigned
entry_bytes(const struct go_table *table)
{
	return table->relative ? 8 : 2 * WORD;
}

bool
go_table_parse(struct go_table *table, const void *bytes, size_t len)
{
	*table = (struct go_table){
		.bytes = bytes, .len = len, .left = allowance_of(NAMES_LEAST, len, NAMES_RATIO)};
	if (len < HEAD_BYTES + WORD)
		return false;
	const uint64_t magic = number_at(table, 0, 4);

	table->quantum = table->bytes[6];
	if (table->bytes[4] != 0 || table->bytes[5] != 0 || table->bytes[7] != WORD ||
		(table->quantum != 1 && table->quantum != 2 && table->quantum != 4))
		return false;
	table->nfunctions = word_at(table, 0);
	if (magic == MAGIC_1_2) {
		/* All places count from the start of the table. */
		table->index = HEAD_BYTES + WORD;
	} else if (magic == MAGIC_1_16 || magic == MAGIC_1_18 || magic == MAGIC_1_20) {
		/* The text's address is behind the numbers of functions and files. */
		const unsigned shift = magic == MAGIC_1_16 ? 0 : 1;

		table->relative = shift == 1;
		table->text_at = HEAD_BYTES + 2 * WORD;
		table->text = shift == 1 ? word_at(table, 2) : 0;
		table->names = word_at(table, 2 + shift);
		table->stacks = word_at(table, 5 + shift);
		table->index = table->base = word_at(table, 6 + shift);
	} else {
		return false;
	}
	/* Behind the last one there is the end of its code. */
	return table->index < len && table->names < len && table->stacks < len &&
	       table->nfunctions < (len - table->index) / entry_bytes(table);
}

/* Where the linker has the address of the text set when the program starts (PIE). */
static uint64_t
relocated_text(const struct elf_image *image, uint64_t address)
{
	GElf_Shdr header;
	GElf_Rela rela;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
			header.sh_entsize == 0 || !(data = elf_getdata(section, NULL)))
			continue;
		const size_t count = data->d_size / header.sh_entsize;

		for (size_t i = 0; i < count && i <= INT32_MAX; i++)
			if (gelf_getrela(data, (int)i, &rela) && rela.r_offset == address)
				return (uint64_t)rela.r_addend;
	}
	return 0;
}

bool
go_table_open(struct go_table *table, const struct elf_image *image)
{
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	GElf_Shdr header;
	GElf_Shdr text;
	Elf_Scn *section = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !section; i++)
		section = elf_image_section(image, names[i], SHT_NULL, &header);
	Elf_Data *data =
		section && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;

	if (!data || !data->d_buf || !go_table_parse(table, data->d_buf, data->d_size))
		return false;
	if (table->relative && table->text == 0)
		table->text = relocated_text(image, header.sh_addr + table->text_at);
	if (table->relative && table->text == 0 &&
		elf_image_section(image, ".text", SHT_NULL, &text))
		table->text = text.sh_addr;
	return true;
}

/* The address of entry `i` of the index. */
static uint64_t
entry_address(const struct go_table *table, uint64_t i)
{
	const uint64_t at = table->index + i * entry_bytes(table);

	return table->relative ? table->text + number_at(table, at, 4) : number_at(table, at, WORD);
}

/* Whether a terminated name begins at this place. */
static bool
is_name(struct go_table *table, uint64_t at)
{
	const size_t room = table->len - at < NAME_BYTES_MAX ? table->len - at : NAME_BYTES_MAX;
	const size_t len = strnlen((const char *)table->bytes + at, room);

	return allowance_take(&table->left, len + 1) && len > 0 && len < room;
}

bool
go_table_function(struct go_table *table, uint64_t i, struct go_function *function)
{
	if (i >= table->nfunctions)
		return false;
	const unsigned half = entry_bytes(table) / 2;
	const uint64_t place = number_at(table, table->index + i * entry_bytes(table) + half, half);

	if (place > table->len - table->base)
		return false;
	/* An address, the name, arguments, a deferred call, the stack. */
	const uint64_t record = table->base + place + half;
	const uint64_t name = table->names + number_at(table, record, 4);
	const uint64_t stacks = table->stacks + number_at(table, record + 12, 4);

	if (record > table->len || table->len - record < 16 || name >= table->len ||
		stacks >= table->len || !is_name(table, name))
		return false;
	*function = (struct go_function){
		.start = entry_address(table, i),
		.end = entry_address(table, i + 1),
		.name = (const char *)table->bytes + name,
		.stacks = table->bytes + stacks,
		.nstacks = table->len - stacks,
	};
	return function->end > function->start;
}

struct go_stack
go_stack_of(const struct go_function *function)
{
	return (struct go_stack){
		.at = function->stacks,
		.end = function->stacks + function->nstacks,
		.bytes = -1,
		.until = function->start,
	};
}

static bool
take_number(struct go_stack *stack, uint32_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 35 && stack->at < stack->end; shift += 7) {
		const unsigned char byte = *stack->at++;

		if (shift < 32)
			*value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

bool
go_stack_next(const struct go_table *table, struct go_stack *stack)
{
	uint32_t change;
	uint32_t span;

	/* Only the first change can be none. */
	if (!take_number(stack, &change) || (change == 0 && stack->started) ||
		!take_number(stack, &span))
		return false;
	stack->started = true;
	stack->bytes += change & 1 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
	stack->until += (uint64_t)span * table->quantum;
	return true;
}

size_t
go_table_symbols(const struct elf_image *image, struct symtab *tab)
{
	struct go_table table;
	struct go_function function;
	uint64_t offset;
	size_t added = 0;

	if (!go_table_open(&table, image))
		return 0;
	/* The file may change under us later: names are kept in a copy. */
	table.bytes =
		(const unsigned char *)arena_dup(&tab->arena, (const char *)table.bytes, table.len);
	symtab_reserve(tab, (size_t)table.nfunctions);
	for (uint64_t i = 0; i < table.nfunctions; i++) {
		if (!go_table_function(&table, i, &function) ||
			!elf_image_offset(image, function.start, &offset))
			continue;
		symtab_add(tab, offset, function.end - function.start, BINDING_GLOBAL,
			function.name, true);
		added++;
	}
	return added;
}
