/*
 * The meaning of references to the data of a Go program.
 *
 * Go's linker puts much under one symbol without a length: its strings, its types, its functions'
 * values. Nothing in the symbol says which bytes a reference means, and each further string or type
 * moves all behind it: a string is compared by its text, and a type by its description. Neither
 * strings nor constants without a symbol have an end: one reaches as far as the next one that
 * anything in the program refers to.
 *
 * Source: cmd/link/internal/ld/data.go (groupSym), and internal/abi/type.go.
 */
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "code/meaning.h"
#include "code/meaning_internal.h"

#include <stdlib.h>
#include <string.h>

#define STRING_BYTES_MAX 4096
#define GO_DEPTH_MAX 3
#define FIELDS_MAX 256

/* A type: its size, how much of it has pointers, a hash of its name, flags, and its kind ... */
#define TYPE_PLAIN 24 /* bytes without an address */
#define TYPE_KIND 23
#define TYPE_KIND_MASK 31
/* ... and behind what all have, what its kind has. */
#define TYPE_ELEMENT 48
#define TYPE_VALUE 56 /* of a map */
#define TYPE_FIELDS 56
#define TYPE_NFIELDS 64
#define FIELD_BYTES 24 /* name, type and offset */

enum go_kind {
	GO_ARRAY = 17,
	GO_CHAN = 18,
	GO_MAP = 21,
	GO_POINTER = 22,
	GO_SLICE = 23,
	GO_STRUCT = 25,
};

/* The table of lines, which every change of any code changes. */
static const char go_table[] = ".gopclntab";

bool
meaning_is_go(const struct code_image *image)
{
	for (size_t i = 0; i < image->nsections; i++)
		if (strcmp(image->sections[i].name, go_table) == 0)
			return true;
	return false;
}

