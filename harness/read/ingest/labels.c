#include "ingest/labels.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

static const char *const label_names[] = {
	[LABEL_THREAD] = "thread",
	[LABEL_PROCESS] = "process",
	[LABEL_PID] = "pid",
	[LABEL_TID] = "tid",
	[LABEL_PHASE] = "phase",
};

#define LABEL_NAMES (sizeof(label_names) / sizeof(label_names[0]))

bool
label_find(struct label *label, const char *name, size_t len)
{
	if (len == 0 || len > LABEL_NAME_MAX || memchr(name, '\0', len))
		return false;
	*label = (struct label){.kind = LABEL_OTHER};
	memcpy(label->name, name, len);
	for (size_t i = 0; i < LABEL_NAMES; i++)
		if (strcmp(label->name, label_names[i]) == 0)
			label->kind = (enum label_kind)i;
	return true;
}

static bool
has_name(const struct labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->all[i].name, name) == 0)
			return true;
	return false;
}

int
labels_parse(struct labels *labels, const char *text, const char *option, struct err *err)
{
	*labels = (struct labels){.count = 0};
	for (const char *at = text;;) {
		const size_t len = strcspn(at, ",");
		struct label label;

		if (!label_find(&label, at, len))
			return err_set(err, ERR_USAGE,
				"'--%s %s': expected labels such as \"thread\", \"process\" or "
				"\"phase,thread\"",
				option, text);
		if (has_name(labels, label.name))
			return err_set(err, ERR_USAGE, "'--%s %s': \"%s\" is there twice", option,
				text, label.name);
		if (labels->count == LABELS_MAX)
			return err_set(err, ERR_USAGE, "'--%s %s': more than %d labels", option,
				text, LABELS_MAX);
		labels->all[labels->count++] = label;
		if (at[len] == '\0')
			return 0;
		at += len + 1;
	}
}

const struct labels *
labels_or_thread(const struct labels *labels)
{
	static const struct labels by_thread = {{{LABEL_THREAD, "thread"}}, 1};

	return labels->count > 0 ? labels : &by_thread;
}

bool
labels_have(const struct labels *labels, enum label_kind kind)
{
	for (size_t i = 0; i < labels->count; i++)
		if (labels->all[i].kind == kind)
			return true;
	return false;
}

void
label_put_frame(const struct label *label, const char *value, struct buf *out)
{
	if (!value)
		buf_printf(out, "(no %s)", label->name);
	else if (LABELS_OF_THREADS & LABEL_BIT(label->kind))
		buf_puts(out, value);
	else
		buf_printf(out, "%s=%s", label->name, value);
}

void
labels_put(const struct labels *labels, struct buf *out)
{
	for (size_t i = 0; i < labels->count; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", labels->all[i].name);
}

int
label_check(const struct label *label, unsigned kinds, const char *path, const char *format,
	struct err *err)
{
	struct buf known = {0};

	if (kinds & LABEL_BIT(label->kind))
		return 0;
	for (size_t i = 0; i < LABEL_NAMES; i++)
		if (kinds & LABEL_BIT(i))
			buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", label_names[i]);
	err_set(err, ERR_INPUT, "%s: has no label '%s': it is %s", path, label->name, format);
	if (known.len > 0)
		err_note(err, "its labels are: %s", buf_text(&known));
	buf_release(&known);
	return -1;
}
