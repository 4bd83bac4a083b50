#include "perfdata/condense.h"

#include "base/buf.h"
#include "base/mem.h"
#include "perfdata/reader_internal.h"
#include "perfdata/writer_internal.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Records are gathered up to this before they are compressed and written. */
#define GATHER_BYTES ((size_t)256 << 10)
/* perf makes this much room for what one compressed record expands to. */
#define EXPANDED_BYTES_MAX ((uint32_t)512 << 10)
/* A level from 1 to 19: for call chains, 5 would save a fifth of the size for three times the time.
 */
#define LEVEL 1
/* A compressed record need not end on a word. */
#define COMPRESSED_BYTES_MAX ((size_t)UINT16_MAX)

struct perfdata_condenser {
	const struct perfdata_reader *source;
	struct file_draft draft;
	struct perf_file_header header;
	struct perf_event_attr *attrs; /* as they are written, one an event */
	size_t attr_bytes;
	ZSTD_CCtx *stream; /* NULL: not compressed */
	struct buf gathered;
	struct buf packed; /* one compressed record */
	uint64_t plain_bytes;
	uint64_t packed_bytes;
};

/*
 * Whether samples of the event have stacks; the registers of other samples have another purpose,
 * and stay. In a file that was condensed before, all samples have a call chain; where an event has
 * no stacks, it excludes both parts of the chain.
 */
static bool
has_stacks(const struct perf_event_attr *attr)
{
	const bool chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
			   !(attr->exclude_callchain_user && attr->exclude_callchain_kernel);

	return chain || attr->sample_type & PERF_SAMPLE_STACK_USER;
}

/* Attributes without what the samples lose. All have one size, as perf expects. */
static void
make_attrs(struct perfdata_condenser *condenser)
{
	size_t nevents = perfdata_nevents(condenser->source);

	condenser->attrs = mem_zalloc(nevents, sizeof(*condenser->attrs));
	condenser->attr_bytes = PERF_ATTR_SIZE_VER0;
	for (size_t i = 0; i < nevents; i++) {
		struct perf_event_attr *attr = &condenser->attrs[i];

		*attr = perfdata_event(condenser->source, i)->attr;
		if (has_stacks(attr)) {
			attr->sample_type &=
				~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
			attr->sample_regs_user = 0;
			attr->exclude_callchain_user = 0;
		} else {
			attr->exclude_callchain_user = attr->exclude_callchain_kernel = 1;
		}
		/* sample_stack_user stays: it says that the chains were found from copies. */
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		if (attr->size > condenser->attr_bytes && attr->size % sizeof(uint64_t) == 0)
			condenser->attr_bytes = attr->size;
	}
	if (condenser->attr_bytes > sizeof(*condenser->attrs))
		condenser->attr_bytes = sizeof(*condenser->attrs);
	for (size_t i = 0; i < nevents; i++)
		condenser->attrs[i].size = (uint32_t)condenser->attr_bytes;
}

static int
put_bytes(struct perfdata_condenser *condenser, const void *bytes, size_t len, struct err *err)
{
	condenser->header.data.size += len;
	return file_put(condenser->draft.fd, bytes, len, condenser->draft.path, err);
}

/* Room for the header, ids, attributes, and what perf says of them in its own records. */
static int
put_start(struct perfdata_condenser *condenser, struct err *err)
{
	const struct perfdata_reader *source = condenser->source;
	struct perf_file_header *header = &condenser->header;
	size_t nevents = perfdata_nevents(source);
	struct buf start = {0};
	uint64_t ids_at = sizeof(*header);

	buf_put_zeros(&start, sizeof(*header));
	for (size_t i = 0; i < nevents; i++) {
		const struct perfdata_event *event = perfdata_event(source, i);

		buf_put(&start, event->ids, event->nids * sizeof(*event->ids));
	}
	header->magic = PERF_FILE_MAGIC;
	header->size = sizeof(*header);
	header->attr_size = condenser->attr_bytes + sizeof(struct file_section);
	header->attrs = (struct file_section){start.len, nevents * header->attr_size};
	for (size_t i = 0; i < nevents; i++) {
		uint64_t ids_bytes = perfdata_event(source, i)->nids * sizeof(uint64_t);

		buf_put(&start, &condenser->attrs[i], condenser->attr_bytes);
		buf_put_u64(&start, ids_at);
		buf_put_u64(&start, ids_bytes);
		ids_at += ids_bytes;
	}
	header->data.offset = start.len;
	for (size_t i = 0; i < source->nothers; i++)
		buf_put(&start, source->others[i].at, source->others[i].left);
	header->data.size = start.len - header->data.offset;

	int status =
		file_put(condenser->draft.fd, start.data, start.len, condenser->draft.path, err);

	buf_release(&start);
	return status;
}

