/*
 * What a file of a checkout is for, by its name: data of runs, source of a program, or a document.
 */
#ifndef BUILDS_FILE_ROLE_H
#define BUILDS_FILE_ROLE_H

#include <stdbool.h>

/* Whether a run may read it: it is no source, document or setting. */
bool file_may_be_read(const char *path, bool tracked);
/* Whether a change of it, or a new one, makes another program of a commit. */
bool file_is_of_program(const char *path, bool tracked);

#endif
