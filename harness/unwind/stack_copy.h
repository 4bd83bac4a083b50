/*
 * The copy of a stack that a sample carries, read by the addresses it had.
 */
#ifndef UNWIND_STACK_COPY_H
#define UNWIND_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct stack_copy {
	const unsigned char *bytes; /* borrowed */
	size_t len;
	uint64_t base;    /* address of the first byte */
	uint64_t reached; /* bytes up to the end of the furthest read */
	uint64_t missing; /* the address that was last asked for in vain */
};

/*
 * `size` (1, 2, 4 or 8) bytes at `address` as a number; false where they are not in the copy. Both
 * machines that are unwound have the low byte first.
 */
static inline bool
stack_copy_read(struct stack_copy *stack, uint64_t address, size_t size, uint64_t *value)
{
	uint64_t at = address - stack->base;

	if (at >= stack->len || stack->len - at < size) {
		stack->missing = address;
		return false;
	}
	*value = 0;
	memcpy(value, stack->bytes + at, size);
	if (at + size > stack->reached)
		stack->reached = at + size;
	return true;
}

static inline bool
stack_copy_word(struct stack_copy *stack, uint64_t address, uint64_t *value)
{
	return stack_copy_read(stack, address, sizeof(*value), value);
}

/*
 * All words from `lowest` to `highest` bytes off `address`, where all are in the copy: the word at
 * offset 0 would be at the pointer returned. NULL where some are not; then nothing is missing yet.
 */
static inline const unsigned char *
stack_copy_words(struct stack_copy *stack, uint64_t address, int32_t lowest, int32_t highest)
{
	uint64_t at = address - stack->base;
	int64_t end = (int64_t)at + highest + (int64_t)sizeof(uint64_t);

	/* What is in the copy, or just behind it, is within 64 KiB of its start. */
	if (at > INT32_MAX || (int64_t)at + lowest < 0 || end > (int64_t)stack->len)
		return NULL;
	if ((uint64_t)end > stack->reached)
		stack->reached = (uint64_t)end;
	return stack->bytes + at;
}

#endif