struct perfdata_condenser *
perfdata_condenser_open(const char *path, const struct perfdata_reader *source, struct err *err)
{
	struct perfdata_condenser *condenser = mem_zalloc(1, sizeof(*condenser));

	condenser->source = source;
	if (file_draft_open(&condenser->draft, path, err) < 0) {
		free(condenser);
		return NULL;
	}
	make_attrs(condenser);
	condenser->stream = ZSTD_createCCtx();
	if (condenser->stream)
		ZSTD_CCtx_setParameter(condenser->stream, ZSTD_c_compressionLevel, LEVEL);
	if (put_start(condenser, err) < 0) {
		perfdata_condenser_abandon(condenser);
		return NULL;
	}
	return condenser;
}

void
perfdata_condenser_expand(struct perfdata_condenser *condenser)
{
	ZSTD_freeCCtx(condenser->stream);
	condenser->stream = NULL;
}

static void
release(struct perfdata_condenser *condenser)
{
	ZSTD_freeCCtx(condenser->stream);
	buf_release(&condenser->gathered);
	buf_release(&condenser->packed);
	free(condenser->attrs);
	free(condenser);
}

void
perfdata_condenser_abandon(struct perfdata_condenser *condenser)
{
	file_abandon(&condenser->draft);
	release(condenser);
}

/* Writes the gathered records compressed. The stream is flushed and goes on. */
static int
put_compressed(struct perfdata_condenser *condenser, struct err *err)
{
	struct perf_event_header header = {.type = USER_COMPRESSED};
	struct buf *packed = &condenser->packed;
	ZSTD_inBuffer in = {condenser->gathered.data, condenser->gathered.len, 0};
	size_t rest;

	do {
		buf_clear(packed);
		buf_put_zeros(packed, COMPRESSED_BYTES_MAX);

		ZSTD_outBuffer out = {packed->data, packed->len, sizeof(header)};

		rest = ZSTD_compressStream2(condenser->stream, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(rest))
			return err_set(err, ERR_SYSTEM, "cannot compress '%s': %s",
				condenser->draft.path, ZSTD_getErrorName(rest));
		header.size = (uint16_t)out.pos;
		memcpy(packed->data, &header, sizeof(header));
		condenser->packed_bytes += out.pos;
		if (put_bytes(condenser, packed->data, out.pos, err) < 0)
			return -1;
	} while (rest > 0);
	return 0;
}

/*
 * Writes the gathered records and ends a round: they are in order, so perf need not hold them back.
 */
static int
flush(struct perfdata_condenser *condenser, struct err *err)
{
	const struct perf_event_header round = {.type = USER_FINISHED_ROUND, .size = sizeof(round)};
	struct buf *gathered = &condenser->gathered;

	condenser->plain_bytes += gathered->len;
	if (gathered->len > 0) {
		int status = condenser->stream
				     ? put_compressed(condenser, err)
				     : put_bytes(condenser, gathered->data, gathered->len, err);

		if (status < 0)
			return -1;
	}
	buf_clear(gathered);
	return put_bytes(condenser, &round, sizeof(round), err);
}

/* A sample with another chain, without the user's registers and stack. */
static int
put_sample(struct perfdata_condenser *condenser, const struct record *record, const uint64_t *chain,
	size_t nchain, struct err *err)
{
	const struct event_entry *entry = &condenser->source->events.entries[record->event];
	struct perf_event_header header;
	struct raw_record raw = reader_raw(record->raw);
	struct record decoded = {0};
	struct sample_parts parts;
	const char *problem = decode_sample(&raw, &entry->layout, &decoded, &parts);

	if (problem)
		return err_set(
			err, ERR_INPUT, "%s: broken sample: %s", condenser->source->path, problem);
	if (!chain) {
		chain = decoded.u.sample.chain;
		nchain = decoded.u.sample.nchain;
	}
	if (!has_stacks(&entry->event.attr))
		parts.user_end = parts.user;
	size_t kept = raw.nwords - (parts.chain_end - parts.chain) - (parts.user_end - parts.user);
	size_t most = (RECORD_BYTES_MAX - sizeof(header)) / sizeof(uint64_t) - 1;

	if (kept > most)
		return err_set(err, ERR_INPUT, "%s: a sample leaves no room for its call chain",
			condenser->source->path);
	nchain = nchain < most - kept ? nchain : most - kept;
	memcpy(&header, record->raw, sizeof(header));
	header.size = (uint16_t)(sizeof(header) + (kept + 1 + nchain) * sizeof(uint64_t));

	struct buf *out = &condenser->gathered;

	buf_put(out, &header, sizeof(header));
	buf_put(out, raw.words, parts.chain * sizeof(uint64_t));
	buf_put_u64(out, nchain);
	buf_put(out, chain, nchain * sizeof(uint64_t));
	buf_put(out, raw.words + parts.chain_end,
		(parts.user - parts.chain_end) * sizeof(uint64_t));
	buf_put(out, raw.words + parts.user_end, (raw.nwords - parts.user_end) * sizeof(uint64_t));
	return 0;
}

