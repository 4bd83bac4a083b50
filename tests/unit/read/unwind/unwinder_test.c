/*
 * Samples of this very process, whose stacks are known: by what glibc's backtrace() says, and by
 * the return addresses that the functions themselves have.
 */
#include "unwind/unwinder.h"

#include "unit.h"
#include "unwind/own_space.h"

#include <alloca.h>
#include <execinfo.h>
#include <signal.h>
#include <stdalign.h>

void suite_unwind_unwinder(void);

#define STACK_BYTES ((size_t)64 * 1024)
#define CHAIN_MAX 64

/* No frame pointer, whatever the build asks for. */
#if defined(__clang__)
#define FRAMELESS __attribute__((noinline))
#else
#define FRAMELESS __attribute__((noinline, optimize("omit-frame-pointer")))
#endif

/* Keeps a call from becoming a jump. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

static struct {
	struct own_space own;
	struct unwinder *unwinder;
	uint64_t stack_end;
	size_t limit; /* of the copy */
	struct unwind_input input;
	struct unwind_stack stack;
	unsigned char copy[STACK_BYTES];
	void *chain[CHAIN_MAX]; /* what backtrace() says */
	int nchain;
	void *returns[CHAIN_MAX]; /* of our functions, innermost last */
	size_t nreturns;
	uint64_t interrupted;
} now;

static bool
start(void)
{
	memset(&now, 0, sizeof(now));
	now.limit = STACK_BYTES;
	now.stack_end = own_stack_end();
	if (!own_space_init(&now.own) || now.stack_end == 0) {
		unit_skip("/proc/self/maps cannot be read");
		own_space_release(&now.own);
		return false;
	}
	now.unwinder = unwinder_new(unwind_machine_find(OWN_MACHINE));
	return true;
}

static void
finish(void)
{
	unwinder_free(now.unwinder);
	own_space_release(&now.own);
}

static void
walk(const ucontext_t *context)
{
	own_regs(context, &now.input.regs);
	now.input.space = &now.own.space;
	now.input.stack = now.copy;
	now.input.stack_wanted = now.limit;
	unwinder_walk(now.unwinder, &now.input, &now.stack);
}

static void
copy_stack(const ucontext_t *context)
{
	struct unwind_regs regs;

	own_regs(context, &regs);
	now.input.stack_bytes = own_stack_copy(regs.values[unwind_machine_find(OWN_MACHINE)->sp],
		now.stack_end, now.copy, now.limit);
}

/* The leaf: a sample of where it stands. */
__attribute__((noinline)) static void
capture(void)
{
	ucontext_t context;

	now.nchain = backtrace(now.chain, CHAIN_MAX);
	getcontext(&context);
	copy_stack(&context);
	walk(&context);
	NO_TAIL_CALL();
}

/* The rest of the stack from frame `i` on is the rest of the chain from entry `k` on. */
static bool
same_rest(size_t i, size_t k)
{
	if (now.stack.count - i != (size_t)now.nchain - k)
		return false;
	for (; i < now.stack.count; i++, k++) {
		if (now.stack.frames[i].address != (uintptr_t)now.chain[k])
			return false;
	}
	return true;
}

/* Ahead of the first caller backtrace() has itself, and what a sanitizer puts around it. */
static void
check_chain(void)
{
	size_t k = 1;

	CU_ASSERT_EQUAL(now.stack.end, UNWIND_ROOT);
	CU_ASSERT_FATAL(now.stack.count > 3);
	while (k < (size_t)now.nchain && now.stack.frames[1].address != (uintptr_t)now.chain[k])
		k++;
	CU_ASSERT_TRUE(same_rest(1, k));
}

/* The return addresses of our own functions are in the stack, in order. */
static void
check_returns(void)
{
	size_t left = now.nreturns;

	for (size_t i = 0; i < now.stack.count && left > 0; i++)
		left -= now.stack.frames[i].address == (uintptr_t)now.returns[left - 1];
	CU_ASSERT_EQUAL(left, 0);
}

