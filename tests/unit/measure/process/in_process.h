/* What ends or changes the process that it runs in, for tests: in a separate one. */
#ifndef UNIT_PROCESS_IN_PROCESS_H
#define UNIT_PROCESS_IN_PROCESS_H

#include <sys/wait.h>
#include <unistd.h>

/* What `run` returns in a child, from 0 to 255; -1 where that did not exit. */
static inline int
in_process(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run());
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif
