/*
 * An aarch64 program whose call chains are known, for recordings that are read on other machines:
 * no library, a few KiB. tests/e2e/aarch64_test.sh has its stacks; `build` says how it is compiled,
 * `record` how it was recorded.
 *
 * Each phase is a separate chain, and each runs for the same number of rounds.
 */
#include "vdso.h"

#include <stdint.h>

#if defined(__aarch64__)

#define NOINLINE __attribute__((noinline, noclone))
/* Behind a call: it cannot become a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

#ifndef ROUNDS
#define ROUNDS 40
#endif
#define SPINS 60000

#define SYS_KILL 129
#define SYS_SIGACTION 134
#define SYS_GETPID 172
#define SYS_SETITIMER 103
#define SYS_EXIT 93

#define SIG_USR1 10
#define SIG_ALARM 14

static volatile uint64_t sink;
static volatile int alarms;
static int (*clock_gettime)(int clock, long time[2]);

static inline __attribute__((always_inline)) long
call_system(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

/* A leaf: its return address stays in the link register. */
static NOINLINE uint64_t
leaf(uint64_t spins)
{
	for (uint64_t i = 0; i < spins; i++)
		__asm__ volatile("" : "+r"(i));
	return spins;
}

static NOINLINE void
plain(void)
{
	sink += leaf(SPINS);
}

/* Deeper than the copy of 8 KiB could hold were its frames larger. */
static NOINLINE uint64_t
descend(uint64_t depth)
{
	uint64_t sum = depth == 0 ? leaf(SPINS) : descend(depth - 1);

	AFTER_CALL();
	return sum + depth;
}

static NOINLINE void
recursion(void)
{
	sink += descend(40);
}

/* The frame's size is known at run time only: rows by way of the frame pointer. */
static NOINLINE uint64_t
dynamic(uint64_t words)
{
	uint64_t room[words];

	for (uint64_t i = 0; i < words; i++)
		((volatile uint64_t *)room)[i] = i;
	uint64_t sum = leaf(SPINS) + room[words - 1];

	AFTER_CALL();
	return sum;
}

static NOINLINE void
stack_room(void)
{
	sink += dynamic(50 + sink % 7);
	AFTER_CALL();
}

/* Short calls that save many registers: prologues and epilogues are where the samples are. */
static NOINLINE uint64_t
saving(uint64_t value)
{
	__asm__ volatile("" ::
				 : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27",
			 "x28", "d8", "d9", "d10", "memory");
	return leaf(1) + value;
}

static NOINLINE void
prologues(void)
{
	for (int i = 0; i < SPINS / 12; i++) {
		sink += saving(sink);
		AFTER_CALL();
	}
}

/* Its caller's frame is gone when the leaf runs. */
static NOINLINE uint64_t
jump(uint64_t spins)
{
	return leaf(spins + 1);
}

static NOINLINE void
tail(void)
{
	sink += jump(SPINS);
	AFTER_CALL();
}

static NOINLINE void
work_in_handler(void)
{
	sink += leaf(SPINS / 2);
	AFTER_CALL();
}

static NOINLINE void
on_user_signal(int number)
{
	work_in_handler();
	AFTER_CALL();
	sink += (uint64_t)number;
}

static NOINLINE void
send(void)
{
	call_system(SYS_KILL, call_system(SYS_GETPID, 0, 0, 0, 0), SIG_USR1, 0, 0);
}

/* One signal interrupts whatever runs, the handler then sends another. */
static NOINLINE void
on_alarm(int number)
{
	work_in_handler();
	AFTER_CALL();
	send();
	AFTER_CALL();
	alarms += number;
}

/* A leaf that is interrupted at any of its instructions. */
static NOINLINE void
wait(int seen)
{
	while (alarms == seen)
		sink++;
}

static NOINLINE void
interrupted(void)
{
	struct {
		long every[2];
		long first[2];
	} timer = {{0, 0}, {0, 500}};
	int seen = alarms;

	call_system(SYS_SETITIMER, 0, (long)&timer, 0, 0);
	wait(seen);
	AFTER_CALL();
}

/* The vDSO's functions call nothing, and tell of no frame. */
static NOINLINE void
clock_read(void)
{
	long time[2] = {0, 0};

	for (int i = 0; clock_gettime && i < SPINS / 150; i++) {
		clock_gettime(1, time);
		sink += (uint64_t)time[1];
	}
}

static void
handle(int number, void (*handler)(int))
{
	/* struct sigaction of the kernel's: no restorer, the vDSO has the way back. */
	struct {
		void (*handler)(int);
		uint64_t flags;
		void (*restorer)(void);
		uint64_t mask;
	} action = {handler, 0, 0, 0};

	call_system(SYS_SIGACTION, number, (long)&action, 0, 8);
}

static NOINLINE void
run(void)
{
	handle(SIG_USR1, on_user_signal);
	handle(SIG_ALARM, on_alarm);
	for (int i = 0; i < ROUNDS; i++) {
		plain();
		recursion();
		stack_room();
		prologues();
		tail();
		interrupted();
		clock_read();
	}
}

__attribute__((used)) static void
start(const uint64_t *stack)
{
	const char *vdso = vdso_image(stack);

	clock_gettime = vdso ? vdso_find(vdso, "__kernel_clock_gettime") : 0;
	run();
	call_system(SYS_EXIT, 0, 0, 0, 0);
	__builtin_unreachable();
}

/* The outermost frame: it has no return address. */
__asm__(".globl _start\n"
	".type _start, %function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl start\n"
	"	brk #0\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");

#endif
