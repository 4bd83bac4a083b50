/*
 * What sampling costs the program, with and without copies of its stack, ours beside perf's.
 *
 *     stack_cost ROUNDS HZ PERF SIDE...
 *
 * A SIDE is "ours:SIZE", "whole:SIZE" (ours, where nothing of a copy is left out because it was in
 * an earlier one) or "perf:SIZE": with a stack copy of SIZE bytes; SIZE "fp" is by frame
 * pointers, "none" without call chains. As perf does it, the call chain is then only the kernel's;
 * "ours:+SIZE" has all of it. All sides are attached to one process that does the same
 * piece of work again and again, deep in its stack, and are switched on one at a time, for
 * WINDOW_NS, in random order with as many windows in which none is. So what differs between two
 * windows is only the sampling. Prints a line for each side: the growth of the CPU time of a piece
 * in its windows over that in the windows around it, in per cent, median and its 95 % interval, the
 * records that were lost and the CPU time that the side's reader took for a sample.
 *
 * The program is on the last CPU we may use, the readers on the others.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "perf_event/events.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WINDOW_NS UINT64_C(40000000)
#define SIDES_MAX 12
#define ROUNDS_MAX 1000
/* A call chain of ordinary length, and more stack than the largest copy. */
#define DEPTH 20
#define FRAME_BYTES 4000
#define PIECE_TURNS 300000 /* about a millisecond */
#define WORDS 16384        /* 128 KiB of data beside the stack */
/* How many of its frames, from the innermost, a piece of work writes anew: the environment's STIR.
 */
static unsigned stirred;
static volatile char *frames[DEPTH + 1];

#define PIECES_MAX 8192

/* Written by the program after each piece of work. */
struct progress {
	volatile uint64_t pieces;
	volatile uint32_t cpu_ns[PIECES_MAX]; /* of the latest pieces */
};

struct side {
	const char *name;
	uint64_t reader_ns;
	struct sampler sampler;
	struct capture_request request;
	double growth[ROUNDS_MAX];
	int control; /* of perf: the commands to it, */
	int answer;  /* and that it has done it */
	pid_t pid;
	bool ours;
	char path[128];
};

static struct progress *progress;
static volatile uint64_t words[WORDS];

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void __attribute__((noinline)) piece(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < PIECE_TURNS; i++) {
		x = x * 6364136223846793005U + 1442695040888963407U;
		words[x >> 50] += x;
	}
}

static void
stir(uint64_t n)
{
	for (unsigned i = 0; i < stirred; i++)
		for (unsigned k = 0; k < FRAME_BYTES; k += 8)
			frames[i][k] = (char)(n + k);
}

static void __attribute__((noinline)) work(unsigned depth)
{
	volatile char frame[FRAME_BYTES];

	bool is_leaf = depth == 0;

	frame[depth] = (char)depth;
	frames[depth] = frame;
	if (depth > 0)
		work(depth - 1);
	for (uint64_t n = 0; is_leaf && n < UINT64_MAX; n++) {
		uint64_t start = read_clock(CLOCK_THREAD_CPUTIME_ID);

		stir(n);
		piece();
		progress->cpu_ns[progress->pieces % PIECES_MAX] =
			(uint32_t)(read_clock(CLOCK_THREAD_CPUTIME_ID) - start);
		progress->pieces++;
	}
	frame[0] = frame[depth];
}

static void
pin(pid_t pid, int cpu, bool other)
{
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (other && CPU_COUNT(&cpus) > 1)
		CPU_CLR((size_t)cpu, &cpus);
	if (!other) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)cpu, &cpus);
	}
	sched_setaffinity(pid, sizeof(cpus), &cpus);
}

/* Where we may: nobody's work comes between, makes windows longer and leaves cold caches. */
static void
come_first(void)
{
	sched_setscheduler(
		0, SCHED_FIFO | SCHED_RESET_ON_FORK, &(struct sched_param){.sched_priority = 1});
}

static pid_t
start_program(int cpu)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(0, cpu, false);
	come_first();
	work(DEPTH);
	_exit(0);
}

