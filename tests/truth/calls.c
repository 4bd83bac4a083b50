/* Phases: ways to call. */
#include "calls.h"

#include "truth.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

KEEP static void
plain_b(void)
{
	spend();
	STAY();
}

KEEP static void
plain_a(void)
{
	plain_b();
	STAY();
}

KEEP void
plain(void)
{
	plain_a();
	STAY();
}

/* 60 frames: they fit into 8 KiB of stack without optimisation. */
KEEP static void
deeper(int levels)
{
	if (levels > 1)
		deeper(levels - 1);
	else
		spend();
	STAY();
}

KEEP void
deep(void)
{
	deeper(60);
	STAY();
}

KEEP static unsigned long odd(unsigned long n);

/* Hardly any work between the calls: most samples are in prologues and epilogues. */
KEEP static unsigned long
even(unsigned long n)
{
	unsigned long result = n == 0 ? 1 : odd(n - 1);

	STAY();
	return result;
}

KEEP static unsigned long
odd(unsigned long n)
{
	unsigned long result = n == 0 ? 0 : even(n - 1);

	STAY();
	return result;
}

KEEP void
mutual(void)
{
	while (!enough())
		for (unsigned i = 0; i < 1000; i++)
			(void)even(20);
}

KEEP unsigned long
fib(unsigned long n)
{
	if (n < 2)
		return n;

	unsigned long a = fib(n - 1);
	unsigned long b = fib(n - 2);

	STAY();
	return a + b;
}

KEEP void
fibonacci(void)
{
	while (!enough())
		(void)fib(20);
}

KEEP static void
through_one(unsigned long rounds)
{
	burn(rounds);
	STAY();
}

KEEP static void
through_two(unsigned long rounds)
{
	burn(2 * rounds);
	STAY();
}

static void (*volatile const targets[])(unsigned long) = {through_one, through_two};

KEEP void
pointers(void)
{
	for (unsigned i = 0; !enough(); i++)
		targets[i % 2](100000);
}

INLINED void
inline_leaf(unsigned long *value)
{
	for (unsigned i = 0; i < 50000; i++) {
		*value = *value * 2862933555777941757UL + i;
		__asm__ volatile("" : "+m"(*value));
	}
}

INLINED void
inline_middle(unsigned long *value)
{
	inline_leaf(value);
	burn(50000);
	inline_leaf(value);
}

INLINED void
inline_outer(unsigned long *value)
{
	inline_middle(value);
}

KEEP void
inlining(void)
{
	unsigned long value = 1;

	while (!enough())
		inline_outer(&value);
}

/* The compiler may do with these what it likes. */
static void
ordinary_c(unsigned long rounds)
{
	burn(rounds);
	STAY();
}

static void
ordinary_b(unsigned long rounds, int twice)
{
	if (twice)
		ordinary_c(rounds);
	ordinary_c(rounds);
	STAY();
}

static void
ordinary_a(unsigned long rounds)
{
	ordinary_b(rounds, 1);
	STAY();
}

KEEP void
ordinary(void)
{
	while (!enough())
		ordinary_a(50000);
}

/* Calls at the end of a function, which may have become jumps. */
KEEP static void
tail_b(void)
{
	spend();
}

KEEP static void
tail_a(void)
{
	tail_b();
}

KEEP void
tail(void)
{
	tail_a();
}

KEEP static int
compare(const void *a, const void *b)
{
	int first = *(const int *)a;
	int second = *(const int *)b;

	burn(500);
	STAY();
	return (first > second) - (first < second);
}

/* A callback from a library that is built without frame pointers. */
KEEP void
sorting(void)
{
	while (!enough()) {
		int numbers[64];

		for (int i = 0; i < 64; i++)
			numbers[i] = (i * 37) % 64;
		qsort(numbers, 64, sizeof(numbers[0]), compare);
	}
}

KEEP void
stub(void)
{
	unsigned long value = 1;

	while (!enough())
		for (unsigned i = 0; i < 10000; i++)
			value = tiny(value);
}

KEEP void
system_call(void)
{
	while (!enough())
		for (unsigned i = 0; i < 1000; i++)
			(void)syscall(SYS_getppid);
}

KEEP void
clock_read(void)
{
	struct timespec now;

	while (!enough())
		for (unsigned i = 0; i < 1000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
}
