/*
 * One child process and its descendants: started in two steps, watched, ended, reaped.
 *
 * Between the steps the child waits before its exec, so that counters attached to it then begin
 * with the program's first instruction.
 */
#ifndef PROCESS_CHILD_H
#define PROCESS_CHILD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/exit_status_set.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * The bytes that processes read and wrote, and their calls for it, as the kernel counts them in
 * /proc/PID/io (proc_pid_io(5)).
 */

/* Through read and write calls, and from and to storage. */
struct child_io {
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t read_calls;
	uint64_t write_calls;
	uint64_t storage_read_bytes;
	uint64_t storage_write_bytes;
};

/*
 * The counts of this process so far, and of all processes that it has waited for: what waiting for
 * a child adds is the child's own. (A child's own file can be read only with rights over it, and
 * not after it has ended.) Returns the number of bytes of the file, which reading it adds
 * afterwards; 0: refused.
 */
size_t child_io_read_own(struct child_io *io);
/* The same from the text of the file, /proc/self/io. False where the text is not such a file. */
bool child_io_parse(const char *text, struct child_io *io);

struct file_watch;
struct fixed_place;

enum child_output {
	CHILD_KEEP,     /* the last output of both is kept, each by itself */
	CHILD_INHERIT,  /* both go where ours go */
	CHILD_MERGE,    /* their last output is kept, their lines are debug log */
	CHILD_TO_FILES, /* to spec->files */
};

/*
 * The variable by which an environment that is small is made larger. It lies above the stack: the
 * copy of a stack of few frames then does not end at an address that is not mapped, which would be
 * a page fault in each copy, of 0.5 us, or of 5 under some hypervisors.
 */
#define CHILD_STACK_ROOM "PROFILE_RUN_STACK_ROOM"

/* The program to run; everything is borrowed until child_start() returns. */
struct child_spec {
	const char *const *argv;
	const char *const *env;          /* "NAME=value" is added, "NAME" taken away; may be NULL */
	bool only_env;                   /* `env` is the whole environment */
	const struct fixed_place *place; /* the place that the program sees; NULL: none */
	const char *cwd;                 /* NULL: here */
	const char *stdin_path;          /* NULL: /dev/null */
	struct exit_status_set exit_codes; /* those of success */
	const cpu_set_t *pin;              /* NULL: wherever we may run */
	size_t stack_room; /* bytes of stack beyond the first frame (CHILD_STACK_ROOM) */
	enum child_output output;
	int files[2]; /* stdout's and stderr's, for CHILD_TO_FILES */
	int copy_fd;  /* for CHILD_MERGE: a file that gets CHILD_COPY_MAX bytes of both; 0: none */
	/* For CHILD_KEEP, where stdout goes instead, and is not kept: */
	int stdout_fd;           /* 0: not there */
	const char *stdout_path; /* a file that is written anew; NULL: not there */
	bool stderr_too;         /* stderr goes to stdout_fd, too */
	bool measured;           /* the program is what is measured: it is started from the launcher
				    (launch.h), so that its largest memory is its own */
	bool is_tool; /* a tool of ours, not the user's program: it has no terminal to prompt on,
			 and gets time to clean up, also when we are killed */
	bool stops_at_calls;  /* each system call of it, and of its descendants, stops for a tracer
				 (PTRACE_EVENT_SECCOMP), which is to be there before child_release();
				 not with `measured` */
	bool ignores_sigprof; /* it starts with SIGPROF ignored */
	pid_t joins;          /* a child that lives: this one is in its process group, and ends by
				 itself or alone; 0: it has its own group. Not with `measured` */
	const char *awaited;  /* whether this text, of 1 to LAST_OUTPUT_MAX bytes, is in its output
				 is seen; with CHILD_MERGE. NULL: none */
	struct file_watch *file_watch; /* of the files that it uses; NULL: none */
};

#define LAST_OUTPUT_MAX 1023
#define CHILD_COPY_MAX ((size_t)4 << 20)

/* The last part of a stream of any length, in fixed memory. All zeros: nothing was written yet. */
struct last_output {
	/* Of the first `len` bytes the last LAST_OUTPUT_MAX count. */
	char bytes[2 * LAST_OUTPUT_MAX];
	size_t len;
	bool cut; /* there was more ahead of them */
};

