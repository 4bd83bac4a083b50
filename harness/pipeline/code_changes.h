/*
 * What became of the machine code of each sampled function between the two builds of a paired gate.
 *
 * Each side's profile says which file a function is in; the files of the two builds are paired
 * (module_pairs.h), and of each pair the code that was sampled is compared
 * (code/inventory.h).
 */
#ifndef PIPELINE_CODE_CHANGES_H
#define PIPELINE_CODE_CHANGES_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "pipeline/module_pairs.h"

/*
 * Fills in the states, by frame of the comparison, whose names are canonical; free() them.
 * Files are opened when it is first called and kept, since a gate is judged several times.
 *
 * The kernel and its vDSO are the same, since both sides ran on the one that runs here. So is what
 * is in a file that is equal on both sides. Not known is the code of what is inlined, of JITs, of
 * files that are gone or have changed since the runs began, and of a function that is in files of
 * its own on the two sides. A name that another file of the program has as well, changed there, has
 * changed: a profile does not tell the two.
 */
void code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code);

#endif
