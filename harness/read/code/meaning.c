#include "code/meaning.h"

#include "base/mem.h"
#include "code/constant_text.h"
#include "code/meaning_internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of references to code. */

#define LOCK_PREFIX 0xf0

void
meaning_put_text(struct buf *out, char kind, const char *text, size_t len)
{
	buf_putc(out, kind);
	buf_put(out, text, len);
	buf_putc(out, '\0');
}

void
meaning_put_path(const struct code_meaning *meaning, struct buf *out, const char *text, size_t len)
{
	const size_t folder = meaning->folder ? strlen(meaning->folder) : 0;
	const bool inside = folder > 0 && len > folder && text[folder] == '/' &&
			    memcmp(text, meaning->folder, folder) == 0;

	meaning_put_text(
		out, inside ? 'T' : 't', text + (inside ? folder : 0), len - (inside ? folder : 0));
}

/* The name of a function as it is compared. */
static void
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
		/* Where the decoder fails, the instructions ahead of that place are known. */
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

/* The meaning of references to data. */

#define ACCESS_BYTES_MAX 64
#define WINDOW_BYTES 256
/* Constants that point to constants that point ... */
#define DEPTH_MAX 2

static bool put_address(struct code_meaning *meaning, const struct code_body *body,
	uint64_t address, unsigned depth, struct buf *out);

void
code_meaning_init(struct code_meaning *meaning, struct code_image *image,
	const struct code_arch *arch, void *decoder, code_fold *fold)
{
	*meaning = (struct code_meaning){
		.image = image, .arch = arch, .decoder = decoder, .fold = fold};
	meaning->go = meaning_is_go(image);
	meaning->constant_hash = mem_zalloc(image->tab.count + 1, sizeof(uint64_t));
}

void
code_meaning_release(struct code_meaning *meaning)
{
	buf_release(&meaning->folded);
	code_body_release(&meaning->other);
	free(meaning->constant_hash);
	free(meaning->go_starts);
}

/*
 * The length of a symbol's name without the number that a compiler appends to the name of a static
 * variable in a function: it counts those of other functions, too.
 */
static size_t
without_number(const char *name)
{
	size_t len = strlen(name);
	size_t at = len;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at > 1 && at < len && name[at - 1] == '.' ? at - 1 : len;
}

/*
 * Puts constants as they are, but for pointers, which are put as what they point to: in a program
 * that is linked for one address, every aligned word may be one.
 */
static void
put_constants(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	uint64_t len, unsigned depth, struct buf *out)
{
	const unsigned char *bytes = code_section_bytes(section, address, len);
	uint64_t at = 0;

	if (!bytes)
		return;
	if (!meaning->image->fixed) {
		buf_put(out, bytes, (size_t)len);
		return;
	}
	while (at < len) {
		uint64_t word = 0;
		uint64_t step = POINTER_BYTES - (address + at) % POINTER_BYTES;

		step = step < len - at ? step : len - at;
		if (step == POINTER_BYTES)
			memcpy(&word, bytes + at, sizeof(word));
		if (!word || depth >= DEPTH_MAX || !code_image_section(meaning->image, word) ||
			!put_address(meaning, NULL, word, depth + 1, out))
			buf_put(out, bytes + at, (size_t)step);
		at += step;
	}
}

/* The index of the symbol at `address` in its file's table, and in meaning->constant_hash. */
static size_t
symbol_place(const struct code_meaning *meaning, uint64_t address)
{
	const struct symtab *tab = &meaning->image->tab;
	const struct symtab_entry *entry;
	uint64_t offset;

	if (!elf_image_offset(&meaning->image->file, address, &offset))
		return tab->count;
	entry = symtab_find(tab, offset);
	return entry ? (size_t)(entry - tab->entries) : tab->count;
}

static uint64_t
constant_hash(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	const struct code_symbol *symbol)
{
	uint64_t start = address - symbol->offset;
	uint64_t left = section->size - (start - section->address);
	uint64_t *hash = &meaning->constant_hash[symbol_place(meaning, address)];
	struct buf contents = {0};

	if (*hash != 0)
		return *hash;
	put_constants(
		meaning, section, start, symbol->size < left ? symbol->size : left, 0, &contents);
	*hash = code_hash(contents.data, contents.len) | 1;
	buf_release(&contents);
	return *hash;
}

