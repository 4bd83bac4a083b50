/*
 * Runs a command and says what it cost: its CPU time as the kernel accounts it to a process and all
 * that it waited for, which no sampling rate changes.
 *
 *     meter FILE CPU COMMAND [ARGUMENT...]
 *
 * Writes one line to FILE: CPU time and wall time in nanoseconds, and the most memory of a process
 * in KiB. The command is pinned to CPU, or not where that is "-". Exits as the command did.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long
wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long
timeval_ns(const struct timeval *time)
{
	return time->tv_sec * 1000000000LL + time->tv_usec * 1000LL;
}

static void
become(char **command, const char *cpu)
{
	if (strcmp(cpu, "-") != 0) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET((size_t)strtoul(cpu, NULL, 10), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0) {
			perror("meter: sched_setaffinity");
			_exit(126);
		}
	}
	execvp(command[0], command);
	fprintf(stderr, "meter: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

static int
write_cost(const char *path, long long wall)
{
	struct rusage usage;
	FILE *file = fopen(path, "w");

	if (!file) {
		perror(path);
		return -1;
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	fprintf(file, "%lld %lld %ld\n", timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime),
		wall, usage.ru_maxrss);
	return fclose(file) == 0 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	int status;

	if (argc < 4) {
		fputs("usage: meter FILE CPU|- COMMAND [ARGUMENT...]\n", stderr);
		return 64;
	}
	long long start = wall_ns();
	pid_t child = fork();

	if (child < 0) {
		perror("meter: fork");
		return 126;
	}
	if (child == 0)
		become(argv + 3, argv[2]);
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 126;
	}
	if (write_cost(argv[1], wall_ns() - start) < 0)
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