static bool
is_either(const char *name, const char *one, const char *other)
{
	return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

/* The addresses of data that code or data refers to. */
struct go_starts {
	const struct code_image *image;
	uint64_t *all;
	size_t count;
	size_t capacity;
};

static void
add_go_start(struct go_starts *starts, uint64_t address)
{
	const struct code_section *section = code_image_section(starts->image, address);

	if (!section || section->code)
		return;
	starts->all =
		mem_grow(starts->all, &starts->capacity, starts->count + 1, sizeof(*starts->all));
	starts->all[starts->count++] = address;
}

static void
add_starts_of_code(struct go_starts *starts, const struct code_meaning *meaning)
{
	const struct code_image *image = meaning->image;
	struct code_body body = {0};
	uint64_t done = 0;

	for (size_t i = 0; i < image->tab.count; i++) {
		const struct symtab_entry *entry = &image->tab.entries[i];
		const uint64_t from = entry->start > done ? entry->start : done;
		uint64_t address;

		if (from >= entry->end || entry->end - from > UINT32_MAX ||
			!elf_image_address(&image->file, from, &address))
			continue;
		const struct code_section *section = code_image_section(image, address);
		const unsigned char *bytes =
			section && section->code
				? code_section_bytes(section, address, entry->end - from)
				: NULL;

		if (!bytes)
			continue;
		code_body_begin(&body, bytes, address, (uint32_t)(entry->end - from));
		/* As far as it is understood. */
		meaning->arch->read(meaning->decoder, image, &body);
		for (size_t k = 0; k < body.nreferences; k++)
			add_go_start(starts, body.references[k].address);
		done = entry->end;
	}
	code_body_release(&body);
}

static void
add_starts_of_data(struct go_starts *starts, struct code_image *image)
{
	for (size_t i = 0; i < image->nsections; i++) {
		const struct code_section *section = &image->sections[i];
		const uint64_t first = -section->address % POINTER_BYTES;

		for (uint64_t at = first; section->bytes && !section->code &&
					  section->size - at >= POINTER_BYTES && at < section->size;
			at += POINTER_BYTES) {
			uint64_t word;

			memcpy(&word, section->bytes + at, sizeof(word));
			add_go_start(starts, word);
		}
	}
	/* In a program that is not linked for one address, the dynamic linker fills in pointers. */
	code_image_slot(image, 0);
	for (size_t i = 0; i < image->nslots; i++)
		add_go_start(starts, (uint64_t)image->slots[i].addend);
}

uint64_t
meaning_go_end(struct code_meaning *meaning, uint64_t address, uint64_t end)
{
	if (!meaning->go_starts_read) {
		struct go_starts starts = {.image = meaning->image};

		add_starts_of_code(&starts, meaning);
		add_starts_of_data(&starts, meaning->image);
		if (starts.count > 0)
			qsort(starts.all, starts.count, sizeof(*starts.all), sort_address_order);
		meaning->go_starts = starts.all;
		meaning->ngo_starts = starts.count;
		meaning->go_starts_read = true;
	}
	const size_t next = search_until(
		meaning->go_starts, meaning->ngo_starts, SEARCH_BY_VALUE(uint64_t), address);

	return next < meaning->ngo_starts && meaning->go_starts[next] < end
		       ? meaning->go_starts[next]
		       : end;
}

static void
put_go_string(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	const struct code_symbol *symbol, struct buf *out)
{
	const uint64_t end = address - symbol->offset + symbol->size;
	uint64_t len = meaning_go_end(meaning, address, end) - address;

	len = len < STRING_BYTES_MAX ? len : STRING_BYTES_MAX;
	const unsigned char *bytes = code_section_bytes(section, address, len);

	/* Padding is behind the last one. */
	while (bytes && len > 0 && bytes[len - 1] == 0)
		len--;
	meaning_put_text(out, 'G', (const char *)bytes, bytes ? (size_t)len : 0);
}

/* The address that a word has, or that is filled in there. */
static uint64_t
pointer_at(struct code_meaning *meaning, uint64_t address)
{
	const struct code_section *section = code_image_section(meaning->image, address);
	const unsigned char *bytes =
		section ? code_section_bytes(section, address, POINTER_BYTES) : NULL;
	const struct code_slot *slot = code_image_slot(meaning->image, address);
	uint64_t value = 0;

	if (slot)
		return (uint64_t)slot->addend;
	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* A name in a description: flags, a length of up to two bytes, the text. */
static void
put_go_name(struct code_meaning *meaning, uint64_t address, struct buf *out)
{
	const struct code_section *section = code_image_section(meaning->image, address);
	const unsigned char *head = section ? code_section_bytes(section, address, 3) : NULL;

	if (!head)
		return;
	const bool is_long = head[1] >= 0x80;
	const size_t len = is_long ? (head[1] & 0x7fU) | (size_t)head[2] << 7 : head[1];
	const unsigned char *text = code_section_bytes(section, address + (is_long ? 3 : 2), len);

	if (text)
		meaning_put_text(out, 'n', (const char *)text, len);
}

static void put_go_type(
	struct code_meaning *meaning, uint64_t address, unsigned depth, struct buf *out);

static void
put_go_fields(struct code_meaning *meaning, uint64_t address, unsigned depth, struct buf *out)
{
	const uint64_t fields = pointer_at(meaning, address + TYPE_FIELDS);
	const uint64_t count = pointer_at(meaning, address + TYPE_NFIELDS);

	for (uint64_t i = 0; i < count && i < FIELDS_MAX; i++) {
		const uint64_t field = fields + i * FIELD_BYTES;

		put_go_name(meaning, pointer_at(meaning, field), out);
		put_go_type(meaning, pointer_at(meaning, field + POINTER_BYTES), depth + 1, out);
		buf_put_u64(out, pointer_at(meaning, field + (uint64_t)2 * POINTER_BYTES));
	}
}

static void
put_go_type(struct code_meaning *meaning, uint64_t address, unsigned depth, struct buf *out)
{
	const struct code_section *section = code_image_section(meaning->image, address);
	const unsigned char *bytes =
		section ? code_section_bytes(section, address, TYPE_PLAIN) : NULL;

	if (!bytes)
		return;
	buf_put(out, bytes, TYPE_PLAIN);
	if (depth >= GO_DEPTH_MAX)
		return;
	switch (bytes[TYPE_KIND] & TYPE_KIND_MASK) {
	case GO_MAP:
		put_go_type(meaning, pointer_at(meaning, address + TYPE_VALUE), depth + 1, out);
		/* fall through */
	case GO_ARRAY:
	case GO_CHAN:
	case GO_POINTER:
	case GO_SLICE:
		put_go_type(meaning, pointer_at(meaning, address + TYPE_ELEMENT), depth + 1, out);
		break;
	case GO_STRUCT:
		put_go_fields(meaning, address, depth, out);
		break;
	default:
		break;
	}
}

/* A function's value: where its code is. */
static bool
put_go_function(struct code_meaning *meaning, uint64_t address, struct buf *out)
{
	const uint64_t code = pointer_at(meaning, address);
	const struct code_section *section = code_image_section(meaning->image, code);

	buf_putc(out, 'v');
	return section && section->code && meaning_put_code(meaning, NULL, section, code, out);
}

bool
meaning_put_go(struct code_meaning *meaning, const struct code_section *section, uint64_t address,
	const struct code_symbol *symbol, struct buf *out)
{
	if (is_either(symbol->name, "go.string.*", "go:string.*")) {
		put_go_string(meaning, section, address, symbol, out);
		return true;
	}
	if (is_either(symbol->name, "type.*", "type:*") ||
		strcmp(symbol->name, "runtime.types") == 0) {
		buf_putc(out, 'T');
		put_go_type(meaning, address, 0, out);
		return true;
	}
	if (strcmp(section->name, go_table) == 0) {
		meaning_put_text(out, 'w', section->name, strlen(section->name));
		return true;
	}
	return is_either(symbol->name, "go.func.*", "go:func.*") &&
	       put_go_function(meaning, address, out);
}
