/*
 * Files that become shorter while they are mapped: the kernel sends SIGBUS to a thread that reads
 * behind their new end. The guard gives it zeros instead and remembers that, so that the file can
 * be refused with an error.
 */
#ifndef BASE_FILE_GUARD_H
#define BASE_FILE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Handles SIGBUS from now on. Call once in a process, before other threads are started. */
void file_guard_begin(void);

/*
 * Watches a mapped file, which is remembered by itself if it is cut. Returns its number for the
 * next two functions; -1 where too many files are watched, which both accept.
 */
int file_guard_watch(const void *start, size_t len);
/* Whether the file was read behind its end. */
bool file_guard_was_cut(int number);
/* Ends watching: before the file is unmapped. */
void file_guard_end(int number);

/*
 * Whether a mapped file that is not watched, such as a program or a debug file, was read behind its
 * end.
 */
bool file_guard_unwatched_was_cut(void);

#endif
