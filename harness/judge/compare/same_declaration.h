/*
 * Functions made of one declaration in the source, of a template or a generic function: their names
 * differ in type arguments only.
 */
#ifndef COMPARE_SAME_DECLARATION_H
#define COMPARE_SAME_DECLARATION_H

#include "profile/profile.h"

#include <stdbool.h>

/* Whether two functions are of one declaration; never where one is of the kernel. */
bool same_declaration(const struct profile *profile, frame_id a, frame_id b);

#endif
