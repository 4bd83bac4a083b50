#include "code/build_changes.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "code/build_changes_internal.h"
#include "code/constant_text.h"
#include "elf/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a constant without a symbol that the hash of a function has. */
#define CONSTANT_HASHED 256

/* Code of a program, which is read in a second for 10 MB. */
#define CODE_BYTES_MAX (UINT64_C(512) << 20)
/* Functions may be parts of others. */
#define OVERLAP_MAX 2

/*
 * Reading a build.
 */

/* Finds where functions begin, by their symbols. */
static void
read_marks(struct build_side_code *side)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, &side->inventory.image.file, SHT_SYMTAB);
	while (elf_symbols_next(&symbols, &sym)) {
		const unsigned type = GELF_ST_TYPE(sym.st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		side->marked = mem_grow(side->marked, &side->marked_capacity, side->nmarked + 1,
			sizeof(*side->marked));
		side->marked[side->nmarked++] = sym.st_value;
	}
	if (side->nmarked > 0)
		qsort(side->marked, side->nmarked, sizeof(*side->marked), sort_address_order);
}

static bool
is_marked(const struct build_side_code *side, uint64_t address)
{
	const size_t at =
		search_before(side->marked, side->nmarked, SEARCH_BY_VALUE(uint64_t), address);

	return at < side->nmarked && side->marked[at] == address;
}

/* Reads the code of a function: its hash, which the inventory keeps, and its references. */
static void
read_function(struct build_side_code *side, struct code_function *from, struct side_function *to)
{
	struct code_inventory *inventory = &side->inventory;
	const struct code_body *body = &inventory->body;

	*to = (struct side_function){
		.hash = code_inventory_hash(inventory, from),
		.address = from->address,
		.size = from->size,
		.name = strtab_str(&inventory->names, from->name),
		.stub = from->stub,
		.read = from->read || from->stub,
		.first = side->nreferences,
	};
	if (from->stub || !from->read)
		return;
	to->count = body->nreferences;
	side->references = mem_grow(side->references, &side->capacity,
		side->nreferences + to->count + 1, sizeof(*side->references));
	if (to->count > 0)
		memcpy(side->references + side->nreferences, body->references,
			to->count * sizeof(*side->references));
	side->nreferences += to->count;
}

/* Whether the code of all functions is as long as a program may have it, and its symbols no damage.
 */
static bool
is_bounded(const struct code_inventory *inventory)
{
	uint64_t code = 0;
	uint64_t functions = 0;

	for (size_t i = 0; i < inventory->image.nsections; i++)
		if (inventory->image.sections[i].code)
			code += inventory->image.sections[i].size;
	for (size_t i = 0; i < inventory->nfunctions; i++)
		functions += inventory->functions[i].size;
	return code <= CODE_BYTES_MAX && functions <= OVERLAP_MAX * code;
}

/* Whether bytes are only what assemblers and linkers align code with. */
static bool
is_alignment(const unsigned char *bytes, uint64_t len)
{
	static const unsigned char used[] = {
		0x00, 0x0f, 0x1f, 0x2e, 0x40, 0x44, 0x66, 0x80, 0x84, 0x90, 0xcc};

	for (uint64_t i = 0; i < len; i++)
		if (!memchr(used, bytes[i], sizeof(used)))
			return false;
	return true;
}

/* Whether all code of a section is in functions that have a symbol. */
static bool
is_all_named(const struct build_side_code *side, const struct code_section *section)
{
	const uint64_t end = section->address + section->size;
	uint64_t at = section->address;

	for (size_t i = 0; i < side->nfunctions; i++) {
		const struct side_function *function = &side->functions[i];

		if (function->address + function->size <= at || function->address >= end)
			continue;
		if (function->address > at &&
			!is_alignment(
				section->bytes + (at - section->address), function->address - at))
			return false;
		at = function->address + function->size;
	}
	return at >= end || is_alignment(section->bytes + (at - section->address), end - at);
}

static bool
has_nameless_code(const struct build_side_code *side)
{
	const struct code_image *image = &side->inventory.image;
	bool all = true;

	for (size_t i = 0; i < image->nsections && all; i++)
		all = !image->sections[i].code || image->sections[i].stubs ||
		      !image->sections[i].bytes || is_all_named(side, &image->sections[i]);
	return !all;
}

