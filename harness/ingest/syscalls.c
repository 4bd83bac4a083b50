#include "ingest/syscalls.h"

#include <string.h>

/* Where the tracepoint's fields have the number, a long (its `format` in tracefs). */
#define NUMBER_AT 8

bool
syscalls_are_counted(const struct perfdata_event *event)
{
	static const char name[] = "raw_syscalls:sys_enter";
	const size_t len = sizeof(name) - 1;

	return event->attr.type == PERF_TYPE_TRACEPOINT && !event->attr.freq &&
	       event->attr.sample_period <= 1 && strncmp(event->name, name, len) == 0 &&
	       (event->name[len] == '\0' || event->name[len] == ':');
}

bool
syscalls_push(struct stacks *stacks, const struct record_sample *sample, const char *arch)
{
	bool is_32_bit = sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_32;
	uint64_t number;

	if (sample->raw_data_bytes < NUMBER_AT + sizeof(number))
		return false;
	memcpy(&number, sample->raw_data + NUMBER_AT, sizeof(number));
	stacks_push_syscall(stacks, syscall_table_of(arch, is_32_bit), number);
	return true;
}
