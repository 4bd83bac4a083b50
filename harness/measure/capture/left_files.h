/*
 * The files that the processes of a run leave, one or more each, in a folder beside where the
 * profile goes. Their names begin with the process's number.
 */
#ifndef CAPTURE_LEFT_FILES_H
#define CAPTURE_LEFT_FILES_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct left_files {
	char **paths; /* in the order of process numbers, but those of the first process first */
	size_t count;
	size_t capacity;
};

/* Makes the folder, empty; returns its absolute path, for left_files_remove(). NULL on error. */
char *left_files_make(const char *perfdata_path, struct err *err);
/*
 * Finds the files in the folder; `first` is the number of the first process. left_files_release()
 * is needed in any case.
 */
int left_files_list(struct left_files *files, const char *dir, pid_t first, struct err *err);
void left_files_release(struct left_files *files);
/* Removes the folder with all its files, and frees its path; nothing for NULL. */
void left_files_remove(char *dir);

#endif
