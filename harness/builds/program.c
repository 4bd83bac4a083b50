#include "builds/program.h"

#include "base/log.h"
#include "base/mem.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

/* Build, setup and teardown may take long, but not for ever. */
#define SHELL_TIMEOUT_S 3600.0

static int
run_named(const struct workload *workload, const char *step, const char *command, struct err *err)
{
	char *what = mem_printf("%s of %s", step, workload->name);
	/* A build runs where profile_run was started: the workload's paths start from there. */
	bool is_build = command == workload->build;
	int result = process_run_shell(what, command, is_build ? NULL : workload->env,
		is_build ? NULL : workload->cwd, SHELL_TIMEOUT_S, err);

	free(what);
	return result;
}

int
program_build(const struct workload *workload, struct err *err)
{
	if (!workload->build)
		return 0;
	log_progress("%s: building", workload->name);
	return run_named(workload, "build", workload->build, err);
}

int
program_set_up(const struct workload *workload, struct err *err)
{
	return workload->setup ? run_named(workload, "setup", workload->setup, err) : 0;
}

void
program_tear_down(const struct workload *workload)
{
	struct err failure = {0};

	if (workload->teardown && run_named(workload, "teardown", workload->teardown, &failure) < 0)
		log_warn("%s: %s", workload->name, failure.text);
}