static void
fail(const char *what, const struct err *err)
{
	fprintf(stderr, "stack_cost: %s: %s\n", what, err ? err->text : "failed");
	exit(2);
}

static void
open_ours(struct side *side, pid_t program, double hz, const struct capture_event *event)
{
	const char *size = strchr(side->name, ':') + 1;
	struct err err = {0};

	side->ours = true;
	side->request = (struct capture_request){
		.attach_pid = program,
		.event = *event,
		.frequency_hz = hz,
		.callchain = strcmp(size, "none") != 0,
		.stack_bytes = (uint32_t)strtoul(size, NULL, 10),
		.kernel_chain_only = size[0] >= '0' && size[0] <= '9',
		.share_stacks = strncmp(side->name, "ours:", 5) == 0,
		.perfdata_path = side->path,
		.reader_cpu = -1,
	};
	if (sampler_open(&side->sampler, &side->request, NULL, &program, 1, &err) < 0 ||
		sampler_enable(&side->sampler, &side->request, &err) < 0)
		fail(side->name, &err);
	sampler_disable(&side->sampler);
}

/* perf record, switched off, which is started and stopped by commands. */
static void
open_perf(struct side *side, pid_t program, double hz, const char *perf)
{
	const char *size = strchr(side->name, ':') + 1;
	int control[2];
	int answer[2];
	char how[64];
	char rate[32];
	char target[32];
	char fds[64];

	if (pipe(control) < 0 || pipe(answer) < 0)
		fail("pipe", NULL);
	snprintf(how, sizeof(how), "--call-graph=dwarf,%s", size);
	if (strcmp(size, "fp") == 0)
		snprintf(how, sizeof(how), "--call-graph=fp");
	snprintf(rate, sizeof(rate), "%.0f", hz);
	snprintf(target, sizeof(target), "%d", program);
	snprintf(fds, sizeof(fds), "--control=fd:%d,%d", control[0], answer[1]);
	side->pid = fork();
	if (side->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp(perf, perf, "record", "-q", "-B", "-N", "-D", "-1", "-e", "cpu-clock", "-F",
			rate, "-o", side->path, fds, "-p", target,
			strcmp(size, "none") == 0 ? "-q" : how, (char *)NULL);
		_exit(127);
	}
	side->control = control[1];
	side->answer = answer[0];
}

static void
tell_perf(const struct side *side, const char *what)
{
	struct pollfd poll_answer = {.fd = side->answer, .events = POLLIN};
	char answer[16];

	if (write(side->control, what, strlen(what)) < 0 || poll(&poll_answer, 1, 10000) != 1 ||
		read(side->answer, answer, sizeof(answer)) <= 0)
		fail(side->name, NULL);
}