static void
put_symbol(const struct code_section *section, const struct code_symbol *symbol, struct buf *out)
{
	size_t len = without_number(symbol->name);

	meaning_put_text(out, 'd', symbol->name, len);
	if (symbol->name[len])
		buf_put_u64(out, symbol->size);
	buf_put_u64(out, symbol->offset);
	meaning_put_text(out, 'w', section->name, strlen(section->name));
}

/* The value that the dynamic linker fills in, or that the linker has stored. */
static bool
put_slot(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	unsigned depth, struct buf *out)
{
	const struct code_slot *slot = code_image_slot(meaning->image, address);
	uint64_t value = 0;

	buf_putc(out, 'g');
	if (slot) {
		buf_put_u32(out, slot->type);
		if (slot->name && *slot->name) {
			meaning_put_function(meaning, slot->name, out);
			buf_put_u64(out, (uint64_t)slot->addend);
			return true;
		}
		value = (uint64_t)slot->addend;
	} else {
		const unsigned char *bytes = code_section_bytes(section, address, sizeof(value));

		if (bytes)
			memcpy(&value, bytes, sizeof(value));
	}
	if (depth < DEPTH_MAX && value != 0 && put_address(meaning, NULL, value, depth + 1, out))
		return true;
	buf_put_u64(out, value);
	return true;
}

/* The end of the constant at `address`: where the next known object begins, or WINDOW_BYTES on. */
static uint64_t
window_end(struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address)
{
	uint64_t end = section->address + section->size;
	uint64_t next = code_image_next_symbol(meaning->image, address);

	if (next < end)
		end = next;
	if (end - address > WINDOW_BYTES)
		end = address + WINDOW_BYTES;
	if (meaning->go)
		end = meaning_go_end(meaning, address, end);
	for (size_t i = 0; body && i < body->nreferences; i++)
		if (body->references[i].address > address && body->references[i].address < end)
			end = body->references[i].address;
	return end;
}

/* Where an entry of a table of jumps leads to: 4 bytes relative to its start, or an address. */
static uint64_t
jump_target(const unsigned char *entry, uint64_t table, size_t entry_bytes)
{
	uint64_t target;
	int32_t distance;

	if (entry_bytes == sizeof(target)) {
		memcpy(&target, entry, sizeof(target));
		return target;
	}
	memcpy(&distance, entry, sizeof(distance));
	return table + (uint64_t)(int64_t)distance;
}

/*
 * Puts a table of jumps of x86-64 code. It reaches as far as its entries lead into the function.
 * Returns the number of entries.
 */
static size_t
put_jumps(const struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, size_t entry_bytes, struct buf *out)
{
	uint64_t end = section->address + section->size;
	uint64_t next = code_image_next_symbol(meaning->image, address);
	size_t count = 0;

	if (next < end)
		end = next;
	if (meaning->image->machine != EM_X86_64 || address % sizeof(int32_t) != 0)
		return 0;
	for (; end - address >= (count + 1) * entry_bytes; count++) {
		const unsigned char *entry =
			code_section_bytes(section, address + count * entry_bytes, entry_bytes);
		uint64_t target;
		uint32_t index;

		if (!entry)
			break;
		target = jump_target(entry, address, entry_bytes) - body->address;
		index = target < body->len ? code_body_index(body, target) : UINT32_MAX;
		if (index == UINT32_MAX)
			break;
		buf_putc(out, 'j');
		buf_put_u32(out, index);
	}
	return count;
}

static bool
put_table(const struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, struct buf *out)
{
	return put_jumps(meaning, body, section, address, sizeof(int32_t), out) > 0 ||
	       (meaning->image->fixed &&
		       put_jumps(meaning, body, section, address, sizeof(uint64_t), out) > 0);
}

/*
 * Whether `address` is where data ends that the function refers to: loops end there, and an object
 * that begins there is not meant.
 */
static bool
put_end(const struct code_meaning *meaning, const struct code_body *body, uint64_t address,
	struct buf *out)
{
	const struct code_section *section = code_image_section(meaning->image, address - 1);
	struct code_symbol symbol;
	uint64_t start;

