/*
 * The parts of the backends, in this order: the command, its companions, the left files and the
 * tally, which all backends have; the sampler with the pipe of phases, the held files and the
 * synthesised records; the presented processor and the callgrind files; the alloc backend; the call
 * tracer. surroundings.h has the surroundings of a counted run. Internal to capture/.
 */
#ifndef CAPTURE_CAPTURE_INTERNAL_H
#define CAPTURE_CAPTURE_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "capture/backend.h"
#include "machine/disturb.h"
#include "perf_event/events.h"
#include "perf_event/ring.h"
#include "perfdata/writer.h"
#include "process/file_watch.h"
#include "process/process.h"
#include "profile/metric.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * The command (command.c): the program of a capture request, how it is started, how long it may run
 * and what its end means. The same for every backend; each has its own way to measure meanwhile.
 */

/* How a backend runs it; all borrowed. */
struct command {
	const struct capture_request *request;
	unsigned timeout_factor; /* the timeout is so many times the requested one; at least 1 */
	bool timeout_is_cpu;     /* of CPU time; wall time has another limit */
	const char *slowness;    /* the reason for a longer timeout, a clause: "under X programs are
				    slow"; NULL: none */
	/*
	 * Makes the capture of the ended program, which was process `pid`, and fills in `run`. For
	 * command_run() and command_conclude().
	 */
	int (*finish)(void *context, const struct child *child, pid_t pid, struct run *run,
		struct err *err);
	void *context;
	/* For a request with a service: called when the server takes requests; may be NULL. */
	int (*ready)(void *context, struct err *err);
	struct driven *driven; /* where its companions are kept; NULL: no service is allowed */
};

/* Whether measuring begins while the program runs, not with its exec. */
bool command_begins_later(const struct capture_request *request);

/* The child to start; its strings are borrowed from the request. */
struct child_spec command_spec(const struct command *command);

/*
 * When a run that started at `start_ns` (of clock_ns()) is over, whatever it does: the earlier
 * of its duration and its timeout, 0 if it has neither.
 */
uint64_t command_deadline_ns(const struct command *command, uint64_t start_ns);

/* Whether that is the duration's, whose end was requested. On a tie it is. */
bool command_has_duration(const struct command *command);

/*
 * Ends all that is left of the child and fills in the fields of a run that need no measuring: wall
 * time, exit status, tail and whether we ended it.
 */
void command_end(const struct command *command, struct child *child, enum watch_end end,
	uint64_t start_ns, struct capture_result *result);

/*
 * Starts it, and what its service needs, before it. On error nothing is left. Then it lives until
 * command_end().
 */
int command_start(const struct command *command, struct child *child, const struct child_spec *spec,
	struct err *err);

/*
 * Waits for its end; of a service: until the server takes requests, and then for the end of the
 * driver. `watch` has what is drained meanwhile.
 */
int command_watch(const struct command *command, struct child *child, struct watch *watch,
	enum watch_end *end, struct err *err);

/* Judges the (ended) child by its end: 0 if it is a success. */
int command_judge(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err);

/* Whether the capture of a program that failed is wanted: what there is of it is complete. */
bool command_keeps(const struct command *command, enum watch_end end);

/*
 * Judges the ended program and makes its capture: of one that failed where it is wanted, and the
 * error is the program's.
 */
int command_conclude(const struct command *command, const struct child *child, pid_t pid,
	enum watch_end end, struct capture_result *result, struct err *err);

/* Runs it to its end, and concludes. For backends that have nothing to do meanwhile. */
int command_run(const struct command *command, const struct child_spec *spec,
	struct capture_result *result, struct err *err);

/*
 * The companions (command.c) of a measured server (process/service.h): its driver, and the servers
 * that it needs.
 */

#define DRIVEN_NEEDS_MAX 8

struct driven {
	const struct service *service;
	struct child_spec beside; /* how the driver and the commands are started */
	cpu_set_t cpus;           /* theirs: those that the server is not pinned to */
	struct child needs[DRIVEN_NEEDS_MAX];
	size_t nneeds; /* started */
	struct child driver;
	bool driving;     /* it was started */
	bool left;        /* the server ended before it was stopped */
	uint64_t took_ns; /* from when the server was ready until the driver's end */
	struct err stop;  /* why a server did not end in order */
};