static void
switch_side(struct side *side, bool on)
{
	if (!side->ours) {
		tell_perf(side, on ? "enable\n" : "disable\n");
		return;
	}
	for (size_t i = 0; i < side->sampler.nfds; i++)
		ioctl(side->sampler.fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Lets a window pass; our buffers are drained as a capture drains them. Returns the CPU time of a
 * piece of work in it: the fifth of them that is quickest ends there, for what others do to the
 * caches only slows, while each piece is long enough for a sample or more. */
static double
window(struct side *side)
{
	uint64_t end = clock_ns() + WINDOW_NS;
	uint64_t pieces = progress->pieces;
	struct pollfd polls[64];
	nfds_t n = side && side->ours ? side->sampler.ncpus : 0;
	uint64_t own = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	struct err err = {0};

	for (nfds_t i = 0; i < n; i++)
		polls[i] = (struct pollfd){.fd = side->sampler.fds[i], .events = POLLIN};
	for (uint64_t now; (now = clock_ns()) < end;)
		if (poll(polls, n, (int)((end - now) / 1000000) + 1) > 0 && n > 0 &&
			sampler_drain(&side->sampler, &err) < 0)
			fail(side->name, &err);
	static double times[PIECES_MAX];
	size_t npieces = 0;

	/* The first one began before. */
	for (pieces++; pieces < progress->pieces && npieces < PIECES_MAX; pieces++)
		times[npieces++] = progress->cpu_ns[pieces % PIECES_MAX];
	qsort(times, npieces, sizeof(double), compare);
	if (n > 0) {
		sampler_drain(&side->sampler, &err);
		side->reader_ns += read_clock(CLOCK_PROCESS_CPUTIME_ID) - own;
	}
	return npieces > 0 ? times[npieces / 5] : 0;
}

static void
shuffle(size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rand() % i;
		size_t other = order[i - 1];

		order[i - 1] = order[j];
		order[j] = other;
	}
}

/* One window of each side, each between two of none. */
static void
measure(struct side *sides, size_t nsides, size_t round)
{
	size_t order[SIDES_MAX];
	double before = window(NULL);

	shuffle(order, nsides);
	for (size_t i = 0; i < nsides; i++) {
		struct side *side = &sides[order[i]];

		switch_side(side, true);
		double on = window(side);

		switch_side(side, false);
		double after = window(NULL);

		side->growth[round] = 2 * on / (before + after) - 1;
		before = after;
	}
}

static void
report(struct side *side, size_t rounds)
{
	double sum = 0;
	size_t n = 0;
	double spread = 0;

	qsort(side->growth, rounds, sizeof(double), compare);
	for (size_t i = rounds / 4; i < rounds - rounds / 4; i++, n++)
		sum += side->growth[i];
	spread = side->growth[rounds - 1 - rounds / 4] - side->growth[rounds / 4];
	printf("%-12s %+6.2f %% +- %.2f", side->name, 100 * sum / (double)n,
		100 * 1.96 * 0.93 * spread / __builtin_sqrt((double)rounds));
	if (side->ours) {
		struct ring_counts *counts = &side->sampler.counts;
		struct run run = {0};
		struct err err = {0};

		if (sampler_finish(&side->sampler, &side->request, &run, &err) < 0)
			fail(side->name, &err);
		double asked = (double)run.samples * (double)side->request.stack_bytes + 1;

		printf("  %llu samples, %llu lost, %.1f us of the reader each, %.0f %% trimmed, "
		       "%.0f %% shared",
			(unsigned long long)run.samples, (unsigned long long)run.lost,
			(double)side->reader_ns / 1e3 / (double)run.samples,
			100 * (double)counts->trimmed_bytes / asked,
			100 * (double)counts->shared_bytes / asked);
	} else {
		struct rusage usage;

		kill(side->pid, SIGINT);
		wait4(side->pid, NULL, 0, &usage);
		printf("  reader %.1f ms in all",
			(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
				(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3);
	}
	putchar('\n');
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static struct side sides[SIDES_MAX];
	size_t nsides = 0;
	struct capture_event event;
	struct err err = {0};
	cpu_set_t cpus;
	int cpu = 0;

	if (argc < 5 || argc - 4 > SIDES_MAX)
		return 64;
	size_t rounds = strtoul(argv[1], NULL, 10);
	double hz = strtod(argv[2], NULL);

	if (rounds > ROUNDS_MAX)
		rounds = ROUNDS_MAX;
	signal(SIGPIPE, SIG_IGN);
	const char *text = getenv("STIR");

	stirred = text ? (unsigned)strtoul(text, NULL, 10) : 0;
	if (stirred > DEPTH + 1)
		stirred = DEPTH + 1;
	if (capture_backend_for("cpu")->choose("cpu", "cpu-clock", &event, &err) < 0)
		fail("cpu-clock", &err);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &cpus))
			cpu = i;
	progress = mmap(
		NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t program = start_program(cpu);

	pin(0, cpu, true);
	come_first();
	for (; nsides < (size_t)argc - 4; nsides++) {
		struct side *side = &sides[nsides];

		side->name = argv[4 + nsides];
		snprintf(side->path, sizeof(side->path), "stack_cost.%zu.data", nsides);
		if (strncmp(side->name, "perf:", 5) != 0)
			open_ours(side, program, hz, &event);
		else
			open_perf(side, program, hz, argv[3]);
	}
	sleep(1);
	srand(1);
	for (size_t round = 0; round < rounds; round++)
		measure(sides, nsides, round);
	for (size_t i = 0; i < nsides; i++)
		report(&sides[i], rounds);
	kill(program, SIGKILL);
	return 0;
}
