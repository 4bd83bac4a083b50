/*
 * The changes between two builds of a program, function by function and object by object of its
 * data, and whether a run that executed certain functions can depend on them.
 *
 * A run that enters no changed function, and whose functions lead to no changed data, is the same
 * run in both builds: step by step, the same code works on the same data, so that nothing can lead
 * one of both elsewhere. Data that is set before the part of the run that counts, by constructors
 * and main(), is the same if these did not change either; where they did, they may have changed the
 * variables that they lead to, and no others.
 *
 * x86-64 only: elsewhere an address is made of several instructions.
 */
#ifndef CODE_BUILD_CHANGES_H
#define CODE_BUILD_CHANGES_H

#include "base/err.h"
#include "code/meaning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the later build. */
struct build_function {
	uint64_t offset;    /* in the file */
	const char *linker; /* its name in the file */
	bool changed;       /* it differs, or the earlier build has none of this name */
	bool marked; /* its symbol says that it is a function: it may be entered there only */
};

struct build_changes;

/* A program file, and the folder that it was built in, absolute and without links; NULL: not known.
 */
struct build_program {
	const char *path;
	const char *folder;
};

/*
 * Compares two builds of a program, names folded by `fold`. A program that is stripped, of Go, or
 * not of x86-64 is an error, since nothing is known of it.
 */
struct build_changes *build_changes_open(const struct build_program *before,
	const struct build_program *after, code_fold *fold, struct err *err);
/* NULL is fine. */
void build_changes_close(struct build_changes *changes);

/* The functions of the later build, by offset; *count of them. */
const struct build_function *build_changes_functions(
	const struct build_changes *changes, size_t *count);
/* How many functions changed, are new or gone, and how many objects of data; by name. */
size_t build_changes_count(const struct build_changes *changes, size_t *nobjects);

/* Appends the first of those that the later build has, functions first: "parse, read_word and 7
 * more". */
void build_changes_put(const struct build_changes *changes, struct buf *out);

/* What a run of the later build executed; arrays by function. */
struct build_use {
	const bool *within; /* in the part that counts */
	const bool *before; /* ahead of it; NULL: all of the run counts */
	bool varies; /* another run may call other functions: all count that the code leads to */
	/* With `before`: */
	size_t root;      /* the first function of that part, by which it was registered */
	const char *name; /* that it is registered by; it may be that of the function */
	/* Functions whose names begin so register, and set nothing else. */
	const char *registration;
};

enum build_reach_kind {
	REACH_NOTHING,
	REACH_CODE,    /* it executes a changed function */
	REACH_DATA,    /* it may read changed data */
	REACH_START,   /* what runs ahead of it changed, and may have changed its data */
	REACH_UNKNOWN, /* it executes code that is not understood */
};

struct build_reach {
	enum build_reach_kind kind;
	const char *what; /* the first function or object of that kind; the changes' */
	size_t nexecuted; /* functions in the part that counts ... */
	size_t nchanged;  /* ... and changed ones among them */
};

struct build_reach build_changes_reach(
	const struct build_changes *changes, const struct build_use *use);

#endif
