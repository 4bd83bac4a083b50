/*
 * The parts that the backends are made of; internal to capture/. Each part begins with a comment
 * that names its file. The surroundings of a counted run are in surroundings.h.
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
	 * Makes the capture once the program, which was process `pid`, has ended, and fills in
	 * `run`. Called by command_run() and command_conclude(). NULL: nothing is captured.
	 */
	int (*finish)(void *context, const struct child *child, pid_t pid, struct run *run,
		struct err *err);
	void *context;
	/* For a request with a service: called when the server takes requests; may be NULL. */
	int (*ready)(void *context, struct err *err);
	struct companions *companions; /* of a service; NULL: no service is allowed */
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

/*
 * Whether command_deadline_ns() is the end of the duration, which was requested, and not of the
 * timeout. On a tie it is.
 */
bool command_has_duration(const struct command *command);

/*
 * Ends all that is left of the child and fills in the fields of a result that need no measuring:
 * wall time, exit status, last output and whether profile_run ended it.
 */
void command_end(const struct command *command, struct child *child, enum watch_end end,
	uint64_t start_ns, struct capture_result *result);

/*
 * Starts the child; before it, the servers that its service needs. On error nothing is left. Then
 * the child lives until command_end().
 */
int command_start(const struct command *command, struct child *child, const struct child_spec *spec,
	struct err *err);

/*
 * Waits for the child's end; of a service: until the server takes requests, and then for the end of
 * the driver. `watch` says what is drained meanwhile.
 */
int command_watch(const struct command *command, struct child *child, struct watch *watch,
	enum watch_end *end, struct err *err);

/* Judges the (ended) child by its end: 0 if it is a success. */
int command_judge(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err);

/*
 * Whether the capture is kept though the program failed: that was requested (keep_failed), and the
 * program ended by itself or SIGINT came.
 */
bool command_keeps(const struct command *command, enum watch_end end);

/*
 * Judges the ended program and makes its capture. For a program that failed the error is the
 * program's, and the capture is made only where command_keeps().
 */
int command_conclude(const struct command *command, const struct child *child, pid_t pid,
	enum watch_end end, struct capture_result *result, struct err *err);

/* Runs the child to its end, and concludes. For backends that have nothing to do meanwhile. */
int command_run(const struct command *command, const struct child_spec *spec,
	struct capture_result *result, struct err *err);

/*
 * The companions (command.c) of a measured server (process/service.h): its driver, and the servers
 * that it needs.
 */

#define COMPANIONS_NEEDS_MAX 8

struct companions {
	const struct service *service;
	struct child_spec beside; /* how the driver and the commands of the service are started */
	cpu_set_t cpus;           /* the companions' CPUs: those that the server is not pinned to */
	struct child needs[COMPANIONS_NEEDS_MAX];
	size_t nneeds; /* of them that were started */
	struct child driver;
	bool driving;     /* the driver was started */
	bool left;        /* the server ended before it was stopped */
	uint64_t took_ns; /* from when the server was ready until the driver's end */
	struct err stop;  /* why a server did not end in order */
};

/*
 * The files that the processes of a run leave (command.c), one or more each, in a folder beside
 * where the profile goes. Their names begin with the process's number.
 */

struct left_files {
	char **paths; /* in the order of process numbers, but those of the first process first */
	size_t count;
	size_t capacity;
};

/* Makes the folder, empty; returns its absolute path, for left_files_remove(). NULL on error. */
char *left_files_make(const char *perfdata_path, struct err *err);
/*
 * Finds the files in the folder; `first` is the number of the first process. left_files_release()
 * is needed in any case.
 */
int left_files_list(struct left_files *files, const char *dir, pid_t first, struct err *err);
void left_files_release(struct left_files *files);
/* Removes the folder with all its files, and frees its path; nothing for NULL. */
void left_files_remove(char *dir);

/*
 * The tally (tally.c): the cost of a run, and the number of samples to expect from it.
 */

