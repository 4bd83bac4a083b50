#include "perfdata/reader.h"

#include "perfdata/open_made.h"
#include "unit.h"

void suite_perfdata_reader(void);

static void
test_order(void)
{
	static const uint64_t times[] = {50, 70, 20, 60, 10, 70, 30};
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	uint64_t last = 0;
	size_t count = 0;

	made_init(&made);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		made_sample(&made, 11, (uint32_t)i, times[i], made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made(&made, &view);
	uint32_t pid_of_first_70 = 0;

	while (perfdata_next(reader, &record, &err) == 1) {
		CU_ASSERT(record.id.time_ns >= last);
		if (record.id.time_ns == 70 && last != 70)
			pid_of_first_70 = record.id.pid;
		last = record.id.time_ns;
		count++;
	}
	CU_ASSERT_EQUAL(count, 7);
	CU_ASSERT_EQUAL(pid_of_first_70, 1);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_untimed(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};

	made_init(&made);
	made_comm(&made, 5, 0, "early");
	made_sample(&made, 11, 5, 40, made_chain, MADE_CHAIN);
	made_comm(&made, 5, 0, "between");
	made_sample(&made, 11, 5, 30, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL_FATAL(record.type, PERF_RECORD_COMM);
	UNIT_STR_EQ(record.u.comm.name, "early");
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.id.time_ns, 30);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.id.time_ns, 40);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL_FATAL(record.type, PERF_RECORD_COMM);
	UNIT_STR_EQ(record.u.comm.name, "between");
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_fields(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};

	made_init(&made);
	made_mmap(&made, 7, 1, 0x400000, 0x2000, "/usr/bin/true");
	made_lost(&made, 2, 42);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL(perfdata_nevents(reader), 1);
	UNIT_STR_EQ(perfdata_event(reader, 0)->name, "cpu-clock");
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.mmap.pid, 7);
	CU_ASSERT_EQUAL(record.u.mmap.start, 0x400000);
	CU_ASSERT_EQUAL(record.u.mmap.size, 0x2000);
	UNIT_STR_EQ(record.u.mmap.path, "/usr/bin/true");
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.lost, 42);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.id.pid, 7);
	CU_ASSERT_EQUAL(record.u.sample.ip, 0x1000);
	CU_ASSERT_EQUAL_FATAL(record.u.sample.nchain, 3);
	CU_ASSERT_EQUAL(record.u.sample.chain[2], 0x2000);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_ksymbol(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	struct buf body = {0};
	const uint16_t type_and_flags[] = {
		PERF_RECORD_KSYMBOL_TYPE_BPF, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER};
	const uint32_t size = 0x1c0;

	made_init(&made);
	made_u64(&body, 0xffffffffc0001000);
	buf_put(&body, &size, sizeof(size));
	buf_put(&body, type_and_flags, sizeof(type_and_flags));
	made_text(&body, "bpf_prog_1");
	made_trailer(&body, 7, 5);
	made_record(&made, PERF_RECORD_KSYMBOL, 0, &body);
	buf_release(&body);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.ksymbol.address, 0xffffffffc0001000);
	CU_ASSERT_EQUAL(record.u.ksymbol.size, 0x1c0);
	CU_ASSERT(record.u.ksymbol.gone);
	UNIT_STR_EQ(record.u.ksymbol.name, "bpf_prog_1");
	CU_ASSERT_EQUAL(record.raw_bytes, made.data.len);
	CU_ASSERT_EQUAL(memcmp(record.raw, made.data.data, made.data.len), 0);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_two_events(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};

	made_init(&made);
	made.nattrs = 2;
	made_sample(&made, 12, 7, 1, made_chain, MADE_CHAIN);
	made_sample(&made, 99, 7, 2, made_chain, MADE_CHAIN); /* of no event: passed over */
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made(&made, &view);

	UNIT_STR_EQ(perfdata_event(reader, 1)->name, "page-faults");
	CU_ASSERT_EQUAL(perfdata_event(reader, 0)->nsamples, 1);
	CU_ASSERT_EQUAL(perfdata_event(reader, 1)->nsamples, 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 1);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.event, 0);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), 0);
	perfdata_close(reader);
	made_release(&made);
}

