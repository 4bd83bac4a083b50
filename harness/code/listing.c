#include "code/listing.h"

#include "base/mem.h"
#include "base/search.h"
#include "code/disassembler.h"
#include "code/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void
add_instruction(struct code_listing *listing, const struct code_image *image, const cs_insn *insn,
	uint64_t offset)
{
	listing->instructions = mem_grow(listing->instructions, &listing->capacity,
		listing->count + 1, sizeof(*listing->instructions));
	listing->instructions[listing->count++] = (struct code_instruction){
		.offset = offset,
		.address = insn->address,
		.bytes = insn->size,
		.text = listing->texts.len,
	};
	buf_printf(
		&listing->texts, insn->op_str[0] ? "%-7s %s" : "%s", insn->mnemonic, insn->op_str);
	put_target(image, insn, &listing->texts);
	buf_putc(&listing->texts, '\0');
}

static int
compare_offsets(const void *a, const void *b)
{
	const struct code_instruction *one = a;
	const struct code_instruction *other = b;

	return (one->offset > other->offset) - (one->offset < other->offset);
}

bool
code_listing_add(struct code_listing *listing, const struct code_image *image,
	struct disassembler *disassembler, uint64_t offset)
{
	struct code_symbol symbol;
	uint64_t address;

	if (code_listing_find(listing, offset))
		return true;
	if (!elf_image_address(&image->file, offset, &address) ||
		!code_image_symbol(image, address, &symbol))
		return false;
	uint64_t at = address - symbol.offset;
	const struct code_section *section = code_image_section(image, at);
	const uint8_t *code = section ? code_section_bytes(section, at, symbol.size) : NULL;
	size_t left = symbol.size;

	if (!code || !section->code)
		return false;
	const size_t before = listing->count;

	while (left > 0) {
		const uint64_t begins = offset - symbol.offset + (symbol.size - left);

		if (!disassembler_next(disassembler, &code, &left, &at))
			break;
		add_instruction(listing, image, disassembler->insn, begins);
	}
	if (listing->count > before)
		qsort(listing->instructions, listing->count, sizeof(*listing->instructions),
			compare_offsets);
	return code_listing_find(listing, offset) != NULL;
}

const struct code_instruction *
code_listing_find(const struct code_listing *listing, uint64_t offset)
{
	const size_t until = search_until(listing->instructions, listing->count,
		SEARCH_BY(struct code_instruction, offset), offset);
	const struct code_instruction *found = until > 0 ? &listing->instructions[until - 1] : NULL;

	return found && offset - found->offset < found->bytes ? found : NULL;
}

const char *
code_listing_text(const struct code_listing *listing, const struct code_instruction *instruction)
{
	return buf_text(&listing->texts) + instruction->text;
}
