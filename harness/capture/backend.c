/*
 * To add a backend: write a file with a const struct capture_backend, declare it here, and put it
 * in the array. harness/doc says what else there is to do.
 */
#include "capture/backend.h"

#include <string.h>

extern const struct capture_backend capture_perf;
extern const struct capture_backend capture_callgrind;
extern probe_part probe_counting;

const struct capture_backend *const capture_backends[] = {
	&capture_perf,
	&capture_callgrind,
	NULL,
};

probe_part *const probe_backends[] = {
	probe_counting,
	NULL,
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
