#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block is as large as all there are together, within these: a small arena stays small. */
#define LEAST_BLOCK_BYTES ((size_t)4 * 1024)
#define MOST_BLOCK_BYTES ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *older;
	alignas(max_align_t) char bytes[];
};

void
arena_release(struct arena *arena)
{
	struct arena_block *block = arena->head;

	while (block) {
		struct arena_block *older = block->older;

		free(block);
		block = older;
	}
	*arena = (struct arena){0};
}

static size_t
next_block_bytes(const struct arena *arena)
{
	if (arena->used_bytes < LEAST_BLOCK_BYTES)
		return LEAST_BLOCK_BYTES;
	return arena->used_bytes < MOST_BLOCK_BYTES ? arena->used_bytes : MOST_BLOCK_BYTES;
}

static char *
take_bytes(struct arena *arena, size_t size, size_t align)
{
	size_t pad = arena->next ? -(uintptr_t)arena->next & (align - 1) : 0;

	if (!arena->next || arena->left < size + pad) {
		size_t block_bytes = next_block_bytes(arena);
		size_t room = size > block_bytes / 4 ? size : block_bytes;
		struct arena_block *block = mem_zalloc(1, sizeof(*block) + room);

		if (room == size && arena->head) {
			/* A large piece gets its own block; the current one stays current. */
			block->older = arena->head->older;
			arena->head->older = block;
			arena->used_bytes += size;
			return block->bytes;
		}
		block->older = arena->head;
		arena->head = block;
		arena->next = block->bytes;
		arena->left = room;
		pad = 0;
	}
	char *piece = arena->next + pad;

	arena->next = piece + size;
	arena->left -= size + pad;
	arena->used_bytes += size;
	return piece;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	return take_bytes(arena, size > 0 ? size : 1, alignof(max_align_t));
}

char *
arena_dup(struct arena *arena, const char *text, size_t len)
{
	char *copy = take_bytes(arena, len + 1, 1);

	memcpy(copy, text, len);
	return copy;
}

char *
arena_strdup(struct arena *arena, const char *text)
{
	return arena_dup(arena, text, strlen(text));
}

char *
arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(NULL, 0, fmt, args);

	va_end(args);
	char *text = take_bytes(arena, (size_t)(len > 0 ? len : 0) + 1, 1);

	va_start(args, fmt);
	vsnprintf(text, (size_t)(len > 0 ? len : 0) + 1, fmt, args);
	va_end(args);
	return text;
}
