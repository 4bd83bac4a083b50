/*
 * A program of two phases, solve and print, of which the first takes 70 % of the CPU time. It
 * writes to the pipe that PROFILE_RUN_PHASES names when each begins, and at what time.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sum;

static uint64_t
read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void
begin(const char *phase)
{
	const char *path = getenv("PROFILE_RUN_PHASES");
	FILE *pipe = path ? fopen(path, "a") : NULL;

	if (!pipe)
		return;
	fprintf(pipe, "%s\t%" PRIu64 "\n", phase, read_ns(CLOCK_MONOTONIC));
	fclose(pipe);
}

static void
burn(uint64_t ns)
{
	const uint64_t end = read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 2000; i++)
			sum += i;
}

__attribute__((noinline)) static void
solve(void)
{
	burn(70000000);
	sum += 1;
}

__attribute__((noinline)) static void
print_all(void)
{
	burn(30000000);
	sum += 1;
}

static void *
work(void *unused)
{
	(void)unused;
	for (int round = 0; round < 10; round++) {
		begin("solve");
		solve();
		begin("print");
		print_all();
	}
	return NULL;
}

int
main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	begin("");
	return 0;
}
