/*
 * The samples of traced system calls, in a perf.data file: as the tracepoint raw_syscalls:sys_enter
 * would have written them, and what the kernel would have reported of processes meanwhile.
 */
#include "capture/capture_internal.h"

#include "base/clock.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

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

int
call_samples_open(
	struct call_samples *samples, const struct capture_request *request, struct err *err)
{
	struct capture_event event = request->event;
	static const uint64_t ids[] = {EVENT_ID};

	event.config = event.config ? event.config : TRACEPOINT_ID;
	*samples = (struct call_samples){0};
	event_attr(&samples->attr, &event, 1, 0, false);
	if (request->stack_bytes > 0 && !event_attr_add_stack(&samples->attr, request->stack_bytes))
		return err_set(err, ERR_MEASURE,
			"stacks cannot be copied on this kind of processor (`callgraph: none`)");
	if (map_ring(&samples->ring, err) < 0)
		return -1;
	if (!request->perfdata_path)
		return 0;
	if (request->share_stacks && request->stack_bytes > 0)
		samples->share = share_new();
	samples->event = (struct written_event){
		.name = request->event.name, .attr = &samples->attr, .ids = ids, .nids = 1};
	if (perfdata_writer_open(
		    &samples->writer, request->perfdata_path, &samples->event, 1, err) < 0)
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

int
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

int
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

int
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

int
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

void
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
