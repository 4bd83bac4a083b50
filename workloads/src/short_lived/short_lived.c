/*
 * Many processes of a few milliseconds: the program starts itself over and over.
 *
 * Each child does its own piece of work and tells a check value through its exit status, so that a
 * child that never ran is noticed here too, and a profiler that loses children shows fewer samples
 * of child_work() than of the processes' CPU time.
 */
#define _GNU_SOURCE
#include "support.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_OF_A_CHILD 3000000

extern char **environ;

static KEPT uint64_t
child_work(uint64_t seed)
{
	uint64_t state = seed;

	keep_frame();
	for (uint64_t i = 0; i < STEPS_OF_A_CHILD; i++)
		state = lcg_step(state);
	return state;
}

/* Seven bits of the result: exit statuses from 128 on are a shell's words for signals. */
static int
status_of(uint64_t state)
{
	return (int)(state >> 57);
}

static KEPT void
run_child(char *program, unsigned long number)
{
	char seed[24];
	char child_option[] = "--child";
	char *argv[] = {program, child_option, seed, NULL};
	pid_t pid;
	int status;

	snprintf(seed, sizeof seed, "%lu", number);
	expect_true("a child cannot be started",
		posix_spawn(&pid, program, NULL, NULL, argv, environ) == 0);
	expect_true("a child cannot be waited for", waitpid(pid, &status, 0) == pid);
	expect_true("a child was killed", WIFEXITED(status));
	expect_u64("a child's status", (uint64_t)WEXITSTATUS(status),
		(uint64_t)status_of(lcg_jump(number, STEPS_OF_A_CHILD)));
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--child") == 0)
		return status_of(child_work(strtoul(argv[2], NULL, 10)));

	/* The file itself, so that the children bear its name, and not that of a link. */
	static char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
	unsigned long children = rounds_option(argc, argv, 220);

	expect_true("/proc/self/exe cannot be read", len > 0);
	for (unsigned long i = 1; i <= children; i++)
		run_child(program, i);
	return 0;
}
