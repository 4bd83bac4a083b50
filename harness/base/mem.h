/*
 * Allocating memory. Running out of memory ends the process, here and nowhere else: no caller
 * checks for NULL.
 *
 * The caller bounds sizes that come from a file first, so that bad input is an error and not an
 * abort.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Lets the heap use large pages and keep what is freed. Call it before there are threads. */
void mem_begin(void);

/* Zeroed memory for `count` things of `size` bytes; free() it. */
void *mem_zalloc(size_t count, size_t size);
/*
 * The same for a table whose slots are read before they are written, in random order. All pages are
 * written to at once: a page that is read first costs two faults and, if there is another thread,
 * an interrupt of that thread's processor.
 */
void *mem_ztable(size_t count, size_t size);

/*
 * `array` made to hold `count` things of `size` bytes, the old contents kept, the rest zeroed.
 * *capacity is what it holds now and is updated; growth is geometric. free() the result.
 */
static inline void *mem_grow(void *array, size_t *capacity, size_t count, size_t size);

/* `array` made `bytes` long, the old contents kept, the rest uninitialized. free() the result. */
void *mem_resize(void *array, size_t bytes) __attribute__((returns_nonnull));

/* `function` is called once when memory runs out, before the process ends. */
void mem_on_exhaustion(void (*function)(void));

/*
 * Ends the process as a failed allocation here does: for a library that reports that it could not
 * allocate.
 */
_Noreturn void mem_exhausted(void);

/* Copies of `len` bytes, and of a string, both terminated; free() them. */
char *mem_dup(const char *text, size_t len);
char *mem_strdup(const char *text);

/* printf into new memory; free() it. */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The part of mem_grow() that enlarges the array. */
void *mem_enlarge(void *array, size_t *capacity, size_t count, size_t size);

static inline void *
mem_grow(void *array, size_t *capacity, size_t count, size_t size)
{
	return count <= *capacity ? array : mem_enlarge(array, capacity, count, size);
}

#endif
