/*
 * The files of code that could not be read when a capture was: their stacks and names are not there
 * for that reason, and for none that lies in the program.
 */
#ifndef PROFILE_MISSING_FILE_H
#define PROFILE_MISSING_FILE_H

#include "profile/profile.h"

#include <string.h>

/*
 * profile->missing has a line "PATH TAB CAUSE" for each. Returns the cause for the file at `path`,
 * a clause of *len bytes; NULL if it was read, or nothing is known of it.
 */
static inline const char *
missing_file_cause(const struct profile *profile, const char *path, size_t *len)
{
	const size_t path_len = strlen(path);
	const char *line = strtab_str(&profile->strings, profile->missing);

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, path, path_len) != 0 || line[path_len] != '\t')
			continue;
		const char *cause = line + path_len + 1;

		*len = strcspn(cause, "\n");
		return cause;
	}
	return NULL;
}

#endif
