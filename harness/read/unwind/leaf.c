#include "unwind/unwinder.h"

#include "unwind/unwinder_internal.h"

#define BIT(reg) (UINT64_C(1) << (reg))

/* Whether a row says that the return address is still in its register; false without a row. */
static bool
is_unsaved(const struct unwind_machine *machine, const struct unwind_map *map, uint64_t pc)
{
	struct unwind_found found;

	return map->table &&
	       unwind_table_find(map->table, pc - map->start + map->file_offset, &found) &&
	       !found.row->signal && found.row->return_column == machine->return_column &&
	       (found.saves->kept & BIT(machine->return_column));
}

bool
unwind_leaf_caller(const struct unwind_machine *machine, const struct unwind_space *space,
	const struct unwind_regs *regs, uint64_t pc, uint64_t *caller)
{
	const struct unwind_map *map = space ? unwind_space_map(space, pc) : NULL;

	if (!map || !machine->has_link_register || !(regs->known & BIT(machine->return_column)))
		return false;
	*caller = regs->values[machine->return_column] & machine->address_mask;
	const struct unwind_map *other = *caller ? unwind_space_map(space, *caller - 1) : NULL;

	/* Code without rows has made no call yet, if the address is in another map. */
	return other && (is_unsaved(machine, map, pc) || (!map->table && other != map));
}
