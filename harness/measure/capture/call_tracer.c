/* Tracing a program by ptrace(2), and writing each system call that it makes as a sample. */
#include "capture/capture_internal.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "process/process.h"
#include "process/tree.h"

#include <elf.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The records of traced system calls: samples as of the tracepoint raw_syscalls:sys_enter, and what
 * the kernel would have said of processes meanwhile, written into a perf.data file.
 */

struct call_samples {
	const char *path; /* of the file; NULL: calls are only counted */
	struct perf_event_attr attr;
	struct written_event event;
	struct perfdata_writer writer;
	bool writing;
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

#define RING_BYTES ((size_t)1 << 20)
/* One event on one imagined CPU. */
#define EVENT_ID UINT64_C(1)
/* Where a tracepoint without an id is needed: any will do. */
#define TRACEPOINT_ID 1
/* The fields of the tracepoint, behind their size: common ones, the number, the arguments. */
#define RAW_BYTES 64
/* The trailer that synth.c writes: TID, TIME, CPU, IDENTIFIER. */
#define TRAILER_BYTES 32
#define TIME_IN_TRAILER 8

typedef struct user_regs_struct thread_regs;
/* For x86-64; other code here is for aarch64. */
#define REGS_SAMPLED 20

static int
sink(void *context, const struct iovec *pieces, size_t npieces, struct err *err)
{
	struct call_samples *samples = context;

	return perfdata_writer_put_pieces(&samples->writer, pieces, npieces, err);
}

static int
drain(struct call_samples *samples, struct err *err)
{
	const struct ring_drain drain = {
		.counts = &samples->counts,
		.attr = &samples->attr,
		.sink = samples->writing ? sink : NULL,
		.context = samples,
		.share = samples->share,
		.position = samples->writer.header.data.size,
	};

	return ring_drain(&samples->ring, &drain, err) < 0 ? -1 : 0;
}

static void
put_in_ring(struct ring *ring, const unsigned char *bytes, size_t len)
{
	struct perf_event_mmap_page *page = ring->page;
	size_t at = (size_t)(page->data_head & (ring->data_bytes - 1));
	size_t first = len < ring->data_bytes - at ? len : ring->data_bytes - at;

	memcpy(ring->data + at, bytes, first);
	memcpy(ring->data, bytes + first, len - first);
	page->data_head += len;
}

/* Puts whole records, of which none is longer than the buffer. */
static int
put_records(struct call_samples *samples, const struct buf *records, struct err *err)
{
	const struct perf_event_mmap_page *page = samples->ring.page;
	size_t len = 0;

	for (size_t at = 0; at < records->len; at += len) {
		struct perf_event_header header;

		memcpy(&header, records->data + at, sizeof(header));
		len = header.size;
		if (page->data_head - page->data_tail + len > samples->ring.data_bytes &&
			drain(samples, err) < 0)
			return -1;
		put_in_ring(&samples->ring, (const unsigned char *)records->data + at, len);
	}
	return 0;
}

static int
map_ring(struct ring *ring, struct err *err)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page_bytes + RING_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return err_set_errno(err, ERR_SYSTEM, errno, "no buffer for system calls");
	*ring = (struct ring){
		.page = map,
		.data = (unsigned char *)map + page_bytes,
		.data_bytes = RING_BYTES,
		.map_bytes = page_bytes + RING_BYTES,
	};
	return 0;
}

/* Opens the file, if the request has one. call_samples_close() is needed in any case. */
static int
call_samples_open(
	struct call_samples *samples, const struct capture_request *request, struct err *err)
{
	struct capture_event event = request->event;
	static const uint64_t ids[] = {EVENT_ID};

	event.config = event.config ? event.config : TRACEPOINT_ID;
	*samples = (struct call_samples){.path = request->perfdata_path};
	event_attr(&samples->attr, &event, 1, 0, false);
	if (request->stack_bytes > 0 && !event_attr_add_stack(&samples->attr, request->stack_bytes))
		return err_set(err, ERR_MEASURE,
			"stacks cannot be copied on this kind of processor (`callgraph: none`)");
	if (map_ring(&samples->ring, err) < 0)
		return -1;
	if (!samples->path)
		return 0;
	if (request->share_stacks && request->stack_bytes > 0)
		samples->share = share_new();
	samples->event = (struct written_event){
		.name = request->event.name, .attr = &samples->attr, .ids = ids, .nids = 1};
	if (perfdata_writer_open(&samples->writer, samples->path, &samples->event, 1, err) < 0)
		return -1;
	samples->writing = true;
	return 0;
}

