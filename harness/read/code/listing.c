#include "code/listing.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "code/disassembler.h"
#include "code/image.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

void
code_listing_release(struct code_listing *listing)
{
	free(listing->instructions);
	buf_release(&listing->texts);
	*listing = (struct code_listing){0};
}

/* The name of what a call or jump leads to: its operand is the address. */
static void
put_target(const struct code_image *image, const cs_insn *insn, struct buf *out)
{
	const char *number = insn->op_str[0] == '#' ? insn->op_str + 1 : insn->op_str;
	struct code_symbol symbol;
	char *end;
	const uint64_t address = strtoull(number, &end, 0);
	const struct code_section *section = code_image_section(image, address);

	if (end == number || *end || !section || !section->code ||
		!code_image_symbol(image, address, &symbol) || !symbol.name)
		return;
	buf_printf(out, " <%s", symbol.name);
	if (symbol.offset > 0)
		buf_printf(out, "+0x%" PRIx64, symbol.offset);
	buf_putc(out, '>');
}

/* Appends one whose text begins at the end of the texts. */
static void
put_instruction(struct code_listing *listing, uint64_t offset, uint64_t address, size_t bytes)
{
	listing->instructions = mem_grow(listing->instructions, &listing->capacity,
		listing->count + 1, sizeof(*listing->instructions));
	listing->instructions[listing->count++] = (struct code_instruction){
		.offset = offset,
		.address = address,
		.bytes = (uint32_t)bytes,
		.text = listing->texts.len,
	};
}

static void
add_instruction(struct code_listing *listing, const struct code_image *image, const cs_insn *insn,
	uint64_t offset)
{
	put_instruction(listing, offset, insn->address, insn->size);
	buf_printf(
		&listing->texts, insn->op_str[0] ? "%-7s %s" : "%s", insn->mnemonic, insn->op_str);
	put_target(image, insn, &listing->texts);
	buf_putc(&listing->texts, '\0');
}

/* The prefixes VEX and EVEX, by their first byte, and their length; 0: it is none. */
static size_t
vector_prefix(uint8_t first)
{
	return first == 0xc5 ? 2 : first == 0xc4 ? 3 : first == 0x62 ? 4 : 0;
}

/* The operations of their first map, 0F, that have a byte of an immediate. */
static bool
has_immediate(uint8_t operation)
{
	return (operation >= 0x70 && operation <= 0x73) || operation == 0xc2 ||
	       (operation >= 0xc4 && operation <= 0xc6);
}

/*
 * The bytes of an instruction that capstone does not know; 0: these are not known, either. Versions
 * of it lack many of AVX-512 on x86-64, whose length follows from their prefix (Intel's manual,
 * volume 2, 2.3 and 2.7): behind it are the operation, ModR/M, perhaps SIB, displacement and
 * immediate.
 */
static size_t
unknown_length(uint16_t machine, const uint8_t *code, size_t left)
{
	const size_t prefix = left > 0 && machine == EM_X86_64 ? vector_prefix(code[0]) : 0;
	size_t len = prefix + 2;

	if (machine == EM_AARCH64)
		return left >= 4 ? 4 : 0;
	if (prefix == 0 || left < len)
		return 0;
	const unsigned map = prefix == 2 ? 1 : code[1] & (prefix == 3 ? 31 : 7);
	const unsigned mode = code[len - 1] >> 6;
	unsigned base = code[len - 1] & 7;

	if (mode != 3 && base == 4) {
		if (left == len)
			return 0;
		base = code[len++] & 7;
	}
	if (mode == 1)
		len++;
	else if (mode == 2 || (mode == 0 && base == 5))
		len += 4;
	if (map == 3 || (map == 1 && has_immediate(code[prefix])))
		len++;
	return len <= left ? len : 0;
}

