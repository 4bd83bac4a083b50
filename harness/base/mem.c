#include "base/mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of a cache line. */
#define LINE_BYTES ((size_t)64)
/* Of a large page, where the processor has them; worth it for tables of two and more. */
#define LARGE_PAGE_BYTES ((size_t)2 << 20)

/* As err_exit_code() for ERR_SYSTEM. */
#define EXIT_SYSTEM 2

static void (*tidy_up)(void);

/*
 * Tidying up needs a little memory itself; where even that is missing, the drafts stay. Another
 * thread that runs out of memory meanwhile waits for the end: it would cut short the message.
 */
void
mem_exhausted(void)
{
	static atomic_flag begun = ATOMIC_FLAG_INIT;
	static _Thread_local bool tidying;

	if (!tidying) {
		while (atomic_flag_test_and_set(&begun))
			pause();
		tidying = true;
		fputs("profile_run: out of memory\n"
		      "  note: more memory, a higher 'ulimit -v' or a smaller input helps\n",
			stderr);
		if (tidy_up)
			tidy_up();
	}
	_exit(EXIT_SYSTEM);
}

void
mem_on_exhaustion(void (*function)(void))
{
	tidy_up = function;
}

static void *
checked(void *memory)
{
	if (!memory)
		mem_exhausted();
	return memory;
}

void *
mem_zalloc(size_t count, size_t size)
{
	return checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *
mem_ztable(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - LARGE_PAGE_BYTES)
		return checked(NULL);
	size_t unit = bytes >= 2 * LARGE_PAGE_BYTES ? LARGE_PAGE_BYTES : LINE_BYTES;
	size_t whole = bytes + (-bytes & (unit - 1));
	void *table = checked(aligned_alloc(unit, whole));

	/* Large pages cause fewer page faults and fewer TLB misses. */
	if (unit == LARGE_PAGE_BYTES)
		madvise(table, whole, MADV_HUGEPAGE);
	/* Compilers turn malloc() and memset() into calloc(), which writes nothing. */
	return memset(table, 0, bytes);
}

void *
mem_enlarge(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity + *capacity / 2 + 16;
	size_t bytes;

	if (wanted < count)
		wanted = count;
	if (__builtin_mul_overflow(wanted, size, &bytes))
		return checked(NULL);
	array = checked(realloc(array, bytes));
	memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return array;
}

void *
mem_resize(void *array, size_t bytes)
{
	return checked(realloc(array, bytes));
}

char *
mem_dup(const char *text, size_t len)
{
	char *copy = checked(malloc(len + 1));

	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *
mem_strdup(const char *text)
{
	return mem_dup(text, strlen(text));
}

char *
mem_printf(const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);

	va_end(args);
	return checked(len >= 0 ? text : NULL);
}