/* In the order of bits of sample_regs_user (asm/perf_regs.h). */
static void
put_regs(struct buf *out, const thread_regs *regs)
{
#if defined(__x86_64__)
	const uint64_t values[REGS_SAMPLED] = {regs->rax, regs->rbx, regs->rcx, regs->rdx,
		regs->rsi, regs->rdi, regs->rbp, regs->rsp, regs->rip, regs->eflags, regs->cs,
		regs->ss, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14,
		regs->r15};

	buf_put(out, values, sizeof(values));
#else
	buf_put(out, regs->regs, sizeof(regs->regs));
	buf_put_u64(out, regs->sp);
	buf_put_u64(out, regs->pc);
#endif
}

static void
read_call(const thread_regs *regs, struct stopped_call *call)
{
#if defined(__x86_64__)
	*call = (struct stopped_call){
		.number = regs->orig_rax,
		.args = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9},
	};
#else
	*call = (struct stopped_call){.number = regs->regs[8]};
	memcpy(call->args, regs->regs, sizeof(call->args));
#endif
}

static uint64_t
stack_pointer(const thread_regs *regs)
{
#if defined(__x86_64__)
	return regs->rsp;
#else
	return regs->sp;
#endif
}

static uint64_t
program_counter(const thread_regs *regs)
{
#if defined(__x86_64__)
	return regs->rip;
#else
	return regs->pc;
#endif
}

/* The 32-bit registers of a 32-bit program: struct user_regs_struct of i386. */
static void
widen(const uint32_t *narrow, struct stopped_call *call, uint64_t *pc)
{
	/* ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip */
	call->number = narrow[11];
	for (int i = 0; i < 6; i++)
		call->args[i] = narrow[i];
	*pc = narrow[12];
}

static void
put_raw(struct buf *out, uint64_t tracepoint, pid_t tid, const struct stopped_call *call)
{
	buf_put_u32(out, RAW_BYTES + sizeof(uint32_t)); /* with what makes it end on a word */
	buf_put_u32(out, (uint32_t)(uint16_t)tracepoint);
	buf_put_u32(out, (uint32_t)tid);
	buf_put_u64(out, call->number);
	buf_put(out, call->args, sizeof(call->args));
	buf_put_u32(out, 0);
}

/* The copy of the stack: its size, the bytes, how many of them are valid. */
static void
put_stack_copy(struct buf *out, pid_t tid, uint64_t sp, uint32_t stack_bytes)
{
	size_t at = out->len + sizeof(uint64_t);

	buf_put_u64(out, stack_bytes);
	if (stack_bytes == 0)
		return;
	buf_put_zeros(out, stack_bytes);

	struct iovec into = {out->data + at, stack_bytes};
	struct iovec from = {.iov_len = stack_bytes};

	memcpy(&from.iov_base, &sp, sizeof(from.iov_base));
	ssize_t got = process_vm_readv(tid, &into, 1, &from, 1, 0);

	buf_put_u64(out, got > 0 ? (uint64_t)got : 0);
}