/* A sample with every field before the stack, so that a wrong size of one shows in the next. */
static void
test_all_fields(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};
	struct buf body = {0};

	made_init(&made);
	made.attrs[0].sample_type =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
		PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	made.attrs[0].read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	made.attrs[0].branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	made.attrs[0].sample_regs_user = 0x81;
	made_u64(&body, 0x1234); /* ip */
	made_u32s(&body, 3, 4);
	made_u64(&body, 99);    /* time */
	made_u64(&body, 1);     /* addr */
	made_u64(&body, 11);    /* id */
	made_u64(&body, 2);     /* stream */
	made_u32s(&body, 6, 0); /* cpu */
	made_u64(&body, 777);   /* period */
	made_u64(&body, 2);     /* read: two counters, after the time enabled */
	made_u64(&body, 5);
	for (uint64_t i = 0; i < 4; i++)
		made_u64(&body, i);
	made_u64(&body, 1); /* chain */
	made_u64(&body, 0x1234);
	made_u32s(&body, 12, 0); /* raw: 12 bytes after a 32-bit size */
	made_u64(&body, 0);
	made_u64(&body, 1); /* branches: count, hardware index, one branch */
	made_u64(&body, 0);
	for (uint64_t i = 0; i < 3; i++)
		made_u64(&body, i);
	made_u64(&body, PERF_SAMPLE_REGS_ABI_64);
	made_u64(&body, 0xa0);
	made_u64(&body, 0xa7);
	made_u64(&body, 16); /* stack of 16 bytes, 8 of them valid */
	made_u64(&body, 0x55);
	made_u64(&body, 0x66);
	made_u64(&body, 8);
	made_record(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, &body);
	buf_release(&body);

	struct perfdata_reader *reader = open_made(&made, &view);
	const struct record_sample *sample = &record.u.sample;

	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.id.pid, 3);
	CU_ASSERT_EQUAL(record.id.tid, 4);
	CU_ASSERT_EQUAL(record.id.cpu, 6);
	CU_ASSERT_EQUAL(sample->period, 777);
	CU_ASSERT_EQUAL(sample->nchain, 1);
	CU_ASSERT_EQUAL_FATAL(sample->nuser_regs, 2);
	CU_ASSERT_EQUAL(sample->user_regs[1], 0xa7);
	CU_ASSERT_EQUAL_FATAL(sample->user_stack_bytes, 8);
	CU_ASSERT_EQUAL(sample->user_stack[0], 0x55);
	CU_ASSERT_EQUAL(sample->misc, PERF_RECORD_MISC_KERNEL);
	perfdata_close(reader);
	made_release(&made);
}

/* Reads a sample of `words` words in all that has a copy of the stack. */
static void
check_copy(size_t words, size_t missing_bytes, bool cut)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct buf body = {0};
	struct err err = {0};
	/* The header, the identifier, the copy's size and how much of it is valid. */
	size_t bytes = (words - 4) * 8;

	made_init(&made);
	made.attrs[0].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STACK_USER;
	made_u64(&body, 11);
	made_u64(&body, bytes);
	for (size_t i = 0; i < bytes / 8; i++)
		made_u64(&body, i);
	made_u64(&body, bytes - missing_bytes);
	made_record(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
	buf_release(&body);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record, &err), 1);
	CU_ASSERT_EQUAL(record.u.sample.user_stack_bytes, bytes - missing_bytes);
	CU_ASSERT_EQUAL(record.u.sample.user_stack_cut, cut);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_cut_copy(void)
{
	check_copy(65528 / 8, 0, true);
	/* The stack has ended. */
	check_copy(65528 / 8, 8, false);
	/* There was room for more. */
	check_copy(8192 / 8, 0, false);
}

static void
test_truncated(void)
{
	struct made_file made;

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct file_view view = made_view(&made);

	view.len -= 8;
	expect_refusal(view, "truncated: records should reach to offset");
	view.len = 60;
	expect_refusal(view, "truncated");
	view.len = 9;
	expect_refusal(view, "perf.data");
	made_release(&made);
}

