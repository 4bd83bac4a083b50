/*
 * Where a program lies that is named as a command names it.
 */
#ifndef PROCESS_FIND_PROGRAM_H
#define PROCESS_FIND_PROGRAM_H

/*
 * The file that would be executed if it were started in `cwd` (NULL: here); free() it. NULL where
 * it is not found: starting it says more.
 */
char *find_program(const char *name, const char *cwd);

#endif
