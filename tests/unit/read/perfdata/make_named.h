/*
 * Makes perf.data files of events that are known by their names: sample by sample in the order
 * IDENTIFIER, IP, TID, TIME, PERIOD, the call chain if there is one, the fields of a tracepoint,
 * and registers if there are any. Header only.
 */
#ifndef TESTS_MAKE_NAMED_H
#define TESTS_MAKE_NAMED_H

#include "folded_check.h"
#include "ingest/ingest.h"
#include "perfdata/make_perfdata.h"
#include "perfdata/writer.h"
#include "profile/weights.h"
#include "scratch.h"
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>

struct named {
	struct scratch scratch;
	char path[128];
	struct perf_event_attr attrs[2];
	struct written_event events[2];
	struct perfdata_writer writer;
	const uint64_t *chain; /* of the samples that follow, if they have any */
	size_t nchain;
	uint64_t regs[3]; /* the first argument, stack pointer and program counter of those */
	struct err err;
};

/* These three registers, in this order. */
#if defined(__aarch64__)
#define NAMED_REGS (UINT64_C(1) | UINT64_C(1) << 31 | UINT64_C(1) << 32)
#else
#define NAMED_REGS (UINT64_C(1) << 5 | UINT64_C(1) << 7 | UINT64_C(1) << 8)
#endif

static const uint64_t named_ids[] = {11, 12};

static inline struct perf_event_attr
attr_of(uint32_t type, uint64_t config, bool stacks)
{
	const uint64_t sampled = stacks ? PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER : 0U;

	return (struct perf_event_attr){
		.type = type,
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			       (type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0U) | sampled,
		.sample_regs_user = stacks ? NAMED_REGS : 0,
		.sample_id_all = 1,
	};
}

/* `attr` as attr_of() makes it; `second`: of a tracepoint, whose id is 12; NULL: there is none. */
static inline void
open_named(struct named *named, const char *name, struct perf_event_attr attr, const char *second)
{
	const bool stacks = attr.sample_regs_user != 0;

	*named = (struct named){.attrs = {attr, attr_of(PERF_TYPE_TRACEPOINT, 7, stacks)}};
	named->attrs[0].context_switch = second != NULL;
	for (size_t i = 0; i < 2; i++)
		named->events[i] = (struct written_event){.name = i == 0 ? name : second,
			.attr = &named->attrs[i],
			.ids = &named_ids[i],
			.nids = 1};
	scratch_init(&named->scratch);
	snprintf(named->path, sizeof(named->path), "%s/perf.data", named->scratch.dir);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_open(&named->writer, named->path, named->events,
				      second ? 2 : 1, &named->err),
		0);
}

static inline void
begin_named(
	struct named *named, const char *name, uint32_t type, uint64_t config, const char *second)
{
	open_named(named, name, attr_of(type, config, false), second);
}

static inline void
put_whole(struct named *named, uint32_t type, uint16_t misc, const struct buf *body)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + body->len)};

	CU_ASSERT_EQUAL(
		perfdata_writer_put(&named->writer, &header, sizeof(header), &named->err), 0);
	CU_ASSERT_EQUAL(perfdata_writer_put(&named->writer, body->data, body->len, &named->err), 0);
}

static inline void
put_sample(struct named *named, uint64_t id, uint32_t tid, uint64_t time, uint64_t period,
	const struct buf *raw)
{
	const uint64_t head[] = {id, 0x5000, tid | (uint64_t)tid << 32, time, period};
	struct buf record = {0};

	buf_put(&record, head, sizeof(head));
	if (named->attrs[0].sample_regs_user != 0) {
		made_u64(&record, named->nchain);
		buf_put(&record, named->chain, named->nchain * sizeof(*named->chain));
	}
	if (raw) {
		buf_put_u32(&record, (uint32_t)raw->len + 4);
		buf_put(&record, raw->data, raw->len);
		buf_put_zeros(&record, 4);
	}
	if (named->attrs[0].sample_regs_user != 0) {
		made_u64(&record, PERF_SAMPLE_REGS_ABI_64);
		buf_put(&record, named->regs, sizeof(named->regs));
	}
	put_whole(named, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &record);
	buf_release(&record);
}

static inline void
put_named(struct named *named, uint32_t tid, uint64_t time, uint64_t period, const struct buf *raw)
{
	put_sample(named, named_ids[0], tid, time, period, raw);
}

static inline void
put_named_switch(struct named *named, uint16_t misc, uint32_t tid, uint64_t time)
{
	struct buf record = {0};

	made_trailer(&record, tid, time);
	put_whole(named, PERF_RECORD_SWITCH, misc, &record);
	buf_release(&record);
}

/* Thread `waker` wakes thread `tid`. */
static inline void
put_wake(struct named *named, uint32_t waker, uint32_t tid, uint64_t time)
{
	struct buf raw = {0};

	buf_put_zeros(&raw, 24);
	made_u32s(&raw, tid, 120);
	put_sample(named, named_ids[1], waker, time, 1, &raw);
	buf_release(&raw);
}

/* Reads it as `event`, and releases it. */
static inline void
expect_named(struct named *named, const char *event, const char *unit, const char *folded)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {.event = event};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named->writer, &description, &named->err), 0);
	CU_ASSERT_EQUAL_FATAL(ingest_file(&profile, named->path, &options, &named->err), 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	profile_release(&profile);
	scratch_release(&named->scratch);
}

#endif
