/*
 * What is written to stderr for a while, kept in memory.
 */
#ifndef UNIT_STDERR_FILE_H
#define UNIT_STDERR_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct stderr_file {
	int fd;
	int kept; /* where it goes otherwise */
};

static inline void
stderr_file_begin(struct stderr_file *file)
{
	fflush(stderr);
	file->fd = memfd_create("stderr", MFD_CLOEXEC);
	file->kept = dup(STDERR_FILENO);
	dup2(file->fd, STDERR_FILENO);
}

/* Ends it; what was written, terminated and cut to `size`, goes to `text`. */
static inline void
stderr_file_end(struct stderr_file *file, char *text, size_t size)
{
	fflush(stderr);
	dup2(file->kept, STDERR_FILENO);
	close(file->kept);
	ssize_t len = pread(file->fd, text, size - 1, 0);

	close(file->fd);
	text[len > 0 ? len : 0] = '\0';
}

#endif
