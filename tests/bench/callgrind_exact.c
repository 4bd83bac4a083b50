/*
 * Two functions whose instructions are known to differ by MORE_PERMILLE thousandths in one of them.
 * callgrind_exact.sh compiles and runs it.
 */
#include <stdlib.h>

#ifndef MORE_PERMILLE
#define MORE_PERMILLE 0
#endif

static volatile unsigned sink;

static __attribute__((noinline)) void
step(unsigned n)
{
	while (n--)
		sink += n;
}

static __attribute__((noinline)) void
steady(void)
{
	step(100000);
}

static __attribute__((noinline)) void
changed(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

int
main(void)
{
	for (int i = 0; i < 10; i++) {
		steady();
		changed(100 * (1000 + MORE_PERMILLE));
	}
	return 0;
}
