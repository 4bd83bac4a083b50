/*
 * The changes of each sampled function's machine code between the two builds of a gate.
 *
 * Each side's profile tells the file of a function; the files of the two builds are paired
 * (module_pairs.h), and the sampled code of each pair is compared (code/inventory.h).
 */
#ifndef PIPELINE_CODE_CHANGES_H
#define PIPELINE_CODE_CHANGES_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/module_pairs.h"

/*
 * Fills in the states, by frame of the comparison, whose names are canonical; free() them. Files
 * are opened on the first call and kept open, since a gate is judged several times.
 *
 * The kernel and its vDSO are the same where both sides ran on the present one, which a stored
 * baseline need not have. So is code in a file that is equal on both sides. Unknown is the code of
 * inlined functions, of JITs, of files that are gone or have changed since the runs began, and of a
 * function whose files on the two sides are no pair. A function is changed if one of its name has
 * changed in another file of the program: a profile cannot tell the two apart.
 */
void code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code);

#endif
