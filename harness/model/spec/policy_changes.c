#include "spec/policy_changes.h"

#include "base/buf.h"
#include "base/mem.h"
#include "spec/keys.h"

#include <stdlib.h>
#include <string.h>

/* One key of a file, while both values are compared. */
struct place {
	struct policy_changes *changes;
	const char *file;
	const char *key;
	const char *holds;
};

void
policy_changes_release(struct policy_changes *changes)
{
	arena_release(&changes->arena);
	free(changes->items);
	*changes = (struct policy_changes){0};
}

void
policy_changes_add(struct policy_changes *changes, const struct policy_change *change)
{
	if (changes->count == POLICY_CHANGES_MAX) {
		changes->left_out++;
		return;
	}
	changes->items = mem_grow(
		changes->items, &changes->capacity, changes->count + 1, sizeof(*changes->items));
	changes->items[changes->count++] = (struct policy_change){
		.file = arena_strdup(&changes->arena, change->file),
		.line = change->line,
		.key = arena_strdup(&changes->arena, change->key),
		.before = arena_strdup(&changes->arena, change->before),
		.after = arena_strdup(&changes->arena, change->after),
		.holds = change->holds ? arena_strdup(&changes->arena, change->holds) : NULL,
	};
}

/* Quoted only where it would read as something else. */
static void
put_scalar(const char *text, struct buf *out)
{
	if (*text && !strpbrk(text, ",:{}[]#\"'\\\n") && *text != ' ') {
		buf_puts(out, text);
		return;
	}
	buf_putc(out, '"');
	for (const char *at = text; *at; at++) {
		if (*at == '\n')
			buf_puts(out, "\\n");
		else
			buf_printf(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
	}
	buf_putc(out, '"');
}

/* In YAML's flow style; not shortened, because it is compared. */
static void
put_value(const struct yaml_node *node, struct buf *out)
{
	bool mapping = node->kind == YAML_MAPPING;

	if (node->kind == YAML_SCALAR) {
		put_scalar(node->text, out);
		return;
	}
	buf_putc(out, mapping ? '{' : '[');
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		if (at != node->first)
			buf_puts(out, ", ");
		if (mapping) {
			put_scalar(at->key->text, out);
			buf_puts(out, ": ");
		}
		put_value(at, out);
	}
	buf_putc(out, mapping ? '}' : ']');
}

/* The value as text, free() it; "" where there is none. */
static char *
value_text(const struct yaml_node *node)
{
	struct buf text = {0};

	if (node)
		put_value(node, &text);
	char *taken = mem_strdup(buf_text(&text));

	buf_release(&text);
	return taken;
}

static const char *
cut(struct arena *arena, const char *text)
{
	size_t len = POLICY_TEXT_MAX;

	if (strlen(text) <= len)
		return text;
	/* Not inside a character. */
	while (len > 0 && (text[len] & 0xc0) == 0x80)
		len--;
	return arena_printf(arena, "%.*s...", (int)len, text);
}

static void
add_change(const struct place *place, const struct yaml_node *after, const char *before_text,
	const char *after_text)
{
	struct arena *arena = &place->changes->arena;

	policy_changes_add(place->changes, &(struct policy_change){
						   .file = place->file,
						   .line = after ? after->line : 0,
						   .key = place->key,
						   .before = cut(arena, before_text),
						   .after = cut(arena, after_text),
						   .holds = after ? place->holds : NULL,
					   });
}

/* An item of a list and its text; `node` NULL: in the other list, too, or already reported. */
struct item {
	const struct yaml_node *node;
	char *text;
};

static struct item *
list_items(const struct yaml_node *list, size_t *count)
{
	size_t n = 0;

	*count = list ? yaml_count(list) : 0;
	struct item *items = mem_zalloc(*count + 1, sizeof(*items));

	for (const struct yaml_node *at = list ? list->first : NULL; at; at = at->next)
		items[n++] = (struct item){.node = at, .text = value_text(at)};
	return items;
}

static void
items_release(struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i].text);
	free(items);
}

static void
drop_common(struct item *before, size_t nbefore, struct item *after, size_t nafter)
{
	for (size_t i = 0; i < nbefore; i++) {
		for (size_t k = 0; k < nafter && before[i].node; k++) {
			if (after[k].node && strcmp(before[i].text, after[k].text) == 0)
				before[i].node = after[k].node = NULL;
		}
	}
}

/* Whether two mappings begin with the same entry: a rule or a waiver of the same subject. */
static bool
same_subject(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->kind != YAML_MAPPING || b->kind != YAML_MAPPING || !a->first || !b->first)
		return false;
	const struct yaml_node *x = a->first;
	const struct yaml_node *y = b->first;

	return strcmp(x->key->text, y->key->text) == 0 && x->kind == YAML_SCALAR &&
	       y->kind == YAML_SCALAR && strcmp(x->text, y->text) == 0;
}

static void
compare_lists(
	const struct place *place, const struct yaml_node *before, const struct yaml_node *after)
{
	size_t nbefore, nafter;
	struct item *old = list_items(before, &nbefore);
	struct item *new = list_items(after, &nafter);

	drop_common(old, nbefore, new, nafter);
	for (size_t i = 0; i < nbefore; i++) {
		size_t k = 0;

		if (!old[i].node)
			continue;
		while (k < nafter && !(new[k].node &&same_subject(old[i].node, new[k].node)))
			k++;
		add_change(place, k < nafter ? new[k].node : NULL, old[i].text,
			k < nafter ? new[k].text : "");
		if (k < nafter)
			new[k].node = NULL;
	}
	for (size_t k = 0; k < nafter; k++) {
		if (new[k].node)
			add_change(place, new[k].node, "", new[k].text);
	}
	items_release(old, nbefore);
	items_release(new, nafter);
}

/* Both are of this kind, or the one that is there is. */
static bool
are(enum yaml_kind kind, const struct yaml_node *before, const struct yaml_node *after)
{
	return (before || after) && (!before || before->kind == kind) &&
	       (!after || after->kind == kind);
}

static void compare(
	const struct place *place, const struct yaml_node *before, const struct yaml_node *after);

static void
compare_entry(const struct place *place, const char *name, const struct yaml_node *before,
	const struct yaml_node *after)
{
	struct place entry = *place;

	entry.key = place->key[0] ? arena_printf(&place->changes->arena, "%s.%s", place->key, name)
				  : name;
	compare(&entry, before, after);
}

static void
compare(const struct place *place, const struct yaml_node *before, const struct yaml_node *after)
{
	if (are(YAML_MAPPING, before, after)) {
		for (const struct yaml_node *at = before ? before->first : NULL; at; at = at->next)
			compare_entry(place, at->key->text, at, keys_find(after, at->key->text));
		for (const struct yaml_node *at = after ? after->first : NULL; at; at = at->next) {
			if (!keys_find(before, at->key->text))
				compare_entry(place, at->key->text, NULL, at);
		}
		return;
	}
	if (are(YAML_SEQUENCE, before, after)) {
		compare_lists(place, before, after);
		return;
	}
	char *before_text = value_text(before);
	char *after_text = value_text(after);

	if (strcmp(before_text, after_text) != 0)
		add_change(place, after, before_text, after_text);
	free(before_text);
	free(after_text);
}

bool
policy_changes_between(struct policy_changes *changes, const char *file, const char *key,
	const struct yaml_node *before, const struct yaml_node *after, const char *holds)
{
	const struct place place = {.changes = changes, .file = file, .key = key, .holds = holds};
	const size_t count = changes->count + changes->left_out;

	compare(&place, before, after);
	return changes->count + changes->left_out > count;
}
