/*
 * Every single instruction of a call into the C library and of its callback: the processor's trap
 * flag stops behind each, and each time the walk must arrive at the caller that does not change.
 *
 * Prologues, epilogues, stubs of the linkage table and hand-written assembly are all on the way.
 */
#include "unwind/unwind_table.h"
#include "unwind/unwinder.h"

#include "unit.h"
#include "unwind/own_space.h"

#include <signal.h>

void suite_unwind_unwinder_stepped(void);

#if defined(__x86_64__)

#define STACK_BYTES ((size_t)32 * 1024)

static struct {
	struct own_space own;
	struct unwinder *unwinder;
	uint64_t stack_end;
	struct unwind_input input;
	struct unwind_stack base; /* of the caller */
	struct unwind_stack stack;
	unsigned char copy[STACK_BYTES];
	size_t steps;
	size_t wrong;
	uint64_t wrong_pc;
} now;

static void
walk(const ucontext_t *context, struct unwind_stack *stack)
{
	own_regs(context, &now.input.regs);
	now.input.space = &now.own.space;
	now.input.stack = now.copy;
	now.input.stack_wanted = STACK_BYTES;
	now.input.stack_bytes =
		own_stack_copy(now.input.regs.values[7], now.stack_end, now.copy, sizeof(now.copy));
	unwinder_walk(now.unwinder, &now.input, stack);
}

/* The stack ends with all of the caller's callers. */
static bool
is_right(const struct unwind_stack *stack)
{
	const struct unwind_stack *base = &now.base;

	if (stack->end != UNWIND_ROOT || stack->count < base->count)
		return false;
	for (size_t i = 1; i < base->count; i++) {
		if (stack->frames[stack->count - i].address !=
			base->frames[base->count - i].address)
			return false;
	}
	return true;
}

/* No memory is taken here: all rows were made before, and the C library may be doing anything. */
static void
handle_step(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	walk(context, &now.stack);
	now.steps++;
	if (!is_right(&now.stack)) {
		if (now.wrong++ == 0)
			now.wrong_pc = now.input.regs.pc;
	}
}

static int
compare(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static const int key = 7;

static void
sort_numbers(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};

	qsort(numbers, 7, sizeof(numbers[0]), compare);
	(void)bsearch(&key, numbers, 7, sizeof(numbers[0]), compare);
}

static void
print_numbers(void)
{
	char text[100];
	volatile double number = 12.375;

	snprintf(text, sizeof(text), "%d %s %.3f %lx", 12, "text", number, 77ul);
	(void)strtod(text, NULL);
}

static void
use_strings(void)
{
	char text[300];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	(void)(strlen(text) + (uintptr_t)strchr(text, 'b') + (uintptr_t)strstr(text, "ab"));
	memmove(text + 1, text, 200);
	(void)getenv("HOME");
}

/* Sets the flag in the word that popf takes; the red zone is stepped over. */
#define START_STEPPING()                                                              \
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; orl $0x100, (%%rsp); popf; " \
			 "lea 128(%%rsp), %%rsp" ::                                   \
				 : "cc", "memory")
#define STOP_STEPPING()                                                                 \
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; andl $~0x100, (%%rsp); popf; " \
			 "lea 128(%%rsp), %%rsp" ::                                     \
				 : "cc", "memory")

__attribute__((noinline)) static void
run_steps(void (*body)(void))
{
	ucontext_t context;

	getcontext(&context);
	walk(&context, &now.base);
	START_STEPPING();
	body();
	STOP_STEPPING();
}

static void
step_through(void (*body)(void))
{
	struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};
	struct sigaction before;

	memset(&now, 0, sizeof(now));
	now.stack_end = own_stack_end();
	if (!own_space_init(&now.own)) {
		unit_skip("/proc/self/maps cannot be read");
		return;
	}
	for (size_t i = 0; i < now.own.space.nmaps; i++) {
		if (now.own.space.maps[i].table)
			unwind_table_make_all(now.own.space.maps[i].table);
	}
	now.unwinder = unwinder_new(unwind_machine_find(OWN_MACHINE));
	/* Symbols are bound before: the loader takes thousands of steps for each. */
	body();
	sigaction(SIGTRAP, &action, &before);
	run_steps(body);
	sigaction(SIGTRAP, &before, NULL);
	CU_ASSERT_EQUAL(now.base.end, UNWIND_ROOT);
	CU_ASSERT(now.base.count > 3);
	CU_ASSERT(now.steps > 100);
	if (now.wrong > 0)
		fprintf(stderr, "%zu of %zu stacks are wrong, the first at %lx\n", now.wrong,
			now.steps, (unsigned long)now.wrong_pc);
	CU_ASSERT_EQUAL(now.wrong, 0);
	unwinder_free(now.unwinder);
	own_space_release(&now.own);
}

static void
test_sorting(void)
{
	step_through(sort_numbers);
}

static void
test_printing(void)
{
	step_through(print_numbers);
}

static void
test_strings(void)
{
	step_through(use_strings);
}

#else

static void
skip(void)
{
	unit_skip("stepping by instructions is only known on x86-64");
}

#define test_sorting skip
#define test_printing skip
#define test_strings skip

#endif

void
suite_unwind_unwinder_stepped(void)
{
	static const struct unit_case cases[] = {
		{"each_instruction_of_sorting_leads_to_the_caller", test_sorting},
		{"each_instruction_of_printing_leads_to_the_caller", test_printing},
		{"each_instruction_of_string_functions_leads_to_the_caller", test_strings},
		{0},
	};

	unit_suite("unwind/unwinder_stepped", cases);
}
