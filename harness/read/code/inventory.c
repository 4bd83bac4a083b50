#include "code/inventory.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* No function of a compiler is larger; symbols of damaged files are. */
#define FUNCTION_BYTES_MAX (UINT32_C(1) << 28)
#define RAW_SALT UINT64_C(0x7261770000000001)

/* A frame's name of the symbol, folded. */
static str_id
name_of(struct code_inventory *inventory, struct symtab_entry *entry)
{
	struct code_meaning *meaning = &inventory->meaning;
	const char *name = symtab_name(&inventory->image.tab, entry);
	size_t len = strlen(name);

	if (meaning->fold && meaning->fold(name, len, &meaning->folded))
		return strtab_intern(
			&inventory->names, buf_text(&meaning->folded), meaning->folded.len);
	return strtab_intern(&inventory->names, name, len);
}

static void
add_function(struct code_inventory *inventory, struct symtab_entry *entry, size_t *capacity)
{
	const struct code_section *section;
	uint64_t address;
	uint64_t size = entry->end - entry->start;
	uint64_t left;

	if (!elf_image_address(&inventory->image.file, entry->start, &address))
		return;
	section = code_image_section(&inventory->image, address);
	if (!section || !section->code || !section->bytes)
		return;
	left = section->size - (address - section->address);
	size = size < left ? size : left;
	if (size == 0 || size > FUNCTION_BYTES_MAX)
		return;
	inventory->functions = mem_grow(inventory->functions, capacity, inventory->nfunctions + 1,
		sizeof(*inventory->functions));

	inventory->functions[inventory->nfunctions++] = (struct code_function){
		.name = name_of(inventory, entry),
		.address = address,
		.size = size,
		.stub = section->stubs,
	};
}

static int
compare_functions(const void *a, const void *b)
{
	const struct code_function *one = a;
	const struct code_function *other = b;

	if (one->name != other->name)
		return one->name < other->name ? -1 : 1;
	return (one->address > other->address) - (one->address < other->address);
}

static void
read_functions(struct code_inventory *inventory)
{
	size_t capacity = 0;
	size_t at = 0;

	for (size_t i = 0; i < inventory->image.tab.count; i++)
		add_function(inventory, &inventory->image.tab.entries[i], &capacity);
	if (inventory->nfunctions > 0)
		qsort(inventory->functions, inventory->nfunctions, sizeof(*inventory->functions),
			compare_functions);
	inventory->first = mem_zalloc(inventory->names.nentries + 1, sizeof(*inventory->first));
	for (size_t name = 0; name <= inventory->names.nentries; name++) {
		while (at < inventory->nfunctions && inventory->functions[at].name < name)
			at++;
		inventory->first[name] = at;
	}
}

int
code_inventory_open(
	struct code_inventory *inventory, const char *path, code_fold *fold, struct err *err)
{
	*inventory = (struct code_inventory){0};
	if (code_image_open(&inventory->image, path, err) < 0)
		return -1;
	strtab_init(&inventory->names);
	inventory->arch = code_arch_find(inventory->image.machine);
	inventory->decoder = inventory->arch->open ? inventory->arch->open() : NULL;
	code_meaning_init(
		&inventory->meaning, &inventory->image, inventory->arch, inventory->decoder, fold);
	read_functions(inventory);
	return 0;
}

void
code_inventory_close(struct code_inventory *inventory)
{
	if (inventory->arch) {
		code_meaning_release(&inventory->meaning);
		if (inventory->arch->close)
			inventory->arch->close(inventory->decoder);
		code_body_release(&inventory->body);
		strtab_release(&inventory->names);
		code_image_close(&inventory->image);
	}
	free(inventory->functions);
	free(inventory->first);
	*inventory = (struct code_inventory){0};
}

struct code_function *
code_inventory_find(const struct code_inventory *inventory, const char *name, size_t *count)
{
	str_id id = strtab_find(&inventory->names, name, strlen(name));

	*count = 0;
	if (id == 0)
		return NULL;
	*count = inventory->first[id + 1] - inventory->first[id];
	return *count > 0 ? &inventory->functions[inventory->first[id]] : NULL;
}

/* The text of the body followed by the meanings of its references; *read: these are all known. */
static bool
understand(struct code_inventory *inventory, bool *read)
{
	struct code_body *body = &inventory->body;

	if (inventory->arch->open && !inventory->decoder)
		return false;
	if (!inventory->arch->read(inventory->decoder, &inventory->image, body))
		return false;
	*read = true;
	for (size_t i = 0; i < body->nreferences; i++)
		if (!code_meaning_put(&inventory->meaning, body, i, &body->text))
			return false;
	return true;
}

uint64_t
code_inventory_hash(struct code_inventory *inventory, struct code_function *function)
{
	struct code_body *body = &inventory->body;
	const struct code_section *section;
	const unsigned char *bytes;

	if (function->known)
		return function->hash;
	section = code_image_section(&inventory->image, function->address);
	bytes = code_section_bytes(section, function->address, function->size);
	code_body_begin(body, bytes, function->address, (uint32_t)function->size);
	function->known = true;
	/*
	 * A stub is identified by its name, that of the function it leads to; the linker makes the
	 * rest.
	 */
	if (function->stub)
		function->hash = 1;
	else if (understand(inventory, &function->read))
		function->hash = code_hash(body->text.data, body->text.len);
	else
		function->hash = code_hash(bytes, function->size) ^ RAW_SALT;
	return function->hash;
}

bool
code_inventory_reads(const struct code_inventory *inventory)
{
	return !inventory->arch->open || inventory->decoder;
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a;
	uint64_t other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

struct code_known
code_inventory_known(struct code_inventory *inventory, const char *name)
{
	size_t count;
	struct code_function *functions = code_inventory_find(inventory, name, &count);
	struct code_known known = {.complete = inventory->image.complete};

	if (!functions)
		return known;
	uint64_t *hashes = mem_zalloc(count, sizeof(*hashes));

	for (size_t i = 0; i < count; i++)
		hashes[i] = code_inventory_hash(inventory, &functions[i]);
	qsort(hashes, count, sizeof(*hashes), compare_hashes);
	known.found = true;
	known.hash = code_hash(hashes, count * sizeof(*hashes)) >> (64 - CODE_KNOWN_BITS);
	free(hashes);
	return known;
}

enum code_change
code_change_of(struct code_known before, struct code_known after)
{
	if (!before.found && !after.found)
		return CODE_CHANGE_UNKNOWN;
	if (!before.found)
		return before.complete ? CODE_CHANGE_ADDED : CODE_CHANGE_UNKNOWN;
	if (!after.found)
		return after.complete ? CODE_CHANGE_REMOVED : CODE_CHANGE_UNKNOWN;
	return before.hash == after.hash ? CODE_CHANGE_NONE : CODE_CHANGE_DIFFERS;
}

enum code_change
code_compare(struct code_inventory *before, struct code_inventory *after, const char *name)
{
	return code_change_of(
		code_inventory_known(before, name), code_inventory_known(after, name));
}
