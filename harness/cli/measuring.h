/*
 * Shared by `gate` and `baseline update`: the options that choose workloads and settings, and the
 * order in which configuration, workload and command line override one another.
 */
#ifndef CLI_MEASURING_H
#define CLI_MEASURING_H

#include "cli/options.h"
#include "cli/root.h"
#include "gate/policy_from.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

struct measuring {
	/* Given on the command line; NULL or 0 where not. */
	const char *config_path;
	const char *baselines_dir;
	const char *reports_dir;
	const char *event;
	const char *pin;
	double frequency_hz;
	unsigned runs;
	unsigned max_runs;
	bool keep_perfdata;
	bool prepare;
	const char *policy_ref; /* the commit whose policy applies; NULL: the working tree's */

	/* The resulting settings, once loaded. */
	struct root root;
	struct config config;
	struct workload_list workloads;
	struct policy_from policy_from; /* if policy_ref */
};

/* The rows of an option table for `m`: how workloads are sampled, and all of them. */
#define SAMPLING_OPTIONS(m)                                                     \
	{"frequency", 'F', OPTION_FREQUENCY, "HZ", &(m).frequency_hz,           \
		"samples per second of CPU time"},                              \
		{"event", 'e', OPTION_TEXT, "EVENT", &(m).event,                \
			"event to sample: auto, cycles, cpu-clock, ..."},       \
	{                                                                       \
		"pin", 0, OPTION_TEXT, "CPUS", &(m).pin,                        \
			"CPUs of the program: auto, none or a list such as 2-3" \
	}

#define MEASURING_OPTIONS(m)                                                                   \
	{"config", 'c', OPTION_TEXT, "FILE", &(m).config_path,                                 \
		"configuration (default: " CONFIG_PATH ", if there)"},                         \
		{"baselines", 'b', OPTION_TEXT, "DIR", &(m).baselines_dir,                     \
			"folder of the baselines"},                                            \
		{"runs", 'n', OPTION_COUNT, "N", &(m).runs, "captured runs of each workload"}, \
		SAMPLING_OPTIONS(m)

/*
 * Loads the configuration alone: built-in, then the file, then the command line. Goes to the root
 * first, unless a configuration is named; the caller passes other paths of the command line through
 * root_path().
 */
int measuring_load_config(struct measuring *measuring, struct err *err);
/* Loads the configuration and the workloads that `arguments` name. */
int measuring_load(
	struct measuring *measuring, const struct cli_arguments *arguments, struct err *err);
/* Releases what was loaded; after an error there is nothing to release. */
void measuring_release(struct measuring *measuring);

/*
 * argv as one line, quoted for a shell, without the words in `without` (pointers from argv) and the
 * options that have one of the NULL-ended `values` (NULL: all stay); free() it.
 */
char *measuring_command_line(
	int argc, char **argv, const struct cli_arguments *without, const char *const *values);

#endif
