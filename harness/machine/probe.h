/*
 * What this machine can really do, each thing found by trying it; `profile_run doctor` prints it.
 */
#ifndef MACHINE_PROBE_H
#define MACHINE_PROBE_H

#include <stddef.h>

enum probe_status {
	PROBE_OK,
	PROBE_LIMITED, /* works, with less than one would want */
	PROBE_MISSING, /* does not work; something else is used */
	PROBE_FATAL,   /* nothing can be captured */
};

struct probe_result {
	const char *name; /* "event cycles", "kernel names", "pinning", ... */
	enum probe_status status;
	char found[256];   /* what was tried and seen */
	char meaning[256]; /* what follows for captures */
	char mend[256];    /* what to do about it; "" if nothing */
};

struct probe_context;

/* Tries one thing and fills in one result. */
typedef void probe_part(const struct probe_context *context, struct probe_result *result);

/*
 * Tries everything, in a fixed order; takes about a second. `counting` (NULL-ended) is tried after
 * what concerns sampling: other ways of measuring, which machine/ knows nothing of. Returns how
 * many results there are (at most `max`).
 */
size_t probe_machine(struct probe_result *results, size_t max, probe_part *const *counting);

#endif
