#include "commands/stat_command.h"

#include "capture/backend.h"
#include "machine/machine.h"

int
stat_run(const struct stat_options *options, struct profile *profile, struct err *err)
{
	const struct capture_backend *backend = capture_backend_for("cpu");
	struct cpu_plan cpus;

	if (cpu_plan_make(options->pin, &cpus, err) < 0)
		return -1;
	const struct capture_request request = {
		.argv = options->command,
		.output = options->quiet ? CHILD_KEEP : CHILD_INHERIT,
		.executions = 1,
		.pin = cpus.pinned ? &cpus.program : NULL,
		.reader_cpu = cpus.reader,
	};

	for (unsigned i = 0; i < options->runs; i++) {
		struct capture_result result;

		if (backend->run(&request, &result, err) < 0)
			return -1;
		size_t run = profile_add_run(profile);

		profile->runs[run] = result.run;
	}
	return 0;
}
