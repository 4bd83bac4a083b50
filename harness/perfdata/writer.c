#include "perfdata/writer.h"

#include "base/buf.h"
#include "perfdata/feature_bits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NFEATURES_MAX 16
/* perf pads the strings of its header to this. */
#define STRING_ALIGN 64

struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[4];
};

/* The feature sections in the making: contents one after the other, in the order of their bits. */
struct features {
	struct buf contents;
	struct file_section sections[NFEATURES_MAX]; /* offsets into `contents` */
	size_t nsections;
	uint64_t bits;
};

static void
put_string(struct buf *out, const char *text)
{
	size_t len = strlen(text) + 1;
	size_t padded = (len + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	buf_put_u32(out, (uint32_t)padded);
	buf_put(out, text, len);
	buf_put_zeros(out, padded - len);
}

int
perfdata_writer_open(struct perfdata_writer *writer, const char *path,
	const struct perf_event_attr *attr, const uint64_t *ids, size_t nids, struct err *err)
{
	struct buf start;

	*writer = (struct perfdata_writer){.nids = nids};
	if (file_draft_open(&writer->draft, path, err) < 0)
		return -1;
	buf_init(&start);
	buf_put_zeros(&start, sizeof(struct file_header));
	writer->ids_offset = start.len;
	buf_put(&start, ids, nids * sizeof(*ids));
	writer->attr_offset = start.len;
	buf_put(&start, attr, attr->size);
	buf_put_u64(&start, writer->ids_offset);
	buf_put_u64(&start, nids * sizeof(*ids));
	writer->attr_bytes = start.len - writer->attr_offset;
	writer->data_offset = start.len;

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
	if (file_put(writer->draft.fd, records, bytes, writer->draft.path, err) < 0)
		return -1;
	writer->data_bytes += bytes;
	return 0;
}

int
perfdata_writer_put_pieces(
	struct perfdata_writer *writer, const struct iovec *pieces, size_t npieces, struct err *err)
{
	uint64_t bytes = 0;

	if (file_put_pieces(writer->draft.fd, pieces, npieces, writer->draft.path, err) < 0)
		return -1;
	for (size_t i = 0; i < npieces; i++)
		bytes += pieces[i].iov_len;
	writer->data_bytes += bytes;
	return 0;
}

static void
begin_feature(struct features *features, enum feature_bit feature)
{
	features->bits |= UINT64_C(1) << feature;
	features->sections[features->nsections++].offset = features->contents.len;
}

static void
end_feature(struct features *features)
{
	struct file_section *section = &features->sections[features->nsections - 1];

	section->size = features->contents.len - section->offset;
}

static void
add_string(struct features *features, enum feature_bit feature, const char *text)
{
	begin_feature(features, feature);
	put_string(&features->contents, text);
	end_feature(features);
}

/* The value of the first line of /proc/cpuinfo or /proc/meminfo that begins with `key`. */
static int
proc_value(const char *path, const char *key, char *value, size_t size)
{
	char line[512];
	FILE *file = fopen(path, "re");
	int found = -1;

	if (!file)
		return -1;
	while (found < 0 && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)) != 0)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = 0;
	}
	fclose(file);
	return found;
}

static void
add_machine(struct features *features)
{
	struct utsname name;
	char text[512];

	if (uname(&name) < 0)
		memset(&name, 0, sizeof(name));
	add_string(features, FEATURE_HOSTNAME, name.nodename);
	add_string(features, FEATURE_OSRELEASE, name.release);
	add_string(features, FEATURE_VERSION, "profile_run " PROFILE_RUN_VERSION);
	add_string(features, FEATURE_ARCH, name.machine);

	begin_feature(features, FEATURE_NRCPUS);
	buf_put_u32(&features->contents, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	buf_put_u32(&features->contents, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	end_feature(features);

	if (proc_value("/proc/cpuinfo", "model name", text, sizeof(text)) == 0)
		add_string(features, FEATURE_CPUDESC, text);
	long pages = sysconf(_SC_PHYS_PAGES);

	if (pages > 0) {
		begin_feature(features, FEATURE_TOTAL_MEM);
		buf_put_u64(&features->contents,
			(uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024);
		end_feature(features);
	}
}

static void
add_capture(struct features *features, const struct perfdata_description *description)
{
	struct buf *out = &features->contents;

	if (description->command) {
		uint32_t words = 0;

		begin_feature(features, FEATURE_CMDLINE);
		while (description->command[words])
			words++;
		buf_put_u32(out, words);
		for (uint32_t i = 0; i < words; i++)
			put_string(out, description->command[i]);
		end_feature(features);
	}

	begin_feature(features, FEATURE_EVENT_DESC);
	buf_put_u32(out, 1);
	buf_put_u32(out, description->attr->size);
	buf_put(out, description->attr, description->attr->size);
	buf_put_u32(out, (uint32_t)description->nids);
	put_string(out, description->event_name);
	buf_put(out, description->ids, description->nids * sizeof(*description->ids));
	end_feature(features);

	if (description->last_sample_ns > 0) {
		begin_feature(features, FEATURE_SAMPLE_TIME);
		buf_put_u64(out, description->first_sample_ns);
		buf_put_u64(out, description->last_sample_ns);
		end_feature(features);
	}
}

/* The table of sections stands right after the data, the contents follow it. */
static int
put_features(struct perfdata_writer *writer, struct features *features, struct err *err)
{
	uint64_t table = writer->data_offset + writer->data_bytes;
	uint64_t contents = table + features->nsections * sizeof(struct file_section);

	for (size_t i = 0; i < features->nsections; i++)
		features->sections[i].offset += contents;
	if (file_put(writer->draft.fd, features->sections,
		    features->nsections * sizeof(struct file_section), writer->draft.path, err) < 0)
		return -1;
	return file_put(writer->draft.fd, features->contents.data, features->contents.len,
		writer->draft.path, err);
}

static int
put_header(struct perfdata_writer *writer, uint64_t bits, struct err *err)
{
	struct file_header header = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = sizeof(header),
		.attr_size = writer->attr_bytes,
		.attrs = {writer->attr_offset, writer->attr_bytes},
		.data = {writer->data_offset, writer->data_bytes},
		.features = {bits},
	};

	if (lseek(writer->draft.fd, 0, SEEK_SET) < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "cannot write '%s'", writer->draft.path);
	return file_put(writer->draft.fd, &header, sizeof(header), writer->draft.path, err);
}

int
perfdata_writer_finish(struct perfdata_writer *writer,
	const struct perfdata_description *description, struct err *err)
{
	struct features features = {.nsections = 0};
	int status = -1;

	buf_init(&features.contents);
	add_machine(&features);
	add_capture(&features, description);
	if (put_features(writer, &features, err) < 0 || put_header(writer, features.bits, err) < 0)
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
