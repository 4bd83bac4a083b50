/*
 * 1,000 operations, half of them in each of two threads: 20 sleep for 25 ms, 10 use 30 ms of CPU
 * time in slow_path(), all others take a fraction of a millisecond unless the machine is busy.
 * Behind them the same happens in no operation. Prints what is known of them by the program's own
 * clocks, which begin before the marks and end behind them:
 *
 *     quick_over N     operations that were to be quick and took longer than 20 ms
 *     slept NS         in slow_wait(), in operations
 *     burned NS        of CPU time in slow_path(), in operations
 *     listened YES/NO  whether the semaphore of the USDT probes was set
 *     nested N         operations that recursion made, inside others
 *
 * With an argument it does so until it is killed.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define OPERATIONS 500
#define LIMIT_NS 20000000
#define SLEEP_NS 25000000
#define BURN_NS 30000000

int library_step(int number);
int operation(int number, int depth);
void operation_begin(void);
void operation_end(void);
void slow_wait(void);
void slow_path(void);
void quick(void);

/* A USDT probe with a semaphore, as <sys/sdt.h> writes it. */
static volatile uint16_t semaphore __attribute__((section(".probes"), used)) = 0;
#define PROBE(name)                                                                  \
	__asm__ volatile("990: nop\n"                                                \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                \
			 ".balign 4\n"                                               \
			 ".4byte 992f-991f, 994f-993f, 3\n"                          \
			 "991: .asciz \"stapsdt\"\n"                                 \
			 "992: .balign 4\n"                                          \
			 "993: .8byte 990b\n"                                        \
			 ".8byte 0\n"                                                \
			 ".8byte semaphore\n"                                        \
			 ".asciz \"known_tail\"\n.asciz \"" name "\"\n.asciz \"\"\n" \
			 "994: .balign 4\n"                                          \
			 ".popsection\n" ::                                          \
				 : "memory")

struct counts {
	uint64_t quick_over;
	uint64_t slept_ns;
	uint64_t burned_ns;
	uint64_t nested;
};

static _Thread_local struct counts counts;
static volatile uint64_t sink;

static uint64_t
now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void
operation_begin(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void
operation_end(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void
slow_wait(void)
{
	nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
	sink++;
}

__attribute__((noinline)) void
slow_path(void)
{
	const uint64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + BURN_NS;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		for (int i = 0; i < 1000; i++)
			sink++;
}

__attribute__((noinline)) void
quick(void)
{
	for (int i = 0; i < 1000; i++)
		sink++;
}

__attribute__((noinline)) int
operation(int number, int depth)
{
	operation_begin();
	PROBE("operation__start");
	library_step(number);
	/* Some are performed inside another one. */
	if (number % 25 == 9 && depth < 2) {
		counts.nested++;
		operation(number, depth + 1);
	} else if (number % 50 == 7) {
		slow_wait();
	} else if (number % 100 == 3) {
		slow_path();
	} else {
		quick();
	}
	PROBE("operation__done");
	operation_end();
	return number;
}

static void *
perform(void *context)
{
	for (int i = 0; i < OPERATIONS; i++) {
		const uint64_t cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
		const uint64_t start_ns = now_ns(CLOCK_MONOTONIC);

		operation(i, 0);
		const uint64_t took_ns = now_ns(CLOCK_MONOTONIC) - start_ns;

		if (i % 50 == 7)
			counts.slept_ns += took_ns;
		else if (i % 100 == 3)
			counts.burned_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
		else
			counts.quick_over += took_ns > LIMIT_NS;
	}
	slow_wait();
	slow_path();
	*(struct counts *)context = counts;
	return NULL;
}

int
main(int argc, char **argv)
{
	struct counts all[2];
	pthread_t other;

	(void)argv;
	for (long round = 0; argc > 1 && round < LONG_MAX; round++)
		perform(&all[0]);
	if (pthread_create(&other, NULL, perform, &all[1]) != 0)
		return 1;
	perform(&all[0]);
	pthread_join(other, NULL);
	printf("quick_over %" PRIu64 "\n", all[0].quick_over + all[1].quick_over);
	printf("slept %" PRIu64 "\n", all[0].slept_ns + all[1].slept_ns);
	printf("burned %" PRIu64 "\n", all[0].burned_ns + all[1].burned_ns);
	printf("listened %s\n", semaphore != 0 ? "yes" : "no");
	printf("nested %" PRIu64 "\n", all[0].nested + all[1].nested);
	return 0;
}
