/*
 * The modules of Go in a repository: with -trimpath, a program's debug information has source files
 * by module and not by folder, "example.org/tool/parse/lex.go".
 */
#ifndef BUILDS_GO_MODULES_H
#define BUILDS_GO_MODULES_H

#include "base/arena.h"

#include <stddef.h>

struct go_module {
	const char *name;   /* "example.org/tool" */
	const char *folder; /* in the repository, with its '/'; "" at the top */
};

struct go_modules {
	struct go_module *modules; /* owned; what it points to is the arena's */
	size_t count;
	size_t capacity;
};

/* Reads the go.mod files that git has below `top`; none where there are none. */
void go_modules_read(struct go_modules *modules, const char *top, struct arena *arena);
void go_modules_release(struct go_modules *modules);

/* The path in the repository that a file of a module has; NULL where it is in none of them. */
const char *go_modules_path(
	const struct go_modules *modules, const char *name, struct arena *arena);

#endif