static void
test_killed(void)
{
	struct made_file made;

	made_init(&made);
	expect_refusal(made_view(&made), "killed before it could finish");
	made_release(&made);
}

/* One file of the folder that perf record --threads writes. */
static void
test_folder(void)
{
	struct made_file made;

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct file_view view = made_view(&made);

	made.bytes.data[72 + 3] = 1; /* features: bit 24 */
	expect_refusal(view, "--threads");
	made_release(&made);
}

static void
test_lbr(void)
{
	struct made_file made;
	struct file_view view;

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT(!perfdata_event(reader, 0)->lbr);
	perfdata_close(reader);
	made.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
	made.attrs[0].branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	reader = open_made(&made, &view);
	CU_ASSERT(perfdata_event(reader, 0)->lbr);
	perfdata_close(reader);
	made_release(&made);
}

static void
test_foreign(void)
{
	struct made_file made;

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);

	struct file_view view = made_view(&made);

	memcpy(made.bytes.data, "2ELIFREP", 8);
	CU_ASSERT(perfdata_detect(view.data, view.len));
	expect_refusal(view, "other byte order");
	memcpy(made.bytes.data, "PERFFILE", 8);
	expect_refusal(view, "not a perf.data file of version 2");
	made_release(&made);
}

static void
test_compressed(void)
{
	struct made_file made;
	struct buf body = {0};

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);
	made_u64(&body, 0);
	buf_putc(&body, 'x'); /* perf does not make them end on a word */
	made_record(&made, 81, 0, &body);
	expect_refusal(made_view(&made), "broken compressed record at offset");
	buf_clear(&made.data);
	made_record(&made, 71, 0, &body);
	expect_refusal(made_view(&made), "hardware trace");
	buf_release(&body);
	made_release(&made);
}

static void
test_bad_size(void)
{
	struct made_file made;
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = 4};

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);
	buf_put(&made.data, &header, sizeof(header));

	struct file_view view = made_view(&made);
	char offset[64];

	snprintf(offset, sizeof(offset), "broken record at offset %zu", view.len - sizeof(header));
	expect_refusal(view, offset);
	made_release(&made);
}

static void
test_long_chain(void)
{
	struct made_file made;
	struct file_view view;
	struct record record;
	struct err err = {0};

	made_init(&made);
	made_sample(&made, 11, 7, 3, made_chain, MADE_CHAIN);
	/* The count of the chain: after header, identifier, ip, pid and tid, time. */
	made.data.data[8 + 4 * 8] = 4;

	struct perfdata_reader *reader = open_made(&made, &view);

	CU_ASSERT_EQUAL(perfdata_next(reader, &record, &err), -1);
	UNIT_CONTAINS(err.text, "call chain longer than its sample");
	UNIT_CONTAINS(err.text, "at offset");
	perfdata_close(reader);
	made_release(&made);
}

void
suite_perfdata_reader(void)
{
	static const struct unit_case cases[] = {
		{"records_come_in_order_of_time_and_equal_times_keep_theirs", test_order},
		{"records_without_time_follow_the_one_before_them", test_untimed},
		{"fields_of_records_are_read", test_fields},
		{"kernel_symbols_come_and_go_and_records_are_handed_out_raw", test_ksymbol},
		{"records_are_distinguished_by_event_id", test_two_events},
		{"every_sample_field_is_passed_over_by_its_size", test_all_fields},
		{"a_copy_of_the_stack_that_fills_its_record_is_reported", test_cut_copy},
		{"truncated_files_are_refused", test_truncated},
		{"a_killed_recording_is_refused", test_killed},
		{"one_file_of_a_folder_is_refused", test_folder},
		{"call_chains_from_branch_stacks_are_reported", test_lbr},
		{"other_byte_order_and_old_versions_are_refused", test_foreign},
		{"broken_compressed_and_traced_files_are_refused", test_compressed},
		{"an_impossible_record_size_names_its_offset", test_bad_size},
		{"a_chain_longer_than_its_sample_is_an_error", test_long_chain},
		{NULL, NULL},
	};

	unit_suite("perfdata/reader", cases);
}
