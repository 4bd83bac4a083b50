/* Tracing a program by ptrace(2), to stop it at each system call that it makes. */
#include "capture/capture_internal.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "process/process.h"
#include "process/tree.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACE_OPTIONS                                                                            \
	(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
		PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)
/* How often output, deadline and signals are looked at while the program runs. */
#define TICK_US 20000
/* A call is a few times slower. */
#define TIMEOUT_FACTOR 10
/* The size of stack copies where frame pointers are requested, which only the kernel follows. */
#define STACK_BYTES 8192

/* A thread of the program. */
struct traced {
	pid_t pid; /* its process; 0: the thread that made it is not known yet: it stays stopped */
	bool changed; /* of a first thread: the process's mappings or names may be new */
};

struct tracer {
	struct capture_request request;
	struct command command;
	struct child child;
	struct child_spec spec;
	struct call_samples samples;
	struct key_map tids;
	struct traced *threads; /* by number in `tids` */
	size_t threads_capacity;
	const char *own; /* the call by which the program traces or filters itself, which fails
			    while it is traced: "ptrace"; NULL: none */
	bool started;    /* the exec of the program is over */
	uint64_t start_ns;
	uint64_t harness_start_ns;
	enum watch_end end;
};

static volatile sig_atomic_t ticked;

static void
tick(int number)
{
	(void)number;
	ticked = 1;
}

/* ptrace(2) with a number where it has a pointer. */
static long
ptrace_number(long request, pid_t tid, long data)
{
	return syscall(SYS_ptrace, request, tid, 0L, data);
}

static struct traced *
thread_of(struct tracer *tracer, pid_t tid)
{
	uint32_t number = key_map_add(&tracer->tids, (uint64_t)tid);

	if (number >= tracer->threads_capacity) {
		size_t before = tracer->threads_capacity;

		tracer->threads = mem_grow(tracer->threads, &tracer->threads_capacity, number + 1,
			sizeof(*tracer->threads));
		memset(tracer->threads + before, 0,
			(tracer->threads_capacity - before) * sizeof(*tracer->threads));
	}
	return &tracer->threads[number];
}

/* The process of a thread; the thread itself where that cannot be read. */
static pid_t
process_of(pid_t tid)
{
	char path[64];
	char text[32];
	struct buf status = {0};
	pid_t pid = tid;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (sysfs_value(sysfs_text("", path, &status), "Tgid", text, sizeof(text)))
		pid = (pid_t)strtol(text, NULL, 10);
	buf_release(&status);
	return pid > 0 ? pid : tid;
}

/* Whether the call makes mappings of code or another name, once it is over. */
static bool
changes_process(const struct stopped_call *call)
{
	return (call->number == SYS_mmap && call->args[2] & PROT_EXEC) ||
	       (call->number == SYS_mprotect && call->args[2] & PROT_EXEC) ||
	       (call->number == SYS_prctl && call->args[0] == PR_SET_NAME);
}

/* The program's own tracing or filtering, which does not work or hides calls from us. */
static const char *
own_tracing(const struct stopped_call *call)
{
	if (call->number == SYS_ptrace)
		return "ptrace";
	if (call->number == SYS_seccomp && call->args[0] != SECCOMP_GET_ACTION_AVAIL)
		return "seccomp";
	if (call->number == SYS_prctl && call->args[0] == PR_SET_SECCOMP)
		return "seccomp";
	return NULL;
}

static int
on_call(struct tracer *tracer, pid_t tid, struct err *err)
{
	struct traced *thread = thread_of(tracer, tid);
	struct stopped_call call;
	pid_t pid = thread->pid > 0 ? thread->pid : tid;

	if (!tracer->started)
		return 0;
	struct traced *process = thread_of(tracer, pid);

	if (process->changed) {
		process->changed = false;
		if (call_samples_process(&tracer->samples, pid, false, err) < 0)
			return -1;
	}
	if (call_samples_put(&tracer->samples, pid, tid, &call, err) < 0)
		return -1;
	if (changes_process(&call))
		process->changed = true;
	if (!tracer->own)
		tracer->own = own_tracing(&call);
	return 0;
}

