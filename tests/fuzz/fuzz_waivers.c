/*
 * Waivers: any bytes are read as a file of them. What is accepted is complete; the rest has a
 * message.
 */
#include "base/file.h"
#include "spec/waivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_waiver(const struct waiver *waiver)
{
	check(waiver->pattern && waiver->pattern[0] && waiver->workload && waiver->workload[0]);
	check(waiver->reason && waiver->reason[0] && waiver->owner && waiver->owner[0]);
	check(waiver->max_effect > 0 && waiver->max_effect <= 100);
	check(strlen(waiver->last_day) == 10 && waiver->expires % 86400 == 0);
	check(waiver->line > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct err err = {0};
	struct arena arena = {0};
	struct gate_policy gate = {0};
	int fd = memfd_create("waivers.yaml", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	check(file_put(fd, data, size, "input", &err) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (waivers_read(&gate, &arena, path, &err) < 0)
		check(err.kind != ERR_NONE && err.len > 0);
	for (size_t i = 0; i < gate.nwaivers; i++)
		check_waiver(&gate.waivers_list[i]);
	arena_release(&arena);
	close(fd);
	return 0;
}
