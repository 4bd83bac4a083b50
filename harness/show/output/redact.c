#include "output/redact.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "gate/pattern.h"
#include "profile/canonical.h"
#include "profile/metric.h"

#include <stdlib.h>
#include <string.h>

/* Hexadecimal digits of a hash: 64 bits, so that no two of a million names have the same. */
#define HASH_DIGITS 16
#define FINGERPRINT_DIGITS 8
#define FINGERPRINT_TEXT "fingerprint"

/* The frame that one of the original becomes. */
struct fate {
	frame_id frame; /* 0: it is dropped */
	bool joins;     /* a class: neighbours on a stack are one frame */
};

struct redacting {
	const struct redaction *rules;
	const struct profile *from; /* with canonical names */
	struct profile *into;
	struct fate *functions; /* by frame; made: its frame is not 0, or `dropped` */
	struct fate *labels;
	bool *functions_known;
	bool *labels_known;
	size_t nlabels; /* frames at the root of each stack that are labels */
};

/* Words of events that tell nothing of the program. */
static const char *const events[] = {"cpu-clock", "task-clock", "cycles", "instructions",
	"cache-misses", "branch-misses", "page-faults", "context-switches", "samples", "cpu",
	"alloc_space", "alloc_objects", "inuse_space", "inuse_objects", "Ir", NULL};
static const char *const units[] = {
	"samples", "ns", "bytes", "instructions", "calls", "count", "events", NULL};

static bool
is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0)
		words++;
	return *words != NULL;
}

/* The unit of periods is the name of their event. */
static bool
is_known_unit(const char *unit)
{
	return is_one_of(unit, units) || is_one_of(unit, events);
}

/* Names of our own, which every profile may have. */
static bool
is_our_own(const char *name, enum frame_kind kind)
{
	return kind == FRAME_WAIT || frame_name_is_mark(name) || strcmp(name, "[unknown]") == 0 ||
	       strcmp(name, "[kernel]") == 0 || strcmp(name, "[vdso]") == 0 ||
	       strcmp(name, "[kernel.kallsyms]") == 0 || strcmp(name, "(no phase)") == 0 ||
	       strcmp(name, "(not sampled)") == 0;
}

/* "f_1a2b3c4d5e6f7081": the kind of name is hashed, too, as are those of `kind`. */
static void
put_hash(const struct redaction *rules, char kind, const char *name, struct buf *out)
{
	char hash[SHA256_TEXT_SIZE];
	struct buf message = {0};

	buf_printf(&message, "%c:%s", kind, name);
	hmac_sha256(rules->key, rules->key_len, buf_text(&message), message.len, hash);
	buf_printf(out, "%c_%.*s", kind, HASH_DIGITS, hash);
	buf_release(&message);
}

/* Puts what the name becomes; false: nothing. */
static bool
put_redacted(const struct redaction *rules, const struct redaction_rule *rule, char kind,
	const char *name, struct buf *out)
{
	switch (rule->action) {
	case REDACT_KEEP:
		buf_puts(out, name);
		return true;
	case REDACT_HASH:
		put_hash(rules, kind, name, out);
		return true;
	case REDACT_CLASS:
		buf_printf(out, "[%s]", rule->class_name);
		return true;
	case REDACT_DROP:
		break;
	}
	return false;
}

/* The first rule for one of these subjects that matches: the default, if none does. */
static const struct redaction_rule *
rule_for(const struct redacting *redacting, unsigned subjects, frame_id id)
{
	const struct redaction *rules = redacting->rules;
	const struct profile *from = redacting->from;
	const struct frame *frame = &from->frames.frames[id];

	for (size_t i = 0; i < rules->nrules; i++) {
		const struct redaction_rule *rule = &rules->rules[i];
		bool matches = false;

		if (!(subjects >> rule->subject & 1))
			continue;
		switch (rule->subject) {
		case REDACT_FUNCTION:
			matches = pattern_matches(RULE_FUNCTION, rule->pattern, from, id);
			break;
		case REDACT_MODULE:
			matches = pattern_matches(RULE_MODULE, rule->pattern, from, id);
			break;
		case REDACT_SOURCE:
			matches = text_matches(
				strtab_str(&from->strings, frame->file), rule->pattern);
			break;
		case REDACT_THREAD:
			matches = text_matches(profile_frame_name(from, id), rule->pattern);
			break;
		case REDACT_SUBJECTS:
			break;
		}
		if (matches)
			return rule;
	}
	return &rules->otherwise;
}

