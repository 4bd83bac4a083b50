#include "perfdata/writer.h"

#include "base/buf.h"
#include "base/sysfs.h"
#include "perfdata/writer_internal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The ids of all events, then their attributes, each with the place of its ids. */
static void
put_events(const struct written_event *events, size_t nevents, struct buf *out,
	struct perf_file_header *header)
{
	uint64_t ids_at = out->len;

	for (size_t i = 0; i < nevents; i++)
		buf_put(out, events[i].ids, events[i].nids * sizeof(*events[i].ids));
	header->attrs = (struct file_section){out->len, nevents * header->attr_size};
	for (size_t i = 0; i < nevents; i++) {
		const struct written_event *event = &events[i];
		uint64_t ids_bytes = event->nids * sizeof(*event->ids);

		assert(event->attr->size == events->attr->size);
		buf_put(out, event->attr, event->attr->size);
		buf_put_u64(out, ids_at);
		buf_put_u64(out, ids_bytes);
		ids_at += ids_bytes;
	}
}

int
perfdata_writer_open(struct perfdata_writer *writer, const char *path,
	const struct written_event *events, size_t nevents, struct err *err)
{
	struct buf start = {0};

	*writer = (struct perfdata_writer){.events = events, .nevents = nevents};
	if (file_draft_open(&writer->draft, path, err) < 0)
		return -1;
	/* Copies of stacks are the program's memory. */
	for (size_t i = 0; i < nevents; i++)
		if (events[i].attr->sample_type & PERF_SAMPLE_STACK_USER)
			writer->draft.secret = true;
	struct perf_file_header *header = &writer->header;

	buf_put_zeros(&start, sizeof(*header));
	header->magic = PERF_FILE_MAGIC;
	header->size = sizeof(*header);
	header->attr_size = events->attr->size + sizeof(struct file_section);
	put_events(events, nevents, &start, header);
	header->data.offset = start.len;

	int status = file_put(writer->draft.fd, start.data, start.len, path, err);

	buf_release(&start);
	if (status < 0)
		perfdata_writer_abandon(writer);
	return status;
}

int
perfdata_writer_put(
	struct perfdata_writer *writer, const void *records, size_t bytes, struct err *err)
{
	const struct iovec piece = {(void *)records, bytes};

	return perfdata_writer_put_pieces(writer, &piece, 1, err);
}

int
perfdata_writer_put_pieces(
	struct perfdata_writer *writer, const struct iovec *pieces, size_t npieces, struct err *err)
{
	if (file_put_pieces(writer->draft.fd, pieces, npieces, writer->draft.path, err) < 0)
		return -1;
	for (size_t i = 0; i < npieces; i++)
		writer->header.data.size += pieces[i].iov_len;
	return 0;
}

static void
add_machine(struct feature_table *features)
{
	struct utsname name;
	struct buf cpuinfo = {0};
	char text[512];

	if (uname(&name) < 0)
		memset(&name, 0, sizeof(name));
	feature_table_add_string(features, FEATURE_HOSTNAME, name.nodename);
	feature_table_add_string(features, FEATURE_OSRELEASE, name.release);
	feature_table_add_string(features, FEATURE_VERSION, "profile_run " PROFILE_RUN_VERSION);
	feature_table_add_string(features, FEATURE_ARCH, name.machine);

	feature_table_begin(features, FEATURE_NRCPUS);
	buf_put_u32(&features->contents, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	buf_put_u32(&features->contents, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	feature_table_end(features);

	if (sysfs_value(
		    sysfs_text("", "/proc/cpuinfo", &cpuinfo), "model name", text, sizeof(text)))
		feature_table_add_string(features, FEATURE_CPUDESC, text);
	buf_release(&cpuinfo);
	long pages = sysconf(_SC_PHYS_PAGES);

	if (pages > 0) {
		feature_table_begin(features, FEATURE_TOTAL_MEM);
		buf_put_u64(&features->contents,
			(uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024);
		feature_table_end(features);
	}
}

static void
add_capture(struct feature_table *features, const struct perfdata_writer *writer,
	const struct perfdata_description *description)
{
	struct buf *out = &features->contents;

	if (description->command) {
		uint32_t words = 0;

		feature_table_begin(features, FEATURE_CMDLINE);
		while (description->command[words])
			words++;
		buf_put_u32(out, words);
		for (uint32_t i = 0; i < words; i++)
			feature_put_string(out, description->command[i]);
		feature_table_end(features);
	}

	feature_table_begin(features, FEATURE_EVENT_DESC);
	buf_put_u32(out, (uint32_t)writer->nevents);
	buf_put_u32(out, writer->events->attr->size);
	for (size_t i = 0; i < writer->nevents; i++) {
		const struct written_event *event = &writer->events[i];

		feature_put_event(
			out, event->attr, event->attr->size, event->name, event->ids, event->nids);
	}
	feature_table_end(features);

	if (description->last_sample_ns > 0) {
		feature_table_begin(features, FEATURE_SAMPLE_TIME);
		buf_put_u64(out, description->first_sample_ns);
		buf_put_u64(out, description->last_sample_ns);
		feature_table_end(features);
	}
}

static uint64_t
now_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void
add_clock(struct feature_table *features, const struct perf_event_attr *attr)
{
	struct clock_feature clock = {
		.version = 1,
		.clockid = (uint32_t)attr->clockid,
		.wall_ns = now_ns(CLOCK_REALTIME),
		.clock_ns = now_ns(attr->clockid),
	};

	if (!attr->use_clockid)
		return;
	feature_table_begin(features, FEATURE_CLOCK_DATA);
	buf_put(&features->contents, &clock, sizeof(clock));
	feature_table_end(features);
}

int
perfdata_writer_finish(struct perfdata_writer *writer,
	const struct perfdata_description *description, struct err *err)
{
	struct feature_table features = {0};
	int status = -1;

	if (tracing_data_needed(writer->events, writer->nevents)) {
		feature_table_begin(&features, FEATURE_TRACING_DATA);
		tracing_data_put(&features.contents, writer->events, writer->nevents);
		feature_table_end(&features);
	}
	add_machine(&features);
	add_capture(&features, writer, description);
	add_clock(&features, writer->events->attr);
	if (feature_table_write(&features, &writer->header, &writer->draft, err) < 0)
		perfdata_writer_abandon(writer);
	else
		status = file_commit_unflushed(&writer->draft, err);
	buf_release(&features.contents);
	return status;
}

void
perfdata_writer_abandon(struct perfdata_writer *writer)
{
	file_abandon(&writer->draft);
}
