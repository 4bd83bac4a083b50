/*
 * Where a program lies that is named as a command names it.
 */
#ifndef PROCESS_FIND_PROGRAM_H
#define PROCESS_FIND_PROGRAM_H

/*
 * The file that would be executed if it were started in `cwd` (NULL: here) with these additions to
 * the environment, as struct child_spec has them; free() it. NULL where it is not found: starting
 * it says more.
 */
char *find_program(const char *name, const char *const *env, const char *cwd);

#endif
