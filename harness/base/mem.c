#include "base/mem.h"

#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Size of a cache line. */
#define LINE_BYTES ((size_t)64)
/* Size of a large page. Memory below two of them is not worth the call. */
#define LARGE_PAGE_BYTES ((size_t)2 << 20)

/*
 * Blocks below HEAP_BLOCK_BYTES come from the heap, which keeps what is freed. Its first
 * HEAP_LARGE_BYTES lie in large pages: clearing small pages one by one would take a third of the
 * time of reading a profile. It grows by HEAP_GROWTH_BYTES.
 */
#define HEAP_BLOCK_BYTES (32 << 20)
#define HEAP_LARGE_BYTES (256 << 20)
#define HEAP_GROWTH_BYTES (1 << 20)

/* The exit code of err_exit_code() for ERR_SYSTEM. */
#define EXIT_SYSTEM 2

/* Called before the process ends; NULL: nothing. */
static void (*tidy_up)(void);

/*
 * Tidying up needs a little memory itself. Where even that is missing, this is called again and
 * ends the process at once. Another thread that runs out of memory meanwhile waits: if it ended the
 * process, the message would be cut short.
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

/*
 * Asks for large pages, which cause fewer page faults and fewer TLB misses, where the memory is
 * large enough. Returns the memory.
 */
static void *
in_large_pages(void *memory, size_t bytes)
{
	uintptr_t start = ((uintptr_t)memory + LARGE_PAGE_BYTES - 1) & -LARGE_PAGE_BYTES;
	uintptr_t end = ((uintptr_t)memory + bytes) & -LARGE_PAGE_BYTES;

	if (end > start && bytes >= 2 * LARGE_PAGE_BYTES)
		madvise((char *)memory + (start - (uintptr_t)memory), end - start, MADV_HUGEPAGE);
	return memory;
}

void
mem_begin(void)
{
	/* One heap for all threads: those of other threads would not be in large pages. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, HEAP_LARGE_BYTES);
	char *start = malloc(HEAP_GROWTH_BYTES);

	if (start)
		in_large_pages(start, (size_t)((char *)sbrk(0) - start));
	free(start);
	mallopt(M_TOP_PAD, HEAP_GROWTH_BYTES);
}

/* Returns the memory; ends the process where there is none. */
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
	void *memory = checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1));

	return in_large_pages(memory, count * size);
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

	in_large_pages(table, whole);
	/* Compilers turn malloc() and memset() into calloc(), which writes nothing. */
	return memset(table, 0, bytes);
}

/*
 * The capacity of a grown array. Where memory is checked (-DMEM_EXACT_BYTES=N), that of a small
 * array is its count: an access behind its last element is then found.
 */
#ifndef MEM_EXACT_BYTES
#define MEM_EXACT_BYTES 0
#endif

static size_t
capacity_for(size_t capacity, size_t count, size_t size)
{
	const size_t geometric = capacity + capacity / 2 + 16;

	return geometric < count || count < MEM_EXACT_BYTES / size ? count : geometric;
}

void *
mem_enlarge(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = capacity_for(*capacity, count, size);
	size_t bytes;

	if (__builtin_mul_overflow(wanted, size, &bytes))
		return checked(NULL);
	array = in_large_pages(checked(realloc(array, bytes)), bytes);
	memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return array;
}

void *
mem_resize(void *array, size_t bytes)
{
	return in_large_pages(checked(realloc(array, bytes)), bytes);
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
