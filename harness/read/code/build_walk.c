/* From functions of a build to all that their machine code refers to. */
#include "base/mem.h"
#include "base/text.h"
#include "code/build_changes_internal.h"

#include <stdlib.h>
#include <string.h>

/* Slots lead to slots no deeper than this. */
#define SLOT_DEPTH 4

void
walk_init(struct walk *walk, const struct build_changes *changes, size_t which,
	const struct build_use *use,
	bool (*follows)(const struct walk *walk, size_t function, bool called))
{
	const struct build_side_code *side = &changes->sides[which];

	*walk = (struct walk){
		.changes = changes,
		.side = side,
		.entered = mem_zalloc(side->nfunctions + 1, sizeof(bool)),
		.taken = mem_zalloc(side->nfunctions + 1, sizeof(bool)),
		.objects = mem_zalloc(side->objects.count + 1, sizeof(bool)),
		.queue = mem_zalloc(side->nfunctions + side->objects.count + 1, sizeof(size_t)),
		.follows = follows,
		.use = use,
	};
}

void
walk_release(struct walk *walk)
{
	free(walk->entered);
	free(walk->taken);
	free(walk->objects);
	free(walk->queue);
}

void
walk_enter(struct walk *walk, size_t function)
{
	if (walk->entered[function])
		return;
	walk->entered[function] = true;
	walk->queue[walk->nqueue++] = function;
}

static void
refer_to_function(struct walk *walk, size_t function, bool called)
{
	if (!called)
		walk->taken[function] = true;
	if (!walk->entered[function] && walk->follows(walk, function, called))
		walk_enter(walk, function);
}

/*
 * Functions of libraries, by the linker's names, that set nothing beyond what they are handed:
 * memory, texts, the C++ library's classes, and what compilers call by themselves.
 */
static bool
sets_nothing(const char *name)
{
	static const char *const begins[] = {"_Zn", "_Zd", "__cxa_", "_ZNSt", "_ZNKSt", "_ZSt",
		"_ZNKRSt", "_ZNSo", "_ZNSi", "_ZNSa", "_ZNSs", "_ZTI", "_ZTV", "_ZTS", "_Unwind_",
		"__gxx_", "_ITM_", "__stack_chk", "__mem", "__str", "__assert", "_ZN9benchmark",
		"_ZNK9benchmark", "_ZTVN9benchmark", "pthread_mutex_"};
	static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "memchr",
		"strlen", "strcmp", "strncmp", "strchr", "strrchr", "strcpy", "strncpy", "malloc",
		"calloc", "realloc", "free", "abort", "__libc_start_main", "__gmon_start__",
		"pthread_once", "__tls_get_addr", NULL};
	static const char *const except[] = {"_ZNSt6locale6global", "_ZNSt8ios_base15sync_with",
		"strtok", "_ZSt13set_terminate", "_ZSt15set_new_handler"};
	bool found = false;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]) && !found; i++)
		found = text_begins(name, begins[i]);
	for (size_t i = 0; names[i] && !found; i++)
		found = strcmp(name, names[i]) == 0;
	for (size_t i = 0; i < sizeof(except) / sizeof(except[0]) && found; i++)
		found = !text_begins(name, except[i]);
	return found;
}

static void
refer_to_external(struct walk *walk, const char *name)
{
	if (!walk->external && !sets_nothing(name))
		walk->external = name;
}

static void
refer_to_object(struct walk *walk, uint64_t address)
{
	const struct data_object *object = data_objects_find(&walk->side->objects, address);

	if (!object)
		return;
	const size_t index = (size_t)(object - walk->side->objects.objects);

	if (walk->objects[index])
		return;
	walk->objects[index] = true;
	walk->queue[walk->nqueue++] = walk->side->nfunctions + index;
}

static void refer(struct walk *walk, uint64_t address, bool called, unsigned depth);

/* Where the dynamic linker puts an address: that of a function or an object, here or elsewhere. */
static void
refer_to_slot(struct walk *walk, const struct code_slot *slot, bool called, unsigned depth)
{
	const struct build_side_code *side = walk->side;
	const bool named = slot->name && *slot->name;
	const struct data_object *object =
		named ? data_objects_named(&side->objects, slot->name) : NULL;

	if (object)
		refer_to_object(walk, object->address);
	else if (named)
		refer_to_external(walk, slot->name);
	else
		refer(walk, (uint64_t)slot->addend, called, depth + 1);
}

static void
refer_to_stub(
	struct walk *walk, const struct code_section *section, uint64_t address, unsigned depth)
{
	struct code_image *image = (struct code_image *)&walk->side->inventory.image;
	const uint64_t left = section->size - (address - section->address);
	const unsigned char *code = code_section_bytes(section, address, left);
	const uint64_t at =
		code ? walk->side->inventory.arch->stub_slot(code, (size_t)left, address) : 0;
	const struct code_slot *slot = at ? code_image_slot(image, at) : NULL;

	if (slot)
		refer_to_slot(walk, slot, true, depth);
	else if (!walk->external)
		walk->external = "a stub";
}

static void
refer(struct walk *walk, uint64_t address, bool called, unsigned depth)
{
	const struct build_side_code *side = walk->side;
	struct code_image *image = (struct code_image *)&side->inventory.image;
	const struct code_section *section = code_image_section(image, address);

	if (!section || depth > SLOT_DEPTH)
		return;
	if (section->stubs) {
		refer_to_stub(walk, section, address, depth);
	} else if (section->code) {
		const size_t function = side_function_at(side, address);

		if (function != SIZE_MAX)
			refer_to_function(walk, function, called);
	} else if (section->slots) {
		const struct code_slot *slot = code_image_slot(image, address);
		const unsigned char *bytes = code_section_bytes(section, address, sizeof(uint64_t));
		uint64_t word = 0;

		if (slot) {
			refer_to_slot(walk, slot, called, depth);
		} else if (bytes) {
			memcpy(&word, bytes, sizeof(word));
			refer(walk, word, called, depth + 1);
		}
	} else {
		refer_to_object(walk, address);
	}
}

static void
visit_word(void *context, uint64_t address)
{
	refer(context, address, false, 0);
}

void
walk_on(struct walk *walk)
{
	const struct build_side_code *side = walk->side;
	struct code_image *image = (struct code_image *)&side->inventory.image;

	for (size_t at = 0; at < walk->nqueue; at++) {
		const size_t item = walk->queue[at];

		if (item >= side->nfunctions) {
			data_objects_visit(&side->objects, image,
				&side->objects.objects[item - side->nfunctions], visit_word, walk);
			continue;
		}
		const struct side_function *function = &side->functions[item];

		for (size_t i = 0; i < function->count; i++) {
			const struct code_reference *reference =
				&side->references[function->first + i];

			if (reference->address - function->address >= function->size)
				refer(walk, reference->address, reference->kind == CODE_BRANCH, 0);
		}
	}
}
