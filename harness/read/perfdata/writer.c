#include "perfdata/writer.h"

#include "base/buf.h"
#include "base/sysfs.h"
#include "perfdata/writer_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* perf pads the strings of its header to this. */
#define STRING_ALIGN 64

void
feature_table_begin(struct feature_table *table, enum feature_bit feature)
{
	assert(table->bits >> feature == 0);
	table->bits |= UINT64_C(1) << feature;
	table->sections[table->nsections++].offset = table->contents.len;
}

void
feature_table_end(struct feature_table *table)
{
	struct file_section *section = &table->sections[table->nsections - 1];

	section->size = table->contents.len - section->offset;
}

/* A section of one string. */
static void
feature_table_add_string(struct feature_table *table, enum feature_bit feature, const char *text)
{
	feature_table_begin(table, feature);
	feature_put_string(&table->contents, text);
	feature_table_end(table);
}

void
feature_put_string(struct buf *out, const char *text)
{
	size_t len = strlen(text) + 1;
	size_t padded = (len + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	buf_put_u32(out, (uint32_t)padded);
	buf_put(out, text, len);
	buf_put_zeros(out, padded - len);
}

void
feature_put_event(struct buf *out, const struct perf_event_attr *attr, size_t attr_bytes,
	const char *name, const uint64_t *ids, size_t nids)
{
	buf_put(out, attr, attr_bytes);
	buf_put_u32(out, (uint32_t)nids);
	feature_put_string(out, name);
	buf_put(out, ids, nids * sizeof(*ids));
}

int
feature_table_write(const struct feature_table *table, struct perf_file_header *header,
	const struct file_draft *draft, struct err *err)
{
	uint64_t start = header->data.offset + header->data.size;
	uint64_t contents = start + table->nsections * sizeof(struct file_section);
	struct file_section sections[FEATURES_MAX];

	for (size_t i = 0; i < table->nsections; i++)
		sections[i] = (struct file_section){
			table->sections[i].offset + contents, table->sections[i].size};
	header->features[0] = table->bits;
	/* The table stands right after the records, the contents follow it. */
	if (file_put(draft->fd, sections, table->nsections * sizeof(*sections), draft->path, err) <
			0 ||
		file_put(draft->fd, table->contents.data, table->contents.len, draft->path, err) <
			0)
		return -1;
	if (lseek(draft->fd, 0, SEEK_SET) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", draft->path);
	return file_put(draft->fd, header, sizeof(*header), draft->path, err);
}

/*
 * The section of FEATURE_TRACING_DATA: the fields of tracepoints, without which perf does not open
 * a file that has samples of some. Internal to the writer.
 *
 * Source: the kernel tree's tools/perf/util/trace-event-info.c.
 */

#define SYSTEM "raw_syscalls"

/* The fields that all tracepoints have, as the kernel describes them in tracefs. */
static const char common_fields[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";

/* How a page of the kernel's own buffer begins: perf wants it, though its samples have none. */
static const char page_layout[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const struct own_fields {
	const char *name;
	const char *fields;
} tracepoints[] = {
	{"sys_enter", "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
		      "\n"
		      "print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, "
		      "REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
		      "REC->args[5]\n"},
	{"sys_exit", "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
		     "\n"
		     "print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n"},
};

static const struct own_fields *
fields_of(const struct written_event *event)
{
	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++) {
		const size_t len = strlen(SYSTEM ":");

		if (event->attr->type == PERF_TYPE_TRACEPOINT &&
			strncmp(event->name, SYSTEM ":", len) == 0 &&
			strcmp(event->name + len, tracepoints[i].name) == 0)
			return &tracepoints[i];
	}
	return NULL;
}

static void
put_format(struct buf *out, const struct own_fields *tracepoint, uint64_t id)
{
	struct buf text = {0};

	buf_printf(&text, "name: %s\nID: %llu\n", tracepoint->name, (unsigned long long)id);
	buf_puts(&text, common_fields);
	buf_puts(&text, tracepoint->fields);
	buf_put_u64(out, text.len);
	buf_put(out, text.data, text.len);
	buf_release(&text);
}

/* Whether there are any. */
static bool
tracing_data_needed(const struct written_event *events, size_t nevents)
{
	for (size_t i = 0; i < nevents; i++)
		if (fields_of(&events[i]))
			return true;
	return false;
}

/* Appends the section for those of the events that are tracepoints of system calls. */
static void
tracing_data_put(struct buf *out, const struct written_event *events, size_t nevents)
{
	/* "tracing", its version, little-endian, words of 8 bytes. */
	static const char start[] = "\x17\x08\x44tracing0.6\0\0\x08";
	uint32_t count = 0;

	for (size_t i = 0; i < nevents; i++)
		count += fields_of(&events[i]) != NULL;
	buf_put(out, start, sizeof(start) - 1);
	buf_put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	buf_put(out, "header_page", sizeof("header_page"));
	buf_put_u64(out, sizeof(page_layout) - 1);
	buf_puts(out, page_layout);
	buf_put(out, "header_event", sizeof("header_event"));
	buf_put_u64(out, 0);
	buf_put_u32(out, 0); /* events of ftrace itself */
	buf_put_u32(out, 1); /* systems */
	buf_put(out, SYSTEM, sizeof(SYSTEM));
	buf_put_u32(out, count);
	for (size_t i = 0; i < nevents; i++)
		if (fields_of(&events[i]))
			put_format(out, fields_of(&events[i]), events[i].attr->config);
	buf_put_u32(out, 0); /* kallsyms */
	buf_put_u32(out, 0); /* formats of trace_printk() */
	buf_put_u64(out, 0); /* names of processes */
}

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