struct child {
	pid_t pid;
	int pidfd;     /* readable when it has ended; -1: not available */
	int start_fd;  /* an eventfd that the child waits for */
	int report_fd; /* the child's reports before its exec */
	int output_fd; /* of stderr, or of both; -1: nothing is kept */
	int stdout_fd; /* of stdout by itself; -1: nothing is kept */
	struct exit_status_set exit_codes;
	int copy_fd;   /* spec.copy_fd */
	size_t copied; /* bytes written to copy_fd */
	bool log_lines;
	bool is_tool;
	bool joined; /* spec.joins */
	bool measured;
	bool ended;
	bool crowded;        /* we had other children before it */
	bool alone;          /* no descendant of it is left, as of the last child_reap() */
	int status;          /* as wait(2) gives it */
	struct rusage usage; /* of the program and what it waited for, and of descendants that
				nobody waited for and that ended before child_end() */
	bool launched;       /* from the launcher: usage.ru_maxrss is the program's */
	bool ending;         /* child_end() is ending it */
	char survivors[128]; /* after child_end(): "process 123 ('ping') of another user", which
				could not be ended; "" if all of its tree has been */
	char held[128]; /* after child_end(), where it had not ended: as tree_describe_held() */
	bool io_known;  /* `io` is, of the same processes as `usage` */
	struct child_io io;
	/* Before its exec: what is in `usage` and `io`, and is not the program's. */
	uint64_t before_ns;
	unsigned before_faults;
	uint64_t launch_ns; /* CPU time of the launcher, which is over and not in `usage` */
	unsigned words;     /* that it has read, each after a report */
	long memory_kills;  /* memory_kills() before it started */
	struct last_output last_output;
	struct last_output last_stdout; /* of stdout by itself */
	struct buf line;                /* an unfinished one for the log */
	const char *awaited;            /* borrowed; NULL once it has come */
	struct child *next;             /* of those that live */
};

/* Makes the child, ready to exec. On error nothing is left. */
int child_start(struct child *child, const struct child_spec *spec, struct err *err);
/* Lets the child use so much CPU time, in user code, and wait again. On error as child_go(). */
int child_spin(
	struct child *child, const struct child_spec *spec, uint64_t cpu_ns, struct err *err);
/* Lets the child exec its program. On error child_end() is still to be called. */
int child_go(struct child *child, const struct child_spec *spec, struct err *err);

/*
 * child_go() in two steps, for a tracer, which has to let the child's calls up to its exec go on.
 * child_release() lets the child go on. child_released() returns 0 if the exec worked, and -1 with
 * the reason why it failed once the child has ended.
 */
int child_release(struct child *child, const struct child_spec *spec, struct err *err);
int child_released(struct child *child, const struct child_spec *spec, struct err *err);

/*
 * Reaps every process that has ended: the child itself, other children that live, and orphans that
 * became ours.
 */
void child_reap(struct child *child);
/* Reads the output so far, without waiting; output_fd and stdout_fd become -1 at its end. */
void child_read_output(struct child *child);
/*
 * Ends the child and all its descendants: SIGTERM, then SIGKILL after a second. All of them are
 * reaped and its descriptors closed; status, usage and last output stay. May be called again. A
 * child that joined another is killed alone: what it started is ended with the other one. A process
 * that cannot be ended is a warning, stays in child->survivors, and is not waited for again.
 */
void child_end(struct child *child);
/*
 * After child_end(), of a child that was ended too early: " and was ended", or that it was not; and
 * notes which process was stopped or traced, and which one runs on.
 */
const char *child_fate(const struct child *child);
int child_note_processes(const struct child *child, struct err *err);

/*
 * 0 if it succeeded (an exit status of its spec's). Else the error: "'NAME' exited with status 3",
 * with the last lines of its output.
 */
int child_judge(const struct child *child, const char *name, struct err *err);

/* Adds the next bytes of the stream. */
void last_output_put(struct last_output *last, const char *bytes, size_t len);
/*
 * Copies it, terminated, cut to `size` and without trailing newlines; where something is cut
 * at the front, only whole lines are kept if there is more than one.
 */
void last_output_text(const struct last_output *last, char *text, size_t size);

/* Adds a note: the last output of the child, each line indented. */
void child_note_output(const struct child *child, struct err *err);

/* The children that live, between child_start() and child_end(): only for process/ itself. */
void child_register(struct child *child);
bool child_any_lives(void);

/* Closes *fd unless it is -1, and sets it to -1. */
void child_close_fd(int *fd);

/*
 * The kernel's counts of a child and its descendants, at their end.
 */

struct child_counts {
	uint64_t user_ns; /* both by the kernel's ticks, scaled to the scheduler's time */
	uint64_t system_ns;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t max_rss_bytes; /* of the largest process; 0: not known */
	bool io_known;
	struct child_io io;
};

/*
 * The counts of a child that has ended, from its exec on, and of those descendants that it waited
 * for, or that ended before it and that nobody waited for. The kernel does not count a process
 * whose parent ignores SIGCHLD.
 */
struct child_counts child_counts(const struct child *child);

#endif
