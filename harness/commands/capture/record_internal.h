/*
 * A capture for a person in the making: record_target.c finds what is captured, record_plan.c
 * decides how, record.c captures and writes.
 */
#ifndef PIPELINE_RECORD_INTERNAL_H
#define PIPELINE_RECORD_INTERNAL_H

#include "capture/backend.h"
#include "machine/cpus.h"
#include "measurement/measurement.h"
#include "profile/profile.h"

struct record_options;

struct recording {
	const struct record_options *options;
	struct workload workload; /* valid if is_workload */
	bool is_workload;
	const char *shell_argv[4];
	const char *const *argv; /* NULL: nothing is run */
	char *output_dir;
	bool is_new; /* the folder was made for this */
	const struct capture_backend *backend;
	const char *metric;
	struct capture_event event;
	struct operation operation; /* if options->operation */
	struct capture_phases phases;
	bool has_phases;
	struct cpu_plan cpus;
	cpu_set_t all_of; /* if options->all_of */
	struct stack_plan stacks;
	char *perfdata_path;
	char *capture_path; /* the same, or the file that is condensed to it */
	struct capture_result captured;
	struct profile profile;
	int64_t started;
	char *title; /* describes the capture in texts and pictures */
};

/* The workload or command of the options. */
int record_find_workload(struct recording *recording, struct err *err);
/* The folder of the options, or else a new one. */
int record_make_folder(struct recording *recording, struct err *err);
/* A title of what is captured; free() it. */
char *record_title(const struct recording *recording);

/* Chooses backend, event, CPUs, phases, operations and the way of taking stacks. */
int record_plan(struct recording *recording, struct err *err);
/* Whether unwound stacks replace the stack copies. */
bool record_condenses(const struct recording *recording);

#endif
