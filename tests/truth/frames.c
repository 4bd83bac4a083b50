/* Phases: shapes of frames. */
#include "calls.h"

#include "truth.h"

#include <alloca.h>
#include <setjmp.h>
#include <stdalign.h>
#include <string.h>

KEEP static void
touch(volatile char *bytes, size_t count)
{
	bytes[0] = 1;
	bytes[count - 1] = 1;
	burn(60000);
	STAY();
}

/* The frame's size is known at run time only. */
KEEP static void
alloca_inner(size_t size)
{
	char *bytes = alloca(size);

	touch(bytes, size);
	STAY();
}

KEEP void
alloca_frame(void)
{
	for (size_t i = 0; !enough(); i++)
		alloca_inner(16 + i % 500);
}

KEEP static void
large_inner(void)
{
	char bytes[3000];

	touch(bytes, sizeof(bytes));
	STAY();
}

KEEP void
large_frame(void)
{
	char bytes[2000];

	while (!enough()) {
		touch(bytes, sizeof(bytes));
		large_inner();
	}
}

/* The stack pointer is rounded down: where the frame begins is kept in a register or in memory. */
KEEP static void
realigned_inner(size_t size)
{
	alignas(128) char bytes[256];
	char *more = alloca(size);

	touch(bytes, sizeof(bytes));
	touch(more, size);
	STAY();
}

KEEP void
realigned_frame(void)
{
	alignas(64) char bytes[128];

	while (!enough()) {
		touch(bytes, sizeof(bytes));
		realigned_inner(100);
	}
}

/* Some arguments are pushed before the call: that they are many is the point. */
KEEP static long
/* NOLINTNEXTLINE(readability-function-size) */
ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	burn(200);
	STAY();
	return a + b + c + d + e + f + g + h + i + j;
}

KEEP void
many_arguments(void)
{
	long sum = 0;

	while (!enough())
		for (long i = 0; i < 1000; i++)
			sum = ten(sum, 1, 2, 3, 4, 5, 6, 7, 8, i) & 0xffff;
}

static jmp_buf back;

__attribute__((noreturn)) KEEP static void
leaves(void)
{
	spend();
	longjmp(back, 1);
}

/* Its last instruction is a call: the return address belongs to what follows. */
KEEP static void
ends_in_call(int value)
{
	if (value)
		leaves();
	leaves();
}

KEEP static void
what_follows(void)
{
	burn(1);
	STAY();
}

KEEP void
noreturn_end(void)
{
	if (setjmp(back) == 0)
		ends_in_call(1);
	what_follows();
	STAY();
}

__attribute__((cold)) KEEP static void
unlikely_work(void)
{
	burn(100000);
	STAY();
}

/* What is unlikely may be in its own part, far from the rest of the function. */
KEEP static void
has_cold_part(volatile int *often)
{
	char bytes[64];

	memset(bytes, *often, sizeof(bytes));
	if (__builtin_expect(*often, 0)) {
		__asm__ volatile("" : : "r"(bytes) : "memory");
		unlikely_work();
		unlikely_work();
	}
	STAY();
}

KEEP void
cold_part(void)
{
	volatile int often = 1;

	while (!enough())
		has_cold_part(&often);
}
