/*
 * The bytes that processes read and wrote, and their calls for it, as the kernel counts them in
 * /proc/PID/io (proc_pid_io(5)).
 */
#ifndef PROCESS_CHILD_IO_H
#define PROCESS_CHILD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Through read and write calls, and from and to storage. */
struct child_io {
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t read_calls;
	uint64_t write_calls;
	uint64_t storage_read_bytes;
	uint64_t storage_write_bytes;
};

/*
 * The counts of this process so far, and of all processes that it has waited for: what waiting for
 * a child adds is the child's own. (A child's own file can be read only with rights over it, and
 * not after it has ended.) Returns the number of bytes of the file, which reading it adds
 * afterwards; 0: refused.
 */
size_t child_io_read_own(struct child_io *io);
/* The same from the text of the file, /proc/self/io. False where the text is not such a file. */
bool child_io_parse(const char *text, struct child_io *io);

#endif
