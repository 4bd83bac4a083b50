/*
 * Opening files that make_perfdata.h made.
 */
#ifndef UNIT_PERFDATA_OPEN_MADE_H
#define UNIT_PERFDATA_OPEN_MADE_H

#include "perfdata/make_perfdata.h"
#include "perfdata/reader.h"
#include "unit.h"

#define MADE_CHAIN 3

static const uint64_t made_chain[MADE_CHAIN] = {PERF_CONTEXT_USER, 0x1000, 0x2000};

/* What is read well. */
static inline struct perfdata_reader *
open_view(const struct file_view *view)
{
	struct err err = {0};
	struct perfdata_reader *reader = perfdata_open(view, "x.data", &err);

	UNIT_STR_EQ(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	return reader;
}

static inline struct perfdata_reader *
open_made(struct made_file *made, struct file_view *view)
{
	*view = made_view(made);
	return open_view(view);
}

static inline struct perfdata_reader *
open_made_pipe(struct made_file *made, struct file_view *view)
{
	*view = made_pipe_view(made);
	return open_view(view);
}

/* Opens what was made and expects a refusal that says `part`. */
static inline void
expect_refusal(struct file_view view, const char *part)
{
	struct err err = {0};
	struct perfdata_reader *reader = perfdata_open(&view, "x.data", &err);

	CU_ASSERT_PTR_NULL(reader);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, "x.data: ");
	UNIT_CONTAINS(err.text, part);
	perfdata_close(reader);
}

#endif
