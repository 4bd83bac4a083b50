/*
 * Prints the features of the processor that it finds itself on, as programs find them: a line of
 * numbers for each source. Run under a simulator, it tells what that presents.
 *
 * A program without a library, so that it only executes what is here.
 */
#include "base/system_call.h"

#include <asm/unistd.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call cpu_features_main\n"
	"	hlt\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n"
	"_start:\n"
	"	mov x29, #0\n"
	"	mov x0, sp\n"
	"	bl cpu_features_main\n"
	"	brk #1\n");
#endif

_Noreturn void cpu_features_main(const long *stack);

static char line[128];
static size_t len;

static void
put_hex(uint64_t number)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		if (shift == 0 || number >> shift)
			line[len++] = "0123456789abcdef"[number >> shift & 15];
}

static void
put(const char *name, const uint64_t *numbers, size_t n)
{
	len = 0;
	while (*name)
		line[len++] = *name++;
	for (size_t i = 0; i < n; i++) {
		line[len++] = ' ';
		put_hex(numbers[i]);
	}
	line[len++] = '\n';
	system_call(__NR_write, 1, (long)line, (long)len, 0, 0, 0);
}

#if defined(__x86_64__)

enum { EAX, EBX, ECX, EDX, REGISTERS };

static void
cpuid(uint32_t leaf, uint32_t part, uint32_t out[REGISTERS])
{
	__asm__ volatile("cpuid"
			 : "=a"(out[EAX]), "=b"(out[EBX]), "=c"(out[ECX]), "=d"(out[EDX])
			 : "a"(leaf), "c"(part));
}

/* What differs between the CPUs of one machine, and with their number, is left out. */
static void
put_features(const long *stack)
{
	static const struct {
		uint32_t leaf;
		uint32_t part;
		uint32_t mask[REGISTERS];
	} leaves[] = {
		{0x1, 0, {~0U, 0, ~0U, ~0U}},
		{0x2, 0, {~0U, ~0U, ~0U, ~0U}},
		{0x4, 0, {0x3fff, ~0U, ~0U, ~0U}},
		{0x4, 1, {0x3fff, ~0U, ~0U, ~0U}},
		{0x4, 2, {0x3fff, ~0U, ~0U, ~0U}},
		{0x4, 3, {0x3fff, ~0U, ~0U, ~0U}},
		{0x7, 0, {~0U, ~0U, ~0U, ~0U}},
		{0x7, 1, {~0U, ~0U, ~0U, ~0U}},
		{0xd, 0, {~0U, ~0U, ~0U, ~0U}},
		{0xd, 1, {~0U, 0, ~0U, ~0U}},
		{0x80000001, 0, {~0U, 0, ~0U, ~0U}},
	};
	uint32_t most[REGISTERS];
	uint32_t most_extended[REGISTERS];

	(void)stack;
	cpuid(0, 0, most);
	cpuid(0x80000000, 0, most_extended);
	put("vendor", (uint64_t[]){most[EBX], most[EDX], most[ECX]}, 3);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		uint64_t numbers[2 + REGISTERS] = {leaves[i].leaf, leaves[i].part};
		uint32_t words[REGISTERS];

		if (leaves[i].leaf > (leaves[i].leaf >> 31 ? most_extended : most)[EAX])
			continue;
		cpuid(leaves[i].leaf, leaves[i].part, words);
		for (size_t k = 0; k < REGISTERS; k++)
			numbers[2 + k] = words[k] & leaves[i].mask[k];
		put("cpuid", numbers, 2 + REGISTERS);
	}
}

#else

static void
put_features(const long *stack)
{
	const long *at = stack + 1 + stack[0] + 1;

	while (*at++)
		continue;
	for (; at[0] != AT_NULL; at += 2)
		if (at[0] == AT_HWCAP || at[0] == AT_HWCAP2)
			put("hwcap", (uint64_t[]){(uint64_t)at[0], (uint64_t)at[1]}, 2);
}

#endif

void
cpu_features_main(const long *stack)
{
	put_features(stack);
	for (;;)
		system_call(__NR_exit_group, 0, 0, 0, 0, 0, 0);
}
