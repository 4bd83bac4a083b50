#include "ingest/syscalls.h"

#include "ingest/event_totals.h"

#include <string.h>

/* Where the tracepoint's fields have the number, a long (its `format` in tracefs). */
#define NUMBER_AT 8
/* Where those of sys_exit have the result, a long. */
#define RESULT_AT 16

bool
syscalls_are_counted(const struct perfdata_event *event)
{
	static const char name[] = "raw_syscalls:sys_enter";

	return event->attr.type == PERF_TYPE_TRACEPOINT && !event->attr.freq &&
	       event->attr.sample_period <= 1 &&
	       (event_name_is(name, event->name) || strcmp(event->name, "io:bytes") == 0);
}

static bool
read_number(const struct record_sample *sample, uint64_t *number)
{
	if (sample->raw_data_bytes < NUMBER_AT + sizeof(*number))
		return false;
	memcpy(number, sample->raw_data + NUMBER_AT, sizeof(*number));
	return true;
}

static enum syscall_table
table_of(const struct record_sample *sample, const char *arch)
{
	return syscall_table_of(arch, sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_32);
}

bool
syscalls_move_bytes(const struct record_sample *sample, const char *arch)
{
	static const char *const names[] = {"read", "write", "pread64", "pwrite64", "readv",
		"writev", "preadv", "pwritev", "preadv2", "pwritev2", "recv", "send", "recvfrom",
		"sendto", "recvmsg", "sendmsg", "sendfile", "sendfile64", "splice", "tee",
		"vmsplice", "copy_file_range"};
	uint64_t number;
	const char *name =
		read_number(sample, &number) ? syscall_name(table_of(sample, arch), number) : NULL;

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

uint64_t
syscalls_moved(const struct record_sample *sample)
{
	int64_t result;

	if (sample->raw_data_bytes < RESULT_AT + sizeof(result))
		return 0;
	memcpy(&result, sample->raw_data + RESULT_AT, sizeof(result));
	return result > 0 ? (uint64_t)result : 0;
}

bool
syscalls_push(struct stacks *stacks, const struct record_sample *sample, const char *arch)
{
	uint64_t number;

	if (!read_number(sample, &number))
		return false;
	stacks_push_syscall(stacks, table_of(sample, arch), number);
	return true;
}