static int
on_made(struct tracer *tracer, pid_t maker, struct err *err)
{
	unsigned long message;

	if (ptrace(PTRACE_GETEVENTMSG, maker, NULL, &message) < 0)
		return 0;
	pid_t tid = (pid_t)message;
	pid_t pid = process_of(tid);
	pid_t parent = thread_of(tracer, maker)->pid;
	/* It may have stopped before this report came, and was kept waiting. */
	bool was_held = key_map_find(&tracer->tids, (uint64_t)tid) != KEY_MAP_NONE &&
			thread_of(tracer, tid)->pid == 0;

	*thread_of(tracer, tid) = (struct traced){.pid = pid};
	if (call_samples_fork(&tracer->samples, pid, tid, parent > 0 ? parent : maker, maker, err) <
		0)
		return -1;
	if (was_held)
		ptrace_number(PTRACE_CONT, tid, 0);
	return 0;
}

static int
on_exec(struct tracer *tracer, pid_t pid, struct err *err)
{
	*thread_of(tracer, pid) = (struct traced){.pid = pid};
	if (pid == tracer->child.pid && !tracer->started) {
		tracer->started = true;
		if (child_released(&tracer->child, &tracer->spec, err) < 0)
			return -1;
	}
	return call_samples_process(&tracer->samples, pid, true, err);
}