static int
read_side(struct build_side_code *side, const struct build_program *program, code_fold *fold,
	struct err *err)
{
	struct code_inventory *inventory = &side->inventory;

	if (code_inventory_open(inventory, program->path, fold, err) < 0)
		return -1;
	inventory->meaning.folder = program->folder;
	if (inventory->image.machine != EM_X86_64 || !code_inventory_reads(inventory))
		return err_set(err, ERR_INPUT,
			"machine code is compared by function on x86-64 only, with capstone");
	if (inventory->meaning.go)
		return err_set(err, ERR_INPUT, "what a program of Go calls is not known");
	if (!inventory->image.complete || !data_objects_read(&side->objects, &inventory->meaning))
		return err_set(err, ERR_INPUT, "the program has no table of symbols");
	if (!is_bounded(inventory))
		return err_set(err, ERR_INPUT, "the program is too large to be compared");
	read_marks(side);
	side->functions = mem_zalloc(inventory->nfunctions + 1, sizeof(*side->functions));
	for (size_t i = 0; i < inventory->nfunctions; i++)
		read_function(side, &inventory->functions[i], &side->functions[side->nfunctions++]);
	if (side->nfunctions > 0)
		qsort(side->functions, side->nfunctions, sizeof(*side->functions),
			sort_address_order);
	return has_nameless_code(side)
		       ? err_set(err, ERR_INPUT, "some code of the program has no symbol")
		       : 0;
}

/* Gives the functions of a side the names by which both are compared. */
static void
name_functions(struct build_side_code *side, struct strtab *keys)
{
	struct code_meaning *meaning = &side->inventory.meaning;
	struct code_symbol symbol;

	for (size_t i = 0; i < side->nfunctions; i++) {
		struct side_function *function = &side->functions[i];

		function->linker =
			code_image_symbol(&side->inventory.image, function->address, &symbol)
				? symbol.name
				: function->name;
		const size_t len = strlen(function->linker);

		function->key =
			meaning->fold && meaning->fold(function->linker, len, &meaning->folded)
				? strtab_intern(
					  keys, buf_text(&meaning->folded), meaning->folded.len)
				: strtab_intern(keys, function->linker, len);
	}
}

static void
release_side(struct build_side_code *side)
{
	data_objects_release(&side->objects);
	code_inventory_close(&side->inventory);
	free(side->functions);
	free(side->references);
	free(side->referred);
	free(side->marked);
}

size_t
side_function_at(const struct build_side_code *side, uint64_t address)
{
	const size_t until = search_until(side->functions, side->nfunctions,
		SEARCH_BY(struct side_function, address), address);

	if (until == 0 ||
		address - side->functions[until - 1].address >= side->functions[until - 1].size)
		return SIZE_MAX;
	return until - 1;
}

/*
 * Comparing both.
 */

/* Where constants begin that code refers to, rising. */
static void
read_referred(struct build_side_code *side)
{
	side->referred = mem_zalloc(side->nreferences + 1, sizeof(*side->referred));
	for (size_t i = 0; i < side->nreferences; i++)
		if (side->references[i].kind != CODE_BRANCH)
			side->referred[side->nreferred++] = side->references[i].address;
	if (side->nreferred > 0)
		qsort(side->referred, side->nreferred, sizeof(*side->referred), sort_address_order);
}

/* Whether a table of jumps of the function begins there. */
static bool
is_jump_table(const struct side_function *function, const unsigned char *bytes, uint64_t address)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return address + (uint64_t)(int64_t)distance - function->address < function->size;
}

/*
 * A constant without a symbol that code refers to, and that is no text and no table of jumps; *len
 * is its length at most: up to what is next referred to or has a symbol. NULL: it is none.
 */
static const unsigned char *
find_constant(const struct build_side_code *side, const struct side_function *function,
	const struct code_reference *reference, uint64_t *len)
{
	const uint64_t address = reference->address;
	const struct code_section *section = code_image_section(&side->inventory.image, address);

	if (reference->kind != CODE_ADDRESS || !section || section->code || section->writable ||
		section->slots || data_objects_find(&side->objects, address))
		return NULL;
	const size_t next =
		search_until(side->referred, side->nreferred, SEARCH_BY_VALUE(uint64_t), address);
	const size_t object = search_until(side->objects.objects, side->objects.count,
		SEARCH_BY(struct data_object, address), address);
	uint64_t end = section->address + section->size;

	if (next < side->nreferred && side->referred[next] < end)
		end = side->referred[next];
	if (object < side->objects.count && side->objects.objects[object].address < end)
		end = side->objects.objects[object].address;
	*len = end - address;
	const unsigned char *bytes = code_section_bytes(section, address, *len);
	size_t text;

	return bytes && *len > CONSTANT_HASHED && !is_jump_table(function, bytes, address) &&
			       !code_is_text(bytes, (size_t)*len, address,
				       (size_t)(address - section->address), &text)
		       ? bytes
		       : NULL;
}

