/*
 * Makes small perf.data files in memory, byte by byte, so that each test says what is in its file.
 * Header only: the unit tests of perfdata/ and ingest/ share it.
 */
#ifndef TESTS_MAKE_PERFDATA_H
#define TESTS_MAKE_PERFDATA_H

#include "base/buf.h"
#include "base/file.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MADE_HEADER_BYTES 104
#define MADE_SAMPLE_TYPE                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_CALLCHAIN)

struct made_file {
	struct buf data;  /* the records */
	struct buf bytes; /* the whole file, once made */
	struct perf_event_attr attrs[2];
	size_t nattrs;     /* ids are 11 and 12 */
	size_t attr_bytes; /* of each, that are stored: all, unless set */
};

static inline void
made_init(struct made_file *made)
{
	*made = (struct made_file){.nattrs = 1};
	made->data = (struct buf){0};
	made->bytes = (struct buf){0};
	for (size_t i = 0; i < 2; i++) {
		made->attrs[i].type = PERF_TYPE_SOFTWARE;
		made->attrs[i].size = sizeof(made->attrs[i]);
		made->attrs[i].config =
			i == 0 ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_PAGE_FAULTS;
		made->attrs[i].sample_period = 1000000;
		made->attrs[i].sample_type = MADE_SAMPLE_TYPE;
		made->attrs[i].sample_id_all = 1;
	}
}

static inline void
made_release(struct made_file *made)
{
	buf_release(&made->data);
	buf_release(&made->bytes);
}

static inline void
made_u64(struct buf *buf, uint64_t value)
{
	buf_put(buf, &value, sizeof(value));
}

static inline void
made_u32s(struct buf *buf, uint32_t a, uint32_t b)
{
	buf_put(buf, &a, sizeof(a));
	buf_put(buf, &b, sizeof(b));
}

static inline void
made_record(struct made_file *made, uint32_t type, uint16_t misc, const struct buf *body)
{
	struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + body->len)};

	buf_put(&made->data, &header, sizeof(header));
	buf_put(&made->data, body->data, body->len);
}

static inline void
made_text(struct buf *body, const char *text)
{
	size_t len = strlen(text) + 1;

	buf_put(body, text, len);
	buf_put_zeros(body, (8 - len % 8) % 8);
}

/* The body of a PERF_RECORD_KSYMBOL: a kernel function around the address. */
static inline void
made_ksymbol(struct buf *body, uint64_t address, const char *name)
{
	const uint16_t kind[] = {1, 0};

	made_u64(body, address - 0x10);
	buf_put(body, &(uint32_t){0x80}, 4);
	buf_put(body, kind, sizeof(kind));
	made_text(body, name);
}

/* What sample_id_all adds: pid, tid, time, identifier. */
static inline void
made_trailer(struct buf *body, uint32_t pid, uint64_t time)
{
	made_u32s(body, pid, pid);
	made_u64(body, time);
	made_u64(body, 11);
}

static inline void
made_sample(struct made_file *made, uint64_t id, uint32_t pid, uint64_t time, const uint64_t *chain,
	size_t nchain)
{
	struct buf body = {0};

	made_u64(&body, id);
	made_u64(&body, nchain > 1 ? chain[1] : 0);
	made_u32s(&body, pid, pid);
	made_u64(&body, time);
	made_u64(&body, nchain);
	buf_put(&body, chain, nchain * sizeof(*chain));
	made_record(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);
}

static inline void
made_comm(struct made_file *made, uint32_t pid, uint64_t time, const char *name)
{
	struct buf body = {0};

	made_u32s(&body, pid, pid);
	made_text(&body, name);
	made_trailer(&body, pid, time);
	made_record(made, PERF_RECORD_COMM, 0, &body);
	buf_release(&body);
}

static inline void
made_mmap(struct made_file *made, uint32_t pid, uint64_t time, uint64_t start, uint64_t size,
	const char *path)
{
	struct buf body = {0};

	made_u32s(&body, pid, pid);
	made_u64(&body, start);
	made_u64(&body, size);
	made_u64(&body, 0);
	made_text(&body, path);
	made_trailer(&body, pid, time);
	made_record(made, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);
}

static inline void
made_lost(struct made_file *made, uint64_t time, uint64_t count)
{
	struct buf body = {0};

	made_u64(&body, 11);
	made_u64(&body, count);
	made_trailer(&body, 1, time);
	made_record(made, PERF_RECORD_LOST, 0, &body);
	buf_release(&body);
}

/* The whole file: header, attributes, ids, records. The view is of `made`. */
static inline struct file_view
made_view(struct made_file *made)
{
	struct buf *out = &made->bytes;
	size_t stored = made->attr_bytes ? made->attr_bytes : sizeof(made->attrs[0]);
	size_t known = stored < sizeof(made->attrs[0]) ? stored : sizeof(made->attrs[0]);
	uint64_t attr_bytes = stored + 16;
	uint64_t attrs_at = MADE_HEADER_BYTES;
	uint64_t ids_at = attrs_at + made->nattrs * attr_bytes;
	uint64_t data_at = ids_at + made->nattrs * 8;

	buf_clear(out);
	buf_put(out, "PERFILE2", 8);
	made_u64(out, MADE_HEADER_BYTES);
	made_u64(out, attr_bytes);
	made_u64(out, attrs_at);
	made_u64(out, made->nattrs * attr_bytes);
	made_u64(out, data_at);
	made_u64(out, made->data.len);
	buf_put_zeros(out, 16 + 32); /* event types, features: none */
	for (size_t i = 0; i < made->nattrs; i++) {
		buf_put(out, &made->attrs[i], known);
		buf_put_zeros(out, stored - known);
		made_u64(out, ids_at + i * 8);
		made_u64(out, 8);
	}
	for (size_t i = 0; i < made->nattrs; i++)
		made_u64(out, 11 + i);
	buf_put(out, made->data.data, made->data.len);
	return (struct file_view){.data = buf_text(out), .len = out->len};
}

/* A pipe's header and an event's attributes as a record; records are put behind it. */
static inline void
made_pipe_start(struct made_file *made)
{
	buf_clear(&made->bytes);
	buf_put(&made->bytes, "PERFILE2", 8);
	made_u64(&made->bytes, 16);
	for (size_t i = 0; i < made->nattrs; i++) {
		struct buf body = {0};

		buf_put(&body, &made->attrs[i], sizeof(made->attrs[i]));
		made_u64(&body, 11 + i);
		made_record(made, 64, 0, &body); /* HEADER_ATTR */
		buf_release(&body);
	}
}

/* What has been put together since made_pipe_start(). The view is of `made`. */
static inline struct file_view
made_pipe_view(struct made_file *made)
{
	buf_put(&made->bytes, made->data.data, made->data.len);
	buf_clear(&made->data);
	return (struct file_view){.data = buf_text(&made->bytes), .len = made->bytes.len};
}

#endif
