/* The system calls of a program that is traced, and stops at each of them. */
#include "capture/capture_internal.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "capture/tracing.h"
#include "process/process.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

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
	struct tracing tracing;
	struct call_samples samples;
	struct key_map tids;
	struct traced *threads; /* by number in `tids` */
	size_t threads_capacity;
	const char *own; /* the call by which the program traces or filters itself, which fails
			    while it is traced: "ptrace"; NULL: none */
	uint64_t harness_start_ns;
};

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

	if (!tracer->tracing.started)
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
		tracing_continue(tid);
	return 0;
}

static int
on_event(void *context, pid_t tid, int event, struct err *err)
{
	struct tracer *tracer = context;

	if (event == PTRACE_EVENT_SECCOMP)
		return on_call(tracer, tid, err);
	if (event != PTRACE_EVENT_EXEC)
		return on_made(tracer, tid, err);
	*thread_of(tracer, tid) = (struct traced){.pid = tid};
	return call_samples_process(&tracer->samples, tid, true, err);
}

/* A new thread whose creator has not been seen yet waits for it. */
static bool
holds(void *context, pid_t tid)
{
	struct tracer *tracer = context;

	return tid != tracer->tracing.pid && thread_of(tracer, tid)->pid == 0;
}

/* Forgets a thread that has ended: another one may get its number. */
static void
on_end(void *context, pid_t tid)
{
	*thread_of(context, tid) = (struct traced){.pid = 0};
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
	if (tracing_run(&tracer->tracing, result, err) < 0)
		return -1;
	if (tracer->own)
		return refuse_own(tracer, err);
	return tracing_conclude(&tracer->tracing, result, err);
}

int
call_tracer_run(
	const struct capture_request *request, struct capture_result *result, struct err *err)
{
	static const struct tracing_hooks hooks = {
		.event = on_event, .holds = holds, .ended = on_end};
	struct tracer tracer = {
		.request = *request,
		.harness_start_ns = clock_own_cpu_ns(),
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
	tracer.tracing = (struct tracing){
		.hooks = &hooks,
		.stops_at_calls = true,
		.command =
			{
				.request = &tracer.request,
				.timeout_factor = TIMEOUT_FACTOR,
				.slowness = "while it is traced, a system call is slow",
				.finish = finish,
				.context = &tracer,
			},
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
