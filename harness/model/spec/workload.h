/*
 * A workload: one YAML file that says how to build, run and judge one command; and the
 * configuration that gives its defaults. Both are checked completely when read: every problem is a
 * located error.
 */
#ifndef SPEC_WORKLOAD_H
#define SPEC_WORKLOAD_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/exit_status_set.h"
#include "base/sha256.h"
#include "profile/latency.h"
#include "spec/policy.h"
#include "spec/suite.h"
#include "spec/yaml.h"

#include <stddef.h>
#include <time.h>

/*
 * A service: a server that is measured while another program, its driver, puts it under load.
 */

/* How it is seen that a server takes requests. */
enum ready_kind {
	READY_TCP,     /* a connection to host:port is accepted */
	READY_UNIX,    /* ... to the socket `text` */
	READY_HTTP,    /* GET `text` on host:port is answered with a status of 2xx or 3xx */
	READY_LOG,     /* `text` is in what it writes to stdout or stderr */
	READY_COMMAND, /* `argv` ends with status 0 */
};

struct service_ready {
	enum ready_kind kind;
	const char *host; /* an address: 127.0.0.1 or ::1 */
	const char *port; /* a number */
	const char *text;
	const char *const *argv; /* NULL-ended */
};

/* A server, all of it borrowed. */
struct service_server {
	const char *const *argv; /* NULL-ended */
	struct service_ready ready;
	int stop;         /* the signal that ends it in order */
	double timeout_s; /* to be ready, and again to end */
};

struct service {
	/* Run beside it, not measured: started before it in this order, ended after it. */
	const struct service_server *needs;
	size_t nneeds;
	struct service_server own;
	const char *const *driver; /* NULL-ended argv */
	const char *cwd;           /* the driver's and the needs'; NULL: here */
	const char *const *env;    /* as in struct child_spec, of the same */
};

/* The gate of one metric in a configuration: gate.METRIC. */
struct metric_gate {
	const char *metric;
	struct gate_policy gate; /* without waivers */
	struct gate_overlays overlays;
};

/* Where they are by default, from the root of a repository's benchmarks. */
#define CONFIG_PATH "config/profile_run.yaml"
#define WORKLOADS_PATH "workloads"

struct config {
	struct arena arena; /* owns what is below */
	struct capture_policy capture;
	struct gate_policy gate;
	struct gate_overlays overlays;
	const struct metric_gate *metric_gates;
	size_t nmetric_gates;
	double budget_s;           /* wall time of a gate without builds; 0: by the planned runs */
	double build_timeout_s;    /* of one build */
	bool prepare;              /* quieten the machine while measuring, where it can be done */
	const char *waivers_path;  /* by default waivers.yaml beside the file; NULL: none */
	bool allow_head_waivers;   /* with the policy of a commit: also those that it lacks */
	const char *workloads_dir; /* WORKLOADS_PATH */
	const char *baselines_dir; /* "baselines" */
	const char *reports_dir;   /* "reports" */
	const char *machine_class; /* a fixed class for this fleet of machines; NULL: detected */
	bool count_instructions;   /* beside the time of a baseline */
	bool keep_perfdata;        /* reports keep the raw captures */
	double coverage_min;       /* of production, by workloads; 0: none is demanded */
	const char *source_url;    /* pattern of links to the source, or "none"; NULL: detected */
	/* The options of the command line that chose it and its baselines, for a shell: " -b DIR".
	 * "" if none. */
	const char *options;
};

/*
 * Whether `text` is a pattern of URLs of lines in the source: http or https, with {path} and maybe
 * {commit} and {line}, and otherwise only characters that need no escape in HTML or Markdown.
 */
bool config_is_source_url(const char *text);

/* The built-in defaults. */
void config_init(struct config *config);
void config_release(struct config *config);
/* Reads `path` over what `config` holds, and the waivers into its gate. */
int config_read(struct config *config, const char *path, struct err *err);
/* The same of a file that has been parsed, without the waivers. */
int config_read_parsed(struct config *config, const struct yaml_file *file, struct err *err);
/* The default path of the waivers, beside the configuration; the arena's. */
const char *config_waivers_beside(struct config *config, const char *path);
/* The waivers alone: of the file that `config` names, or of the one beside `path`, if it is there.
 */
int config_read_waivers(struct config *config, const char *path, struct err *err);

/* A program that a workload cannot be measured without. */
struct requirement {
	const char *program; /* a name in PATH, or a path, which may have wildcards: glob(7) */
	const char *package; /* that has it; NULL: unknown */
};

