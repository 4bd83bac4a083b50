/*
 * Adding a waiver to its file, which stays as it is: comments, order and layout.
 */
#ifndef SPEC_WAIVERS_APPEND_H
#define SPEC_WAIVERS_APPEND_H

#include "base/err.h"
#include "spec/policy.h"

/*
 * Appends an entry to the file at `path`, which is made with its folder if it is not there. Written
 * whole or not at all, and only where the file is then read as what it was and this waiver: a list
 * in YAML's flow style, for one, has no end that can be appended to.
 */
int waivers_append(const char *path, const struct waiver *waiver, struct err *err);

#endif
