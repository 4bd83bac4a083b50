/*
 * The settings of a command: the options that choose workloads and how they are sampled, and the
 * order in which configuration, workload and command line override one another. For `gate`,
 * `baseline`, `bisect`, `calibrate` and every other verb that needs the configuration.
 */
#ifndef CLI_COMMAND_SETTINGS_H
#define CLI_COMMAND_SETTINGS_H

#include "cli/options.h"
#include "cli/root.h"
#include "gate/policy_from.h"
#include "spec/workload.h"

#include <stdbool.h>

struct command_settings {
	/* The options of the command line; NULL or 0 where they are not given. */
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

	/* The settings that result, once loaded. */
	struct root root;
	struct config config;
	struct workload_list workloads;
	struct policy_from policy_from; /* if policy_ref is set */
};

/* The rows of a verb's option table for a struct command_settings: those on sampling, and all. */
#define SAMPLING_OPTIONS(m)                                                     \
	{"frequency", 'F', OPTION_FREQUENCY, "HZ", &(m).frequency_hz,           \
		"samples per second of CPU time"},                              \
		{"event", 'e', OPTION_TEXT, "EVENT", &(m).event,                \
			"event to sample: auto, cycles, cpu-clock, ..."},       \
	{                                                                       \
		"pin", 0, OPTION_TEXT, "CPUS", &(m).pin,                        \
			"CPUs of the program: auto, none or a list such as 2-3" \
	}

#define SETTINGS_OPTIONS(m)                                                                    \
	{"config", 'c', OPTION_TEXT, "FILE", &(m).config_path,                                 \
		"configuration (default: " CONFIG_PATH ", if there)"},                         \
		{"baselines", 'b', OPTION_TEXT, "DIR", &(m).baselines_dir,                     \
			"folder of the baselines"},                                            \
		{"runs", 'n', OPTION_COUNT, "N", &(m).runs, "captured runs of each workload"}, \
		SAMPLING_OPTIONS(m)

/*
 * Loads the configuration alone: the built-in one, overridden by the file, overridden by the
 * command line. Enters the root of the benchmarks first (root.h), unless a configuration is named;
 * the caller passes other paths of the command line through root_path().
 */
int command_settings_load_config(struct command_settings *settings, struct err *err);
/* Loads the configuration and the workloads that `arguments` name. */
int command_settings_load(
	struct command_settings *settings, const struct cli_arguments *arguments, struct err *err);
/* Releases what was loaded; after an error there is nothing to release. */
void command_settings_release(struct command_settings *settings);

#endif