/* Where the numbers come from; all borrowed. */
struct tally {
	const struct capture_request *request;
	const struct event_counters *counters;
	const struct sampler *sampler; /* used if request->perfdata_path */
	const struct rusage *usage;    /* of all executions; NULL: an attached process, or all
					  processes */
	int64_t cpu_ns;                /* known from elsewhere; -1: from the counters, or `usage` */
	const struct disturb *disturb; /* ended; NULL: not observed */
	uint64_t harness_ns;           /* CPU time of our own until the run's end */
	uint64_t launch_ns;            /* of launchers, on the program's CPUs */
	unsigned executions;           /* of the program; 0: we did not start it */
};

/*
 * Fills in CPU time, cost, switches, migrations, period and expected samples, from the counters,
 * and from `usage` where one was refused; and what disturbed the run.
 */
void tally_run(const struct tally *tally, struct run *run);

/* Adds the kernel's counts of an execution that has ended, the `nth` of the run from 1. */
void tally_child(const struct child *child, unsigned nth, struct run *run);

/*
 * Fills in the numbers of a run of one execution whose events were all counted: `cost` in the
 * backend's unit. `harness_start_ns` is this process's CPU time before the run.
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
 * system calls, wake-ups, the begins and ends of operations, the begins of phases.
 */
struct further_event {
	const char *name;
	uint32_t type; /* of perf_event_attr */
	uint64_t config;
	bool everywhere;                     /* recorded of all processes */
	bool stacks;                         /* a tracepoint whose samples have stacks, too */
	const struct operation *operation;   /* the event is at its probes; NULL: at none */
	bool ends;                           /* at the probes that end it, else that begin it */
	const struct operation_probe *probe; /* the last one that was opened */
	struct perf_event_attr attr;         /* as written to the file */
	uint64_t *ids;
	int *fds; /* also among those of the sampler */
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
	int *fds; /* first those that own the buffers, one a CPU; then all others */
	uint64_t *ids;
	size_t nids;
	size_t nfds;
	size_t fds_capacity;
	size_t ids_capacity;
	int *cpus;          /* the CPUs that have a buffer */
	struct ring *rings; /* one a CPU */
	size_t ring_bytes;
	size_t ncpus;
	size_t watched;  /* the first of the `ncpus` descriptors to wait for */
	bool no_room;    /* the last buffer was larger than the memory that we may lock */
	bool everywhere; /* all processes are sampled */
	struct ring_counts counts;
	/*
	 * For earlier tasks (sampler_follow()): the units that their events counted, and the
	 * samples lost.
	 */
	uint64_t dropped_units;
	uint64_t dropped_lost;
	double spent_part;       /* the part of its first period that the next execution spends
				    before its exec: see sampler_follow() */
	struct share *share;     /* NULL: stack copies are written whole */
	struct held_files *held; /* the files that the program executes */
	struct phase_pipe *pipe; /* borrowed: phases that the program writes; NULL: none */
	struct perf_event_attr pipe_attr; /* of the event of these phases */
	uint64_t pipe_id;
	struct written_event events[2 + FURTHER_EVENTS_MAX]; /* as written to the file */
	uint64_t end_ns;                                     /* when sampling ended */
	struct perfdata_writer writer;
	bool writing;
};

/*
 * Opens events for `tasks`: an unstarted child, whose exec enables them, or with `attach_pid` the
 * threads of a running process; with `pipe`, also the event of the phases that come from it (NULL:
 * none). Starts the file. On error nothing is left.
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
 * Begins sampling now, without waiting for an exec; the present maps and names of the sampled
 * processes are written to the file first.
 */
int sampler_enable(struct sampler *sampler, const struct capture_request *request, struct err *err);
/* Ends sampling; records stay in the buffers. */
void sampler_disable(struct sampler *sampler);
/*
 * Opens the files that were mapped as code since the last call, and returns after how many
 * milliseconds to look again. `context` is the sampler; as struct watch's look().
 */
unsigned sampler_look(void *context);
/* Drains all buffers into the file. `context` is the sampler; as struct watch's drain(). */
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

/* The attributes of the event of phases that the program writes to a pipe. */
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
 * The pipe (phase_pipe.c) that a program writes its phases to: each line is the name of a phase
 * that begins; an empty line ends the phase.
 */

/* The environment variable with its path. */
#define PHASES_PIPE_VARIABLE "PROFILE_RUN_PHASES"