/* Lists the bytes as assemblers take them. */
static void
add_bytes(struct code_listing *listing, const uint8_t *code, size_t len, uint64_t address,
	uint64_t offset)
{
	put_instruction(listing, offset, address, len);
	buf_printf(&listing->texts, "%-7s ", ".byte");
	for (size_t i = 0; i < len; i++)
		buf_printf(&listing->texts, i > 0 ? ", 0x%02x" : "0x%02x", code[i]);
	buf_putc(&listing->texts, '\0');
}

static int
compare_offsets(const void *a, const void *b)
{
	const struct code_instruction *one = a;
	const struct code_instruction *other = b;

	return (one->offset > other->offset) - (one->offset < other->offset);
}

/* The number of instructions that begin up to this offset. */
static size_t
count_until(const struct code_listing *listing, uint64_t offset)
{
	return search_until(listing->instructions, listing->count,
		SEARCH_BY(struct code_instruction, offset), offset);
}

/* Narrows a range around `offset`, which is not listed, to what no listed instruction is in. */
static void
leave_out_listed(
	const struct code_listing *listing, uint64_t offset, uint64_t *begin, uint64_t *end)
{
	const size_t until = count_until(listing, offset);

	if (until > 0) {
		const struct code_instruction *before = &listing->instructions[until - 1];

		if (before->offset + before->bytes > *begin)
			*begin = before->offset + before->bytes;
	}
	if (until < listing->count && listing->instructions[until].offset < *end)
		*end = listing->instructions[until].offset;
}

/* Puts those from `first` on, which are in order among themselves, into order with the others. */
static void
sort_from(struct code_listing *listing, size_t first)
{
	const struct code_instruction *instructions = listing->instructions;

	if (first > 0 && first < listing->count &&
		instructions[first].offset < instructions[first - 1].offset)
		qsort(listing->instructions, listing->count, sizeof(*listing->instructions),
			compare_offsets);
}

bool
code_listing_add(struct code_listing *listing, const struct code_image *image,
	struct disassembler *disassembler, uint64_t offset)
{
	const size_t first = listing->count;
	struct code_symbol symbol;
	uint64_t address;

	if (code_listing_find(listing, offset))
		return true;
	if (!elf_image_address(&image->file, offset, &address) ||
		!code_image_symbol(image, address, &symbol))
		return false;
	uint64_t begin = offset - symbol.offset;
	uint64_t end = begin + symbol.size;
	const bool begun = code_listing_find(listing, begin) != NULL;

	leave_out_listed(listing, offset, &begin, &end);
	size_t left = end - begin;
	uint64_t at = address - (offset - begin);
	const struct code_section *section = code_image_section(image, at);
	const uint8_t *code = section ? code_section_bytes(section, at, left) : NULL;

	/* Listed already, but not up to this offset. */
	if (!code || !section->code || begun)
		return false;
	const size_t function = listing->texts.len;

	buf_puts(&listing->texts, symbol.name ? symbol.name : "");
	buf_putc(&listing->texts, '\0');
	while (left > 0) {
		const uint64_t begins = end - left;

		if (disassembler_next(disassembler, &code, &left, &at)) {
			add_instruction(listing, image, disassembler->insn, begins);
			continue;
		}
		const size_t len = unknown_length(image->machine, code, left);

		if (len == 0)
			break;
		add_bytes(listing, code, len, at, begins);
		code += len;
		left -= len;
		at += len;
	}
	for (size_t i = first; i < listing->count; i++)
		listing->instructions[i].function = function;
	sort_from(listing, first);
	return code_listing_find(listing, offset) != NULL;
}

const struct code_instruction *
code_listing_find(const struct code_listing *listing, uint64_t offset)
{
	const size_t until = count_until(listing, offset);
	const struct code_instruction *found = until > 0 ? &listing->instructions[until - 1] : NULL;

	return found && offset - found->offset < found->bytes ? found : NULL;
}

const char *
code_listing_text(const struct code_listing *listing, const struct code_instruction *instruction)
{
	return buf_text(&listing->texts) + instruction->text;
}

const char *
code_listing_function(
	const struct code_listing *listing, const struct code_instruction *instruction)
{
	return buf_text(&listing->texts) + instruction->function;
}
