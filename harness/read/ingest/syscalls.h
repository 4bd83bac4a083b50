/*
 * System calls: the samples that are one each, and the names of calls by number, for the machines
 * whose captures are read: each kind of machine has numbers of its own.
 *
 * Source: the kernel's tables of system calls, up to Linux 6.17. Calls are only ever added to them.
 */
#ifndef INGEST_SYSCALLS_H
#define INGEST_SYSCALLS_H

#include "perfdata/reader.h"
#include "perfdata/records.h"

#include <stdbool.h>
#include <stdint.h>

enum syscall_table {
	SYSCALLS_OTHER, /* a machine without a table here */
	SYSCALLS_X86_64,
	SYSCALLS_I386,
	SYSCALLS_AARCH64,
};

/* No kernel has calls from this number on. */
#define SYSCALLS_MAX 4096

/* The table for a program of machine `arch` (uname -m), or for a 32-bit program on it. */
enum syscall_table syscall_table_of(const char *arch, bool is_32_bit);

/* "fdatasync"; NULL where the number has no name. */
const char *syscall_name(enum syscall_table table, uint64_t number);

/*
 * Samples that are system calls: those of the tracepoint raw_syscalls:sys_enter, one for each call.
 */

/* Whether each sample of the event is a system call, and none is left out. */
bool syscalls_are_counted(const struct perfdata_event *event);

/*
 * The call that the sample was taken at, of a program on machine `arch` (uname -m). False where the
 * sample does not say which call it is.
 */
bool syscalls_number(const struct record_sample *sample, const char *arch,
	enum syscall_table *table, uint64_t *number);

#endif
