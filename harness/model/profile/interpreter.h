/*
 * Profiles of scripts: the part of the weight that is in an interpreter, and whether the functions
 * of the script have names there. Where they have none, the profile shows the interpreter's
 * functions.
 */
#ifndef PROFILE_INTERPRETER_H
#define PROFILE_INTERPRETER_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Where a node of the tree is. */
struct script_place {
	unsigned char language; /* of the interpreter that it is in, from 1; 0: in none */
	bool broken;            /* the stack is incomplete above it */
	frame_id function;      /* of the script, the nearest at or above the node; 0: none */
};

/* By node; free() it. An interpreter is known by the functions that run scripts. */
struct script_place *script_places(const struct profile *profile);

struct interpreter {
	const char *language; /* "Python" */
	const char *advice;   /* how to give the functions names: an imperative, no full stop */
	double share;         /* of the weight of all columns, without a name of the script's */
};

/*
 * The interpreter that most of the weight is in, where that is a large part of the profile and no
 * stack has names of its script.
 */
bool interpreter_find(const struct profile *profile, struct interpreter *found);

/*
 * How code that is made while a program of this name runs gets names: an imperative, no full stop.
 * NULL: not known.
 */
const char *interpreter_advice(const char *process);

/* Appends "97 % of the samples are in the Python interpreter, without the names of the script's
 * functions". */
void interpreter_put_found(
	const struct profile *profile, const struct interpreter *found, struct buf *out);
/* The same and "; to name them, run ..."; nothing where interpreter_find() finds none. */
void interpreter_put(const struct profile *profile, struct buf *out);

#endif