/* Whether constants differ behind what the hashes of two equal functions have of them. */
static bool
same_constants(const struct build_changes *changes, const struct side_function *before,
	const struct side_function *after)
{
	const struct build_side_code *sides = changes->sides;
	bool same = before->count == after->count;

	for (size_t i = 0; i < after->count && same; i++) {
		uint64_t len[BUILD_SIDES];
		const unsigned char *one = find_constant(&sides[BUILD_BEFORE], before,
			&sides[BUILD_BEFORE].references[before->first + i], &len[0]);
		const unsigned char *other = find_constant(&sides[BUILD_AFTER], after,
			&sides[BUILD_AFTER].references[after->first + i], &len[1]);

		if (one && other)
			same = memcmp(one, other, (size_t)(len[0] < len[1] ? len[0] : len[1])) == 0;
	}
	return same;
}

/* A function or an object of one build. */
struct item {
	str_id key; /* of its name */
	uint64_t hash;
	const struct side_function *function; /* NULL: an object */
	bool *changed;
};

/* Those of one build, by key and hash. */
struct items {
	struct item *items;
	size_t count;
};

static int
compare_items(const void *a, const void *b)
{
	const struct item *one = a;
	const struct item *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return (one->hash > other->hash) - (one->hash < other->hash);
}

static void
sort_items(struct items *items)
{
	if (items->count > 0)
		qsort(items->items, items->count, sizeof(*items->items), compare_items);
}

/* The functions of a side; stubs are the linker's. */
static struct items
list_function_items(struct build_side_code *side)
{
	struct items list = {.items = mem_zalloc(side->nfunctions + 1, sizeof(*list.items))};

	for (size_t i = 0; i < side->nfunctions; i++) {
		struct side_function *function = &side->functions[i];

		if (!function->stub)
			list.items[list.count++] = (struct item){.key = function->key,
				.hash = function->hash,
				.function = function,
				.changed = &function->changed};
	}
	sort_items(&list);
	return list;
}

static struct items
list_object_items(struct build_side_code *side, struct strtab *keys)
{
	const struct data_objects *objects = &side->objects;
	struct items list = {.items = mem_zalloc(objects->count + 1, sizeof(*list.items))};

	for (size_t i = 0; i < objects->count; i++) {
		struct data_object *object = &objects->objects[i];

		list.items[list.count++] =
			(struct item){.key = strtab_intern(keys, object->name, object->name_len),
				.hash = object->hash,
				.changed = &object->changed};
	}
	sort_items(&list);
	return list;
}

/* How many of them from `at` on have this key. */
static size_t
count_key(const struct items *items, size_t at, str_id key)
{
	size_t until = at;

	while (until < items->count && items->items[until].key == key)
		until++;
	return until - at;
}

/* Whether the items of a name, in order of their hashes, are those of the other build. */
static bool
same_items(const struct build_changes *changes, const struct item *before, size_t nbefore,
	const struct item *after, size_t nafter)
{
	bool same = nbefore == nafter;

	for (size_t i = 0; i < nbefore && same; i++)
		same = before[i].hash == after[i].hash &&
		       (!before[i].function ||
			       same_constants(changes, before[i].function, after[i].function));
	return same;
}

/*
 * Marks the items of both builds that changed: those of a name together, as are the parts that the
 * compiler split off, versions for some callers, and static functions of several files. Returns the
 * number of names; the lists are freed.
 */
