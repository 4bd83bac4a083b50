#include "code/meaning_internal.h"

#include <elf.h>
#include <string.h>

#define LOCK_PREFIX 0xf0

void
meaning_put_text(struct buf *out, char kind, const char *text, size_t len)
{
	buf_putc(out, kind);
	buf_put(out, text, len);
	buf_putc(out, '\0');
}

void
meaning_put_function(struct code_meaning *meaning, const char *name, struct buf *out)
{
	size_t len = strlen(name);

	if (meaning->fold && meaning->fold(name, len, &meaning->folded))
		meaning_put_text(out, 'f', buf_text(&meaning->folded), meaning->folded.len);
	else
		meaning_put_text(out, 'f', name, len);
}

static bool
put_stub(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	struct buf *out)
{
	uint64_t left = section->size - (address - section->address);
	const unsigned char *code = code_section_bytes(section, address, left);
	const struct code_slot *slot;
	struct code_symbol symbol;
	uint64_t at;

	at = code ? meaning->arch->stub_slot(code, (size_t)left, address) : 0;
	slot = at ? code_image_slot(meaning->image, at) : NULL;
	if (slot && slot->name && *slot->name) {
		buf_putc(out, 's');
		meaning_put_function(meaning, slot->name, out);
		return true;
	}
	/* Static programs choose among versions of their own functions. */
	if (slot && code_image_symbol(meaning->image, (uint64_t)slot->addend, &symbol) &&
		symbol.offset == 0) {
		buf_putc(out, 's');
		meaning_put_function(meaning, symbol.name, out);
		return true;
	}
	return false;
}

/* Which instruction of the function at `start` is at `offset`; its offset if it is not known. */
static uint32_t
index_within(struct code_meaning *meaning, const struct code_section *section, uint64_t start,
	const struct code_symbol *symbol)
{
	uint64_t left = section->size - (start - section->address);
	uint64_t size = symbol->size < left ? symbol->size : left;
	const unsigned char *bytes = code_section_bytes(section, start, size);
	uint32_t index;

	if (!bytes || size > UINT32_MAX)
		return (uint32_t)symbol->offset;
	if (meaning->other.bytes != bytes || meaning->other.len != size) {
		code_body_begin(&meaning->other, bytes, start, (uint32_t)size);
		/* As far as it is understood. */
		meaning->arch->read(meaning->decoder, meaning->image, &meaning->other);
	}
	index = code_body_index(&meaning->other, symbol->offset);
	return index == UINT32_MAX ? (uint32_t)symbol->offset : index;
}

/* A place within the function itself. */
static bool
put_own(const struct code_meaning *meaning, const struct code_body *body, uint32_t offset,
	struct buf *out)
{
	uint32_t index = code_body_index(body, offset);

	/* The C library jumps over the lock prefix of an instruction. */
	if (index == UINT32_MAX && meaning->image->machine == EM_X86_64 && offset > 0 &&
		body->bytes[offset - 1] == LOCK_PREFIX) {
		buf_putc(out, 'l');
		index = code_body_index(body, offset - 1);
	}
	buf_putc(out, 'o');
	buf_put_u32(out, index);
	return index != UINT32_MAX;
}

bool
meaning_put_code(struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, struct buf *out)
{
	struct code_symbol symbol;

	if (body && address - body->address < body->len)
		return put_own(meaning, body, (uint32_t)(address - body->address), out);
	if (section->stubs && put_stub(meaning, section, address, out))
		return true;
	if (!code_image_symbol(meaning->image, address, &symbol))
		return false;
	meaning_put_function(meaning, symbol.name, out);
	if (symbol.offset > 0) {
		buf_putc(out, '+');
		buf_put_u32(out, index_within(meaning, section, address - symbol.offset, &symbol));
	}
	return true;
}
