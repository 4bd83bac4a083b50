#include "perfdata/writer.h"

#include "base/mem.h"
#include "perfdata/reader.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void suite_perfdata_writer(void);

struct capture_file {
	char dir[64];
	char path[128];
	struct perf_event_attr attr;
	uint64_t ids[2];
	struct written_event event;
	struct perfdata_writer writer;
};

static const struct perf_event_header record = {.type = 68, .size = sizeof(record)};

static void
open_file(struct capture_file *file, bool monotonic)
{
	struct err err = {0};

	memset(file, 0, sizeof(*file));
	snprintf(file->dir, sizeof(file->dir), "/tmp/profile_run-unit-XXXXXX");
	if (!mkdtemp(file->dir))
		abort();
	snprintf(file->path, sizeof(file->path), "%s/perf.data", file->dir);
	file->attr.type = PERF_TYPE_SOFTWARE;
	file->attr.size = PERF_ATTR_SIZE_VER5;
	file->attr.sample_period = 1000000;
	file->attr.use_clockid = monotonic;
	file->attr.clockid = monotonic ? CLOCK_MONOTONIC : 0;
	file->ids[0] = 17;
	file->ids[1] = 18;
	file->event = (struct written_event){"cpu-clock", &file->attr, file->ids, 2};
	CU_ASSERT_EQUAL_FATAL(
		perfdata_writer_open(&file->writer, file->path, &file->event, 1, &err), 0);
	CU_ASSERT_EQUAL(perfdata_writer_put(&file->writer, &record, sizeof(record), &err), 0);
	CU_ASSERT_EQUAL(perfdata_writer_put(&file->writer, &record, sizeof(record), &err), 0);
}

static void
release_file(struct capture_file *file)
{
	unlink(file->path);
	CU_ASSERT_EQUAL(rmdir(file->dir), 0); /* nothing else was left in it */
}

static void
finish_file(struct capture_file *file, struct buf *bytes)
{
	static const char *const command[] = {"./work", "--rounds", "3", NULL};
	struct perfdata_description description = {
		.command = command,
	};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&file->writer, &description, &err), 0);
	*bytes = (struct buf){0};
	CU_ASSERT_EQUAL_FATAL(file_read(file->path, bytes, 1 << 20, &err), 0);
}

static uint64_t
u64_at(const struct buf *bytes, uint64_t offset)
{
	uint64_t value = UINT64_MAX;

	if (offset + sizeof(value) <= bytes->len)
		memcpy(&value, bytes->data + offset, sizeof(value));
	return value;
}

/* Offset of a feature's section in the file: the table holds those whose bit is set, in order. */
static uint64_t
feature_offset(const struct buf *bytes, unsigned feature)
{
	uint64_t bits = u64_at(bytes, 72);
	uint64_t table = u64_at(bytes, 40) + u64_at(bytes, 48);
	unsigned before = 0;

	CU_ASSERT_TRUE_FATAL((bits >> feature & 1) != 0);
	for (unsigned bit = 0; bit < feature; bit++)
		before += bits >> bit & 1;
	return u64_at(bytes, table + 16 * (uint64_t)before);
}

static void
header_points_to_attribute_ids_and_data(void)
{
	struct capture_file file;
	struct buf bytes;

	open_file(&file, false);
	finish_file(&file, &bytes);
	CU_ASSERT_EQUAL(memcmp(bytes.data, "PERFILE2", 8), 0);
	CU_ASSERT_EQUAL(u64_at(&bytes, 8), 104);
	CU_ASSERT_EQUAL(u64_at(&bytes, 16), PERF_ATTR_SIZE_VER5 + 16);
	CU_ASSERT_EQUAL(u64_at(&bytes, 32), PERF_ATTR_SIZE_VER5 + 16);

	uint64_t attr = u64_at(&bytes, 24);

	CU_ASSERT_EQUAL_FATAL(memcmp(bytes.data + attr, &file.attr, PERF_ATTR_SIZE_VER5), 0);
	uint64_t ids = u64_at(&bytes, attr + PERF_ATTR_SIZE_VER5);

	CU_ASSERT_EQUAL(u64_at(&bytes, attr + PERF_ATTR_SIZE_VER5 + 8), 16);
	CU_ASSERT_EQUAL(u64_at(&bytes, ids), 17);
	CU_ASSERT_EQUAL(u64_at(&bytes, ids + 8), 18);
	CU_ASSERT_EQUAL(u64_at(&bytes, 48), 2 * sizeof(record));
	CU_ASSERT_EQUAL(memcmp(bytes.data + u64_at(&bytes, 40), &record, sizeof(record)), 0);
	buf_release(&bytes);
	release_file(&file);
}

/* When the file says that its events' clock showed what it shows now. */
static int64_t
date_of_now(const struct buf *bytes)
{
	const struct file_view view = {.data = bytes->data, .len = bytes->len};
	struct perfdata_reader *reader;
	struct timespec now;
	struct err err = {0};

	reader = perfdata_open(&view, "perf.data", &err);
	UNIT_NEED(reader);
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t date = perfdata_date(reader, 0, (uint64_t)now.tv_sec * UINT64_C(1000000000));

	perfdata_close(reader);
	return date;
}

