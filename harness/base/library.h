/*
 * Functions of shared libraries that are loaded where they are wanted: what not everybody has, or
 * what would make every start slower.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/*
 * *function, a pointer to a function, becomes that of this name in a library that dlopen() gave.
 * False, and it is NULL, if there is none. ISO C has no cast from an object's address to a
 * function's; POSIX has both alike.
 */
static inline bool
library_function(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
	return address != NULL;
}

#endif
