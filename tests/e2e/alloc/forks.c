/*
 * Six children of a process whose other thread allocates all the time, with 3 requests each in
 * child(); then ./known by vfork() and exec.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;

__attribute__((noinline)) static void
take(void)
{
	free(malloc(77));
}

static void *
busy(void *argument)
{
	while (!over)
		take();
	return argument;
}

__attribute__((noinline)) static void
child(void *inherited)
{
	for (int i = 0; i < 3; i++)
		take();
	free(inherited);
	_exit(0);
}

int
main(void)
{
	void *block = malloc(1000);
	pthread_t thread;
	int status;

	if (pthread_create(&thread, NULL, busy, NULL) != 0)
		abort();
	for (int i = 0; i < 6; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(block);
		if (waitpid(pid, &status, 0) != pid || status != 0)
			abort();
	}
	over = 1;
	pthread_join(thread, NULL);
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork): it is what is tested. */
	pid_t pid = vfork();

	if (pid == 0) {
		execl("./known", "known", (char *)NULL);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	free(block);
	return status;
}
