/*
 * How the machine code of each sampled function changed between the two builds of a gate.
 *
 * The profile of a side tells the file of a function; the files of both builds are paired
 * (module_pairs.h), and the functions of each pair are compared.
 */
#ifndef GATE_CODE_CHANGES_H
#define GATE_CODE_CHANGES_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/module_pairs.h"

/*
 * Sets the states, by frame of the comparison, whose names are canonical; free() them. Files are
 * opened on the first call and kept open, since a gate is judged several times.
 *
 * Code in a file that is equal on both sides is the same, and so is the code of the kernel and its
 * vDSO where both sides ran here; a stored baseline may have run on another kernel. Unknown is the
 * code of inlined functions, of JITs, of files that are missing or have changed since the runs
 * began, and of a function whose files on the two sides are no pair. A function counts as changed
 * if one of its name has changed in another file of the program: a profile cannot tell the two
 * apart.
 */
void code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code);

#endif
