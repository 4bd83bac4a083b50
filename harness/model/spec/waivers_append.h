/*
 * Adding a waiver to its file, which stays as it is: comments, order and layout.
 */
#ifndef SPEC_WAIVERS_APPEND_H
#define SPEC_WAIVERS_APPEND_H

#include "base/err.h"
#include "spec/policy.h"

/*
 * Appends an entry to the file at `path`, which is created with its folder if needed. Written whole
 * or not at all, and only if the result reads as the old list plus this waiver: a list in YAML's
 * flow style, for example, cannot be appended to.
 */
int waivers_append(const char *path, const struct waiver *waiver, struct err *err);

#endif
