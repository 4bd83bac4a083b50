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
#ifndef CODE_CODE_LIST_H
#define CODE_CODE_LIST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "code/inventory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
