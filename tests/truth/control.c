/* Phases: control that goes other ways than calls do. */
#include "calls.h"

#include "truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define OWN_STACK_BYTES 65536

static jmp_buf back;
static volatile bool jumping_wanted = true;

KEEP static void
jumps_back(int levels)
{
	if (levels > 0)
		jumps_back(levels - 1);
	else if (jumping_wanted)
		longjmp(back, 1);
	STAY();
}

KEEP static void
after_jump(void)
{
	spend();
	STAY();
}

KEEP void
jumping(void)
{
	if (setjmp(back) == 0)
		jumps_back(10);
	after_jump();
	STAY();
}

KEEP static void
thread_step(void)
{
	spend();
	STAY();
}

KEEP static void *
thread_main(void *unused)
{
	(void)unused;
	thread_step();
	STAY();
	return NULL;
}

KEEP void
thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread_main, NULL) != 0)
		abort();
	pthread_join(id, NULL);
}

KEEP static void
on_signal(int signal)
{
	(void)signal;
	burn(300000);
	STAY();
}

/* One signal: a handler that takes longer than the interval must not keep the program from going
 * on. */
KEEP static void
ask_for_signals(int flags, long after_us)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
	struct itimerval timer = {{0, 0}, {0, after_us}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	STAY();
}

/* The timer interrupts at any instruction, so that a caller is no return address. */
KEEP void
signals(void)
{
	while (!enough()) {
		ask_for_signals(SA_RESTART, 100);
		(void)fib(20);
	}
	ask_for_signals(SA_RESTART, 0);
}

/* The handler has its own stack: the copy of it cannot hold what was interrupted. */
KEEP void
alternate_stack(void)
{
	stack_t own = {.ss_sp = malloc(OWN_STACK_BYTES), .ss_size = OWN_STACK_BYTES};
	stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&own, NULL);
	while (!enough()) {
		ask_for_signals(SA_RESTART | SA_ONSTACK, 100);
		(void)fib(20);
	}
	ask_for_signals(SA_RESTART, 0);
	sigaltstack(&none, NULL);
	free(own.ss_sp);
}

KEEP static void
child(void)
{
	start_budget();
	spend();
	STAY();
}

KEEP void
forked(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		child();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static ucontext_t caller;
static ucontext_t callee;

KEEP static void
in_coroutine(void)
{
	spend();
	STAY();
	swapcontext(&callee, &caller);
}

KEEP void
coroutine(void)
{
	char *stack = malloc(OWN_STACK_BYTES);

	memset(stack, 0, OWN_STACK_BYTES);
	getcontext(&callee);
	callee.uc_stack.ss_sp = stack;
	callee.uc_stack.ss_size = OWN_STACK_BYTES;
	callee.uc_link = &caller;
	makecontext(&callee, in_coroutine, 0);
	swapcontext(&caller, &callee);
	free(stack);
}

KEEP static void
call_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*entry)(bool (*)(void)) = NULL;

	if (!library)
		abort();
	/* ISO C has no conversion from an object's address to a function's; POSIX has. */
	*(void **)&entry = dlsym(library, "library_entry");
	for (int i = 0; i < 20; i++)
		entry(enough);
	dlclose(library);
}

/* One library after the other, at what is often the same address. */
KEEP void
loaded(void)
{
	const char *first = getenv("TRUTH_LIBRARY_A");
	const char *second = getenv("TRUTH_LIBRARY_B");

	while (first && second && !enough()) {
		call_library(first);
		call_library(second);
	}
}
