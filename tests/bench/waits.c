/*
 * waits SWITCHES DEPTH: two threads on one CPU wait for each other in turn, that many times, below
 * DEPTH functions; prints "us X", the CPU time that one switch took.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int there[2];
static int back[2];
static long rounds;
static int depth;

static void
take(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		exit(1);
}

/* The other one begins. */
static void
pass(int from, int to)
{
	for (long i = 0; i < rounds; i++) {
		if (to == back[1])
			take(from);
		if (write(to, "", 1) != 1)
			exit(1);
		if (to != back[1])
			take(from);
	}
}

__attribute__((noinline)) static void
descend(int left, int from, int to)
{
	char frame[64];

	__asm__ volatile("" : : "r"(frame) : "memory");
	if (left > 0)
		descend(left - 1, from, to);
	else
		pass(from, to);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

static void *
run(void *unused)
{
	descend(depth, there[0], back[1]);
	return unused;
}

static double
cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

int
main(int argc, char **argv)
{
	pthread_t other;
	cpu_set_t cpus;
	double start;

	if (argc != 3)
		return 64;
	rounds = atol(argv[1]) / 2;
	depth = atoi(argv[2]);
	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (pipe(there) < 0 || pipe(back) < 0)
		return 1;
	start = cpu_us();
	pthread_create(&other, NULL, run, NULL);
	descend(depth, back[0], there[1]);
	pthread_join(other, NULL);
	fprintf(stderr, "us %.3f\n", (cpu_us() - start) / (double)(2 * rounds));
	return 0;
}
