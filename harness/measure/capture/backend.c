/*
 * To add a backend: write a file with a const struct capture_backend, declare it in backend.h, and
 * put it in the array. harness/doc says what else there is to do.
 */
#include "capture/backend.h"

#include <string.h>

const struct capture_backend *const capture_backends[] = {
	&capture_perf,
	&capture_callgrind,
	&capture_syscalls,
	&capture_alloc,
	&capture_waits,
	NULL,
};

const struct probe_part probe_backends[] = {
	{"counting", callgrind_probe},
	{"system calls", syscalls_probe},
	{"allocations", alloc_probe},
	{"waits", waits_probe},
	{NULL, NULL},
};

const struct capture_backend *
capture_backend_for(const char *metric)
{
	for (size_t i = 0; capture_backends[i]; i++)
		for (const char *const *at = capture_backends[i]->metrics; *at; at++)
			if (strcmp(*at, metric) == 0)
				return capture_backends[i];
	return NULL;
}
