#include "capture/probe_backends.h"

#include "capture/backend.h"

#include <stdio.h>

/* Whether instructions can be counted, by trying valgrind as a run would. */
static void
probe_counting(const struct probe_context *context, struct probe_result *result)
{
	const struct capture_backend *backend = capture_backend_for("instructions");
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};

	(void)context;
	result->name = "counting";
	if (backend && backend->choose("auto", &event, &err) == 0) {
		result->status = PROBE_OK;
		SAY(result->found, "%s", event.reason);
		SAY(result->meaning, "`metric: instructions` works: it sees changes of 0.1 %%, "
				     "however busy the machine is");
		return;
	}
	result->status = PROBE_MISSING;
	SAY(result->found, "valgrind was tried, and does not count");
	SAY(result->meaning, "`metric: instructions` is not to be had; time is measured as ever");
	SAY(result->remedy, "install it, with its tool callgrind (apt-get install valgrind)");
}

probe_part *const probe_backends[] = {
	probe_counting,
	NULL,
};
