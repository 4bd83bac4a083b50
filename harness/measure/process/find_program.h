/*
 * The file of a program that a command names, as execvp(3) finds it.
 */
#ifndef PROCESS_FIND_PROGRAM_H
#define PROCESS_FIND_PROGRAM_H

/*
 * The file that would be executed if `name` were started in `cwd` (NULL: here) with these additions
 * to the environment, as struct child_spec has them; free() it. NULL where there is none: starting
 * the program then fails with a better message.
 */
char *find_program(const char *name, const char *const *env, const char *cwd);

#endif