static bool
stops_group(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* Lets a stopped thread go on, once the stop is dealt with. */
static int
on_stop(struct tracer *tracer, pid_t tid, int status, struct err *err)
{
	int number = WSTOPSIG(status);
	int result = 0;

	switch (status >> 16) {
	case PTRACE_EVENT_SECCOMP:
		result = on_call(tracer, tid, err);
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		result = on_made(tracer, tid, err);
		break;
	case PTRACE_EVENT_EXEC:
		result = on_exec(tracer, tid, err);
		break;
	case PTRACE_EVENT_STOP:
		/* A new thread whose creator has not been seen yet waits for it. */
		if (thread_of(tracer, tid)->pid == 0)
			return 0;
		ptrace_number(stops_group(number) ? PTRACE_LISTEN : PTRACE_CONT, tid, 0);
		return 0;
	default: /* a signal on its way */
		ptrace_number(PTRACE_CONT, tid, number);
		return 0;
	}
	ptrace_number(PTRACE_CONT, tid, 0);
	return result;
}

/* Forgets a thread that has ended: another one may get its number. */
static void
on_end(struct tracer *tracer, pid_t tid, int status, const struct rusage *usage)
{
	struct child *child = &tracer->child;

	*thread_of(tracer, tid) = (struct traced){.pid = 0};
	if (tid != child->pid)
		return;
	child->ended = true;
	child->status = status;
	child->usage = *usage;
}

/* Whether the run is over. */
static bool
look_around(struct tracer *tracer, uint64_t deadline_ns)
{
	ticked = 0;
	child_read_output(&tracer->child);
	if (signals_caught() != 0)
		tracer->end = WATCH_INTERRUPTED;
	else if (deadline_ns > 0 && clock_ns() >= deadline_ns)
		tracer->end = WATCH_TIME_OVER;
	return tracer->end != WATCH_ENDED;
}

static int
trace(struct tracer *tracer, struct err *err)
{
	const uint64_t deadline_ns = command_deadline_ns(&tracer->command, tracer->start_ns);
	struct rusage usage;
	int status;

	while (!tracer->child.ended) {
		pid_t tid = wait4(-1, &status, __WALL, &usage);
		int errnum = errno;

		if (ticked && look_around(tracer, deadline_ns))
			return 0;
		if (tid < 0 && errnum != EINTR)
			return err_set_errno(err, ERR_SYSTEM, errnum, "cannot wait for '%s'",
				tracer->request.argv[0]);
		if (tid < 0)
			continue;
		if (!WIFSTOPPED(status))
			on_end(tracer, tid, status, &usage);
		else if (on_stop(tracer, tid, status, err) < 0)
			return -1;
	}
	/* The exec failed: the child's report says why. */
	return tracer->started ? 0 : child_released(&tracer->child, &tracer->spec, err);
}

/* Kills all that is left: a traced process cannot end in order, since its calls fail without us. */
static void
kill_rest(struct tracer *tracer)
{
	child_reap(&tracer->child);
	if (!tracer->child.alone)
		tree_signal(SIGKILL);
}

static int
trace_child(struct tracer *tracer, struct err *err)
{
	struct child *child = &tracer->child;
	const struct sigaction action = {.sa_handler = tick};
	const struct itimerval each = {{0, TICK_US}, {0, TICK_US}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	struct sigaction before;

	if (ptrace_number(PTRACE_SEIZE, child->pid, TRACE_OPTIONS) < 0) {
		err_set_errno(
			err, ERR_MEASURE, errno, "cannot trace '%s'", tracer->request.argv[0]);
		return err_note(err, "a security policy may forbid ptrace(2): in a container add "
				     "`--cap-add SYS_PTRACE`");
	}
	thread_of(tracer, child->pid)->pid = child->pid;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &each, NULL);
	int status = child_release(child, &tracer->spec, err);

	if (status == 0)
		status = trace(tracer, err);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	kill_rest(tracer);
	return status;
}

static int
refuse_own(const struct tracer *tracer, struct err *err)
{
	err_set(err, ERR_MEASURE, "'%s' uses %s(2) itself, which its tracer is in the way of",
		tracer->request.argv[0], tracer->own);
	return err_note(err, "such programs can be counted by `event: raw_syscalls`, as root");
}

static int
finish(void *context, const struct child *child, pid_t pid, struct run *run, struct err *err)
{
	struct tracer *tracer = context;

	(void)pid;
	if (call_samples_finish(&tracer->samples, &tracer->request, err) < 0)
		return -1;
	tally_counted(child, (double)tracer->samples.counts.samples, tracer->harness_start_ns, run);
	run->expected_samples = (double)run->samples;
	return 0;
}

static int
run_traced(struct tracer *tracer, struct capture_result *result, struct err *err)
{
	tracer->spec = command_spec(&tracer->command);
	tracer->spec.stops_at_calls = true;
	tracer->spec.measured = false; /* what the kernel counts is the tracing, too */
	if (child_start(&tracer->child, &tracer->spec, err) < 0)
		return -1;
	const pid_t pid = tracer->child.pid;

	tracer->start_ns = clock_ns();
	int status = trace_child(tracer, err);

	command_end(&tracer->command, &tracer->child, tracer->end, tracer->start_ns, result);
	if (status < 0)
		return -1;
	if (tracer->own)
		return refuse_own(tracer, err);
	return command_conclude(&tracer->command, &tracer->child, pid, tracer->end, result, err);
}

int
call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err)
{
	struct tracer tracer = {
		.request = *request,
		.harness_start_ns = clock_own_cpu_ns(),
		.end = WATCH_ENDED,
	};
	cpu_set_t before;
	bool moved = false;

	memset(result, 0, sizeof(*result));
	if (signals_check(err) < 0)
		return -1;
	if (request->service) {
		err_set(err, ERR_MEASURE,
			"the system calls of a service cannot be counted by a seccomp filter");
		return err_note(err, "they can be counted by `event: raw_syscalls`, as root");
	}
	if (!request->argv)
		return err_set(err, ERR_USAGE,
			"seccomp stops the system calls of programs that it starts, not of "
			"processes that run already");
	if (request->callchain && request->stack_bytes == 0)
		tracer.request.stack_bytes = STACK_BYTES;
	tracer.command = (struct command){
		.request = &tracer.request,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "while it is traced, a system call is slow",
		.finish = finish,
		.context = &tracer,
	};
	/* To wake another CPU for each call takes ten times as long. */
	if (request->pin && sched_getaffinity(0, sizeof(before), &before) == 0)
		moved = sched_setaffinity(0, sizeof(*request->pin), request->pin) == 0;
	int status = call_samples_open(&tracer.samples, &tracer.request, err);

	if (status == 0)
		status = run_traced(&tracer, result, err);
	call_samples_close(&tracer.samples);
	key_map_release(&tracer.tids);
	free(tracer.threads);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	return status;
}
