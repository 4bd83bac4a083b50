/*
 * The section of FEATURE_TRACING_DATA: the fields of tracepoints, without which perf does not open
 * a file that has samples of some.
 *
 * Source: the kernel tree's tools/perf/util/trace-event-info.c.
 */
#include "base/buf.h"
#include "perfdata/writer.h"
#include "perfdata/writer_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

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

bool
tracing_data_needed(const struct written_event *events, size_t nevents)
{
	for (size_t i = 0; i < nevents; i++)
		if (fields_of(&events[i]))
			return true;
	return false;
}

void
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