/* The pipe of a run. */
struct phase_pipe {
	char *dir;                      /* the folder that it is in */
	char *path;                     /* absolute */
	char *variable;                 /* NAME=PATH, for the program's environment */
	int fd;                         /* readable when something was written */
	uint64_t taken_ns;              /* when phase_pipe_take() was called last */
	char line[PHASE_NAME_MAX + 24]; /* the unfinished line */
	size_t len;
};

/* Makes the pipe beside where the capture goes. phase_pipe_close() is needed after success. */
int phase_pipe_open(struct phase_pipe *pipe, const char *perfdata_path, struct err *err);
void phase_pipe_close(struct phase_pipe *pipe);

/* A phase that has begun. */
struct phase_begin {
	uint64_t time_ns; /* of clock_ns() */
	const char *name; /* not terminated */
	size_t len;       /* 0: no phase from here on */
};

/*
 * Reads what has been written and calls put() for each phase. A phase has begun now, or at the time
 * that its line states, in ns behind a tab, if that was since the last call.
 */
void phase_pipe_take(struct phase_pipe *pipe,
	void (*put)(void *context, const struct phase_begin *phase), void *context);
/* Drops what has been written and not read. */
void phase_pipe_clear(struct phase_pipe *pipe);

/*
 * The held files (held_files.c), which a program executes: held open while it runs, and copied at
 * the end of the capture where they are gone or were replaced (elf/program_copies.h).
 *
 * A file is opened as soon as its mapping is seen in a ring buffer, through the process that maps
 * it: its path may lead elsewhere, or nowhere, for us. Nothing wakes us for that, as a wake-up
 * would cost the program time: the buffers are looked at every few milliseconds, more often while
 * files come. A process that ends sooner is missed, unless another one runs the same file.
 */

struct held_files;

/* `attr` is that of the events whose records will be read. */
struct held_files *held_files_new(const struct perf_event_attr *attr);
/* Closes all files; NULL is nothing. */
void held_files_free(struct held_files *held);

/* Opens the files that new records in the buffer of CPU number `cpu` (from 0) name. */
void held_files_look(struct held_files *held, const struct ring *ring, size_t cpu);
/* The same for synthesised records, of files that were mapped before sampling began. */
void held_files_take(struct held_files *held, const void *records, size_t bytes);
/* After how many milliseconds the buffers are to be looked at again. */
unsigned held_files_pause_ms(struct held_files *held);

/*
 * Adds the files that were mapped so far, whether they could be held open or not; a file that
 * could not is known by the path that its process has.
 */
void held_files_put(const struct held_files *held, struct run_files *files);

/*
 * Copies the files that are gone, or were replaced, beside the capture at `perfdata_path`, and says
 * so in the log.
 */
void held_files_keep(struct held_files *held, const char *perfdata_path);

/*
 * Synthesised records (synth.c; perf's term): records in the kernel's format that profile_run
 * writes itself. They are of processes and mappings from before sampling began, read from /proc,
 * and of phases.
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
/* The end of sampling: a switch to the idle loop at that time, in which no thread takes part. */
void synth_end(struct buf *records, const struct synth_moment *moment);
/* The mapping in a line of /proc/PID/maps, if it is of code. The line is changed. */
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
 * The processor that a simulator presents to programs (presented.c). Programs choose code by its
 * features, so that costs that were counted on two kinds of it differ.
 */

#define PRESENTED_SIZE 32

/*
 * Runs a program of ours (cpu_features/) by the command `simulator` (NULL-ended), and names the
 * processor that the program finds: "avx2-1a2b3c4d", the largest set of vector instructions and a
 * hash of all features. "" on machines for which there is no such program.
 */
int presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err);

/* That program (cpu_features.S), and its length; 0: none for this kind of processor. */
extern const char cpu_features_program[];
extern const uint64_t cpu_features_program_bytes;

/* The name of a processor from the text that the program prints. */
void presented_name(const char *text, char name[PRESENTED_SIZE]);

/*
 * The files that callgrind leaves of a run, one for each process and part of it, as one file
 * (callgrind_files.c).
 */

struct surroundings;

/* The cost of the processes of a run. */
struct callgrind_totals {
	double program; /* without the loader, where its cost is separated */
	double loader; /* of the dynamic loader, which runs ahead of each program's constructors and
			  main; NAN: not separated, and part of the program's */
};

