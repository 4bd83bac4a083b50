/* The number of processes that the kernel ended for lack of memory, by /proc/vmstat. */
#include "process/memory_kills.h"

#include "base/buf.h"
#include "base/file_view.h"

#include <stdlib.h>
#include <string.h>

/* Of /proc/vmstat, which has some 200 lines. */
#define VMSTAT_MAX ((size_t)64 * 1024)

long
memory_kills(void)
{
	static const char key[] = "\noom_kill ";
	struct buf text = {0};
	struct err ignored = {0};
	long kills = -1;

	if (file_read("/proc/vmstat", &text, VMSTAT_MAX, &ignored) == 0) {
		const char *line = strstr(buf_text(&text), key);

		kills = line ? strtol(line + sizeof(key) - 1, NULL, 10) : -1;
	}
	buf_release(&text);
	return kills;
}

const char *
memory_kills_explain(long before)
{
	const long now = memory_kills();

	if (now < 0 || before < 0)
		return "not sent by profile_run: was it out of memory? (dmesg, or the container's events, say)";
	if (now > before)
		return "the kernel ended a process for lack of memory while it ran: it needs more "
		       "memory than the machine or the container's limit leaves";
	return "not sent by profile_run, nor by the kernel for lack of memory: does something else "
	       "end programs here, such as a time limit of the CI system?";
}
