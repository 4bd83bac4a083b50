/*
 * What unwinding costs: making the rows of a file, and a step from a frame to its caller beside one
 * of libdw on the same samples. unwind_step.sh compiles and runs it.
 *
 * The samples are this process's own: a timer interrupts functions that call each other through
 * qsort() some thirty frames deep.
 */
#include "unwind/own_space.h"

#include <elfutils/libdwfl.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES 600
#define STACK_BYTES 16384
#define REGS 17

struct sample {
	struct unwind_regs regs;
	size_t stack_bytes;
	unsigned char stack[STACK_BYTES];
};

static struct sample samples[SAMPLES];
static volatile sig_atomic_t nsamples;
static uint64_t stack_end;

/* What libdw's callbacks know. */
struct peer {
	const struct sample *sample;
	uint64_t frames[UNWIND_DEPTH_MAX];
	size_t nframes;
};

static double
cpu_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void
take_sample(int number, siginfo_t *info, void *context)
{
	struct sample *sample = &samples[nsamples];

	(void)number;
	(void)info;
	if (nsamples == SAMPLES)
		return;
	own_regs(context, &sample->regs);
	sample->stack_bytes = own_stack_copy(
		sample->regs.values[7], stack_end, sample->stack, sizeof(sample->stack));
	nsamples++;
}

/* The program that is sampled. */

static int depth;
static volatile double sum;
static int nest(const void *a, const void *b);

__attribute__((noinline)) static void
work(int turns)
{
	char text[64];

	for (int i = 0; i < turns; i++) {
		snprintf(text, sizeof(text), "%d %.3f", i, sum);
		sum = sum + strtod(text, NULL);
	}
}

__attribute__((noinline)) static void
sort_deeper(void)
{
	int numbers[] = {4, 2, 3};

	qsort(numbers, 3, sizeof(numbers[0]), nest);
}

static int
nest(const void *a, const void *b)
{
	if (depth < 8) {
		depth++;
		sort_deeper();
		depth--;
	} else {
		work(20);
	}
	return *(const int *)a - *(const int *)b;
}

static void
collect(void)
{
	struct sigaction action = {
		.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct itimerval never = {{0, 0}, {0, 0}};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	while (nsamples < SAMPLES)
		sort_deeper();
	setitimer(ITIMER_PROF, &never, NULL);
}

/* libdw. */

static pid_t
next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return getpid();
}

static bool
read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	const struct sample *sample = ((const struct peer *)arg)->sample;
	uint64_t at = address - sample->regs.values[7];

	(void)dwfl;
	if (at >= sample->stack_bytes || sample->stack_bytes - at < sizeof(*result))
		return false;
	memcpy(result, sample->stack + at, sizeof(*result));
	return true;
}

static bool
set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct peer *peer = arg;
	Dwarf_Word values[REGS];

	for (unsigned i = 0; i < REGS; i++)
		values[i] = peer->sample->regs.values[i];
	return dwfl_thread_state_registers(thread, 0, REGS, values);
}

static int
add_frame(Dwfl_Frame *frame, void *arg)
{
	struct peer *peer = arg;
	bool exact;

	if (peer->nframes == UNWIND_DEPTH_MAX ||
		!dwfl_frame_pc(frame, &peer->frames[peer->nframes], &exact))
		return DWARF_CB_ABORT;
	peer->nframes++;
	return DWARF_CB_OK;
}

/* NOLINTBEGIN(readability-function-size): as many parameters as libdwfl asks for. */
static int
no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *path,
	const char *link, GElf_Word checksum, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)path, (void)link, (void)checksum;
	*found = NULL;
	return -1;
}
/* NOLINTEND(readability-function-size) */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debug_file};
static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers};

static Dwfl *
open_peer(struct peer *peer)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl || dwfl_linux_proc_report(dwfl, getpid()) != 0 ||
		dwfl_report_end(dwfl, NULL, NULL) != 0 ||
		!dwfl_attach_state(dwfl, NULL, getpid(), &thread_callbacks, peer)) {
		dwfl_end(dwfl);
		return NULL;
	}
	return dwfl;
}

static void
walk_ours(struct unwinder *unwinder, const struct own_space *own, const struct sample *sample,
	struct unwind_stack *stack)
{
	const struct unwind_input input = {.space = &own->space,
		.regs = sample->regs,
		.stack = sample->stack,
		.stack_bytes = sample->stack_bytes,
		.stack_wanted = STACK_BYTES};