/* Attributes of the function beside its name. */
static void
place(const struct redacting *redacting, frame_id id, struct frame *made)
{
	const struct profile *from = redacting->from;
	const struct frame *frame = &from->frames.frames[id];
	const char *module = file_basename(strtab_str(&from->strings, frame->module));
	const char *file = strtab_str(&from->strings, frame->file);
	struct buf text = {0};

	if (*module && made->module == 0 &&
		put_redacted(redacting->rules, rule_for(redacting, 1u << REDACT_MODULE, id), 'm',
			module, &text))
		made->module = strtab_intern(&redacting->into->strings, buf_text(&text), text.len);
	buf_clear(&text);
	if (*file && made->file == 0 &&
		put_redacted(redacting->rules, rule_for(redacting, 1u << REDACT_SOURCE, id), 's',
			file, &text)) {
		made->file = strtab_intern(&redacting->into->strings, buf_text(&text), text.len);
		made->line = frame->line;
	}
	buf_release(&text);
}

static struct fate
decide(const struct redacting *redacting, frame_id id, bool label)
{
	const struct profile *from = redacting->from;
	const enum frame_kind kind = from->frames.frames[id].kind;
	const char *name = profile_frame_name(from, id);
	const struct redaction_rule keep = {.action = REDACT_KEEP};
	const unsigned subjects =
		label ? 1u << REDACT_THREAD : 1u << REDACT_FUNCTION | 1u << REDACT_MODULE;
	const struct redaction_rule *rule =
		is_our_own(name, kind) ? &keep : rule_for(redacting, subjects, id);
	struct fate fate = {.joins = rule->action == REDACT_CLASS};
	struct buf text = {0};

	if (put_redacted(redacting->rules, rule, label ? 't' : 'f', name, &text)) {
		fate.frame = profile_frame(redacting->into, buf_text(&text), text.len, kind);
		if (!label && !fate.joins && rule != &keep)
			place(redacting, id, &redacting->into->frames.frames[fate.frame]);
	}
	buf_release(&text);
	return fate;
}

static struct fate
fate_of(struct redacting *redacting, frame_id id, bool label)
{
	struct fate *fates = label ? redacting->labels : redacting->functions;
	bool *known = label ? redacting->labels_known : redacting->functions_known;

	if (!known[id])
		fates[id] = decide(redacting, id, label);
	known[id] = true;
	return fates[id];
}

/* The node of `into` for each of `from`. */
static node_id *
make_nodes(struct redacting *redacting)
{
	const struct ctree *tree = &redacting->from->tree;
	struct ctree *made = &redacting->into->tree;
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));
	size_t *depths = mem_zalloc(tree->nnodes, sizeof(*depths));

	for (node_id i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		depths[i] = depths[node->parent] + 1;

		const struct fate fate =
			fate_of(redacting, node->frame, depths[i] <= redacting->nlabels);
		const node_id parent = nodes[node->parent];

		if (fate.frame == 0 || (fate.joins && parent != CTREE_ROOT &&
					       made->nodes[parent].frame == fate.frame))
			nodes[i] = parent;
		else
			nodes[i] = ctree_child(made, parent, fate.frame);
	}
	free(depths);
	return nodes;
}

/* Weights of stacks that are dropped as a whole must stay. */
static void
keep_weights(struct redacting *redacting, node_id *nodes)
{
	struct profile *into = redacting->into;
	const size_t count = redacting->from->tree.nnodes;

	for (node_id i = 1; i < count; i++)
		if (nodes[i] == CTREE_ROOT)
			nodes[i] = ctree_child(&into->tree, CTREE_ROOT,
				profile_frame(into, REDACT_NOTHING_LEFT,
					strlen(REDACT_NOTHING_LEFT), FRAME_USER));
}

