/*
 * Waits of every kind, each in its own function and for a known time: a profiler of waiting
 * that misses one, or gives it another reason, shows it.
 *
 *     known_waits [--truth] [--file PATH] [KIND=MS ...]
 *
 * With --truth each function is printed with its kind and its time off the CPU in ns: what
 * clock_gettime() says around it, less the CPU time of the thread meanwhile; `main` has the wall
 * time of all in place of that.
 */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One wait of those that are repeated. */
#define STEP_MS 2
#define MS_NS 1000000L
#define BLOCK 4096

static const char *file_path = "known_waits.tmp";
static int file;

/* The thread that ends the waits of the main thread, some time after it was asked to. */
enum request { WRITE_PIPE, SEND, HOLD_MUTEX, RUN, QUIT };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int requests[2];
static int pipe_ends[2];
static int sockets[2];
static atomic_bool runs; /* it is to keep a CPU busy */

static uint64_t
now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void
nap(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static void
expect_byte(const char *what, ssize_t bytes)
{
	expect_true(what, bytes == 1);
}

static void
ask(enum request request)
{
	char byte = (char)request;

	expect_byte("a request", write(requests[1], &byte, 1));
}

static void *
run_partner(void *unused)
{
	char byte;

	pthread_setname_np(pthread_self(), "partner");
	while (read(requests[0], &byte, 1) == 1 && byte != QUIT) {
		if (byte == RUN) {
			while (atomic_load(&runs)) {
			}
			continue;
		}
		if (byte == HOLD_MUTEX) {
			pthread_mutex_lock(&mutex);
			expect_byte("an answer", write(pipe_ends[1], "", 1));
		}
		nap(STEP_MS * MS_NS);
		if (byte == HOLD_MUTEX)
			pthread_mutex_unlock(&mutex);
		else
			expect_byte("an answer", byte == SEND ? send(sockets[1], "", 1, 0)
							      : write(pipe_ends[1], "", 1));
	}
	return unused;
}

static KEPT void
wait_sleep(long ms)
{
	nap(ms * MS_NS);
}

/* Until the partner has it. */
static void
prepare_mutex(void)
{
	char byte;

	ask(HOLD_MUTEX);
	expect_byte("an answer", read(pipe_ends[0], &byte, 1));
}

static KEPT void
wait_mutex(long ms)
{
	(void)ms;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static KEPT void
wait_pipe(long ms)
{
	char byte;

	(void)ms;
	ask(WRITE_PIPE);
	expect_byte("a byte of the pipe", read(pipe_ends[0], &byte, 1));
}

static KEPT void
wait_socket(long ms)
{
	char byte;

	(void)ms;
	ask(SEND);
	expect_byte("a byte of the socket", recv(sockets[0], &byte, 1, 0));
}

static KEPT void
wait_poll(long ms)
{
	struct pollfd pollfd = {.fd = pipe_ends[0], .events = POLLIN};

	expect_true("a poll", poll(&pollfd, 1, (int)ms) == 0);
}

/* As long as the storage takes. */
static KEPT void
wait_file(long ms)
{
	static const char block[BLOCK];

	(void)ms;
	expect_true("a write", pwrite(file, block, BLOCK, 0) == BLOCK);
	expect_true("fsync()", fsync(file) == 0);
}

static KEPT void
wait_child(long ms)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		nap(ms * MS_NS);
		_exit(0);
	}
	expect_true("a child", child > 0 && waitpid(child, &status, 0) == child);
}

/* Two that need one CPU: each waits about as long as it runs. */
static KEPT void
wait_run_queue(long ms)
{
	uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(ms * MS_NS);

	atomic_store(&runs, true);
	ask(RUN);
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
	}
	atomic_store(&runs, false);
}

static struct wait {
	const char *kind;
	const char *function;
	void (*prepare)(void); /* not measured; may be NULL */
	void (*wait)(long ms);
	long step_ms; /* of one call */
	long ms;
	uint64_t off_ns; /* as it was */
} waits[] = {
	{"sleep", "wait_sleep", NULL, wait_sleep, STEP_MS, 300, 0},
	{"lock", "wait_mutex", prepare_mutex, wait_mutex, STEP_MS, 200, 0},
	{"pipe", "wait_pipe", NULL, wait_pipe, STEP_MS, 150, 0},
	{"socket", "wait_socket", NULL, wait_socket, STEP_MS, 80, 0},
	{"poll", "wait_poll", NULL, wait_poll, STEP_MS, 100, 0},
	{"io", "wait_file", NULL, wait_file, STEP_MS, 60, 0},
	{"child", "wait_child", NULL, wait_child, 10, 100, 0},
	{"run-queue", "wait_run_queue", NULL, wait_run_queue, 200, 200, 0},
};

#define NWAITS (sizeof waits / sizeof waits[0])

static int
set_time(const char *argument)
{
	for (size_t i = 0; i < NWAITS; i++) {
		size_t len = strlen(waits[i].kind);
		char *end = NULL;

		if (strncmp(argument, waits[i].kind, len) != 0 || argument[len] != '=')
			continue;
		waits[i].ms = strtol(argument + len + 1, &end, 10);
		return *end == '\0' && end > argument + len + 1 && waits[i].ms >= 0 ? 0 : -1;
	}
	return -1;
}

static bool
read_arguments(int argc, char **argv)
{
	bool truth = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--truth") == 0) {
			truth = true;
		} else if (strcmp(argv[i], "--file") == 0 && i + 1 < argc) {
			file_path = argv[++i];
		} else if (set_time(argv[i]) < 0) {
			fprintf(stderr, "usage: %s [--truth] [--file PATH] [KIND=MS ...]\n",
				argv[0]);
			exit(64);
		}
	}
	return truth;
}

/* All threads on one CPU, so that two that run wait for each other. */
static void
take_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	expect_true("one CPU", sched_setaffinity(0, sizeof cpus, &cpus) == 0);
}

static void
perform(struct wait *wait)
{
	for (long left = wait->ms; left > 0; left -= wait->step_ms) {
		if (wait->prepare)
			wait->prepare();
		uint64_t cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
		uint64_t wall = now_ns(CLOCK_MONOTONIC);

		wait->wait(left < wait->step_ms ? left : wait->step_ms);
		wall = now_ns(CLOCK_MONOTONIC) - wall;
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		wait->off_ns += wall > cpu ? wall - cpu : 0;
	}
}

int
main(int argc, char **argv)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);
	bool truth = read_arguments(argc, argv);
	pthread_t partner;

	take_one_cpu();
	expect_true("pipes", pipe(requests) == 0 && pipe(pipe_ends) == 0);
	file = open(file_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	expect_true("a file", file >= 0 && unlink(file_path) == 0);
	expect_true("sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	expect_true("a thread cannot be started",
		pthread_create(&partner, NULL, run_partner, NULL) == 0);
	for (size_t i = 0; i < NWAITS; i++)
		perform(&waits[i]);
	ask(QUIT);
	pthread_join(partner, NULL);
	for (size_t i = 0; truth && i < NWAITS; i++)
		printf("%s %s %" PRIu64 "\n", waits[i].function, waits[i].kind, waits[i].off_ns);
	if (truth)
		printf("main wall %" PRIu64 "\n", now_ns(CLOCK_MONOTONIC) - start);
	return 0;
}
