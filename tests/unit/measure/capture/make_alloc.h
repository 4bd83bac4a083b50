/*
 * Makes files as the allocation shim leaves them.
 */
#ifndef UNIT_CAPTURE_MAKE_ALLOC_H
#define UNIT_CAPTURE_MAKE_ALLOC_H

#include "base/file.h"
#include "shim/shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void
alloc_put_maps(struct buf *out, uint32_t generation, const char *line)
{
	size_t len = strlen(line);
	struct alloc_maps maps = {
		.record = {ALLOC_MAPS, (uint32_t)((sizeof(maps) + len + 7) / 8 * 8)},
		.generation = generation,
		.text_bytes = (uint32_t)len,
	};

	buf_put(out, &maps, sizeof(maps));
	buf_puts(out, line);
	buf_put_zeros(out, maps.record.bytes - sizeof(maps) - len);
}

/* A stack of two frames. */
static inline void
alloc_put_stack(struct buf *out, struct alloc_stack stack, uint64_t leaf, uint64_t caller)
{
	stack.record = (struct alloc_record){ALLOC_STACK, sizeof(stack) + 16};
	stack.nframes = 2;
	buf_put(out, &stack, sizeof(stack));
	buf_put_u64(out, leaf);
	buf_put_u64(out, caller);
}

/*
 * A file of process 71: 1,100 bytes in 12 requests by two stacks, 300 bytes live; 500 and 100 at
 * the peak. NULL for the usual map and name.
 */
static inline struct buf
alloc_made(const char *line, const char *comm)
{
	struct alloc_file head = {.magic = ALLOC_FILE_MAGIC, .pid = 71, .epoch = 9};
	struct buf out = {0};

	snprintf(head.comm, sizeof(head.comm), "%s", comm ? comm : "work");
	buf_put(&out, &head, sizeof(head));
	alloc_put_maps(&out, 0,
		line ? line : "1000-2000 r-xp 00000000 00:00 0                          /bin/work");
	alloc_put_stack(&out,
		(struct alloc_stack){.bytes = 1000,
			.count = 10,
			.live_bytes = 200,
			.live_blocks = 2,
			.peak_bytes = 500,
			.peak_blocks = 5,
			.stamp = 9},
		0x1100, 0x1200);
	alloc_put_stack(&out,
		(struct alloc_stack){.bytes = 100,
			.count = 2,
			.live_bytes = 100,
			.live_blocks = 2,
			.peak_bytes = 70,
			.peak_blocks = 1,
			.stamp = 8},
		0x1300, 0x1200);
	head.used = out.len;
	memcpy(out.data, &head, sizeof(head));
	return out;
}

/* Writes and releases it. */
static inline void
alloc_put_file(const char *dir, const char *name, struct buf bytes)
{
	struct err err = {0};
	char *path = file_join(dir, name);

	if (file_write(path, buf_text(&bytes), bytes.len, &err) < 0)
		abort();
	free(path);
	buf_release(&bytes);
}

#endif
