/*
 * Makes the bytes of jitdumps.
 */
#ifndef UNIT_MAKE_JIT_DUMP_H
#define UNIT_MAKE_JIT_DUMP_H

#include "base/buf.h"

#include <stdint.h>
#include <string.h>

static inline void
jit_dump_put(struct buf *out, const uint64_t *words, size_t nwords)
{
	buf_put(out, words, nwords * sizeof(*words));
}

static inline void
jit_dump_head(struct buf *out, uint32_t id, size_t body_bytes)
{
	buf_put_u32(out, id);
	buf_put_u32(out, (uint32_t)(16 + body_bytes));
	jit_dump_put(out, (const uint64_t[]){0}, 1);
}

static inline void
jit_dump_begin(struct buf *out)
{
	buf_put_u32(out, 0x4A695444);
	buf_put_u32(out, 1);
	buf_put_u32(out, 40);
	buf_put_zeros(out, 28);
}

/* A function, with four bytes of code. */
static inline void
jit_dump_load(struct buf *out, uint64_t address, uint64_t bytes, const char *name)
{
	jit_dump_head(out, 0, 40 + strlen(name) + 1 + 4);
	jit_dump_put(out, (const uint64_t[]){0, address, address, bytes, 0}, 5);
	buf_put(out, name, strlen(name) + 1);
	buf_put(out, "code", 4);
}

static inline void
jit_dump_move(struct buf *out, uint64_t from, uint64_t to, uint64_t bytes)
{
	jit_dump_head(out, 1, 48);
	jit_dump_put(out, (const uint64_t[]){0, to, from, to, bytes, 0}, 6);
}

#endif
