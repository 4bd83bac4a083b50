/*
 * Why the allocations of a program cannot be counted, as far as its file shows: it is static,
 * written in Go, for 32 bits, or runs with the rights of another user.
 */
#ifndef CAPTURE_ALLOC_CHECK_H
#define CAPTURE_ALLOC_CHECK_H

#include "base/err.h"

/*
 * Sets the error that the allocations of the program at argv[0] cannot be counted, with the reason
 * and what to do instead. 0 where there is no such reason.
 */
int alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err);

#endif