static size_t
mark_items(const struct build_changes *changes, struct items lists[BUILD_SIDES])
{
	size_t at[BUILD_SIDES] = {0, 0};
	size_t nchanged = 0;

	while (at[0] < lists[0].count || at[1] < lists[1].count) {
		const struct item *first[BUILD_SIDES];
		str_id key = UINT32_MAX;
		size_t n[BUILD_SIDES];

		for (size_t side = 0; side < BUILD_SIDES; side++) {
			first[side] = lists[side].items + at[side];
			if (at[side] < lists[side].count && first[side]->key < key)
				key = first[side]->key;
		}
		for (size_t side = 0; side < BUILD_SIDES; side++)
			n[side] = count_key(&lists[side], at[side], key);
		const bool same = same_items(changes, first[0], n[0], first[1], n[1]);

		nchanged += !same;
		for (size_t side = 0; side < BUILD_SIDES; side++) {
			for (size_t i = 0; i < n[side] && !same; i++)
				*first[side][i].changed = true;
			at[side] += n[side];
		}
	}
	for (size_t side = 0; side < BUILD_SIDES; side++)
		free(lists[side].items);
	return nchanged;
}

static void
mark_changes(struct build_changes *changes)
{
	struct build_side_code *before = &changes->sides[BUILD_BEFORE];
	struct build_side_code *after = &changes->sides[BUILD_AFTER];
	struct items functions[BUILD_SIDES] = {
		list_function_items(before), list_function_items(after)};
	struct items objects[BUILD_SIDES] = {list_object_items(before, &changes->keys),
		list_object_items(after, &changes->keys)};

	changes->nchanged = mark_items(changes, functions);
	changes->nobjects_changed = mark_items(changes, objects);
}

static void
list_functions(struct build_changes *changes)
{
	const struct build_side_code *side = &changes->sides[BUILD_AFTER];

	changes->functions = mem_zalloc(side->nfunctions + 1, sizeof(*changes->functions));
	for (size_t i = 0; i < side->nfunctions; i++) {
		const struct side_function *function = &side->functions[i];
		struct build_function *to = &changes->functions[i];
		const bool in_file = elf_image_offset(
			&side->inventory.image.file, function->address, &to->offset);

		to->linker = function->linker;
		to->changed = function->changed;
		to->marked = in_file && !function->stub && is_marked(side, function->address);
	}
}

struct build_changes *
build_changes_open(const struct build_program *before, const struct build_program *after,
	code_fold *fold, struct err *err)
{
	const struct build_program *const programs[BUILD_SIDES] = {before, after};
	struct build_changes *changes = mem_zalloc(1, sizeof(*changes));

	strtab_init(&changes->keys);
	for (size_t side = 0; side < BUILD_SIDES; side++) {
		if (read_side(&changes->sides[side], programs[side], fold, err) < 0) {
			build_changes_close(changes);
			return NULL;
		}
		name_functions(&changes->sides[side], &changes->keys);
		read_referred(&changes->sides[side]);
	}
	mark_changes(changes);
	list_functions(changes);
	return changes;
}

void
build_changes_close(struct build_changes *changes)
{
	if (!changes)
		return;
	for (size_t side = 0; side < BUILD_SIDES; side++)
		release_side(&changes->sides[side]);
	strtab_release(&changes->keys);
	free(changes->functions);
	free(changes);
}

const struct build_function *
build_changes_functions(const struct build_changes *changes, size_t *count)
{
	*count = changes->sides[BUILD_AFTER].nfunctions;
	return changes->functions;
}

size_t
build_changes_count(const struct build_changes *changes, size_t *nobjects)
{
	*nobjects = changes->nobjects_changed;
	return changes->nchanged;
}

#define NAMES_MOST 12

/* Appends a name, unless it is that of before or there are enough. */
static void
put_name(const char *name, const char **last, size_t *count, struct buf *out)
{
	if (*last && strcmp(name, *last) == 0)
		return;
	if ((*count)++ < NAMES_MOST)
		buf_printf(out, "%s%s", *last ? ", " : "", name);
	*last = name;
}

void
build_changes_put(const struct build_changes *changes, struct buf *out)
{
	const char *last = NULL;
	size_t count = 0;

	const struct build_side_code *after = &changes->sides[BUILD_AFTER];

	for (size_t i = 0; i < after->nfunctions; i++)
		if (after->functions[i].changed)
			put_name(after->functions[i].name, &last, &count, out);
	for (size_t i = 0; i < after->objects.count; i++)
		if (after->objects.objects[i].changed)
			put_name(after->objects.objects[i].name, &last, &count, out);
	if (count > NAMES_MOST)
		buf_printf(out, " and %zu more", count - NAMES_MOST);
}
