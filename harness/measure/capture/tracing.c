#include "capture/tracing.h"

#include "base/clock.h"
#include "process/tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACE_OPTIONS                                                                          \
	(PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
		PTRACE_O_EXITKILL)
/* How often output, deadline and signals are looked at while the program runs. */
#define TICK_US 20000

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

void
tracing_continue(pid_t tid)
{
	ptrace_number(PTRACE_CONT, tid, 0);
}

static bool
stops_group(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* An event at which the hooks have work; the exec of the command is also the child's start. */
static int
on_event(struct tracing *tracing, pid_t tid, int event, struct err *err)
{
	if (event == PTRACE_EVENT_EXEC && tid == tracing->pid && !tracing->started) {
		tracing->started = true;
		if (child_released(&tracing->child, &tracing->spec, err) < 0)
			return -1;
	}
	return tracing->hooks->event(tracing->command.context, tid, event, err);
}

/* Lets a stopped thread go on, once the stop is dealt with. */
static int
on_stop(struct tracing *tracing, pid_t tid, int status, struct err *err)
{
	const struct tracing_hooks *hooks = tracing->hooks;
	void *context = tracing->command.context;
	const int number = WSTOPSIG(status);
	const int event = status >> 16;
	int result = 0;

	switch (event) {
	case PTRACE_EVENT_SECCOMP:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_EXEC:
		result = on_event(tracing, tid, event, err);
		break;
	case PTRACE_EVENT_STOP:
		if (!hooks->holds || !hooks->holds(context, tid))
			ptrace_number(stops_group(number) ? PTRACE_LISTEN : PTRACE_CONT, tid, 0);
		return 0;
	default: /* a signal on its way */
		if (number == SIGTRAP && hooks->breakpoint && hooks->breakpoint(context, tid))
			break;
		ptrace_number(PTRACE_CONT, tid, number);
		return 0;
	}
	tracing_continue(tid);
	return result;
}

static void
on_end(struct tracing *tracing, pid_t tid, int status, const struct rusage *usage)
{
	struct child *child = &tracing->child;

	if (tracing->hooks->ended)
		tracing->hooks->ended(tracing->command.context, tid);
	if (tid != tracing->pid)
		return;
	child->ended = true;
	child->status = status;
	child->usage = *usage;
}

/* Whether the run is over. */
static bool
look_around(struct tracing *tracing, uint64_t deadline_ns)
{
	ticked = 0;
	child_read_output(&tracing->child);
	if (signals_caught() != 0)
		tracing->end = WATCH_INTERRUPTED;
	else if (deadline_ns > 0 && clock_ns() >= deadline_ns)
		tracing->end = WATCH_TIME_OVER;
	return tracing->end != WATCH_ENDED;
}

static int
trace(struct tracing *tracing, struct err *err)
{
	const uint64_t deadline_ns = command_deadline_ns(&tracing->command, tracing->start_ns);
	struct rusage usage;
	int status;

	while (!tracing->child.ended) {
		pid_t tid = wait4(-1, &status, __WALL, &usage);
		int errnum = errno;

		if (ticked && look_around(tracing, deadline_ns))
			return 0;
		if (tid < 0 && errnum != EINTR)
			return err_set_errno(err, ERR_SYSTEM, errnum, "cannot wait for '%s'",
				tracing->command.request->argv[0]);
		if (tid < 0)
			continue;
		if (!WIFSTOPPED(status))
			on_end(tracing, tid, status, &usage);
		else if (on_stop(tracing, tid, status, err) < 0)
			return -1;
	}
	/* The exec failed: the child's report says why. */
	return tracing->started ? 0 : child_released(&tracing->child, &tracing->spec, err);
}

/* Kills all that is left: a traced process cannot end in order, since its calls fail without us. */
static void
kill_rest(struct tracing *tracing)
{
	child_reap(&tracing->child);
	if (!tracing->child.alone)
		tree_signal(SIGKILL);
}

static int
trace_child(struct tracing *tracing, struct err *err)
{
	const long options = TRACE_OPTIONS | (tracing->stops_at_calls ? PTRACE_O_TRACESECCOMP : 0);
	const struct sigaction action = {.sa_handler = tick};
	const struct itimerval each = {{0, TICK_US}, {0, TICK_US}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	struct sigaction before;

	if (ptrace_number(PTRACE_SEIZE, tracing->pid, options) < 0) {
		err_set_errno(err, ERR_MEASURE, errno, "cannot trace '%s'",
			tracing->command.request->argv[0]);
		return err_note(err, "a security policy may forbid ptrace(2): in a container add "
				     "`--cap-add SYS_PTRACE`");
	}
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &each, NULL);
	int status = child_release(&tracing->child, &tracing->spec, err);

	if (status == 0)
		status = trace(tracing, err);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	kill_rest(tracing);
	return status;
}

int
tracing_run(struct tracing *tracing, struct capture_result *result, struct err *err)
{
	tracing->end = WATCH_ENDED;
	tracing->spec = command_spec(&tracing->command);
	tracing->spec.stops_at_calls = tracing->stops_at_calls;
	tracing->spec.measured = false; /* what the kernel counts is the tracing, too */
	if (child_start(&tracing->child, &tracing->spec, err) < 0)
		return -1;
	tracing->pid = tracing->child.pid;
	tracing->start_ns = clock_ns();
	const int status = trace_child(tracing, err);

	command_end(&tracing->command, &tracing->child, tracing->end, tracing->start_ns, result);
	return status;
}

int
tracing_conclude(const struct tracing *tracing, struct capture_result *result, struct err *err)
{
	return command_conclude(
		&tracing->command, &tracing->child, tracing->pid, tracing->end, result, err);
}