struct workload {
	struct arena arena; /* owns what is below, but for what comes from the configuration */
	const char *path;   /* the YAML file */
	const char *name;   /* [A-Za-z0-9_.-]+, not starting with '.' or '-'; or unit_is_name() */
	const char *file_name; /* its `name` there: `name` without the metric; NULL: not known */
	/*
	 * What it is called on disk, unit_folder(): in reports, and without the metric in the store
	 * of baselines, in place of `file_name`. NULL likewise.
	 */
	const char *folder;
	const char *stored_name;
	/* The suite whose benchmarks are workloads, once it is listed; NULL: the file is no suite.
	 */
	struct suite *suite;
	struct suite_unit *unit; /* the benchmark that it is; NULL: none, or not listed yet */
	const char
		*unlisted; /* why the benchmarks of `suite` could not be listed; NULL: they could */
	const char *const *include; /* patterns as in struct suite, while the file is read */
	const char *const *exclude;
	/* When it was built, by the clock of files; all 0: it is still to be built. */
	struct timespec built_from;
	struct timespec built_to;
	/* The only ones of the suite that are wanted, by name, NULL-ended; NULL: as it chooses. */
	const char *const *benchmarks;
	const char *const *measured; /* NULL-ended, all metrics of the file; NULL: its one */
	const char *summary;         /* "" if none */
	/* Ends with one without a program; NULL: none. Where one is missing, a gate may skip it. */
	const struct requirement *requires;
	/*
	 * Patterns (glob(7)), seen from `cwd`, of files and folders outside git that every build
	 * reads from the working tree. NULL-ended; NULL: none.
	 */
	const char *const *inputs;
	/* Commands for /bin/sh -c; NULL if none. */
	const char *build;
	const char *setup;
	const char *teardown;
	/* The measured command: NULL-ended argv; a plain string is run by /bin/sh -c. */
	const char *const *run;
	struct service *service;        /* `run` is its server; NULL: none */
	struct latency_source *latency; /* of the driver, or of `run`; NULL: none */
	const char *const *env;         /* NULL-ended "NAME=value" additions */
	const char *stdin_path;         /* NULL: /dev/null */
	const char *stdout_path; /* a file that is written anew; NULL: it is read and dropped */
	struct exit_status_set exit_codes; /* with which a run succeeds */
	const char *cwd;                   /* NULL: where profile_run was started */
	struct capture_policy capture;
	double build_timeout_s; /* the configuration's; 0: the default */
	/*
	 * The keys that say how it is measured and that differ from those of the commit whose
	 * policy judges it, and the commit: "'run' and 'env' differ from main". NULL: none.
	 */
	const char *changed;
	bool counted_instead; /* workload_count_instead(): its file names CPU time */
	/* Before the overlays of a mode: gate_policy_resolve(). Its waivers are the workload's. */
	struct gate_policy gate;
	struct gate_overlays overlays;
	/*
	 * Identifies the work that a baseline was recorded of: SHA-256 over run, env (in the order
	 * of names), stdin, cwd, setup and the metric, event, callgraph, stack (if it is set:
	 * stacks that are cut elsewhere give other total costs) and pin of the capture. Duration
	 * and number of runs, the build and the settings of the gate are not part of it.
	 */
	char hash[SHA256_TEXT_SIZE];
};

/* The keys of a workload that say how it is built and measured; NULL-ended. */
const char *const *workload_measuring_keys(void);

/* How a workload is read. */
struct workload_source {
	const char *path;
	const struct config *config; /* has what the file does not set; must outlive the workload */
	/*
	 * `gate` and `requires` are those of this file, such as another commit's version of the
	 * workload; NULL: its own. Costs in the unit of another metric are left out.
	 */
	const struct yaml_file *judge;
	const char *metric; /* of those in `measure`; NULL: the first */
};

/* Reads one file, for one metric. On error nothing needs releasing. */
int workload_read_from(
	struct workload *workload, const struct workload_source *source, struct err *err);
/* The same for its first metric, by its own gate. */
int workload_read(
	struct workload *workload, const char *path, const struct config *config, struct err *err);
void workload_release(struct workload *workload);

/*
 * Makes a workload of CPU time one of counted instructions, by the same thresholds. Costs in its
 * gate, which are times, are left out.
 */
void workload_count_instead(struct workload *workload);

/* Whether a file of this name is a workload's: NAME.yaml or NAME.yml, not hidden. */
bool workload_is_file_name(const char *name);

struct workload_list {
	struct workload *workloads; /* owned, by name */
	size_t nworkloads;
	/* Suites that are listed, which own what their benchmarks borrow; owned. */
	struct workload *suites;
	size_t nsuites;
};

/*
 * Replaces the suite `at` of a list by a workload for each chosen benchmark; the list is by name
 * again. `older` as in suite_run_command(). An error where none or too many are chosen: the list is
 * as it was.
 */
int workload_list_expand(struct workload_list *list, size_t at, const struct suite_listing *listing,
	bool older, struct err *err);

/*
 * Reads the workloads that `paths` name: a YAML file, a folder (every *.yaml in it) or the bare
 * name of a workload in config->workloads_dir; with no path, all of that folder. A file gives one
 * workload for each metric that it measures; NAME.METRIC names one of them, and NAME/BENCHMARK one
 * benchmark of a suite. Two workloads of one name are an error, and so is an empty list.
 */
int workload_list_read(struct workload_list *list, const char *const *paths, size_t npaths,
	const struct config *config, struct err *err);
void workload_list_release(struct workload_list *list);

/*
 * Appends the command that records baselines where this configuration looks for them: that of
 * `workload`, or all (NULL). `option` is one of its options with a leading space, or "".
 */
void config_put_update(const struct config *config, const char *option,
	const struct workload *workload, struct buf *out);

#endif