/*
 * The left files (command.c): those that the processes of a run leave, one or more each, in a
 * folder beside where the profile goes. Their names begin with the process's number.
 */

struct left_files {
	char **paths; /* those of the first process ahead of the others, in the order of numbers */
	size_t count;
	size_t capacity;
};

/* Makes the folder, which is empty then; its absolute path, for left_files_remove(). NULL on error.
 */
char *left_files_make(const char *perfdata_path, struct err *err);
/* Finds the files; `first` is the first process. left_files_release() is needed in any case. */
int left_files_list(struct left_files *files, const char *dir, pid_t first, struct err *err);
void left_files_release(struct left_files *files);
/* Removes the folder with all its files, and frees its path; NULL is nothing. */
void left_files_remove(char *dir);

/*
 * The tally (command.c): the cost of a run, and the number of samples to expect from it.
 */

/* Where the numbers come from; all borrowed. */
struct tally {
	const struct capture_request *request;
	const struct event_counters *counters;
	const struct sampler *sampler; /* used if request->perfdata_path */
	const struct rusage *usage;    /* of all executions; NULL: an attached process, or all
					  processes */
	int64_t cpu_ns;                /* known from elsewhere; -1: the counters and `usage` tell */
	const struct disturb *disturb; /* ended; NULL: not observed */
	uint64_t harness_ns;           /* CPU time of our own until the run's end */
	unsigned executions;           /* of the program; 0: we did not start it */
};

/*
 * Fills in CPU time, cost, switches, migrations, period and expected samples, from the counters,
 * and from `usage` where one was refused; and what disturbed the run.
 */
void tally_run(const struct tally *tally, struct run *run);

/* Takes the counters of an execution that has ended into account, the `nth` of the run from 1. */
void tally_child(const struct child *child, unsigned nth, struct run *run);

/*
 * The numbers of a run of one execution that counted all, `cost` in the backend's unit. Our own CPU
 * time began at `harness_start_ns`.
 */
void tally_counted(
	const struct child *child, double cost, uint64_t harness_start_ns, struct run *run);

/*
 * Sets an error if records were lost, without which a run means nothing: "5 WHAT were lost".
 * `remedy` is for runs that copy stacks.
 */
int tally_refuse_losses(const struct capture_request *request, const struct run *run,
	const char *what, const char *remedy, struct err *err);

/*
 * The sampler (sampler.c, sampler_events.c) of one process, or of all: the events, one ring buffer
 * a CPU, and the perf.data file that the records go to.
 */

/*
 * An event that is recorded beside the first one: the context switches beside a clock, the ends of
 * calls, wake-ups.
 */
struct further_event {
	const char *name;
	uint32_t type; /* of perf_event_attr */
	uint64_t config;
	bool everywhere;                     /* of all processes */
	bool stacks;                         /* of a tracepoint: its samples have them, too */
	const struct operation *operation;   /* of its probes; NULL: none */
	bool ends;                           /* ... those that end it, else that begin it */
	const struct operation_probe *probe; /* the last one that was opened */
	struct perf_event_attr attr;         /* as the file has it */
	uint64_t *ids;
	int *fds; /* which are among those of the sampler */
	size_t count;
	size_t ids_capacity;
	size_t fds_capacity;
};

#define FURTHER_EVENTS_MAX (4 + PHASE_PROBES_MAX)

struct held_files;
struct phase_pipe;

struct sampler {
	struct perf_event_attr attr;
	struct further_event further[FURTHER_EVENTS_MAX];
	size_t nfurther;
	int *fds; /* those that own the buffers first, one a CPU; then all others */
	uint64_t *ids;
	size_t nids;
	size_t nfds;
	size_t fds_capacity;
	size_t ids_capacity;
	int *cpus;          /* whose records we take */
	struct ring *rings; /* one a CPU */
	size_t ring_bytes;
	size_t ncpus;
	size_t watched;  /* the first of the `ncpus` descriptors to wait for */
	bool no_room;    /* the last buffer was more than we may lock */
	bool everywhere; /* all processes are sampled */
	struct ring_counts counts;
	/*
	 * For earlier tasks (sampler_follow()): the units that their events counted, and the
	 * samples lost.
	 */
	uint64_t dropped_units;
	uint64_t dropped_lost;
	double spent_part;   /* of the next to follow: the part of its first period that is spent */
	struct share *share; /* NULL: stack copies are written whole */
	struct held_files *held; /* what the program executes */
	struct phase_pipe *pipe; /* borrowed: phases that the program tells of; NULL: none */
	struct perf_event_attr pipe_attr;
	uint64_t pipe_id;
	struct written_event events[2 + FURTHER_EVENTS_MAX]; /* as the file has them */
	uint64_t end_ns;                                     /* when sampling ended */
	struct perfdata_writer writer;
	bool writing;
};