int
perfdata_condenser_put(struct perfdata_condenser *condenser, const struct record *record,
	const uint64_t *chain, size_t nchain, struct err *err)
{
	if (record->type != PERF_RECORD_SAMPLE)
		buf_put(&condenser->gathered, record->raw, record->raw_bytes);
	else if (put_sample(condenser, record, chain, nchain, err) < 0)
		return -1;
	return condenser->gathered.len < GATHER_BYTES ? 0 : flush(condenser, err);
}

static void
add_events(const struct perfdata_condenser *condenser, struct buf *out)
{
	size_t nevents = perfdata_nevents(condenser->source);

	buf_put_u32(out, (uint32_t)nevents);
	buf_put_u32(out, (uint32_t)condenser->attr_bytes);
	for (size_t i = 0; i < nevents; i++) {
		const struct perfdata_event *event = perfdata_event(condenser->source, i);

		feature_put_event(out, &condenser->attrs[i], condenser->attr_bytes, event->name,
			event->ids, event->nids);
	}
}

static void
add_compression(const struct perfdata_condenser *condenser, struct buf *out)
{
	uint64_t packed = condenser->packed_bytes > 0 ? condenser->packed_bytes : 1;
	const struct compression_feature feature = {
		.version = 1,
		.type = 1,
		.level = LEVEL,
		.ratio = (uint32_t)(condenser->plain_bytes / packed),
		.mmap_len = EXPANDED_BYTES_MAX,
	};

	buf_put(out, &feature, sizeof(feature));
}

/* Whether the contents of a section, copied, would be wrong or are made anew. */
static bool
is_left_out(unsigned feature)
{
	return feature == FEATURE_AUXTRACE || feature == FEATURE_STAT ||
	       feature == FEATURE_DIR_FORMAT;
}

static void
add_features(const struct perfdata_condenser *condenser, struct feature_table *table)
{
	const struct perf_features *source = &condenser->source->features;
	struct buf *out = &table->contents;

	for (unsigned i = 0; i < FEATURES_MAX; i++) {
		const struct file_bytes *section = &source->sections[i];
		bool made = i == FEATURE_EVENT_DESC ||
			    (i == FEATURE_COMPRESSED && condenser->stream) ||
			    (i == FEATURE_BUILD_ID && source->nbuild_ids > 0);
		bool copied = !made && section->at && i != FEATURE_COMPRESSED && !is_left_out(i);

		if (!made && !copied)
			continue;
		feature_table_begin(table, (enum feature_bit)i);
		if (copied)
			buf_put(out, section->at, section->left);
		else if (i == FEATURE_EVENT_DESC)
			add_events(condenser, out);
		else if (i == FEATURE_COMPRESSED)
			add_compression(condenser, out);
		else
			for (size_t k = 0; k < source->nbuild_ids; k++)
				buf_put(out, source->build_ids[k].record,
					source->build_ids[k].record_bytes);
		feature_table_end(table);
	}
}

int
perfdata_condenser_finish(struct perfdata_condenser *condenser, struct err *err)
{
	struct feature_table table = {0};
	int status = flush(condenser, err);

	if (status == 0) {
		add_features(condenser, &table);
		status = feature_table_write(&table, &condenser->header, &condenser->draft, err);
	}
	buf_release(&table.contents);
	if (status < 0) {
		perfdata_condenser_abandon(condenser);
		return -1;
	}
	status = file_commit(&condenser->draft, err);
	release(condenser);
	return status;
}
