#include "base/file_guard.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Views that are open at a time: two of a comparison, and some files that they need. */
#define WATCHED_MAX 32

/* Written by one thread, read by the signal handler of another. */
static struct watched {
	volatile uintptr_t start; /* 0: unused */
	volatile uintptr_t end;
	volatile sig_atomic_t cut; /* read behind the end of its file */
} all_watched[WATCHED_MAX];
static volatile sig_atomic_t unwatched_was_cut;
static uintptr_t page_bytes;

/* Replaces these pages, which the file no longer has, by zeros. */
static bool
fill(uintptr_t from, uintptr_t to)
{
	void *at;

	/* The kernel gives the address as a number. */
	at = (void *)from; /* NOLINT(performance-no-int-to-ptr) */
	return mmap(at, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0) != MAP_FAILED;
}

static void
on_bus_error(int number, siginfo_t *info, void *context)
{
	const uintptr_t address = (uintptr_t)info->si_addr;
	const uintptr_t page = address - address % page_bytes;
	bool watched = false;
	bool filled = false;

	(void)context;
	if (info->si_code == BUS_ADRERR) {
		for (int i = 0; i < WATCHED_MAX && !watched; i++) {
			watched = address >= all_watched[i].start && address < all_watched[i].end;
			if (!watched)
				continue;
			all_watched[i].cut = 1;
			/* All pages to the end: one signal for each could be a million. */
			filled = fill(page,
				(all_watched[i].end + page_bytes - 1) / page_bytes * page_bytes);
		}
		if (!watched) {
			unwatched_was_cut = 1;
			filled = fill(page, page + page_bytes);
		}
	}
	/* The handler returns to the instruction, whose next SIGBUS ends the process. */
	if (!filled)
		signal(number, SIG_DFL);
}

void
file_guard_begin(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

int
file_guard_watch(const void *start, size_t len)
{
	for (int i = 0; i < WATCHED_MAX; i++) {
		if (all_watched[i].start != 0)
			continue;
		all_watched[i].cut = 0;
		all_watched[i].end = (uintptr_t)start + len;
		all_watched[i].start = (uintptr_t)start;
		return i;
	}
	return -1;
}

bool
file_guard_was_cut(int number)
{
	return number >= 0 && all_watched[number].cut;
}

void
file_guard_end(int number)
{
	if (number < 0)
		return;
	all_watched[number].end = 0;
	all_watched[number].start = 0;
}

bool
file_guard_unwatched_was_cut(void)
{
	return unwatched_was_cut != 0;
}
