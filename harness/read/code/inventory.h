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
#include "base/sha256.h"
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
 * the same in every process, so that it can be stored.
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
/* The same by what is known of either side, which may be stored (struct code_list). */
enum code_change code_change_of(struct code_known before, struct code_known after);

/*
 * The functions of program files as a baseline stores them, so that a later build can be compared
 * with one that is gone: of each name a hash of its machine code.
 *
 *     # profile_run code 1
 *     # program: SHA-256 of the files that the command names
 *     # commit: that was built; "-": not known
 *     file DIGEST all|some COUNT NAME
 *     NNNNNNCCCCCC                       (a line for each function name, by N)
 *
 * N is a hash of the name, folded, C that of its code, 36 bits each in 6 characters of base 64, the
 * most significant first. 13 bytes for a name are a fifth of what C++'s own take. Two names of one
 * N are one entry, whose code seems changed. A file with more than CODE_LIST_MOST names has those
 * that were sampled ("some"): nothing is known of others.
 */

#define CODE_LIST_MOST 32768

struct code_listed {
	uint64_t name;
	uint64_t code;
};

/* For one file. */
struct code_list {
	char *name;                    /* as in profile->files */
	char digest[SHA256_TEXT_SIZE]; /* program_digest.h */
	bool complete;                 /* it has all functions of the file */
	struct code_listed *functions; /* by name */
	size_t nfunctions;
};

struct code_lists {
	char program_hash[SHA256_TEXT_SIZE];
	char commit[SHA256_TEXT_SIZE]; /* "": not known */
	struct code_list *lists;
	size_t nlists;
};

/* Begins the text of the lists of a program's files. `commit` may be "". */
void code_lists_put(struct buf *out, const char *program_hash, const char *commit);

/*
 * Appends the list of the file at `path`; name and digest as above. Of one that has too many
 * functions those of `sampled` (folded, NULL-ended). All code is read, which takes a second for
 * 10 MB. An error where it cannot be, or no disassembler is installed.
 */
int code_list_put(struct buf *out, const char *path, const char *name, const char *digest,
	code_fold *fold, const char *const *sampled, struct err *err);

/*
 * Reads such a text; `file` names it in errors, which have the line. To be released, also after an
 * error.
 */
int code_lists_read(
	struct code_lists *lists, const char *file, const char *text, size_t len, struct err *err);
void code_lists_release(struct code_lists *lists);

/* The list of the file of this name; NULL: there is none. */
const struct code_list *code_lists_find(const struct code_lists *lists, const char *name);

/* The code of a folded name, to be compared by code_change_of(). */
struct code_known code_list_known(const struct code_list *list, const char *name);

#endif