	if (!section || section->code || section->slots ||
		!code_image_symbol(meaning->image, address - 1, &symbol) ||
		symbol.offset + 1 != symbol.size)
		return false;
	start = address - symbol.size;
	for (size_t i = 0; i < body->nreferences; i++)
		if (body->references[i].address - start < symbol.size) {
			buf_putc(out, 'z');
			put_symbol(section, &symbol, out);
			return true;
		}
	return false;
}

static bool
put_constant(struct code_meaning *meaning, const struct code_body *body,
	const struct code_section *section, uint64_t address, unsigned depth, struct buf *out)
{
	uint64_t left = section->size - (address - section->address);
	const unsigned char *bytes = code_section_bytes(section, address, left);
	struct code_symbol symbol;
	size_t len;

	if (!bytes)
		return false;
	if (code_image_symbol(meaning->image, address, &symbol)) {
		if (meaning_put_go(meaning, section, address, &symbol, out))
			return true;
		put_symbol(section, &symbol, out);
		/* One level only, so that it does not matter which reference is followed first. */
		if (depth == 0)
			buf_put_u64(out, constant_hash(meaning, section, address, &symbol));
		return true;
	}
	if (body && put_table(meaning, body, section, address, out))
		return true;
	/* Texts of Go have a symbol. */
	if (!meaning->go && code_is_text(bytes, (size_t)left, address,
				    (size_t)(address - section->address), &len)) {
		meaning_put_path(meaning, out, (const char *)bytes, len);
		return true;
	}
	len = (size_t)(window_end(meaning, body, section, address) - address);
	buf_putc(out, 'c');
	if (depth < DEPTH_MAX)
		put_constants(meaning, section, address, len, depth, out);
	return true;
}

/* Ends of sections, and what the linker defines beside all of them. */
static bool
put_outside(struct code_meaning *meaning, uint64_t address, struct buf *out)
{
	const struct code_image *image = meaning->image;

	for (size_t i = 0; i < image->nsections; i++) {
		const struct code_section *section = &image->sections[i];

		if (address == section->address + section->size) {
			meaning_put_text(out, 'e', section->name, strlen(section->name));
			return true;
		}
	}
	return false;
}

static bool
put_address(struct code_meaning *meaning, const struct code_body *body, uint64_t address,
	unsigned depth, struct buf *out)
{
	const struct code_section *section = code_image_section(meaning->image, address);
	struct code_symbol symbol;

	if (!section)
		return put_outside(meaning, address, out);
	if (section->code)
		return meaning_put_code(meaning, body, section, address, out);
	if (section->slots)
		return put_slot(meaning, section, address, depth, out);
	if (!section->writable)
		return put_constant(meaning, body, section, address, depth, out);
	if (!code_image_symbol(meaning->image, address, &symbol))
		meaning_put_text(out, 'w', section->name, strlen(section->name));
	/* Constants with addresses, in a program that can be moved. */
	else if (!meaning_put_go(meaning, section, address, &symbol, out))
		put_symbol(section, &symbol, out);
	return true;
}

/* A constant of a known length. */
static bool
put_access(struct code_meaning *meaning, const struct code_body *body, uint64_t address,
	uint32_t bytes, struct buf *out)
{
	const struct code_section *section = code_image_section(meaning->image, address);
	struct code_symbol symbol;

	/* Data read from within code is a constant placed there, whatever symbol is ahead of it. */
	if (!section || section->writable || section->slots || bytes > ACCESS_BYTES_MAX ||
		!code_section_bytes(section, address, bytes) ||
		(!section->code && code_image_symbol(meaning->image, address, &symbol)))
		return put_address(meaning, body, address, 0, out);
	buf_putc(out, 'k');
	put_constants(meaning, section, address, bytes, 0, out);
	return true;
}

bool
code_meaning_put(
	struct code_meaning *meaning, const struct code_body *body, size_t i, struct buf *out)
{
	const struct code_reference *reference = &body->references[i];

	switch (reference->kind) {
	case CODE_ACCESS:
		return put_access(meaning, body, reference->address, reference->bytes, out);
	case CODE_ADDRESS:
		if (put_end(meaning, body, reference->address, out))
			return true;
		break;
	case CODE_BRANCH:
		break;
	}
	return put_address(meaning, body, reference->address, 0, out);
}
