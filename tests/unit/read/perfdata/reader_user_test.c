#include "perfdata/reader.h"

#include "perfdata/open_made.h"
#include "unit.h"

void suite_perfdata_reader_user(void);

/* HEADER_FEATURE, of a length that leaves what follows unaligned. */
static void
put_feature(struct made_file *made, uint64_t feature, const char *text)
{
	struct buf body = {0};
	uint32_t len = (uint32_t)strlen(text) + 1;

	made_u64(&body, feature);
	buf_put(&body, &len, sizeof(len));
	buf_put(&body, text, len);
	made_record(made, 80, 0, &body);
	buf_release(&body);
}

static void
put_name(struct made_file *made, uint64_t id, const char *name)
{
	struct buf body = {0};

	made_u64(&body, 2);
	made_u64(&body, id);
	made_text(&body, name);
	made_record(made, 78, 0, &body);
	buf_release(&body);
}

static void
put_build_id(struct made_file *made, const char *path)
{
	unsigned char id[24] = {0xab, 0xcd, [20] = 16};
	struct buf body = {0};

	buf_put_zeros(&body, 4); /* pid */
	buf_put(&body, id, sizeof(id));
	made_text(&body, path);
	made_record(made, 67, 1 << 15, &body);
	buf_release(&body);
}

static void
test_pipe(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	const unsigned char *id = NULL;

	made_init(&made);
	made.nattrs = 2;
	made_pipe_start(&made);
	put_feature(&made, 3, "the-host");
	put_name(&made, 12, "faults of pages");
	made_sample(&made, 12, 7, 30, made_chain, MADE_CHAIN);
	made_sample(&made, 11, 7, 20, made_chain, MADE_CHAIN);
	put_build_id(&made, "/bin/true");

	struct perfdata_reader *reader = open_made_pipe(&made, &view);

	CU_ASSERT_EQUAL(perfdata_nevents(reader), 2);
	UNIT_STR_EQ(perfdata_event(reader, 0)->name, "cpu-clock");
	UNIT_STR_EQ(perfdata_event(reader, 1)->name, "faults of pages");
	UNIT_STR_EQ(perfdata_texts(reader)->hostname, "the-host");
	CU_ASSERT_EQUAL(perfdata_build_id(reader, "/bin/true", &id), 16);
	CU_ASSERT(id && id[1] == 0xcd);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 0);
	CU_ASSERT_EQUAL(record.id.time_ns, 20);
	CU_ASSERT_EQUAL(record.u.sample.chain[2], 0x2000);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 1);
	CU_ASSERT_EQUAL(memcmp(view.data + record.file_offset, record.raw, record.raw_bytes), 0);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	CU_ASSERT(!perfdata_truncated(reader));
	perfdata_close(reader);
	made_release(&made);
}

static void
test_small_attr(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	struct buf body = {0};

	made_init(&made);
	made.nattrs = 0;
	made_pipe_start(&made);
	made.attrs[0].size = 0; /* as the first kernels had it */
	buf_put(&body, &made.attrs[0], PERF_ATTR_SIZE_VER0);
	made_u64(&body, 11);
	made_record(&made, 64, 0, &body);
	buf_release(&body);
	made_sample(&made, 11, 7, 30, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made_pipe(&made, &view);

	CU_ASSERT_EQUAL_FATAL(perfdata_event(reader, 0)->nids, 1);
	CU_ASSERT_EQUAL(perfdata_event(reader, 0)->ids[0], 11);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.sample.nchain, 3);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_cut_off(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};

	made_init(&made);
	made_pipe_start(&made);
	made_sample(&made, 11, 7, 20, made_chain, MADE_CHAIN);
	made_sample(&made, 11, 7, 30, made_chain, MADE_CHAIN);
	made.data.len -= 8;

	struct perfdata_reader *reader = open_made_pipe(&made, &view);

	CU_ASSERT(perfdata_truncated(reader));
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	perfdata_close(reader);
	made_release(&made);
}

/* Tracepoints' formats: as many bytes after the record as it says, up to a multiple of 8. */
static void
test_tracing_data(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	struct buf body = {0};

	made_init(&made);
	made_pipe_start(&made);
	made_u32s(&body, 11, 0);
	made_record(&made, 66, 0, &body);
	buf_release(&body);
	buf_put_zeros(&made.data, 16);
	made_sample(&made, 11, 7, 20, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made_pipe(&made, &view);

	CU_ASSERT(!perfdata_truncated(reader));
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_no_events(void)
{
	struct made_file made;

	made_init(&made);
	made.nattrs = 0;
	made_pipe_start(&made);
	expect_refusal(made_pipe_view(&made), "describes no events");
	made_pipe_start(&made);
	made_sample(&made, 11, 7, 20, made_chain, MADE_CHAIN);
	expect_refusal(made_pipe_view(&made), "before any event's attributes");
	made.nattrs = 1;
	made.attrs[0].size = 4096;
	made_pipe_start(&made);
	expect_refusal(made_pipe_view(&made), "event attributes of 4096 bytes");
	made_release(&made);
}

void
suite_perfdata_reader_user(void)
{
	static const struct unit_case cases[] = {
		{"a_pipe_tells_events_names_features_and_build_ids_in_records", test_pipe},
		{"ids_follow_attributes_of_any_size", test_small_attr},
		{"what_is_whole_of_a_pipe_cut_off_is_read", test_cut_off},
		{"data_after_a_record_are_passed_over", test_tracing_data},
		{"a_pipe_without_events_is_refused", test_no_events},
		{NULL, NULL},
	};

	unit_suite("perfdata/reader_user", cases);
}
