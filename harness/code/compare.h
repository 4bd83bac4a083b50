/*
 * Which functions' machine code differs between two builds of a program.
 */
#ifndef CODE_COMPARE_H
#define CODE_COMPARE_H

#include "code/inventory.h"

enum code_change {
	CODE_CHANGE_UNKNOWN, /* in neither build, or one has not the names of all its functions */
	CODE_CHANGE_NONE,
	CODE_CHANGE_DIFFERS,
	CODE_CHANGE_ADDED,
	CODE_CHANGE_REMOVED,
};

/*
 * What became of the functions of this folded name. Where there are several, they are compared as a
 * whole, in no order: one that is compiled otherwise, split off or gone makes the name differ.
 */
enum code_change code_compare(
	struct code_inventory *before, struct code_inventory *after, const char *name);

#endif