/*
 * Opens events for `tasks`: an unstarted child, whose exec enables them, or with `attach` the
 * threads of a running process; with `pipe`, also for the marks that come from it (NULL: none).
 * Starts the file. On error nothing is left.
 */
int sampler_open(struct sampler *sampler, const struct capture_request *request,
	struct phase_pipe *pipe, const pid_t *tasks, size_t ntasks, struct err *err);
/*
 * Continues with another unstarted child in the same file. Its first sample comes after a varying
 * part of a period: if it always came a whole period after the exec, many short executions would be
 * sampled at the same few points, and never before the first.
 */
int sampler_follow(struct sampler *sampler, const struct capture_request *request,
	struct child *child, const struct child_spec *spec, struct err *err);
/*
 * Begins now, without waiting for an exec; the present maps and names of the sampled processes are
 * written to the file first.
 */
int sampler_enable(struct sampler *sampler, const struct capture_request *request, struct err *err);
/* No more samples from here on. */
void sampler_disable(struct sampler *sampler);
/*
 * Opens the files that were mapped as code since, and returns after how many milliseconds to look
 * again. `context` is the sampler, as for the next one.
 */
unsigned sampler_look(void *context);
/* Drains all buffers into the file. */
int sampler_drain(void *context, struct err *err);
/* The number of units of the event, sampled or not. */
double sampler_units(const struct sampler *sampler);
/* Drains, fills in the counts of `run`, and puts the file in its place. */
int sampler_finish(struct sampler *sampler, const struct capture_request *request, struct run *run,
	struct err *err);
/* Closes everything. Removes a file that was not finished. */
void sampler_close(struct sampler *sampler);

/* PERF_FORMAT_LOST since Linux 6.0; older headers do not know it. */
#define SAMPLER_FORMAT_LOST (1U << 4)

/* The purpose of an event. */
enum role {
	ROLE_WHOLE,   /* samples, and reports maps, names and tasks */
	ROLE_TELLS,   /* only reports */
	ROLE_SAMPLES, /* only samples */
	ROLE_FURTHER  /* samples of the first of the further events; the others' roles follow */
};

/* The attributes of the marks of phases that the program writes to a pipe. */
struct perf_event_attr sampler_attr_phase(const struct sampler *sampler);

/*
 * Fills in attr, fds, ids, cpus and rings. As far as the kernel and the limits allow: an older
 * kernel has fewer features, and buffers may be smaller than wanted. On error sampler_close_fds()
 * is still to be called.
 */
int sampler_events_open(struct sampler *sampler, const struct capture_request *request,
	const pid_t *tasks, size_t ntasks, struct err *err);
/* Opens the same for one more task, which delivers nothing until sampler_events_join(). */
int sampler_events_add(struct sampler *sampler, const struct capture_request *request, pid_t task,
	struct err *err);
/* Makes the events added last write into the existing buffers. */
int sampler_events_join(
	struct sampler *sampler, const struct capture_request *request, struct err *err);
/* Closes the events of all tasks but the first, which own the buffers. */
void sampler_drop_added(struct sampler *sampler);
/* Closes events and buffers. */
void sampler_close_fds(struct sampler *sampler);

/*
 * The pipe of phases (phase_pipe.c), which a program writes to: each line is the name of one that
 * begins, an empty one ends it.
 */

/* The environment variable with its path. */
#define PHASES_PIPE_VARIABLE "PROFILE_RUN_PHASES"