static void
set_word(struct profile *into, str_id *attribute, const char *word, bool known)
{
	if (known)
		*attribute = strtab_intern_str(&into->strings, word);
}

/* The name of a label can be the program's own. */
static void
describe_labels(const struct redacting *redacting, const struct profile *from)
{
	static const char *const known[] = {"thread", "process", "pid", "tid", "phase", NULL};
	const char *by = strtab_str(&from->strings, from->by);
	struct buf text = {0};

	while (*by) {
		const size_t len = strcspn(by, ",");
		char *name = mem_dup(by, len);

		buf_puts(&text, text.len > 0 ? "," : "");
		if (is_one_of(name, known))
			buf_puts(&text, name);
		else
			put_hash(redacting->rules, 'l', name, &text);
		free(name);
		by += len + (by[len] == ',');
	}
	redacting->into->by = strtab_intern(&redacting->into->strings, buf_text(&text), text.len);
	buf_release(&text);
}

static void
describe(const struct redacting *redacting, const struct profile *from)
{
	struct profile *into = redacting->into;
	const char *workload = strtab_str(&from->strings, from->workload);
	const char *metric = strtab_str(&from->strings, from->metric);
	const char *event = strtab_str(&from->strings, from->event);
	const char *unit = strtab_str(&from->strings, from->unit);
	const char *cost_unit = strtab_str(&from->strings, from->cost_unit);
	struct buf text = {0};

	if (*workload) {
		put_hash(redacting->rules, 'w', workload, &text);
		into->workload = strtab_intern(&into->strings, buf_text(&text), text.len);
	}
	buf_release(&text);
	set_word(into, &into->metric, metric, metric_find(metric) != NULL);
	set_word(into, &into->event, event, is_one_of(event, events) || metric_find(event) != NULL);
	/* Weights of an unknown unit are not samples. */
	set_word(into, &into->unit, is_known_unit(unit) ? unit : "events", *unit != '\0');
	set_word(into, &into->cost_unit, cost_unit, is_known_unit(cost_unit));
	describe_labels(redacting, from);
	into->frequency_hz = from->frequency_hz;
	into->started = from->started;
	into->duration_s = from->duration_s;
}

void
redact_profile(struct profile *into, const struct profile *from, const struct redaction *redaction)
{
	struct profile canonical;
	struct redacting redacting = {
		.rules = redaction,
		.from = &canonical,
		.into = into,
		.nlabels = profile_nlabels(from),
	};

	profile_init(into);
	profile_init(&canonical);
	canonical_join(&canonical, from, NULL);

	const size_t nframes = canonical.frames.nframes;

	redacting.functions = mem_zalloc(nframes, sizeof(struct fate));
	redacting.labels = mem_zalloc(nframes, sizeof(struct fate));
	redacting.functions_known = mem_zalloc(nframes, sizeof(bool));
	redacting.labels_known = mem_zalloc(nframes, sizeof(bool));

	node_id *nodes = make_nodes(&redacting);

	keep_weights(&redacting, nodes);
	profile_append_runs(into, &canonical, nodes);
	describe(&redacting, from);
	profile_sort(into);
	free(nodes);
	free(redacting.functions);
	free(redacting.labels);
	free(redacting.functions_known);
	free(redacting.labels_known);
	profile_release(&canonical);
}

void
redact_put_key(const struct redaction *redaction, struct buf *out)
{
	char hash[SHA256_TEXT_SIZE];

	hmac_sha256(redaction->key, redaction->key_len, FINGERPRINT_TEXT, strlen(FINGERPRINT_TEXT),
		hash);
	if (redaction->key_path)
		buf_printf(out, "the key in '%s'", redaction->key_path);
	else
		buf_puts(out, "a key derived from the rules, by which whoever has them can test "
			      "guesses of names");
	buf_printf(out, ", fingerprint %.*s", FINGERPRINT_DIGITS, hash);
}
