/*
 * The functions of a program file, and a hash of each one's machine code that does not depend on
 * addresses: functions of equal hash do the same in the same way. Two builds of a program are
 * compared by it.
 *
 * Symbols are read when the file is opened; code is read when a hash is first needed, as few
 * functions of a large program ever are.
 */
#ifndef CODE_INVENTORY_H
#define CODE_INVENTORY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strtab.h"
#include "code/meaning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_function {
	str_id name; /* as compared: code_fold */
	uint64_t address;
	uint64_t size;
	bool stub;  /* of a table of stubs */
	bool known; /* `hash` was computed */
	bool read;  /* ... and the references of its code are all known */
	uint64_t hash;
};

struct code_inventory {
	struct code_image image;
	struct strtab names;
	struct code_function *functions; /* by name, then address */
	size_t nfunctions;
	size_t *first; /* [names.nentries + 1] the first function of each name */

	const struct code_arch *arch;
	void *decoder;
	struct code_meaning meaning;
	struct code_body body;
};

/*
 * Opens a program or library of x86-64 or AArch64, with its debug file where it has one. Function
 * names are those of frames (symbols/), folded by `fold` (NULL: as they are). A file that is
 * stripped has the functions that it exports, or none.
 */
int code_inventory_open(
	struct code_inventory *inventory, const char *path, code_fold *fold, struct err *err);
void code_inventory_close(struct code_inventory *inventory);

/*
 * The functions of this folded name, *count of them: static ones of several files, versions of one
 * that the compiler made, its cold part. NULL where there is none.
 */
struct code_function *code_inventory_find(
	const struct code_inventory *inventory, const char *name, size_t *count);

/*
 * The hash of the function's code, worked out at the first call. Padding, the lengths of jumps and
 * all addresses are left out; their meaning (meaning.h) takes the place of addresses. Code that is
 * not understood has the hash of its bytes, so that it seems changed rather than the same. It is
 * the same in every process, so that it can be stored. After the first call the references of the
 * code are in inventory->body, until the next one.
 */
uint64_t code_inventory_hash(struct code_inventory *inventory, struct code_function *function);

/* All functions of a folded name in one build. */
struct code_known {
	bool found;
	bool complete; /* where it is not found there is none */
	uint64_t hash; /* of their number and code, in no order; 36 bits */
};
#define CODE_KNOWN_BITS 36

struct code_known code_inventory_known(struct code_inventory *inventory, const char *name);
/* Whether code is read by its meaning here, and not only as bytes. */
bool code_inventory_reads(const struct code_inventory *inventory);

enum code_change {
	CODE_CHANGE_UNKNOWN, /* in neither build, or one lacks the names of some functions */
	CODE_CHANGE_NONE,
	CODE_CHANGE_DIFFERS,
	CODE_CHANGE_ADDED,
	CODE_CHANGE_REMOVED,
};

/*
 * The change of the functions of this folded name. Where there are several, they are compared as a
 * whole, in no order: one that is compiled otherwise, split off or gone makes the name differ.
 */
enum code_change code_compare(
	struct code_inventory *before, struct code_inventory *after, const char *name);
/* The change by what is known of either side, which may be stored (struct code_list). */
enum code_change code_change_of(struct code_known before, struct code_known after);

#endif
