/*
 * What processes have read and written, as the kernel counts it.
 */
#ifndef PROCESS_CHILD_IO_H
#define PROCESS_CHILD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For /proc/PID/io: by read and write calls, and from and to storage. */
struct child_io {
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t read_calls;
	uint64_t write_calls;
	uint64_t storage_read_bytes;
	uint64_t storage_write_bytes;
};

/*
 * What we have read and written so far, and all processes that we have waited for: what waiting for
 * one adds is that process's own. Only with rights over it could its own file be read once it has
 * ended. The number of bytes of the file, which reading it adds afterwards; 0: refused.
 */
size_t child_io_read_own(struct child_io *io);
/* The same from the text of the file, /proc/self/io (proc_pid_io(5)). */
bool child_io_parse(const char *text, struct child_io *io);

/* Adds to `sum` what is in `after` and was not in `before`, `reading` bytes of a read left out. */
void child_io_add(struct child_io *sum, const struct child_io *after, const struct child_io *before,
	size_t reading);

#endif
