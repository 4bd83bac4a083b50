/*
 * The labels of samples in a pprof file: the roots that stacks stand below, and the samples that
 * options select.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"
#include "ingest/pprof_internal.h"
#include "ingest/selection.h"

#include <inttypes.h>
#include <string.h>

/* For those that the file has, in messages. */
#define KEYS_TOLD 12

/* Samples of a few bytes each can have the same long value. */
#define VALUES_MIN ((uint64_t)64 << 20)
#define VALUES_A_BYTE 256

static bool
read_value(struct wire bytes, struct pprof_label *value)
{
	struct wire_field field;

	*value = (struct pprof_label){.key = 0};
	while (wire_next(&bytes, &field)) {
		if (field.number == PPROF_LABEL_KEY)
			value->key = field.value;
		else if (field.number == PPROF_LABEL_TEXT)
			value->text = field.value;
		else if (field.number == PPROF_LABEL_NUMBER)
			value->number = field.value;
		else if (field.number == PPROF_LABEL_UNIT)
			value->unit = field.value;
	}
	return !bytes.failed;
}

bool
pprof_labels_next(struct wire *at, struct pprof_label *label)
{
	struct wire_field field;

	while (wire_next(at, &field))
		if (field.number == PPROF_SAMPLE_LABEL && field.type == WIRE_BYTES &&
			read_value(field.bytes, label))
			return true;
	return false;
}

static void
put_text(const struct pprof_labels *labels, uint64_t number, struct buf *out)
{
	const struct pprof_text text = pprof_text(labels->tables, number);

	buf_put(out, text.at, text.len);
}

/* "512 bytes". A text is none where it is empty. */
static void
put_value(const struct pprof_labels *labels, const struct pprof_label *value, struct buf *out)
{
	put_text(labels, value->text, out);
	if (out->len > 0)
		return;
	buf_printf(out, "%" PRId64, (int64_t)value->number);
	if (pprof_text(labels->tables, value->unit).len > 0)
		buf_putc(out, ' ');
	put_text(labels, value->unit, out);
}

/* The value of a sample's first label of this name; empty where it has none. */
static bool
find_value(struct pprof_labels *labels, const struct wire *sample, const struct label *label,
	struct buf *out)
{
	struct wire at = *sample;
	struct pprof_label value;

	while (pprof_labels_next(&at, &value)) {
		if (!pprof_text_is(labels->tables, value.key, label->name))
			continue;
		put_value(labels, &value, out);
		allowance_take(&labels->values, out->len);
		return true;
	}
	if (label->kind != LABEL_PROCESS || labels->program.len == 0)
		return false;
	buf_put(out, labels->program.at, labels->program.len);
	allowance_take(&labels->values, out->len);
	return true;
}

static void
find_own(struct pprof_labels *labels)
{
	const struct pprof_text comment = pprof_text(labels->tables, labels->tables->comment);
	const size_t start = strlen(PROFILE_BY_COMMENT);
	const bool has_labels =
		comment.len >= start && memcmp(comment.at, PROFILE_BY_COMMENT, start) == 0;
	struct err ignored = {.kind = ERR_NONE};
	struct buf text = {0};

	labels->is_own = has_labels ||
			 pprof_text_is(labels->tables, labels->tables->comment, PROFILE_COMMENT);
	if (!labels->is_own)
		return;
	/* Its stacks have their roots already. */
	labels->program.len = 0;
	if (!has_labels)
		return;
	buf_put(&text, comment.at + start, comment.len - start);
	if (labels_parse(&labels->own, buf_text(&text), "by", &ignored) < 0)
		labels->own.count = 0;
	buf_release(&text);
}

void
pprof_labels_init(struct pprof_labels *labels, const struct pprof_tables *tables,
	const struct ingest_options *options, struct profile *profile, struct pprof_text program,
	size_t stored)
{
	struct buf own = {0};

	*labels = (struct pprof_labels){
		.tables = tables,
		.options = options,
		.profile = profile,
		.program = program,
		.values = allowance_of(VALUES_MIN, stored, VALUES_A_BYTE),
	};
	find_own(labels);
	labels_put(&labels->own, &own);
	if (options->by.count == 0)
		describe_set(profile, &profile->by,
			labels->program.len > 0 ? "process" : buf_text(&own));
	buf_release(&own);
}