/*
 * Writes the files that callgrind left in the folder `dir` into one file, in the order of
 * left_files_list(), and adds up their costs. Each process has a file, one more for each time that
 * it forked, and one of its loader (CALLGRIND_LOADER_END), whose cost is counted and which is left
 * out. Paths in the fixed place of `surroundings` are replaced by the real ones. Where a cost is a
 * sum of events, the file states the metric (profile/metric.h). A folder without files, or a file
 * that is not whole, is an error.
 */
int callgrind_files_join(const char *dir, pid_t first, const struct metric *metric,
	const struct surroundings *surroundings, const char *into, struct callgrind_totals *totals,
	struct err *err);

/*
 * callgrind's option that writes the cost up to the loader's end into a separate file, which
 * names this option's function as its trigger.
 */
#define CALLGRIND_LOADER_END "--dump-after=_dl_start"

/*
 * The files that the allocation shim (shim/) leaves of a run, one a process, as one perf.data file
 * (alloc_files.c): a sample for each stack and event, whose period is what was counted.
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
	uint64_t not_counted; /* allocations for which the shim had no room, or in whose middle a
				 signal came */
	uint64_t processes;
	uint64_t stacks;
	uint64_t broken_stacks;
	bool first_seen; /* a file is of the process that profile_run started */
	bool overridden; /* a process has its own malloc */
};

/*
 * Writes the files that the shim left in `dir` as one perf.data file, whose first event is `first`;
 * `command` is the program's, `pid` the process that we started. No file at all is no error.
 */
int alloc_files_join(const char *dir, pid_t pid, const char *const *command, enum alloc_event first,
	const char *into, struct alloc_totals *totals, struct err *err);

/*
 * Sets the error that the allocations of the program at argv[0] cannot be counted (alloc.c), with
 * the reason and what to do instead. 0 where there is no such reason.
 */
int alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err);

/*
 * The samples of traced system calls, in a perf.data file (call_samples.c): as the tracepoint
 * raw_syscalls:sys_enter would have written them.
 */

struct call_samples {
	struct perf_event_attr attr;
	struct written_event event;
	struct perfdata_writer writer;
	bool writing;     /* false without a perfdata_path: calls are only counted */
	struct ring ring; /* filled by this process; draining it shares stacks */
	struct share *share;
	struct ring_counts counts;
	struct buf record; /* the record that is being made */
};

/* The call that a thread is stopped at. */
struct stopped_call {
	uint64_t number;
	uint64_t args[6];
};

/* Opens the file, if the request has one. call_samples_close() is needed in any case. */
int call_samples_open(
	struct call_samples *samples, const struct capture_request *request, struct err *err);
/*
 * Adds the call that thread `tid` of process `pid` is stopped at, and sets *call to it. Its number
 * is UINT64_MAX where the thread was killed meanwhile.
 */
int call_samples_put(struct call_samples *samples, pid_t pid, pid_t tid, struct stopped_call *call,
	struct err *err);
/* Adds that a process or thread was made by thread `maker` of process `parent`. */
int call_samples_fork(struct call_samples *samples, pid_t pid, pid_t tid, pid_t parent, pid_t maker,
	struct err *err);
/* Adds the names and mappings of code of a process; after an exec they replace all earlier ones. */
int call_samples_process(struct call_samples *samples, pid_t pid, bool is_exec, struct err *err);
/* Writes the rest, and puts the file in its place. */
int call_samples_finish(
	struct call_samples *samples, const struct capture_request *request, struct err *err);
/* Closes everything; a file that was not finished is removed. */
void call_samples_close(struct call_samples *samples);

/*
 * Counting the system calls of a program without tracepoints (call_tracer.c), for users who may not
 * use them: a seccomp filter stops the program at each call, and profile_run, its tracer by
 * ptrace(2), writes a sample as the tracepoint raw_syscalls:sys_enter would have. Nothing is lost,
 * as the program waits; a call takes several times as long.
 */

/*
 * One run of the request's command, as capture_backend.run(), but that processes which it leaves
 * behind are killed. The calls after the program's exec are counted; a program that traces others,
 * or sets seccomp filters itself, is an error. Without a perfdata_path no samples are written.
 */
int call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err);

#endif