/* The pipe of a run. */
struct phase_pipe {
	char *dir;                      /* where it is */
	char *path;                     /* absolute */
	char *variable;                 /* NAME=PATH, for the program's environment */
	int fd;                         /* readable when something was written */
	uint64_t taken_ns;              /* when phase_pipe_take() was called last */
	char line[PHASE_NAME_MAX + 24]; /* the part of the last one that has come */
	size_t len;
};

/* Makes it beside where the capture goes. phase_pipe_close() is needed after success. */
int phase_pipe_open(struct phase_pipe *pipe, const char *perfdata_path, struct err *err);
void phase_pipe_close(struct phase_pipe *pipe);

/* A phase that has begun. */
struct phase_begin {
	uint64_t time_ns; /* of clock_ns() */
	const char *name; /* not terminated */
	size_t len;       /* 0: no phase from here on */
};

/*
 * Takes what has been written: calls put() for each phase. It has begun now, or when its line says,
 * in ns behind a tab, if that was since the last call.
 */
void phase_pipe_take(struct phase_pipe *pipe,
	void (*put)(void *context, const struct phase_begin *phase), void *context);
/* Drops what has been written. */
void phase_pipe_clear(struct phase_pipe *pipe);

/*
 * The held files (held_files.c): those that a program executes are held open while they run, and
 * copied where they are gone, or other ones, when the capture ends (elf/program_copies.h).
 *
 * A file is opened as soon as its mapping is seen in a ring buffer, through the process that maps
 * it: its path may lead elsewhere, or nowhere, for us. Nothing wakes us for that, as a wake-up
 * would cost the program time: the buffers are looked at every few milliseconds, more often while
 * files come. A process that ends sooner is missed, unless another one runs the same file.
 */

struct held_files;

/* For records of events with this attribute. */
struct held_files *held_files_new(const struct perf_event_attr *attr);
/* Closes all files; NULL is nothing. */
void held_files_free(struct held_files *held);

/* Opens what the new records in the buffer of CPU number `cpu` (from 0) say. */
void held_files_look(struct held_files *held, const struct ring *ring, size_t cpu);
/* The same of records of our own about what was mapped before. */
void held_files_take(struct held_files *held, const void *records, size_t bytes);
/* After how many milliseconds the buffers are to be looked at again. */
unsigned held_files_pause_ms(struct held_files *held);

/*
 * Adds the files that were mapped so far, whether they could be held open or not; a file that
 * could not is known by the path that its process has.
 */
void held_files_put(const struct held_files *held, struct run_files *files);

/* Copies what is needed beside the capture that is at `perfdata_path`, and says so in the log. */
void held_files_keep(struct held_files *held, const char *perfdata_path);

/*
 * The synthesised records (synth.c; perf's term) of what was mapped before sampling began: from
 * /proc, in the kernel's format.
 */

/* The trailer of a record: its time (0: ahead of all), and an event's id. */
struct synth_moment {
	uint64_t time_ns;
	uint64_t id;
};

/* A line of /proc/PID/maps (proc_pid_maps(5)) is no longer. */
#define SYNTH_LINE_MAX (4096 + 256)

/* A program's start: its name, and nothing of what was mapped before. */
void synth_exec(
	struct buf *records, const char *name, pid_t pid, const struct synth_moment *moment);
/* A phase's begin: a sample of the event `moment->id`, with its name of `len` bytes. */
void synth_phase(
	struct buf *records, const char *name, size_t len, const struct synth_moment *moment);
/* A switch to the idle loop, which no thread takes part in: the time is what is known by it. */
void synth_end(struct buf *records, const struct synth_moment *moment);
/* A line of /proc/PID/maps, which is changed, if it is of code. */
void synth_map(struct buf *records, char *line, pid_t pid, const struct synth_moment *moment);
/* The kernel's code and its modules, as far as their addresses are readable. `id` is an event's. */
void synth_kernel(struct buf *records, uint64_t id);
/* All threads of a process, its first one first; free() them. NULL if there is no such process. */
pid_t *synth_tasks(pid_t pid, size_t *ntasks);
/* The names of a running process and its threads, and its mappings: of code, with `data` all. */
void synth_process(struct buf *records, pid_t pid, uint64_t id, bool data);
/*
 * The same, of code, of all processes that we may inspect. At most some 128 MiB of records; a
 * warning says what is left out.
 */