static void
times_have_a_date_where_others_can_read_the_clock(void)
{
	struct capture_file file;
	struct buf bytes;

	open_file(&file, true);
	finish_file(&file, &bytes);
	CU_ASSERT(llabs(date_of_now(&bytes) - (int64_t)time(NULL)) <= 2);
	buf_release(&bytes);
	release_file(&file);
	open_file(&file, false);
	finish_file(&file, &bytes);
	CU_ASSERT_EQUAL(date_of_now(&bytes), 0);
	buf_release(&bytes);
	release_file(&file);
}

static void
features_tell_machine_and_command(void)
{
	struct capture_file file;
	struct buf bytes;
	char host[256] = "";

	open_file(&file, false);
	finish_file(&file, &bytes);
	gethostname(host, sizeof(host) - 1);
	UNIT_STR_EQ(bytes.data + feature_offset(&bytes, 3) + 4, host);

	uint64_t command = feature_offset(&bytes, 11);
	uint32_t words;

	memcpy(&words, bytes.data + command, sizeof(words));
	CU_ASSERT_EQUAL(words, 3);
	UNIT_STR_EQ(bytes.data + command + 8, "./work");
	UNIT_STR_EQ(bytes.data + command + 8 + 64 + 4, "--rounds");
	buf_release(&bytes);
	release_file(&file);
}

/* Puts a sample of IDENTIFIER and PERIOD. */
static void
put_sample(struct perfdata_writer *writer, uint64_t id, uint64_t period)
{
	const struct {
		struct perf_event_header header;
		uint64_t id;
		uint64_t period;
	} sample = {{.type = PERF_RECORD_SAMPLE, .size = sizeof(sample)}, id, period};
	struct err err = {0};

	CU_ASSERT_EQUAL(perfdata_writer_put(writer, &sample, sizeof(sample), &err), 0);
}

static void
several_events_are_told_apart_by_name(void)
{
	struct perf_event_attr attrs[2];
	static const uint64_t ids[] = {5, 6, 7};
	struct capture_file file;
	struct buf bytes;
	struct record record_read;
	struct err err = {0};

	open_file(&file, false);
	perfdata_writer_abandon(&file.writer);
	file.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PERIOD;
	attrs[0] = attrs[1] = file.attr;
	const struct written_event events[] = {
		{"heap:bytes", &attrs[0], ids, 2}, {"heap:count", &attrs[1], ids + 2, 1}};

	CU_ASSERT_EQUAL_FATAL(perfdata_writer_open(&file.writer, file.path, events, 2, &err), 0);
	put_sample(&file.writer, 7, 1);
	put_sample(&file.writer, 6, 24);
	finish_file(&file, &bytes);
	struct perfdata_reader *reader = perfdata_open(
		&(struct file_view){.data = bytes.data, .len = bytes.len}, "perf.data", &err);

	UNIT_NEED(reader);
	CU_ASSERT_EQUAL_FATAL(perfdata_nevents(reader), 2);
	UNIT_STR_EQ(perfdata_event(reader, 0)->name, "heap:bytes");
	UNIT_STR_EQ(perfdata_event(reader, 1)->name, "heap:count");
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record_read, &err), 1);
	CU_ASSERT_EQUAL(record_read.event, 1);
	CU_ASSERT_EQUAL(record_read.u.sample.period, 1);
	CU_ASSERT_EQUAL_FATAL(perfdata_next(reader, &record_read, &err), 1);
	CU_ASSERT_EQUAL(record_read.event, 0);
	CU_ASSERT_EQUAL(record_read.u.sample.period, 24);
	CU_ASSERT_EQUAL(perfdata_next(reader, &record_read, &err), 0);
	perfdata_close(reader);
	buf_release(&bytes);
	release_file(&file);
}

static void
nothing_is_there_before_the_end(void)
{
	struct capture_file file;

	open_file(&file, false);
	CU_ASSERT_NOT_EQUAL(access(file.path, F_OK), 0);
	perfdata_writer_abandon(&file.writer);
	CU_ASSERT_NOT_EQUAL(access(file.path, F_OK), 0);
	release_file(&file);
}

static void
folder_that_is_missing_is_an_error(void)
{
	struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER5};
	struct perfdata_writer writer;
	struct err err = {0};
	uint64_t id = 1;

	const struct written_event event = {"cpu-clock", &attr, &id, 1};

	CU_ASSERT_EQUAL(
		perfdata_writer_open(&writer, "/nonexistent/perf.data", &event, 1, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_SYSTEM);
	UNIT_CONTAINS(err.text, "/nonexistent/perf.data");
}

static const struct unit_case cases[] = {
	{"header_points_to_attribute_ids_and_data", header_points_to_attribute_ids_and_data},
	{"features_tell_machine_and_command", features_tell_machine_and_command},
	{"times_have_a_date_where_others_can_read_the_clock",
		times_have_a_date_where_others_can_read_the_clock},
	{"several_events_are_told_apart_by_name", several_events_are_told_apart_by_name},
	{"nothing_is_there_before_the_end", nothing_is_there_before_the_end},
	{"folder_that_is_missing_is_an_error", folder_that_is_missing_is_an_error},
	{NULL, NULL},
};

void
suite_perfdata_writer(void)
{
	unit_suite("perfdata/writer", cases);
}