static void
set_size(struct buf *record)
{
	uint16_t size = (uint16_t)record->len;

	memcpy(record->data + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/*
 * Adds the call that thread `tid` of process `pid` is stopped at, and sets *call to it. Its number
 * is UINT64_MAX where the thread was killed meanwhile.
 */
static int
call_samples_put(struct call_samples *samples, pid_t pid, pid_t tid, struct stopped_call *call,
	struct err *err)
{
	const struct perf_event_attr *attr = &samples->attr;
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	thread_regs regs = {0};
	struct iovec vector = {&regs, sizeof(regs)};
	struct buf *record = &samples->record;

	/* It may have been killed meanwhile. */
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) < 0) {
		*call = (struct stopped_call){.number = UINT64_MAX};
		return 0;
	}
	bool wide = vector.iov_len == sizeof(regs);
	uint64_t pc = program_counter(&regs);

	if (wide)
		read_call(&regs, call);
	else
		widen((const uint32_t *)&regs, call, &pc);
	if (!samples->writing) {
		samples->counts.samples++;
		return 0;
	}
	buf_clear(record);
	buf_put(record, &header, sizeof(header));
	buf_put_u64(record, EVENT_ID);
	buf_put_u64(record, pc);
	buf_put_u32(record, (uint32_t)pid);
	buf_put_u32(record, (uint32_t)tid);
	buf_put_u64(record, clock_ns());
	buf_put_u64(record, 0); /* CPU */
	buf_put_u64(record, 1); /* period */
	put_raw(record, attr->config, tid, call);
	if (attr->sample_stack_user > 0) {
		buf_put_u64(record, wide ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32);
		put_regs(record, &regs);
		put_stack_copy(
			record, tid, stack_pointer(&regs), wide ? attr->sample_stack_user : 0);
	}
	set_size(record);
	return put_records(samples, record, err);
}

/* Records of synth.c are ahead of all others: these are of now. */
static void
set_time(struct buf *records, uint64_t now)
{
	uint16_t size = 0;

	for (size_t at = 0; at < records->len; at += size) {
		struct perf_event_header header;

		memcpy(&header, records->data + at, sizeof(header));
		size = header.size;
		memcpy(records->data + at + size - TRAILER_BYTES + TIME_IN_TRAILER, &now,
			sizeof(now));
	}
}

/* Adds that a process or thread was made by thread `maker` of process `parent`. */
static int
call_samples_fork(struct call_samples *samples, pid_t pid, pid_t tid, pid_t parent, pid_t maker,
	struct err *err)
{
	const struct perf_event_header header = {.type = PERF_RECORD_FORK};
	struct buf *record = &samples->record;
	const pid_t words[] = {pid, parent, tid, maker};
	uint64_t now = clock_ns();

	if (!samples->writing)
		return 0;
	buf_clear(record);
	buf_put(record, &header, sizeof(header));
	buf_put(record, words, sizeof(words));
	buf_put_u64(record, now);
	buf_put_u32(record, (uint32_t)parent);
	buf_put_u32(record, (uint32_t)maker);
	buf_put_u64(record, now);
	buf_put_u64(record, 0);
	buf_put_u64(record, EVENT_ID);
	set_size(record);
	return put_records(samples, record, err);
}

/* Adds the names and executable mappings of a process; after an exec they replace all earlier ones.
 */
static int
call_samples_process(struct call_samples *samples, pid_t pid, bool is_exec, struct err *err)
{
	struct buf *records = &samples->record;
	uint16_t misc = PERF_RECORD_MISC_COMM_EXEC;

	if (!samples->writing)
		return 0;
	buf_clear(records);
	synth_process(records, pid, EVENT_ID, false);
	set_time(records, clock_ns());
	/* Its first record has its name. */
	if (is_exec && records->len > 0)
		memcpy(records->data + offsetof(struct perf_event_header, misc), &misc,
			sizeof(misc));
	return put_records(samples, records, err);
}

/* Writes the rest, and puts the file in its place. */
static int
call_samples_finish(
	struct call_samples *samples, const struct capture_request *request, struct err *err)
{
	if (!samples->writing)
		return 0;
	if (drain(samples, err) < 0)
		return -1;
	const struct perfdata_description description = {
		.command = request->argv,
		.first_sample_ns = samples->counts.first_sample_ns,
		.last_sample_ns = samples->counts.last_sample_ns,
	};

	samples->writing = false;
	return perfdata_writer_finish(&samples->writer, &description, err);
}

/* Closes everything; a file that was not finished is removed. */
static void
call_samples_close(struct call_samples *samples)
{
	if (samples->writing)
		perfdata_writer_abandon(&samples->writer);
	samples->writing = false;
	ring_unmap(&samples->ring);
	share_free(samples->share);
	samples->share = NULL;
	buf_release(&samples->record);
}

/*
 * Tracing.
 */

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
