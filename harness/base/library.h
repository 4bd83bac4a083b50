/*
 * Functions of shared libraries that are loaded on demand: because they may be missing, or would
 * make every start slower. A static program (PROFILE_RUN_STATIC) loads none: it would need the very
 * libc that it was linked with.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* NULL if there is none. It is never closed: there is nothing to gain by loading it again. */
static inline void *
library_open(const char *name)
{
#ifdef PROFILE_RUN_STATIC
	(void)name;
	return NULL;
#else
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}

/*
 * Looks up the function `name` in a library from library_open() and stores its address in
 * *function, a pointer to a function. False, and NULL is stored, if there is none. ISO C has no
 * cast from an object's address to a function's; POSIX has both alike.
 */
static inline bool
library_function(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
	return address != NULL;
}

#endif
