#include "output/pprof_sample_labels.h"

#include "output/protobuf.h"
#include "profile/pprof_fields.h"

#include <stdio.h>
#include <string.h>

#define RUN_LABEL "run"

void
pprof_sample_labels_init(
	struct pprof_sample_labels *labels, const struct profile *profile, const char *given)
{
	*labels = (struct pprof_sample_labels){.profile = profile, .given = given};
	for (const char *at = strtab_str(&profile->strings, profile->by);
		*at && labels->nby < PPROF_BY_MAX;) {
		const size_t len = strcspn(at, ",");

		labels->by[labels->nby++] = (struct pprof_label_name){at, len};
		at += len + (at[len] == ',');
	}
}

static void
put_label(struct pprof_message *message, struct pprof_label_name key, const char *text, size_t len)
{
	protobuf_put_number(
		&message->list, PPROF_LABEL_KEY, pprof_message_text(message, key.at, key.len));
	protobuf_put_number(
		&message->list, PPROF_LABEL_TEXT, pprof_message_text(message, text, len));
	protobuf_put_part(&message->part, PPROF_SAMPLE_LABEL, &message->list);
}

/* The label whose frame it is: "phase=parse", or of threads and processes the value alone. */
static void
put_frame_label(struct pprof_message *message, struct pprof_label_name key, const char *frame)
{
	if (strncmp(frame, key.at, key.len) == 0 && frame[key.len] == '=')
		frame += key.len + 1;
	else if (strncmp(frame, "(no ", 4) == 0)
		return;
	put_label(message, key, frame, strlen(frame));
}

/* The labels that are frames, from the root on. */
static void
put_stack_labels(
	const struct pprof_sample_labels *labels, struct pprof_message *message, node_id node)
{
	const struct profile *profile = labels->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id first[PPROF_BY_MAX] = {0};
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		depth++;
	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		if (--depth < labels->nby)
			first[depth] = nodes[at].frame;
	for (size_t i = 0; i < labels->nby && first[i] != 0; i++)
		put_frame_label(message, labels->by[i], profile_frame_name(profile, first[i]));
}

/* The labels of all samples. */
static void
put_given_labels(const struct pprof_sample_labels *labels, struct pprof_message *message)
{
	const char *at = labels->given;

	while (at && *at) {
		const size_t len = strcspn(at, ",");
		const size_t key = strcspn(at, "=");

		put_label(message, (struct pprof_label_name){at, key}, at + key + 1, len - key - 1);
		at += len + (at[len] == ',');
	}
}

static void
put_run_label(struct pprof_message *message, size_t run)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", run + 1);
	put_label(message, (struct pprof_label_name){RUN_LABEL, strlen(RUN_LABEL)}, text,
		strlen(text));
}

void
pprof_sample_labels_put(const struct pprof_sample_labels *labels, struct pprof_message *message,
	node_id node, size_t run)
{
	put_stack_labels(labels, message, node);
	put_given_labels(labels, message);
	if (run != SIZE_MAX)
		put_run_label(message, run);
}

static bool
is_named(struct pprof_label_name name, const char *key)
{
	return strlen(key) == name.len && memcmp(key, name.at, name.len) == 0;
}

static bool
is_given(const char *given, const char *key)
{
	for (const char *at = given; at && *at;) {
		const size_t len = strcspn(at, ",");

		if (is_named((struct pprof_label_name){at, strcspn(at, "=")}, key))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

/* Whether samples have a label of this name that is not the one that was read. */
static bool
is_replaced(const struct pprof_sample_labels *labels, const char *key)
{
	for (size_t i = 0; i < labels->nby; i++)
		if (is_named(labels->by[i], key))
			return true;
	return is_given(labels->given, key);
}

static void
put_read_label(const struct pprof_sample_labels *labels, struct pprof_message *message,
	const struct value_label *label)
{
	const struct strtab *strings = &labels->profile->strings;

	protobuf_put_number(&message->list, PPROF_LABEL_KEY,
		pprof_message_str(message, strtab_str(strings, label->key)));
	if (label->text != 0) {
		protobuf_put_number(&message->list, PPROF_LABEL_TEXT,
			pprof_message_str(message, strtab_str(strings, label->text)));
	} else {
		protobuf_put_number(&message->list, PPROF_LABEL_NUMBER, (uint64_t)label->number);
		protobuf_put_number(&message->list, PPROF_LABEL_UNIT,
			pprof_message_str(message, strtab_str(strings, label->unit)));
	}
	protobuf_put_part(&message->part, PPROF_SAMPLE_LABEL, &message->list);
}

void
pprof_sample_labels_put_read(const struct pprof_sample_labels *labels,
	struct pprof_message *message, const struct sample_values *values,
	const struct valued_sample *sample, size_t run)
{
	for (size_t i = 0; i < sample->nlabels; i++) {
		const struct value_label *label = &values->labels[sample->first_label + i];
		const char *key = strtab_str(&labels->profile->strings, label->key);

		/* It had its runs before. */
		if (strcmp(key, RUN_LABEL) == 0)
			run = SIZE_MAX;
		if (!is_replaced(labels, key))
			put_read_label(labels, message, label);
	}
	pprof_sample_labels_put(labels, message, sample->node, run);
}
