#include "perfdata/reader.h"

#include "perfdata/open_made.h"
#include "unit.h"

void suite_perfdata_event_table(void);

/* cpu-clock with chains and page-faults without, as perf record -e A/call-graph=no/ makes them. */
static void
test_differing(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	struct buf body = {0};

	made_init(&made);
	made.nattrs = 2;
	made.attrs[1].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	made_sample(&made, 11, 7, 10, made_chain, MADE_CHAIN);
	made_u64(&body, 12);
	made_u64(&body, 0x3000);
	made_u32s(&body, 8, 9);
	made_u64(&body, 20);
	made_u64(&body, 0xadd);
	made_u64(&body, 55);
	made_record(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 0);
	CU_ASSERT_EQUAL(record.u.sample.nchain, 3);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 1);
	CU_ASSERT_EQUAL(record.id.tid, 9);
	CU_ASSERT_EQUAL(record.u.sample.nchain, 0);
	CU_ASSERT_EQUAL(record.u.sample.period, 55);
	perfdata_close(reader);
	made_release(&made);
}

/* Without IDENTIFIER the id's place must be the same, in samples and behind other records. */
static void
test_ids_elsewhere(void)
{
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	const uint64_t more[] = {PERF_SAMPLE_ADDR, PERF_SAMPLE_CPU};
	struct made_file made;

	made_init(&made);
	made.nattrs = 2;
	made_lost(&made, 1, 1);
	for (size_t i = 0; i < 2; i++) {
		struct err err = {0};

		made.attrs[0].sample_type = type;
		made.attrs[1].sample_type = type | more[i];

		struct file_view view = made_view(&made);

		CU_ASSERT_PTR_NULL(perfdata_open(&view, "x.data", &err));
		UNIT_CONTAINS(err.text, "\"cpu-clock\" and \"page-faults\"");
	}
	made.attrs[1].sample_type = type;

	struct file_view view;

	perfdata_close(open_made(&made, &view));
	made_release(&made);
}

/* A thread that moves: its map stands in one CPU's stretch of the file, its samples in another's.
 */
static void
test_moving(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	static const uint32_t expected[] = {PERF_RECORD_COMM, PERF_RECORD_MMAP, PERF_RECORD_SAMPLE,
		PERF_RECORD_MMAP, PERF_RECORD_SAMPLE};

	made_init(&made);
	made_sample(&made, 11, 7, 30, made_chain, MADE_CHAIN); /* the second CPU */
	made_sample(&made, 11, 7, 50, made_chain, MADE_CHAIN);
	made_comm(&made, 7, 10, "mover"); /* the first */
	made_mmap(&made, 7, 20, 0x1000, 0x1000, "/bin/a");
	made_mmap(&made, 7, 40, 0x1000, 0x1000, "/bin/b");

	struct perfdata_reader *reader = open_made(&made, &view);

	for (size_t i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
		CU_ASSERT_EQUAL(record.type, expected[i]);
		CU_ASSERT_EQUAL(record.id.time_ns, 10 * (i + 1));
	}
	perfdata_close(reader);
	made_release(&made);
}

/* perf of Linux 4.x stores fewer bytes of attributes than are known here. */
static void
test_old_sizes(void)
{
	static const size_t sizes[] = {PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1,
		PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER5, 200};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct made_file made;
		struct file_view view;
		struct record record;
		struct err err = {0};

		made_init(&made);
		made.attr_bytes = sizes[i];
		made_sample(&made, 11, 7, 10, made_chain, MADE_CHAIN);

		struct perfdata_reader *reader = open_made(&made, &view);

		CU_ASSERT_EQUAL_FATAL(perfdata_event(reader, 0)->nids, 1);
		CU_ASSERT_EQUAL(perfdata_event(reader, 0)->ids[0], 11);
		CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
		CU_ASSERT_EQUAL(record.u.sample.nchain, 3);
		perfdata_close(reader);
		made_release(&made);
	}
}

/*
 * A mapping as with perf record --buildid-mmap: the id stands where device and inode do otherwise.
 * `asked_by` is the event that asks for ids, of two; 2: none.
 */
static struct perfdata_reader *
open_mapping(
	struct made_file *made, struct file_view *view, const unsigned char id[20], size_t asked_by)
{
	struct buf body = {0};

	made_init(made);
	made->nattrs = 2;
	if (asked_by < made->nattrs)
		made->attrs[asked_by].build_id = 1;
	made_u32s(&body, 7, 7);
	made_u64(&body, 0x1000);
	made_u64(&body, 0x2000);
	made_u64(&body, 0x3000);
	made_u32s(&body, 20, 0); /* the length in the first byte */
	body.len -= 4;
	buf_put(&body, id, 20);
	made_u32s(&body, 5, 2);
	made_text(&body, "/bin/true");
	made_trailer(&body, 7, 1);
	made_record(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		&body);
	buf_release(&body);
	return open_made(made, view);
}

static void
test_build_id(void)
{
	static const unsigned char id[20] = {1, 2, 3, [8] = 9, [19] = 20};

	for (size_t asked_by = 0; asked_by <= 2; asked_by++) {
		struct made_file made;
		struct file_view view;
		struct record record;
		struct err err = {0};
		struct perfdata_reader *reader = open_mapping(&made, &view, id, asked_by);

		CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
		CU_ASSERT_EQUAL(record.u.mmap.file_offset, 0x3000);
		CU_ASSERT_EQUAL(record.u.mmap.prot, 5);
		CU_ASSERT_EQUAL(record.u.mmap.flags, 2);
		UNIT_STR_EQ(record.u.mmap.path, "/bin/true");
		if (asked_by < 2) {
			CU_ASSERT_EQUAL_FATAL(record.u.mmap.build_id_len, 20);
			CU_ASSERT_EQUAL(memcmp(record.u.mmap.build_id, id, 20), 0);
		} else {
			/* Another profiler asked for them: these are a device and an inode. */
			CU_ASSERT_PTR_NULL(record.u.mmap.build_id);
			CU_ASSERT_EQUAL(record.u.mmap.build_id_len, 0);
			CU_ASSERT_NOT_EQUAL(record.u.mmap.inode, 0);
		}
		perfdata_close(reader);
		made_release(&made);
	}
}

void
suite_perfdata_event_table(void)
{
	static const struct unit_case cases[] = {
		{"samples_of_events_that_differ_are_read_by_their_own_layout", test_differing},
		{"ids_in_different_places_are_refused", test_ids_elsewhere},
		{"maps_of_a_thread_that_moves_come_before_its_samples", test_moving},
		{"attributes_of_any_size_are_read", test_old_sizes},
		{"build_ids_of_maps_are_read", test_build_id},
		{NULL, NULL},
	};

	unit_suite("perfdata/event_table", cases);
}
