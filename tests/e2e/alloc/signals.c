/*
 * 500 requests in a signal handler on its own stack, then 200,000 that a timer's signals
 * interrupt, also in the shim.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static char other_stack[64 << 10];
static volatile sig_atomic_t ticks;

__attribute__((noinline)) static void
take(void)
{
	free(malloc(33));
}

static void
on_signal(int number)
{
	(void)number;
	take();
}

static void
on_tick(int number)
{
	(void)number;
	ticks++;
}

__attribute__((noinline)) static void
interrupted(void)
{
	for (int i = 0; i < 500; i++)
		raise(SIGUSR1);
}

int
main(void)
{
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	const struct sigaction allocate = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	const struct sigaction tick = {.sa_handler = on_tick};
	const struct itimerval often = {{0, 200}, {0, 200}};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &allocate, NULL);
	interrupted();
	sigaction(SIGALRM, &tick, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 200000; i++)
		take();
	return 0;
}
