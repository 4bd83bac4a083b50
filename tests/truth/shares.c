/*
 * A program of known shares: the same loop in three functions, 50, 30 and 20 % of its rounds, in
 * turn. Time and instructions have the same shares.
 *
 * usage: shares ROUNDS     thousands
 */
#include "truth.h"

#include <stdlib.h>

static volatile unsigned long sink;

#define WORK(name)                                                 \
	KEEP static void name(unsigned long rounds)                \
	{                                                          \
		unsigned long value = sink;                        \
                                                                   \
		for (unsigned long i = 0; i < rounds; i++) {       \
			value = value * 6364136223846793005UL + i; \
			__asm__ volatile("" : "+r"(value));        \
		}                                                  \
		sink = value;                                      \
	}

WORK(half)
WORK(three_tenths)
WORK(fifth)

int
main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;

	for (unsigned long i = 0; i < rounds; i++) {
		half(500);
		three_tenths(300);
		fifth(200);
	}
	return 0;
}
