/*
 * Functions of which a file has several variants and chooses one as it is loaded (STT_GNU_IFUNC):
 * by the code of the resolver, which takes the addresses of those that it can choose.
 */
#ifndef CODE_CHOSEN_FUNCTIONS_H
#define CODE_CHOSEN_FUNCTIONS_H

#include "profile/profile.h"

/*
 * Sets profile->variants (profile/canonical.h) by the files of its frames, as they are now:
 * with all variants of the functions of which one has samples. Functions that share a variant are
 * one, as glibc's memcpy and memmove. Variants whose names say it themselves are left out: they are
 * known without the file, too.
 */
void chosen_functions_find(struct profile *profile);

#endif