	unwinder_walk(unwinder, &input, stack);
}

/* Whether the two agree on a sample. libdw's addresses are all as they are in the stack. */
static bool
agree(const struct unwind_stack *stack, const struct peer *peer)
{
	if (stack->count != peer->nframes)
		return false;
	for (size_t i = 0; i < stack->count; i++) {
		if (stack->frames[i].address != peer->frames[i])
			return false;
	}
	return true;
}

static double
time_ours(struct unwinder *unwinder, const struct own_space *own, unsigned rounds)
{
	static struct unwind_stack stack;
	size_t steps = 0;
	double start = cpu_ns();

	for (unsigned round = 0; round < rounds; round++) {
		for (size_t i = 0; i < SAMPLES; i++) {
			walk_ours(unwinder, own, &samples[i], &stack);
			steps += stack.count;
		}
	}
	return (cpu_ns() - start) / (double)steps;
}

static double
time_peer(Dwfl *dwfl, struct peer *peer)
{
	size_t steps = 0;
	double start = cpu_ns();

	for (size_t i = 0; i < SAMPLES; i++) {
		peer->sample = &samples[i];
		peer->nframes = 0;
		(void)dwfl_getthread_frames(dwfl, getpid(), add_frame, peer);
		steps += peer->nframes;
	}
	return (cpu_ns() - start) / (double)steps;
}

static int
compare_steps(const struct own_space *own)
{
	struct unwinder *unwinder = unwinder_new(unwind_machine_find(OWN_MACHINE));
	static struct unwind_stack stack;
	static struct peer peer;
	Dwfl *dwfl = open_peer(&peer);
	size_t same = 0;
	size_t rooted = 0;
	size_t frames = 0;

	if (!dwfl) {
		fprintf(stderr, "libdw: %s\n", dwfl_errmsg(-1));
		unwinder_free(unwinder);
		return -1;
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		walk_ours(unwinder, own, &samples[i], &stack);
		peer.sample = &samples[i];
		peer.nframes = 0;
		(void)dwfl_getthread_frames(dwfl, getpid(), add_frame, &peer);
		same += agree(&stack, &peer);
		rooted += stack.end == UNWIND_ROOT;
		frames += stack.count;
	}
	double theirs = time_peer(dwfl, &peer);
	double ours = time_ours(unwinder, own, 20);

	printf("%d samples of %.1f frames; %zu at the root, %zu as libdw has them\n", SAMPLES,
		(double)frames / SAMPLES, rooted, same);
	printf("a step: %.1f ns; libdw: %.0f ns; %.0f times\n", ours, theirs, theirs / ours);
	dwfl_end(dwfl);
	unwinder_free(unwinder);
	return ours * 10 < theirs && rooted * 100 >= (size_t)SAMPLES * 99 ? 0 : -1;
}

/* Opens the file's table and makes all of its rows; the second time, when its pages are there. */
static void
time_rows(const char *path)
{
	for (unsigned round = 0; round < 2; round++) {
		struct elf_image image;
		double start = cpu_ns();

		if (!elf_image_open(&image, path)) {
			printf("%s: not here\n", path);
			return;
		}
		struct unwind_table *table =
			unwind_table_new(unwind_machine_find(OWN_MACHINE), &image, NULL);

		if (!table) {
			printf("%s: no rows\n", path);
			return;
		}
		double open = cpu_ns();

		unwind_table_make_all(table);
		double end = cpu_ns();

		if (round == 1)
			printf("%s: %zu functions, %zu rows; index %.0f ns a function, all %.0f ns "
			       "a row\n",
				path, unwind_table_nfunctions(table), unwind_table_nrows(table),
				(open - start) / (double)unwind_table_nfunctions(table),
				(end - start) / (double)unwind_table_nrows(table));
		unwind_table_free(table);
	}
}

int
main(int argc, char **argv)
{
	struct own_space own;
	int result;

	stack_end = own_stack_end();
	if (!own_space_init(&own))
		return 2;
	for (size_t i = 0; i < own.space.nmaps; i++) {
		if (strstr(own.paths[i], "/libc.so"))
			time_rows(own.paths[i]);
	}
	for (int i = 1; i < argc; i++)
		time_rows(argv[i]);
	collect();
	result = compare_steps(&own);
	own_space_release(&own);
	return result < 0;
}
