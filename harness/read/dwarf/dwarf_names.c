#include "dwarf/dwarf_names.h"

#include "dwarf/debug_data.h"
#include "dwarf/debug_unit.h"
#include "dwarf/dwarf_internal.h"

#include <string.h>

struct collector {
	struct debug_data data;
	struct debug_units units;
	struct die_names names;
	const struct elf_image *runtime;
	struct symtab *tab;
};

/* The name of the function whose entry is at `offset`, as the table's; NULL where it has none. */
static const char *
function_name(struct collector *collector, uint64_t offset)
{
	struct symtab *tab = collector->tab;
	const uint32_t number = die_names_find(&collector->names, &collector->units, offset);
	const char *name = die_names_get(&collector->names, number)->name;

	if (!name || !*name || !allowance_take(&tab->names, strlen(name)))
		return NULL;
	return arena_strdup(&tab->arena, name);
}

/* Adds the functions of a unit, with a symbol for each part of their code. */
static size_t
add_functions(struct collector *collector, const struct debug_unit *unit,
	struct scan_functions *functions)
{
	const char *name = NULL;
	uint32_t named = UINT32_MAX;
	uint64_t offset;
	size_t added = 0;

	for (size_t i = 0; i < functions->spans.count; i++) {
		const struct span *span = &functions->spans.spans[i];

		if (span->high <= span->low ||
			!elf_image_offset(collector->runtime, span->low, &offset))
			continue;
		/* The parts of a function follow one another. */
		if (span->item != named)
			name = function_name(
				collector, unit->offset + functions->functions[span->item].die);
		named = span->item;
		if (!name)
			continue;
		symtab_add(
			collector->tab, offset, span->high - span->low, BINDING_GLOBAL, name, true);
		added++;
	}
	return added;
}

size_t
dwarf_names_read(struct elf_image *debug, const struct elf_image *runtime, struct symtab *tab)
{
	struct collector collector = {.runtime = runtime, .tab = tab};
	size_t added = 0;

	if (!debug_data_read(&collector.data, debug, false))
		return 0;
	symtab_allow_names(tab,
		collector.data.sections[DEBUG_INFO].len + collector.data.sections[DEBUG_STR].len);
	debug_units_read(&collector.units, &collector.data);
	die_names_init(&collector.names);
	for (size_t i = 0; i < collector.units.count; i++) {
		struct debug_unit *unit = &collector.units.units[i];
		struct scan_functions functions = {0};

		if (debug_unit_open(unit, NULL, 0) && debug_unit_use(unit) &&
			die_scan_unit(unit, &functions, NULL))
			added += add_functions(&collector, unit, &functions);
		scan_functions_release(&functions);
	}
	die_names_release(&collector.names);
	debug_units_release(&collector.units);
	return added;
}
