/*
 * Waits for memory: follows pointers through a buffer larger than the caches. Where its pages lie,
 * and how many of them are huge, is drawn anew in each run, so that equal runs take unequal times.
 *
 * usage: memory_bound [STEPS [MIB]]
 *
 * The way through the buffer, and with it the work, is the same in every run. MORE_PERCENT, set
 * when it is built, makes chase() do that much more.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>

#ifndef MORE_PERCENT
#define MORE_PERCENT 0
#endif
#define HUGE_BYTES (UINT64_C(2) << 20)
#define LINE_BYTES 64

struct line {
	uint32_t next;
	char rest[LINE_BYTES - sizeof(uint32_t)];
};

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Each 2 MiB is a huge page or 512 small ones: of a run, anything from none to all of it. */
static void
place_pages(char *buffer, size_t bytes)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		abort();
	uint64_t huge_of_256 = random_next(&random) % 257;

	for (size_t at = 0; at < bytes; at += HUGE_BYTES) {
		int huge = random_next(&random) % 256 < huge_of_256;

		/* Refused where the kernel has no such pages: all are small then. */
		madvise(buffer + at, HUGE_BYTES, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	}
	/* Touched in random order, so that neighbours lie apart. */
	for (size_t i = 0; i < bytes / 4096; i++)
		buffer[random_next(&random) % (bytes / 4096) * 4096] = 0;
}

/* One cycle through all lines: Sattolo, "An algorithm to generate a random cyclic permutation",
 * 1986. */
static void
make_cycle(struct line *lines, uint32_t n)
{
	uint64_t random = 50302;

	for (uint32_t i = 0; i < n; i++)
		lines[i].next = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(random_next(&random) % i);
		uint32_t other = lines[k].next;

		lines[k].next = lines[i].next;
		lines[i].next = other;
	}
}

static __attribute__((noinline)) uint32_t
chase(const struct line *lines, uint64_t steps)
{
	uint32_t at = 0;

	for (steps = steps * (100 + MORE_PERCENT) / 100; steps > 0; steps--)
		at = lines[at].next;
	return at;
}

int
main(int argc, char **argv)
{
	uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
	size_t bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 64) << 20;
	char *space = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (space == MAP_FAILED || bytes == 0 || steps == 0)
		return 64;
	char *buffer = space + (-(uintptr_t)space & (HUGE_BYTES - 1));

	place_pages(buffer, bytes);
	make_cycle((struct line *)buffer, (uint32_t)(bytes / LINE_BYTES));
	/* The end of the way depends on all of it. */
	return chase((const struct line *)buffer, steps) == UINT32_MAX;
}
