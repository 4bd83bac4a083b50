/*
 * The program of process/launch.h. It has no library, so that its memory is a few pages, and no
 * data that would have to be relocated.
 */
#include "base/system_call.h"
#include "process/launch.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call launcher_main\n"
	"	hlt\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n"
	"_start:\n"
	"	mov x29, #0\n"
	"	mov x0, sp\n"
	"	bl launcher_main\n"
	"	brk #1\n");
#endif

static long
call(long number, long a, long b, long c)
{
	return system_call(number, a, b, c, 0, 0, 0);
}

_Noreturn void launcher_main(long *stack);

static _Noreturn void
exit_now(int status)
{
	for (;;)
		call(__NR_exit_group, status, 0, 0);
}

static int
number_of(const char *text)
{
	int number = 0;

	while (*text >= '0' && *text <= '9')
		number = number * 10 + (*text++ - '0');
	return number;
}

static uint64_t
cpu_ns(void)
{
	struct timespec time = {0, 0};

	call(__NR_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&time, 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static _Noreturn void
report_failure(int report_fd, long result)
{
	struct launch_report report = {.step = LAUNCH_EXEC, .errnum = (int)-result};

	call(__NR_write, report_fd, (long)&report, sizeof(report));
	exit_now(127);
}

static void
wait_for_go(int start_fd, int report_fd)
{
	struct launch_report report = {.step = LAUNCH_READY};
	static struct rusage usage;
	uint64_t word = 0;

	report.pid = (int)call(__NR_getpid, 0, 0, 0);
	while (word != LAUNCH_GO) {
		if (call(__NR_getrusage, RUSAGE_SELF, (long)&usage, 0) == 0)
			report.faults = (unsigned)(usage.ru_minflt + usage.ru_majflt);
		report.cpu_ns = cpu_ns();
		if (call(__NR_write, report_fd, (long)&report, sizeof(report)) < 0 ||
			call(__NR_read, start_fd, (long)&word, sizeof(word)) != sizeof(word))
			exit_now(127);
		uint64_t start_ns = cpu_ns();

		while (cpu_ns() - start_ns < word - LAUNCH_GO)
			continue;
	}
}

/* A script without a first line that names its interpreter is the shell's, as in execvp(3). */
static long
exec_script(char *path, char **argv, char **env)
{
	static char shell[] = "/bin/sh";

	argv[0] = path;
	argv[-1] = shell;
	return call(__NR_execve, (long)shell, (long)(argv - 1), (long)env);
}

_Noreturn void
launcher_main(long *stack)
{
	char **argv = (char **)(stack + 1);
	char **env = argv + stack[0] + 1;
	int start_fd = number_of(argv[LAUNCH_START_FD]);
	int report_fd = number_of(argv[LAUNCH_REPORT_FD]);
	int parent = number_of(argv[LAUNCH_PARENT]);
	long pid = call(__NR_clone, CLONE_PARENT | SIGCHLD, 0, 0);

	if (pid < 0)
		report_failure(report_fd, pid);
	if (pid > 0)
		exit_now(0);
	call(__NR_setpgid, 0, 0, 0);
	call(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL, 0);
	if (call(__NR_getppid, 0, 0, 0) != parent)
		exit_now(127);
	call(__NR_fcntl, start_fd, F_SETFD, FD_CLOEXEC);
	call(__NR_fcntl, report_fd, F_SETFD, FD_CLOEXEC);
	wait_for_go(start_fd, report_fd);
	long result =
		call(__NR_execve, (long)argv[LAUNCH_PATH], (long)(argv + LAUNCH_ARGV), (long)env);

	if (result == -ENOEXEC)
		result = exec_script(argv[LAUNCH_PATH], argv + LAUNCH_ARGV, env);
	report_failure(report_fd, result);
}