bool
pprof_labels_take(struct pprof_labels *labels, const struct wire *sample)
{
	const struct ingest_options *options = labels->options;
	struct buf value = {0};

	if (!options->only_value)
		return true;
	const bool has = find_value(labels, sample, &options->only, &value);
	const bool wanted =
		has && selection_same_name(options->only_value, buf_text(&value), value.len);

	labels->seen[LABELS_MAX] = labels->seen[LABELS_MAX] || has;
	buf_release(&value);
	return wanted;
}

static node_id
enter(struct profile *profile, node_id node, const char *name, size_t len)
{
	return ctree_child(&profile->tree, node, profile_frame(profile, name, len, FRAME_USER));
}

node_id
pprof_labels_root(struct pprof_labels *labels, const struct wire *sample)
{
	const struct labels *by = &labels->options->by;
	struct buf value = {0};
	struct buf frame = {0};
	node_id node = CTREE_ROOT;

	if (by->count == 0) {
		if (labels->root == CTREE_ROOT && labels->program.len > 0)
			labels->root = enter(
				labels->profile, node, labels->program.at, labels->program.len);
		return labels->root;
	}
	for (size_t i = 0; i < by->count; i++) {
		buf_clear(&value);
		buf_clear(&frame);
		if (find_value(labels, sample, &by->all[i], &value))
			labels->seen[i] = true;
		label_put_frame(&by->all[i], value.len > 0 ? buf_text(&value) : NULL, &frame);
		node = enter(labels->profile, node, buf_text(&frame), frame.len);
	}
	buf_release(&frame);
	buf_release(&value);
	return node;
}

size_t
pprof_labels_left_out(const struct pprof_labels *labels)
{
	return labels->options->by.count > 0 ? labels->own.count : 0;
}

bool
pprof_labels_is_base(const struct pprof_labels *labels, const struct wire *sample)
{
	struct wire at = *sample;
	struct pprof_label label;

	while (pprof_labels_next(&at, &label))
		if (pprof_text_is(labels->tables, label.key, "pprof::base") &&
			pprof_text_is(labels->tables, label.text, "true"))
			return true;
	return false;
}

static bool
is_told(const uint64_t *keys, size_t count, uint64_t key)
{
	for (size_t i = 0; i < count; i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* The names of labels that the samples of the file have. */
static void
put_keys(const struct pprof_labels *labels, const struct wire *file, struct buf *out)
{
	struct wire wire = *file;
	struct wire_field field;
	uint64_t keys[KEYS_TOLD];
	size_t count = 0;
	struct pprof_label value;

	while (wire_next(&wire, &field)) {
		if (field.number != PPROF_SAMPLE || field.type != WIRE_BYTES)
			continue;
		while (count < KEYS_TOLD && pprof_labels_next(&field.bytes, &value)) {
			if (is_told(keys, count, value.key))
				continue;
			buf_puts(out, count > 0 ? ", " : "");
			put_text(labels, value.key, out);
			keys[count++] = value.key;
		}
	}
}

static int
has_no_label(const struct pprof_labels *labels, const struct wire *file, const char *path,
	const char *name, struct err *err)
{
	struct buf keys = {0};

	put_keys(labels, file, &keys);
	err_set(err, ERR_INPUT, "%s: none of the samples that are read has the label '%s'", path,
		name);
	err_note(err, "the file's labels are: %s", keys.len > 0 ? buf_text(&keys) : "none");
	buf_release(&keys);
	return -1;
}

int
pprof_labels_check(const struct pprof_labels *labels, const struct wire *file, const char *path,
	struct err *err)
{
	const struct ingest_options *options = labels->options;

	if (options->only_value && !labels->seen[LABELS_MAX])
		return has_no_label(labels, file, path, options->only.name, err);
	for (size_t i = 0; i < options->by.count; i++)
		if (!labels->seen[i])
			return has_no_label(labels, file, path, options->by.all[i].name, err);
	return 0;
}