void synth_all_processes(struct buf *records, uint64_t id);

/*
 * The presented processor (presented.c), that of a simulator. Programs choose code by its features,
 * so that costs counted on two kinds of it differ.
 */

#define PRESENTED_SIZE 32

/*
 * Runs a program of ours behind the words `simulator` (NULL-ended), and names the processor that it
 * finds: "avx2-1a2b3c4d", the largest set of vector instructions and a hash of all features. "" on
 * machines that have no such program.
 */
int presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err);

/* That program (cpu_features.S), and its length; 0: none for this kind of processor. */
extern const char cpu_features_program[];
extern const uint64_t cpu_features_program_bytes;

/* The name of a processor from the text that the program prints. */
void presented_name(const char *text, char name[PRESENTED_SIZE]);

/*
 * The callgrind files (callgrind_files.c) of a run, as one file.
 */

struct surroundings;

/* The cost of the processes of a run. */
struct callgrind_totals {
	double program;
	double loader; /* of that: nothing; it ran ahead of each program's constructors and main.
			  NAN: not separated, and part of the program's */
};

/*
 * Writes the files that callgrind left in a folder into one, in the order of left_files_list(), and
 * adds up their costs. Each process has one, one more for each time that it forked, and one of its
 * loader (CALLGRIND_LOADER_END), which is counted and left out. Names of files are as they are
 * outside of the place of `surroundings`. Where a cost is a sum of events, the file states the
 * metric (profile/metric.h). A folder without any, or a file that is not whole, is an error.
 */
int callgrind_files_join(const char *dir, pid_t first, const struct metric *metric,
	const struct surroundings *surroundings, const char *into, struct callgrind_totals *totals,
	struct err *err);

/* Where callgrind ends the part that is the loader's, and so that it knows it by its trigger. */
#define CALLGRIND_LOADER_END "--dump-after=_dl_start"

/*
 * The alloc backend (alloc.c): its events, the files that the shim left, and why there may be none.
 */

/* The counts of a stack: an event each of one perf.data file. */
enum alloc_event {
	ALLOC_EVENT_BYTES, /* requested */
	ALLOC_EVENT_COUNT, /* of requests */
	ALLOC_EVENT_LIVE,  /* bytes that were not freed when the process ended */
	ALLOC_EVENT_PEAK, /* bytes that were live when most were, of each process at its own peak */
	ALLOC_EVENTS,
};

/* "alloc:bytes", ...; by enum alloc_event. */
extern const char *const alloc_event_names[ALLOC_EVENTS];

/* The sum of all processes of a run. */
struct alloc_totals {
	double events[ALLOC_EVENTS];
	uint64_t not_counted; /* allocations that the shim had no room or could not stop for */
	uint64_t processes;
	uint64_t stacks;
	uint64_t broken_stacks;
	bool first_seen; /* a file is of the process that we started */
	bool overridden; /* ... which has its own malloc */
};

/*
 * Writes the files that the shim left in `dir` as one perf.data file, whose first event is `first`;
 * `command` is the program's, `pid` the process that we started. No file at all is no error.
 */
int alloc_files_join(const char *dir, pid_t pid, const char *const *command, enum alloc_event first,
	const char *into, struct alloc_totals *totals, struct err *err);

/*
 * Sets the error that the program at argv[0] cannot be counted, with the reason as far as its file
 * tells: static, Go, another C library, with the rights of another user. 0 where nothing is known
 * against it.
 */
int alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err);

/*
 * The call tracer (call_tracer.c) counts the system calls of a program without tracepoints, for who
 * may not have them: a seccomp filter stops the program at each call, and we, its tracer by
 * ptrace(2), write a sample as the tracepoint raw_syscalls:sys_enter would have. Nothing is lost,
 * as the program waits; it costs several times as much.
 */

/*
 * One run of the request's command, as capture_backend.run(), but for processes that it leaves
 * behind: they are killed. Calls from behind the exec of the program on are counted; a program that
 * traces, or has seccomp filters of its own, is an error. Without a perfdata_path they are only
 * counted.
 */
int call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err);

#endif
