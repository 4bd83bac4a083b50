/*
 * A capture in the making, for record.c: first its target is found (recording_target.c), then how
 * it is captured is planned (recording_plan.c).
 */
#ifndef CAPTURE_RECORDING_H
#define CAPTURE_RECORDING_H

#include "base/err.h"
#include "capture/backend.h"
#include "machine/machine.h"
#include "measurement/stack_plan.h"
#include "profile/metric.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdint.h>

struct record_options;

struct recording {
	const struct record_options *options;
	/* Set by recording_target.c. */
	struct workload workload; /* if is_workload */
	bool is_workload;
	const char *shell_argv[4];
	const char *const *argv; /* NULL: nothing is run */
	char *output_dir;
	bool is_new; /* the folder was made for this capture */
	char *title; /* describes the capture in texts and pictures */

	/* Set by recording_plan.c. */
	const struct capture_backend *backend;
	const char *metric;
	struct capture_event event;
	struct operation operation; /* if options->operation */
	struct capture_phases phases;
	bool has_phases;
	struct cpu_plan cpus;
	cpu_set_t all_of; /* if options->all_of */
	struct stack_plan stacks;

	/* Set by record.c. */
	char *perfdata_path;
	char *capture_path; /* the same, or the file that is condensed to it */
	struct capture_result captured;
	struct profile profile;
	int64_t started;
};

/* The target: finds the workload or the command that the options name. */
int recording_find_target(struct recording *recording, struct err *err);
/* Makes the folder of the options, or else a new one. */
int recording_make_folder(struct recording *recording, struct err *err);
/*
 * A title of the target; free() it. To be called before the capture: the process may be gone after.
 */
char *recording_title(const struct recording *recording);

/* The plan: chooses backend, event, CPUs, phases, operations and the way of taking stacks. */
int recording_plan(struct recording *recording, struct err *err);
/* Whether unwound stacks will replace the stack copies. */
bool recording_condenses(const struct recording *recording);

#endif
