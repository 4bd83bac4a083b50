/* The data of a program file, object by object. */
#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "code/build_changes_internal.h"
#include "code/constant_text.h"
#include "code/meaning_internal.h"
#include "elf/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Of a constant without a symbol, whose length is not known. */
#define WINDOW_BYTES 256
#define DEPTH_MAX 2

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

/*
 * The length of a name without the number that a compiler appends to that of a static variable in a
 * function: it counts those of other functions, too.
 */
static size_t
without_number(const char *name)
{
	const size_t len = strlen(name);
	size_t at = len;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at > 1 && at < len && name[at - 1] == '.' ? at - 1 : len;
}

static struct data_object *
add_object(struct data_objects *objects, const struct code_section *section, uint64_t address,
	uint64_t size)
{
	objects->objects = mem_grow(objects->objects, &objects->capacity, objects->count + 1,
		sizeof(*objects->objects));
	struct data_object *object = &objects->objects[objects->count++];

	*object = (struct data_object){
		.address = address, .size = size, .section = section, .name = section->name};
	object->name_len = strlen(object->name);
	return object;
}

/* Whether a section has data that may be written, or addresses; not a table of the linker. */
static bool
has_data(const struct code_section *section)
{
	static const char *const tables[] = {
		".dynamic", ".init_array", ".fini_array", ".preinit_array", ".tm_clone_table"};
	bool found = section->writable && !section->slots;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && found; i++)
		found = strcmp(section->name, tables[i]) != 0;
	return found;
}

/* Adds what a symbol names, if it is data. */
static void
add_symbol(struct data_objects *objects, const struct code_image *image, const GElf_Sym *sym,
	const char *name)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info);
	const struct code_section *section;

	if (!name || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
		(type != STT_OBJECT && type != STT_NOTYPE && type != STT_COMMON))
		return;
	section = code_image_section(image, sym->st_value);
	/* Labels without a size are of the linker where nothing is written: tables for unwinding.
	 */
	if (!section || section->code || (sym->st_size == 0 && !has_data(section)) ||
		sym->st_size > section->size - (sym->st_value - section->address))
		return;
	struct data_object *object = add_object(objects, section, sym->st_value, sym->st_size);

	object->name = name;
	object->name_len = without_number(name);
}

