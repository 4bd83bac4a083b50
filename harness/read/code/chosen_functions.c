#include "code/chosen_functions.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "code/body.h"
#include "code/image.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

/* No resolver is larger, nor has a file more of them. */
#define RESOLVER_BYTES_MAX 65536
#define RESOLVERS_MAX 4096

/* A function that is chosen, by one of its names. */
struct chosen {
	const char *name;
	uint64_t resolver;
	uint64_t size;
};

/* A resolver can choose the function at `address`. */
struct option {
	uint64_t address;
	uint32_t chosen; /* of those that share an option, at last the first by name */
};

struct choices {
	struct code_image image;
	struct chosen *chosen; /* by name */
	size_t nchosen;
	size_t chosen_capacity;
	struct option *options;
	size_t noptions;
	size_t options_capacity;
	struct arena arena;
};

static void
add_symbols(struct choices *choices, const struct elf_image *file, uint32_t type)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, file, type);
	while (elf_symbols_next(&symbols, &sym) && choices->nchosen < RESOLVERS_MAX) {
		const char *name = elf_symbols_name(&symbols, &sym);

		if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || sym.st_shndx == SHN_UNDEF ||
			sym.st_size == 0 || sym.st_size > RESOLVER_BYTES_MAX || !name)
			continue;
		choices->chosen = mem_grow(choices->chosen, &choices->chosen_capacity,
			choices->nchosen + 1, sizeof(*choices->chosen));
		char *demangled = demangle(name);

		choices->chosen[choices->nchosen++] = (struct chosen){
			.name = arena_strdup(&choices->arena, demangled ? demangled : name),
			.resolver = sym.st_value,
			.size = sym.st_size};
		free(demangled);
	}
}

/* Names without underscores ahead first: those are what a program calls. */
static int
compare_chosen(const void *a, const void *b)
{
	const char *one = ((const struct chosen *)a)->name;
	const char *other = ((const struct chosen *)b)->name;
	const size_t ahead = strspn(one, "_");
	const size_t other_ahead = strspn(other, "_");

	return ahead != other_ahead ? (ahead > other_ahead) - (ahead < other_ahead)
				    : strcmp(one, other);
}

static void
read_chosen(struct choices *choices, const char *path)
{
	const struct elf_image *file = &choices->image.file;
	struct elf_image debug;

	add_symbols(choices, file, SHT_DYNSYM);
	add_symbols(choices, file, SHT_SYMTAB);
	if (debug_file_open(&debug, file, "", path)) {
		add_symbols(choices, &debug, SHT_SYMTAB);
		elf_image_close(&debug);
	}
	if (choices->nchosen > 0)
		qsort(choices->chosen, choices->nchosen, sizeof(*choices->chosen), compare_chosen);
}

/* The symbol of the function that begins at `address`; NULL: none does. */
static struct symtab_entry *
function_at(struct choices *choices, uint64_t address)
{
	const struct code_section *section = code_image_section(&choices->image, address);
	uint64_t offset;

	if (!section || !section->code || section->stubs ||
		!elf_image_offset(&choices->image.file, address, &offset))
		return NULL;
	struct symtab_entry *entry = symtab_find(&choices->image.tab, offset);

	return entry && entry->start == offset ? entry : NULL;
}

/* The address that a resolver takes by this reference, or loads from a slot; 0: none. */
static uint64_t
taken_address(struct choices *choices, const struct code_reference *reference)
{
	if (reference->kind == CODE_ADDRESS)
		return reference->address;
	if (reference->kind != CODE_ACCESS)
		return 0;
	const struct code_slot *slot = code_image_slot(&choices->image, reference->address);

	return slot && !slot->name ? (uint64_t)slot->addend : 0;
}

static void
read_options(struct choices *choices, const struct code_arch *arch, void *decoder,
	struct code_body *body, size_t chosen)
{
	const struct chosen *of = &choices->chosen[chosen];
	const struct code_section *section = code_image_section(&choices->image, of->resolver);
	const unsigned char *bytes = section && section->code
					     ? code_section_bytes(section, of->resolver, of->size)
					     : NULL;

	if (!bytes)
		return;
	code_body_begin(body, bytes, of->resolver, (uint32_t)of->size);
	if (!arch->read(decoder, &choices->image, body))
		return;
	for (size_t i = 0; i < body->nreferences; i++) {
		const uint64_t address = taken_address(choices, &body->references[i]);

		/* Its own beginning, where it loops. */
		if (address == of->resolver || address == 0 || !function_at(choices, address))
			continue;
		choices->options = mem_grow(choices->options, &choices->options_capacity,
			choices->noptions + 1, sizeof(*choices->options));
		choices->options[choices->noptions++] =
			(struct option){.address = address, .chosen = (uint32_t)chosen};
	}
}

static int
compare_options(const void *a, const void *b)
{
	const struct option *one = a;
	const struct option *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return (one->chosen > other->chosen) - (one->chosen < other->chosen);
}

/* Whether it is another way to the function of the option before it. */
static bool
is_shared(const struct choices *choices, size_t option)
{
	return option > 0 &&
	       choices->options[option].address == choices->options[option - 1].address;
}

/* Functions that share an option, directly or through others, get the first of their names. */
static void
join(struct choices *choices)
{
	uint32_t *first = mem_zalloc(choices->nchosen, sizeof(*first));
	bool changed = choices->noptions > 0;

	if (changed)
		qsort(choices->options, choices->noptions, sizeof(*choices->options),
			compare_options);
	for (uint32_t i = 0; i < choices->nchosen; i++)
		first[i] = i;
	while (changed) {
		changed = false;
		for (size_t i = 1; i < choices->noptions; i++) {
			uint32_t *one = &first[choices->options[i - 1].chosen];
			uint32_t *other = &first[choices->options[i].chosen];

			if (!is_shared(choices, i) || *one == *other)
				continue;
			*one = *other = *one < *other ? *one : *other;
			changed = true;
		}
	}
	for (size_t i = 0; i < choices->noptions; i++)
		choices->options[i].chosen = first[choices->options[i].chosen];
	free(first);
}

/* False: the file chooses no functions, or its code cannot be read. Released in any case. */
static bool
choices_read(struct choices *choices, const char *path)
{
	struct err ignored = {0};
	struct code_body body = {0};

	*choices = (struct choices){0};
	if (code_image_open(&choices->image, path, &ignored) < 0)
		return false;
	read_chosen(choices, path);
	if (choices->nchosen == 0)
		return false;
	const struct code_arch *arch = code_arch_find(choices->image.machine);
	void *decoder = arch->open ? arch->open() : NULL;

	for (size_t i = 0; (decoder || !arch->open) && i < choices->nchosen; i++)
		read_options(choices, arch, decoder, &body, i);
	if (decoder)
		arch->close(decoder);
	code_body_release(&body);
	join(choices);
	return choices->noptions > 0;
}

static void
choices_release(struct choices *choices)
{
	code_image_close(&choices->image);
	free(choices->chosen);
	free(choices->options);
	arena_release(&choices->arena);
}

static const char *
name_of(struct choices *choices, const struct option *option)
{
	return symtab_name(&choices->image.tab, function_at(choices, option->address));
}

static void
put_choices(struct choices *choices, const struct profile *profile, const bool *sampled_names,
	struct buf *lines)
{
	bool *sampled = mem_zalloc(choices->nchosen, sizeof(*sampled));
	struct buf canonical = {0};

	for (size_t i = 0; i < choices->noptions; i++) {
		const char *name = name_of(choices, &choices->options[i]);

		if (sampled_names[strtab_find(&profile->strings, name, strlen(name))])
			sampled[choices->options[i].chosen] = true;
	}
	for (size_t i = 0; i < choices->noptions; i++) {
		const struct option *option = &choices->options[i];
		const char *name = name_of(choices, option);

		if (!sampled[option->chosen] || is_shared(choices, i) || strchr(name, '\n') ||
			strstr(name, VARIANT_OF) || canonical_name(name, strlen(name), &canonical))
			continue;
		const char *function = choices->chosen[option->chosen].name;

		canonical_name(function, strlen(function), &canonical);
		buf_printf(lines, "%s" VARIANT_OF "%s\n", name, buf_text(&canonical));
	}
	buf_release(&canonical);
	free(sampled);
}

void
chosen_functions_find(struct profile *profile)
{
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));
	bool *names = mem_zalloc(profile->strings.nentries + 1, sizeof(*names));
	struct buf lines = {0};

	for (frame_id id = 1; id < profile->frames.nframes; id++)
		names[profile->frames.frames[id].name] =
			names[profile->frames.frames[id].name] ||
			profile->frames.frames[id].kind == FRAME_USER;
	names[0] = false; /* a name that no frame has */
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const char *path = strtab_str(&profile->strings, frame->module);
		struct choices choices;

		if (frame->kind == FRAME_KERNEL || path[0] != '/' || seen[frame->module])
			continue;
		seen[frame->module] = true;
		if (choices_read(&choices, path))
			put_choices(&choices, profile, names, &lines);
		choices_release(&choices);
	}
	profile->variants = strtab_intern(&profile->strings, buf_text(&lines), lines.len);
	buf_release(&lines);
	free(names);
	free(seen);
}
