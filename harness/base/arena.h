/*
 * An arena: memory that is freed all at once, never piece by piece. All zeros is an empty arena.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head;
	char *next;
	size_t left;
	size_t used_bytes; /* handed out so far */
};

/* Frees what was handed out; the arena is empty and can be used again. */
void arena_release(struct arena *arena);

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
/* A terminated copy of `len` bytes. */
char *arena_dup(struct arena *arena, const char *text, size_t len);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
