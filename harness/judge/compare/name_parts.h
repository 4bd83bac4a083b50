/*
 * Functions that one declaration in the source has become: those made of a template or of a generic
 * function, by their names, and one that is inlined in places.
 */
#ifndef COMPARE_SAME_DECLARATION_H
#define COMPARE_SAME_DECLARATION_H

#include "profile/profile.h"

#include <stdbool.h>

/* Whether the names of two functions are the same but for type arguments; not of the kernel. */
bool same_declaration(const struct profile *profile, frame_id a, frame_id b);

#endif
