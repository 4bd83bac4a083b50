/*
 * Capture backends: ways of taking the profile of one run of a command.
 *
 * A backend is a const struct in capture_backends[] (backend.c), which says how to add one. It
 * first chooses its event for this machine by trying (never by reading a file under /proc), then
 * takes runs. It writes a perf.data file and fills in struct run; it knows nothing of profiles,
 * baselines or gates.
 */
#ifndef CAPTURE_BACKEND_H
#define CAPTURE_BACKEND_H

#include "base/err.h"
#include "capture/operation.h"
#include "machine/probe.h"
#include "perf_event/events.h"
#include "process/child.h"
#include "process/file_watch.h"
#include "process/service.h"
#include "profile/profile.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Under valgrind a program runs 20 to 100 times slower, and one thread of it at a time: the timeout
 * of a run that counts instructions is that many times longer.
 */
#define CAPTURE_COUNTED_TIMEOUT 50
/*
 * That timeout is of CPU time. In wall time such a run may take so many times as long, as other
 * load slows it down, but not longer than CAPTURE_WALL_MOST_S, or than the timeout if that is
 * longer.
 */
#define CAPTURE_WALL_FACTOR 10
#define CAPTURE_WALL_MOST_S 3600

struct capture_request {
	/* The command to run; none of these if `attach_pid` > 0. */
	const char *const *argv;           /* NULL-ended */
	const char *const *env;            /* NULL-ended additions "NAME=value"; may be NULL */
	const char *cwd;                   /* NULL: here */
	const char *stdin_path;            /* NULL: /dev/null */
	const char *stdout_path;           /* as in struct child_spec: of the command, or of the
					      service's driver */
	struct exit_status_set exit_codes; /* likewise */
	const struct service *service; /* `argv` is its server, which is measured while its driver
					  runs, in one execution; NULL: none */
	pid_t attach_pid;
	const struct operation *operation;   /* its begins and ends are recorded, too; NULL: none */
	const struct capture_phases *phases; /* their begins are recorded, too; NULL: none */
	enum child_output output;            /* CHILD_KEEP or CHILD_INHERIT */
	int stdout_fd;       /* CHILD_KEEP: takes the stdout of the command, or of the
				service's driver; 0: its tail is kept */
	bool stderr_too;     /* `stdout_fd` takes its stderr, too */
	unsigned executions; /* of the command, one after the other; 0: one */
	double skip_s;       /* of the command's beginning, which is not measured: for sampling
				one execution, without a service; 0: none */

	struct capture_event event;
	uint64_t period; /* in the event's units; 0: frequency_hz, adjusted by the kernel */
	double frequency_hz;
	bool callchain;            /* the kernel's frame-pointer chain of each sample */
	bool kernel_chain_only;    /* only the kernel's part of that: the rest is unwound from
				      the stack copy, and need not be taken twice */
	uint32_t stack_bytes;      /* of the stack copied with each sample, with the registers, for
				      unwinding; 0: none; a multiple of 8 up to CAPTURE_STACK_MAX */
	const cpu_set_t *all_of;   /* sample all processes on these CPUs, idle time left out (NULL:
				      only the program or process); argv and attach_pid may then
				      both be unset, and SIGINT or the duration ends it */
	const cpu_set_t *pin;      /* CPUs for the program; NULL: not pinned */
	int reader_cpu;            /* CPU for ourselves; -1: anywhere */
	double duration_s;         /* stop after this long and end the program; 0: when it ends */
	double timeout_s;          /* an execution that takes longer is an error; 0: none */
	const char *perfdata_path; /* where the capture goes; NULL: run without capturing */
	bool share_stacks;         /* write only the part of a stack copy that is in no earlier
				      one: less to write, but only we can read the file */
	struct file_watch *file_watch; /* of the files that all its processes use; NULL: none */
	struct run_files *mapped; /* takes the files that all its processes mapped as code, by the
				     kernel's records; NULL: not wanted. For sampling */
	bool keep_failed;         /* keep the capture though the program failed or SIGINT came */
};

struct capture_result {
	struct run run;         /* its counts, costs and validity */
	int exit_status;        /* as wait(2) gives it */
	bool ended_by_us;       /* the duration was over */
	bool kept;              /* an error, but the capture until then is there (keep_failed) */
	char last_output[1024]; /* last part of what it wrote to stderr (CHILD_KEEP) */
};

struct capture_backend {
	const char *name;
	const char *summary;
	const char *const *metrics; /* NULL-ended names of the metrics it can take */
	/*
	 * Chooses the event for one of its metrics and `wanted` ("auto" or a name). An unknown or
	 * undeliverable event is an error that says what would be needed.
	 */
	int (*choose)(const char *metric, const char *wanted, struct capture_event *event,
		struct err *err);
	/*
	 * One run. A program that cannot be started, exits non-zero, dies by a signal or outlives
	 * timeout_s is an ERR_MEASURE error with the tail of its stderr; its whole process tree is
	 * ended before this returns, whatever happens. ERR_INTERRUPTED after SIGINT or SIGTERM.
	 *
	 * An attached process (and any other that we have not started) is never ended: sampling
	 * stops when the duration is over, when the process ends or on SIGINT, and all three are a
	 * success.
	 */
	int (*run)(const struct capture_request *request, struct capture_result *result,
		struct err *err);
};

extern const struct capture_backend *const capture_backends[];

/* Each is defined in its own file, perf.c and so on. */
extern const struct capture_backend capture_perf;
extern const struct capture_backend capture_callgrind;
extern const struct capture_backend capture_syscalls;
extern const struct capture_backend capture_alloc;
extern const struct capture_backend capture_waits;

/* The backend for a metric; NULL if none. */
const struct capture_backend *capture_backend_for(const char *metric);

/*
 * Runs the command of a request once, unmeasured, and watches which files its processes use: with a
 * service those of its companions, too. Its failures are those of capture_backend.run(); `files` is
 * to be released in any case, and has what was seen until then.
 */
int capture_watch_files(
	const struct capture_request *request, struct run_files *files, struct err *err);

/*
 * Whether a counted run, which does not have all of our environment, executes and maps the same
 * code as a run that has. `whole` are the files of the latter as capture_watch_files() saw them;
 * where it is NULL or not known, such a run is made. A file of code that only one of both uses is
 * an error, which names the file and the variables that cause it, found by running with single
 * ones. Files are compared by their contents, not by their paths alone. Where runs cannot be
 * watched, or fail, nothing is known, and that is no error here.
 */
int capture_check_counted_files(
	const struct capture_request *request, const struct run_files *whole, struct err *err);

/*
 * Warns of variables of our environment that name code for the dynamic loader and that a counted
 * run of the request does not have: for a command that cannot be run for a check.
 */
void capture_warn_of_dropped(const struct capture_request *request);

/*
 * Removes the copies of executed files (elf/program_copies.h) beside the capture at
 * `perfdata_path`, which is removed or replaced, too.
 */
void held_files_remove_copies(const char *perfdata_path);

/* The trials by `doctor` of backends that do not sample through the kernel; for probe_machine(). */
extern const struct probe_part probe_backends[];

void callgrind_probe(const struct probe_context *context, struct probe_result *result);
void syscalls_probe(const struct probe_context *context, struct probe_result *result);
void alloc_probe(const struct probe_context *context, struct probe_result *result);
void waits_probe(const struct probe_context *context, struct probe_result *result);

#endif
