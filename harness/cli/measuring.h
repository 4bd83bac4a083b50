/*
 * What `gate` and `baseline update` share: the options that choose workloads and settings, and the
 * order in which configuration, workload and command line override one another.
 */
#ifndef CLI_MEASURING_H
#define CLI_MEASURING_H

#include "cli/options.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_PATH "config/profile_run.yaml"

/* Given on the command line; NULL or 0 where not. */
struct measuring {
	const char *config_path;
	const char *baselines_dir;
	const char *reports_dir;
	const char *event;
	const char *pin;
	double frequency_hz;
	unsigned runs;
	unsigned max_runs;
	bool keep_perfdata;
};

/* The rows of an option table for `m`. */
#define MEASURING_OPTIONS(m)                                                                      \
	{"config", 'c', OPTION_TEXT, "FILE", &(m).config_path,                                    \
		"configuration (default: " CONFIG_PATH ", if there)"},                            \
		{"baselines", 'b', OPTION_TEXT, "DIR", &(m).baselines_dir,                        \
			"the store of baselines"},                                                \
		{"runs", 'n', OPTION_COUNT, "N", &(m).runs, "captured runs of each workload"},    \
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &(m).frequency_hz,                     \
			"samples a CPU second"},                                                  \
		{"event", 'e', OPTION_TEXT, "EVENT", &(m).event, "auto, cycles, cpu-clock, ..."}, \
	{                                                                                         \
		"pin", 0, OPTION_TEXT, "CPUS", &(m).pin, "auto, none or a list such as 2-3"       \
	}

/* The configuration alone: built-in, then the file, then the command line's folders. */
int measuring_load_config(const struct measuring *given, struct config *config, struct err *err);

/*
 * The configuration and the workloads that `arguments` name. On success both are to be released.
 */
int measuring_load(const struct measuring *given, const struct cli_arguments *arguments,
	struct config *config, struct workload_list *list, struct err *err);

/* argv as one line, quoted for a shell; free() it. */
char *measuring_command_line(int argc, char **argv);

#endif
