/*
 * What a new child does between its fork and the exec of its program.
 */
#ifndef PROCESS_CHILD_EXEC_H
#define PROCESS_CHILD_EXEC_H

#include "process/child.h"
#include "process/mark.h"

#include <sys/types.h>

/* The descriptors that a child is started with. -1: not used. */
struct child_pipes {
	int start;     /* an eventfd, by which the parent lets the child go on */
	int report[2]; /* for a struct launch_report of the child */
	int output[2]; /* of stderr, or of stdout and stderr together */
	int own[2];    /* of stdout by itself */
};

/*
 * Puts the child into the state that `spec` asks for, waits for the parent's word and executes the
 * program. A step that fails is reported to the parent (launch.h). `parent` is the process that
 * forked.
 */
_Noreturn void child_exec(const struct child_spec *spec, const struct child_pipes *pipes,
	pid_t parent, struct mark mark);

#endif
