#include "dwarf/dwarf_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

/* Functions stand in namespaces and classes, which do not nest deeper than this in real code. */
#define SCOPES_MAX 32
/* Times that names may have the bytes of the file: entries may all refer to one long name. */
#define NAMES_RATIO 16
#define NAMES_BYTES ((size_t)1 << 20)

struct collector {
	const struct elf_image *runtime;
	struct symtab *tab;
	size_t added;
	size_t bytes_left; /* of names */
};

/* The mangled name where there is one: it distinguishes overloads and scopes. */
static const char *
function_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(function);
}

static void
add_function(struct collector *collector, Dwarf_Die *function)
{
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	ptrdiff_t next = 0;
	uint64_t offset;
	const char *name = function_name(function);

	if (!name || !*name)
		return;
	const char *copy = NULL;

	while ((next = dwarf_ranges(function, next, &base, &start, &end)) > 0) {
		if (end <= start || !elf_image_offset(collector->runtime, start, &offset))
			continue;
		if (!copy) {
			size_t len = strlen(name);

			if (len >= collector->bytes_left)
				return;
			collector->bytes_left -= len;
			copy = arena_dup(&collector->tab->arena, name, len);
		}
		symtab_add(collector->tab, offset, end - start, BINDING_GLOBAL, copy, false);
		collector->added++;
	}
}

/* Walks the children of `scope`: iterative, since debug information may nest without end. */
static void
walk(struct collector *collector, Dwarf_Die *unit)
{
	Dwarf_Die levels[SCOPES_MAX];
	int depth = 0;

	if (dwarf_child(unit, &levels[0]) != 0)
		return;
	while (depth >= 0) {
		Dwarf_Die *die = &levels[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_subprogram)
			add_function(collector, die);
		if ((tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			    tag == DW_TAG_structure_type) &&
			depth + 1 < SCOPES_MAX && dwarf_child(die, &levels[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth >= 0 && dwarf_siblingof(&levels[depth], &levels[depth]) != 0)
			depth--;
	}
}

size_t
dwarf_names_read(const struct elf_image *debug, const struct elf_image *runtime, struct symtab *tab)
{
	size_t file_bytes = 0;
	struct collector collector = {.runtime = runtime, .tab = tab};
	Dwarf *dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	if (!dwarf)
		return 0;
	elf_rawfile(debug->elf, &file_bytes);
	collector.bytes_left = NAMES_BYTES + NAMES_RATIO * file_bytes;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		walk(&collector, &die);
	dwarf_end(dwarf);
	return collector.added;
}