/* By address, of those of one address the longest first, and then by name. */
static int
compare_objects(const void *a, const void *b)
{
	const struct data_object *one = a;
	const struct data_object *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	if (one->size != other->size)
		return one->size > other->size ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* Sorts the objects, and drops further names of one and parts of others. */
static void
sort_objects(struct data_objects *objects)
{
	size_t kept = 0;
	uint64_t end = 0;

	if (objects->count > 0)
		qsort(objects->objects, objects->count, sizeof(*objects->objects), compare_objects);
	for (size_t i = 0; i < objects->count; i++) {
		struct data_object *object = &objects->objects[i];
		const struct code_section *section = object->section;

		if (object->address < end)
			continue;
		/* A label: its object ends where the next one begins. */
		if (object->size == 0) {
			object->size = section->size - (object->address - section->address);
			if (i + 1 < objects->count && objects->objects[i + 1].section == section)
				object->size = object[1].address - object->address;
		}
		end = object->address + object->size;
		objects->objects[kept] = *object;
		kept += object->size > 0;
	}
	objects->count = kept;
}

/* Whether all bytes are zeros that no relocation fills: they align what is behind them. */
static bool
is_padding(struct code_image *image, const struct code_section *section, uint64_t address,
	uint64_t size)
{
	const unsigned char *bytes = code_section_bytes(section, address, size);
	const size_t slot = search_before(
		image->slots, image->nslots, SEARCH_BY(struct code_slot, address), address);

	if (slot < image->nslots && image->slots[slot].address < address + size)
		return false;
	for (uint64_t i = 0; bytes && i < size; i++)
		if (bytes[i] != 0)
			return false;
	return bytes != NULL;
}

/*
 * Adds what has no symbol in sections of data that can be written, also of constants with
 * addresses. Other constants without a symbol are texts and numbers: the code that uses them has
 * them in its own hash.
 */
static void
add_gaps(struct data_objects *objects, struct code_image *image)
{
	const size_t named = objects->count;
	size_t at = 0;

	for (size_t i = 0; i < image->nsections; i++) {
		const struct code_section *section = &image->sections[i];
		uint64_t from = section->address;
		const uint64_t end = section->address + section->size;

		while (at < named && objects->objects[at].address < from)
			at++;
		while (from < end) {
			const bool any = at < named && objects->objects[at].address < end;
			const uint64_t until = any ? objects->objects[at].address : end;

			if (until > from && has_data(section) &&
				!is_padding(image, section, from, until - from))
				add_object(objects, section, from, until - from)->gap = true;
			from = any ? until + objects->objects[at].size : end;
			at += any;
		}
	}
	if (objects->count > 0)
		qsort(objects->objects, objects->count, sizeof(*objects->objects), compare_objects);
}

static void
put_name(const struct data_object *object, struct buf *out)
{
	meaning_put_text(out, 'd', object->name, object->name_len);
	buf_put_u64(out, object->size);
}

/* What contents are made of: an address is put by where it leads. */
struct contents {
	const struct data_objects *objects;
	struct code_meaning *meaning;
};

static void put_address(
	const struct contents *contents, uint64_t address, unsigned depth, struct buf *out);

/* A constant without a symbol: a text to its end, of others a window. */
static void
put_unnamed(const struct contents *contents, const struct code_section *section, uint64_t address,
	unsigned depth, struct buf *out)
{
	const uint64_t left = section->size - (address - section->address);
	const unsigned char *bytes = code_section_bytes(section, address, left);
	const uint64_t next = code_image_next_symbol(contents->meaning->image, address);
	uint64_t len = left < WINDOW_BYTES ? left : WINDOW_BYTES;
	size_t text;

	if (!bytes || depth >= DEPTH_MAX) {
		meaning_put_text(out, 'w', section->name, strlen(section->name));
		return;
	}
	if (code_is_text(
		    bytes, (size_t)left, address, (size_t)(address - section->address), &text)) {
		meaning_put_path(contents->meaning, out, (const char *)bytes, text);
		return;
	}
	if (next - address < len)
		len = next - address;
	buf_putc(out, 'c');
	buf_put(out, bytes, (size_t)len);
}

static void
put_address(const struct contents *contents, uint64_t address, unsigned depth, struct buf *out)
{
	const struct code_image *image = contents->meaning->image;
	const struct code_section *section = code_image_section(image, address);
	const struct data_object *object = data_objects_find(contents->objects, address);

	if (section && section->code &&
		meaning_put_code(contents->meaning, NULL, section, address, out))
		return;
	if (object && !object->gap) {
		put_name(object, out);
		buf_put_u64(out, address - object->address);
		return;
	}
	for (size_t i = 0; !section && i < image->nsections; i++)
		if (address == image->sections[i].address + image->sections[i].size) {
			meaning_put_text(
				out, 'e', image->sections[i].name, strlen(image->sections[i].name));
			return;
		}
	if (!section || section->code) {
		buf_putc(out, 'x');
		buf_put_u64(out, address);
		return;
	}
	put_unnamed(contents, section, address, depth, out);
}

/* Whether the word at `at` of the file, without a relocation, is taken for an address. */
static bool
is_unmarked_address(const struct data_objects *objects, const struct code_image *image,
	const unsigned char *bytes, uint64_t address, uint64_t left, uint64_t *word)
{
	if (!objects->unmarked || address % POINTER_BYTES != 0 || left < POINTER_BYTES)
		return false;
	memcpy(word, bytes, sizeof(*word));
	return code_image_section(image, *word) != NULL;
}

static void
put_slot(const struct contents *contents, const struct code_slot *slot, struct buf *out)
{
	buf_putc(out, 'p');
	buf_put_u32(out, slot->type);
	if (slot->name && *slot->name) {
		meaning_put_text(out, 'n', slot->name, strlen(slot->name));
		buf_put_u64(out, (uint64_t)slot->addend);
	} else {
		put_address(contents, (uint64_t)slot->addend, 1, out);
	}
}

static void
put_contents(const struct contents *contents, const struct data_object *object, struct buf *out)
{
	const struct code_image *image = contents->meaning->image;
	const unsigned char *bytes =
		code_section_bytes(object->section, object->address, object->size);
	const uint64_t end = object->address + object->size;
	size_t slot = search_before(
		image->slots, image->nslots, SEARCH_BY(struct code_slot, address), object->address);
	uint64_t word = 0;

	for (uint64_t at = object->address; at < end;) {
		if (slot < image->nslots && image->slots[slot].address == at) {
			put_slot(contents, &image->slots[slot++], out);
			at += POINTER_BYTES;
		} else if (bytes && is_unmarked_address(contents->objects, image,
					    bytes + (at - object->address), at, end - at, &word)) {
			put_address(contents, word, 1, out);
			at += POINTER_BYTES;
		} else if (bytes) {
			buf_putc(out, (char)bytes[at - object->address]);
			at++;
		} else {
			const bool more = slot < image->nslots && image->slots[slot].address < end;

			at = more ? image->slots[slot].address : end;
		}
		while (slot < image->nslots && image->slots[slot].address < at)
			slot++;
	}
}

static void
hash_objects(struct data_objects *objects, struct code_meaning *meaning)
{
	const struct contents contents = {.objects = objects, .meaning = meaning};
	struct buf text = {0};

	for (size_t i = 0; i < objects->count; i++) {
		struct data_object *object = &objects->objects[i];

		buf_clear(&text);
		/* What is between zeros depends on what is beside them. */
		if (!object->gap || object->section->bytes) {
			put_name(object, &text);
			put_contents(&contents, object, &text);
		}
		object->hash = code_hash(text.data, text.len);
	}
	buf_release(&text);
}

/* Whether the file has relocations that are marked by a bit each, which are not read. */
static bool
has_packed_relocations(const struct code_image *image)
{
	GElf_Shdr header;

	return elf_image_section(&image->file, NULL, SHT_RELR, &header) != NULL;
}

static int
compare_names(const void *a, const void *b)
{
	const struct data_object *const *one = a;
	const struct data_object *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

static void
index_names(struct data_objects *objects)
{
	objects->by_name = mem_zalloc(objects->count + 1, sizeof(struct data_object *));
	for (size_t i = 0; i < objects->count; i++)
		if (!objects->objects[i].gap)
			objects->by_name[objects->nnamed++] = &objects->objects[i];
	qsort(objects->by_name, objects->nnamed, sizeof(struct data_object *), compare_names);
}

bool
data_objects_read(struct data_objects *objects, struct code_meaning *meaning)
{
	struct code_image *image = meaning->image;
	struct elf_symbols symbols;
	GElf_Sym sym;

	*objects = (struct data_objects){.unmarked = image->fixed || has_packed_relocations(image)};
	elf_symbols_begin(&symbols, &image->file, SHT_SYMTAB);
	if (!symbols.data)
		return false;
	while (elf_symbols_next(&symbols, &sym))
		add_symbol(objects, image, &sym, elf_symbols_name(&symbols, &sym));
	/* The first look-up reads them all. */
	code_image_slot(image, 0);
	sort_objects(objects);
	add_gaps(objects, image);
	index_names(objects);
	hash_objects(objects, meaning);
	return true;
}

void
data_objects_release(struct data_objects *objects)
{
	free(objects->objects);
	free(objects->by_name);
	*objects = (struct data_objects){0};
}

struct data_object *
data_objects_find(const struct data_objects *objects, uint64_t address)
{
	const size_t until = search_until(
		objects->objects, objects->count, SEARCH_BY(struct data_object, address), address);
	struct data_object *object = until > 0 ? &objects->objects[until - 1] : NULL;

	return object && address - object->address < object->size ? object : NULL;
}

struct data_object *
data_objects_named(const struct data_objects *objects, const char *name)
{
	size_t from = 0;
	size_t until = objects->nnamed;

	while (from < until) {
		const size_t middle = from + (until - from) / 2;
		const int order = strcmp(objects->by_name[middle]->name, name);

		if (order == 0)
			return objects->by_name[middle];
		if (order < 0)
			from = middle + 1;
		else
			until = middle;
	}
	return NULL;
}

void
data_objects_visit(const struct data_objects *objects, struct code_image *image,
	const struct data_object *object, void (*visit)(void *context, uint64_t address),
	void *context)
{
	const unsigned char *bytes =
		code_section_bytes(object->section, object->address, object->size);
	const uint64_t end = object->address + object->size;
	size_t slot = search_before(
		image->slots, image->nslots, SEARCH_BY(struct code_slot, address), object->address);
	uint64_t word = 0;

	for (; slot < image->nslots && image->slots[slot].address < end; slot++) {
		const struct code_slot *at = &image->slots[slot];
		const struct data_object *named =
			at->name && *at->name ? data_objects_named(objects, at->name) : NULL;

		if (!at->name || !*at->name)
			visit(context, (uint64_t)at->addend);
		else if (named)
			visit(context, named->address + (uint64_t)at->addend);
	}
	for (uint64_t at = (object->address + POINTER_BYTES - 1) / POINTER_BYTES * POINTER_BYTES;
		objects->unmarked && bytes && at < end; at += POINTER_BYTES)
		if (is_unmarked_address(
			    objects, image, bytes + (at - object->address), at, end - at, &word))
			visit(context, word);
}

bool
data_object_is_state(const struct data_object *object)
{
	static const char *const constant[] = {".data.rel.ro", ".got", ".init_array", ".fini_array",
		".dynamic", ".tm_clone_table"};

	for (size_t i = 0; i < sizeof(constant) / sizeof(constant[0]); i++)
		if (text_begins(object->section->name, constant[i]))
			return false;
	return object->section->writable;
}
