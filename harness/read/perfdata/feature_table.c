/*
 * The feature sections of a perf.data file that is being written.
 */
#include "base/buf.h"
#include "perfdata/writer_internal.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
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

void
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
