/*
 * Files that become shorter while they are mapped: the kernel sends SIGBUS to whoever reads behind
 * their new end. The guard gives such a reader zeros instead, and remembers it, so that the file
 * can be refused in words.
 */
#ifndef BASE_FILE_GUARD_H
#define BASE_FILE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* From now on; once in a process, before other threads are started. */
void file_guard_begin(void);

/*
 * Watches a mapped file; returns its number for the calls below, or -1 where there are too many:
 * then it is read as zeros likewise, but only file_guard_any() tells.
 */
int file_guard_watch(const void *start, size_t len);
/* Whether it was read behind its end. */
bool file_guard_was_cut(int number);
void file_guard_end(int number);

/* Whether any file that is not watched was read behind its end: programs and debug files. */
bool file_guard_any(void);

#endif