#define REMEMBER_RETURN() (now.returns[now.nreturns++] = __builtin_return_address(0))

__attribute__((noinline)) static void
with_frame_pointer(void (*inner)(void))
{
	REMEMBER_RETURN();
	inner();
	NO_TAIL_CALL();
}

FRAMELESS static void
without_frame_pointer(void (*inner)(void))
{
	volatile int local[30];

	local[3] = 1;
	REMEMBER_RETURN();
	inner();
	local[4] = local[3];
}

/* The CFA of a realigned stack with variable parts is an expression. */
FRAMELESS static void
realigned(void (*inner)(void), size_t size)
{
	alignas(64) volatile char aligned[64];
	volatile char *varying = alloca(size);

	aligned[0] = 1;
	varying[0] = aligned[0];
	REMEMBER_RETURN();
	inner();
	varying[0] = aligned[0];
}

static void
nest(void)
{
	without_frame_pointer(capture);
	NO_TAIL_CALL();
}

static void
test_own_functions(void)
{
	if (!start())
		return;
	with_frame_pointer(nest);
	check_chain();
	check_returns();
	CU_ASSERT_EQUAL(now.nreturns, 2);
	CU_ASSERT_TRUE(now.stack.frames[0].exact);
	CU_ASSERT_FALSE(now.stack.frames[1].exact);
	CU_ASSERT(now.stack.reached_bytes > 100);
	finish();
}

static void
test_realigned(void)
{
	if (!start())
		return;
	realigned(nest, 100);
	check_chain();
	check_returns();
	finish();
}

static int
compare_and_capture(const void *a, const void *b)
{
	if (now.stack.count == 0)
		without_frame_pointer(capture);
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

__attribute__((noinline)) static void
sort(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};

	REMEMBER_RETURN();
	qsort(numbers, sizeof(numbers) / sizeof(numbers[0]), sizeof(numbers[0]),
		compare_and_capture);
	NO_TAIL_CALL();
}

static void
test_callbacks(void)
{
	if (!start())
		return;
	with_frame_pointer(sort);
	check_chain();
	check_returns();
	CU_ASSERT_EQUAL(now.nreturns, 3);
	finish();
}

static void *
run_thread(void *unused)
{
	(void)unused;
	now.stack_end = own_stack_end();
	with_frame_pointer(sort);
	return NULL;
}

static void
test_thread(void)
{
	pthread_t thread;

	if (!start())
		return;
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	check_chain();
	check_returns();
	finish();
}

/* Signals. */

static void
handle_and_capture(int number, siginfo_t *info, void *context)
{
	struct unwind_regs regs;

	(void)number;
	(void)info;
	own_regs(context, &regs);
	now.interrupted = regs.pc;
	without_frame_pointer(capture);
}

static void
handle_and_walk(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	copy_stack(context);
	walk(context);
}

__attribute__((noinline)) static void
interrupt(void)
{
	REMEMBER_RETURN();
	raise(SIGUSR1);
	NO_TAIL_CALL();
}

static void
with_handler(void (*handler)(int, siginfo_t *, void *), void (*body)(void))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct sigaction before;

	sigaction(SIGUSR1, &action, &before);
	body();
	sigaction(SIGUSR1, &before, NULL);
}

static void
test_across_handlers(void)
{
	bool exact = false;

	if (!start())
		return;
	with_handler(handle_and_capture, interrupt);
	check_chain();
	check_returns();
	for (size_t i = 1; i < now.stack.count; i++)
		exact |=
			now.stack.frames[i].exact && now.stack.frames[i].address == now.interrupted;
	CU_ASSERT_TRUE(exact);
	finish();
}

static void
test_interrupted(void)
{
	if (!start())
		return;
	with_handler(handle_and_walk, interrupt);
	CU_ASSERT_EQUAL(now.stack.end, UNWIND_ROOT);
	check_returns();
	CU_ASSERT_EQUAL(now.nreturns, 1);
	finish();
}

/* What was not copied. */

