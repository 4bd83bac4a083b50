#include "process/sandbox.h"

#include "scratch.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_sandbox(void);

/* Where the attempts are made: a file that is there, one that is not, and a folder to write to. */
static char *there;
static char *missing;
static char *inside;

/* Each is an attempt that has to fail; 0 or more is success. */
static long
open_to_write(void)
{
	return open(there, O_WRONLY);
}

static long
make_file(void)
{
	return open(missing, O_RDONLY | O_CREAT, 0600);
}

static long
truncate_file(void)
{
	return truncate(there, 0);
}

static long
remove_file(void)
{
	return unlink(there);
}

static long
move_file(void)
{
	return rename(there, missing);
}

static long
link_file(void)
{
	return link(there, missing);
}

static long
make_folder(void)
{
	return mkdir(missing, 0700);
}

static long
change_mode(void)
{
	return chmod(there, 04777);
}

static long
run_program(void)
{
	char *const argv[] = {(char *)"true", NULL};

	return execv("/bin/true", argv);
}

static long
make_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid;
}

static long
make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long
make_local_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM, 0);
}

static long
signal_parent(void)
{
	return kill(getppid(), 0);
}

static long
trace_parent(void)
{
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static long
type_into_terminal(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

static long
use_io_uring(void)
{
	char parameters[120] = {0};

	return syscall(425 /* io_uring_setup */, 1L, parameters);
}

static long
open_by_new_call(void)
{
	const uint64_t how[3] = {O_WRONLY, 0, 0};

	return syscall(437 /* openat2 */, (long)AT_FDCWD, there, how, sizeof(how));
}

static const struct attempt {
	const char *name;
	long (*make)(void);
} attempts[] = {
	{"open to write", open_to_write},
	{"make a file", make_file},
	{"truncate", truncate_file},
	{"remove", remove_file},
	{"move", move_file},
	{"link", link_file},
	{"make a folder", make_folder},
	{"change the mode", change_mode},
	{"run a program", run_program},
	{"make a process", make_process},
	{"make a socket", make_socket},
	{"make a local socket", make_local_socket},
	{"signal the parent", signal_parent},
	{"trace the parent", trace_parent},
	{"type into the terminal", type_into_terminal},
	{"use io_uring", use_io_uring},
	{"open by openat2", open_by_new_call},
};

/* Why an attempt was refused; success and other reasons are not. */
static bool
is_refused(long result)
{
	return result < 0 &&
	       (errno == EPERM || errno == EACCES || errno == ENOSYS || errno == EXDEV);
}

static void *
try_all(void *wrong)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		errno = 0;
		if (!is_refused(attempts[i].make())) {
			fprintf(stderr, "could %s: %s\n", attempts[i].name, strerror(errno));
			*(int *)wrong = 1;
		}
	}
	return NULL;
}

/* What is done in a confined process; 0 if all is as it should be. */
typedef int (*confined_work)(void);

static int
reads_and_nothing_else(void)
{
	int wrong = 0;
	char byte;
	int fd = open(there, O_RDONLY);
	struct stat status;

	if (fd < 0 || read(fd, &byte, 1) != 1 || stat("/etc", &status) < 0 || !malloc(1 << 24))
		return 2;
	try_all(&wrong);
	return wrong;
}

static int
threads_have_no_more(void)
{
	pthread_t thread;
	int wrong = 0;

	if (pthread_create(&thread, NULL, try_all, &wrong) != 0)
		return 2;
	pthread_join(thread, NULL);
	return wrong;
}

static int
folder_is_written(void)
{
	char path[4200];
	char other[4200];
	int wrong = 0;

	snprintf(path, sizeof(path), "%s/new", inside);
	snprintf(other, sizeof(other), "%s/moved", inside);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1 || rename(path, other) < 0 || unlink(other) < 0)
		return 2;
	if (fchmod(fd, 06755) == 0 || fchmod(fd, 0666) == 0)
		return 3;
	try_all(&wrong);
	return wrong;
}

static int
program_has_no_more(void)
{
	char command[9000];

	snprintf(command, sizeof(command), "exec 2>&-; test -r '%s' && ! (: >'%s') && ! mkdir '%s'",
		there, there, missing);
	char *const argv[] = {(char *)"sh", (char *)"-c", command, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		execv("/bin/sh", argv);
		_exit(9);
	}
	int status = -1;

	return pid < 0 || waitpid(pid, &status, 0) < 0 ? 2 : WEXITSTATUS(status);
}

static int
exit_status(const struct sandbox_rules *rules, confined_work work)
{
	struct err err = {0};
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int code = sandbox_enter(rules, &err) < 0 ? 8 : work();

		if (code == 8)
			fprintf(stderr, "%s\n", err.text);
		_exit(code);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void
check_with(const struct sandbox_rules *rules, confined_work work)
{
	struct scratch scratch;
	struct err err = {0};
	char folder[4096];

	if (!sandbox_support().filter) {
		unit_skip("this kernel refuses seccomp filters");
		return;
	}
	scratch_init(&scratch);
	there = file_join(scratch.dir, "there");
	missing = file_join(scratch.dir, "missing");
	CU_ASSERT_EQUAL(file_write(there, "text", 4, &err), 0);
	snprintf(folder, sizeof(folder), "%s/folder", scratch.dir);
	mkdir(folder, 0700);
	inside = folder;
	const char *const folders[] = {folder};
	struct sandbox_rules placed = *rules;

	placed.folders = folders;
	CU_ASSERT_EQUAL(exit_status(&placed, work), 0);
	free(there);
	free(missing);
	scratch_release(&scratch);
}

static void
confined_process_reads_and_nothing_else(void)
{
	check_with(&(struct sandbox_rules){.nfolders = 0}, reads_and_nothing_else);
}

static void
threads_are_confined_too(void)
{
	check_with(&(struct sandbox_rules){.nfolders = 0}, threads_have_no_more);
}

static void
files_are_made_in_the_given_folder_only(void)
{
	if (sandbox_support().landlock == 0) {
		unit_skip("this kernel has no Landlock");
		return;
	}
	check_with(&(struct sandbox_rules){.nfolders = 1}, folder_is_written);
}

static void
programs_have_the_same_rights(void)
{
	check_with(&(struct sandbox_rules){.programs = true}, program_has_no_more);
}

void
suite_process_sandbox(void)
{
	static const struct unit_case cases[] = {
		{"confined_process_reads_and_nothing_else",
			confined_process_reads_and_nothing_else},
		{"threads_are_confined_too", threads_are_confined_too},
		{"files_are_made_in_the_given_folder_only",
			files_are_made_in_the_given_folder_only},
		{"programs_have_the_same_rights", programs_have_the_same_rights},
		{NULL, NULL},
	};

	unit_suite("process/sandbox", cases);
}