static void
test_short_copies(void)
{
	struct unwind_stack whole;
	size_t differences = 0;

	if (!start())
		return;
	with_frame_pointer(sort);
	check_chain();
	whole = now.stack;
	for (size_t bytes = 0; bytes < whole.reached_bytes + 64; bytes += 40) {
		now.input.stack_bytes = bytes;
		now.input.stack_wanted = bytes;
		unwinder_walk(now.unwinder, &now.input, &now.stack);
		CU_ASSERT_EQUAL(now.stack.end,
			bytes < whole.reached_bytes ? UNWIND_TRUNCATED : UNWIND_ROOT);
		CU_ASSERT(now.stack.count <= whole.count);
		CU_ASSERT(now.stack.reached_bytes <= bytes);
		for (size_t i = 0; i < now.stack.count; i++)
			differences += now.stack.frames[i].address != whole.frames[i].address;
	}
	CU_ASSERT_EQUAL(differences, 0);
	now.input.stack_bytes = whole.reached_bytes - 8;
	now.input.stack_wanted = STACK_BYTES;
	unwinder_walk(now.unwinder, &now.input, &now.stack);
	CU_ASSERT_EQUAL(now.stack.end, UNWIND_BROKEN);
	finish();
}

static void
test_nothing_known(void)
{
	if (!start())
		return;
	with_frame_pointer(nest);
	now.input.space = NULL;
	unwinder_walk(now.unwinder, &now.input, &now.stack);
	CU_ASSERT_EQUAL(now.stack.count, 1);
	CU_ASSERT_EQUAL(now.stack.end, UNWIND_BROKEN);
	finish();
}

/* Frame pointers. */

static void
nest_with_frame_pointers(void)
{
	with_frame_pointer(capture);
	NO_TAIL_CALL();
}

static void
test_code_without_rows(void)
{
	struct unwind_table *table;

	if (!start())
		return;
	table = now.own.space.maps[now.own.own_map].table;
	now.own.space.maps[now.own.own_map].table = NULL;
	with_frame_pointer(nest_with_frame_pointers);
	check_chain();
	check_returns();
	now.own.space.maps[now.own.own_map].table = table;
	finish();
}

static void
test_frame_pointer_check(void)
{
	const struct unwind_table *table;
	uint64_t steps;
	uint64_t alike;
	uint64_t steps_then;
	uint64_t alike_then;

	if (!start())
		return;
	table = now.own.space.maps[now.own.own_map].table;
	with_frame_pointer(nest_with_frame_pointers);
	unwinder_frame_pointers(now.unwinder, table, &steps, &alike);
	CU_ASSERT_EQUAL(steps, 0);
	unwinder_check_frame_pointers(now.unwinder, true);
	with_frame_pointer(nest_with_frame_pointers);
	unwinder_frame_pointers(now.unwinder, table, &steps, &alike);
	CU_ASSERT(steps >= 4);
	CU_ASSERT_EQUAL(alike, steps);
	without_frame_pointer(nest_with_frame_pointers);
	unwinder_frame_pointers(now.unwinder, table, &steps_then, &alike_then);
	CU_ASSERT(steps_then > steps);
#if !defined(__clang__)
	CU_ASSERT(steps_then - steps > alike_then - alike);
#endif
	finish();
}

void
suite_unwind_unwinder(void)
{
	static const struct unit_case cases[] = {
		{"own_functions_lead_to_the_root", test_own_functions},
		{"realigned_stacks_are_walked", test_realigned},
		{"callbacks_of_the_c_library_are_walked", test_callbacks},
		{"a_thread_has_a_root_of_its_own", test_thread},
		{"signal_handlers_lead_to_what_they_interrupted", test_across_handlers},
		{"what_a_signal_interrupted_is_walked", test_interrupted},
		{"a_short_copy_truncates", test_short_copies},
		{"an_unknown_space_has_only_the_leaf", test_nothing_known},
		{"frame_pointers_do_where_there_are_no_rows", test_code_without_rows},
		{"steps_that_frame_pointers_take_alike_are_counted", test_frame_pointer_check},
		{0},
	};

	unit_suite("unwind/unwinder", cases);
}
