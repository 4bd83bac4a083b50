#include "spec/waivers.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "spec/sections_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define WAIVERS_MAX 1000
#define DAY_S 86400

bool
waiver_set_last_day(struct waiver *waiver, const char *text, bool *no_such_day)
{
	struct tm day = {0};
	bool form = strlen(text) == 10 && strspn(text, "0123456789") == 4 && text[4] == '-' &&
		    strspn(text + 5, "0123456789") == 2 && text[7] == '-' &&
		    strspn(text + 8, "0123456789") == 2;

	*no_such_day = false;
	if (!form || sscanf(text, "%4d-%2d-%2d", &day.tm_year, &day.tm_mon, &day.tm_mday) != 3)
		return false;
	day.tm_year -= 1900;
	day.tm_mon -= 1;
	struct tm normal = day;
	time_t begins = timegm(&normal);

	/* timegm() has moved a day that does not exist to one that does. */
	*no_such_day = normal.tm_mday != day.tm_mday || normal.tm_mon != day.tm_mon ||
		       normal.tm_year != day.tm_year;
	waiver->expires = (int64_t)begins + DAY_S;
	memcpy(waiver->last_day, text, sizeof(waiver->last_day));
	return !*no_such_day;
}

static int
expires_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *text = node->kind == YAML_SCALAR ? node->text : "";
	bool no_such_day;

	if (waiver_set_last_day(into, text, &no_such_day))
		return 0;
	if (no_such_day)
		return keys_refuse(
			reader, node, "'expires' must be a day of the calendar; found '%s'", text);
	return keys_refuse(reader, node,
		"'expires' must be a day such as 2026-12-31, the last one; %s",
		keys_found(reader, node));
}

/* A waiver as written, before it is checked. */
struct waiver_text {
	const char *patterns[5]; /* in the order of subjects[] */
	bool total;
	struct waiver waiver;
};

static const struct subject {
	const char *key;
	enum rule_kind kind;
} subjects[] = {
	{"function", RULE_EACH},
	{"subtree", RULE_SUBTREE},
	{"module", RULE_MODULE},
	{"call", RULE_CALL},
	{"counter", RULE_COUNTER},
};

#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))
#define TEXT(field) offsetof(struct waiver_text, field)

const struct key waiver_keys[] = {
	{.name = "function", .type = KEY_TEXT, .offset = TEXT(patterns[0])},
	{.name = "subtree", .type = KEY_TEXT, .offset = TEXT(patterns[1])},
	{.name = "module", .type = KEY_TEXT, .offset = TEXT(patterns[2])},
	{.name = "call", .type = KEY_TEXT, .offset = TEXT(patterns[3])},
	{.name = "counter", .type = KEY_TEXT, .offset = TEXT(patterns[4])},
	{.name = "total", .type = KEY_BOOL, .offset = TEXT(total)},
	{.name = "workload", .type = KEY_TEXT, .offset = TEXT(waiver.workload)},
	{.name = "max",
		.type = KEY_PERCENT,
		.offset = TEXT(waiver.max_effect),
		.min = 0.0001,
		.max = 100},
	{.name = "reason", .type = KEY_TEXT, .offset = TEXT(waiver.reason)},
	{.name = "owner", .type = KEY_TEXT, .offset = TEXT(waiver.owner)},
	{.name = "expires", .type = KEY_CUSTOM, .offset = TEXT(waiver), .read = expires_read},
	{.name = NULL},
};

static int
take_subject(const struct key_reader *reader, const struct yaml_node *node,
	const struct waiver_text *text, struct waiver *waiver)
{
	size_t found = text->total ? 1 : 0;

	for (size_t i = 0; i < SUBJECTS; i++) {
		if (!text->patterns[i])
			continue;
		waiver->kind = subjects[i].kind;
		waiver->pattern = text->patterns[i];
		found++;
	}
	if (found != 1)
		return keys_refuse(reader, node,
			"a waiver has one of 'function', 'subtree', 'module', 'call', 'counter' and 'total: true'; found %s",
			found == 0 ? "none of them" : "several: write several waivers");
	return 0;
}

static int
waiver_read(const struct key_reader *reader, const struct yaml_node *node, struct waiver *waiver)
{
	static const struct {
		const char *key;
		const char *why;
	} needed[] = {
		{"max", "the largest growth that is accepted, such as 12%"},
		{"reason", "why the growth is accepted"},
		{"owner", "who answers for it"},
		{"expires", "its last day, such as 2026-12-31"},
	};
	struct waiver_text text = {
		.waiver =
			{
				.kind = RULE_TOTAL,
				.pattern = "whole program",
				.workload = "*",
				.file = arena_strdup(reader->arena, reader->file->path),
				.line = node->line,
			},
	};

	if (keys_read(reader, node, "a waiver", waiver_keys, &text) < 0)
		return -1;
	*waiver = text.waiver;
	if (take_subject(reader, node, &text, waiver) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!keys_find(node, needed[i].key))
			return keys_refuse(
				reader, node, "'%s' is missing: %s", needed[i].key, needed[i].why);
	}
	return 0;
}

static int
list_read(const struct key_reader *reader, const struct yaml_node *root, struct gate_policy *gate)
{
	if (root->kind != YAML_SEQUENCE)
		return keys_refuse(reader, root, "the file must be a list of waivers; %s",
			keys_found(reader, root));
	size_t count = yaml_count(root);

	if (count > WAIVERS_MAX)
		return keys_refuse(reader, root, "%zu waivers are too many; the limit is %d", count,
			WAIVERS_MAX);
	struct waiver *items = arena_alloc(reader->arena, (count + 1) * sizeof(*items));
	size_t n = 0;

	for (const struct yaml_node *at = root->first; at; at = at->next) {
		if (waiver_read(reader, at, &items[n++]) < 0)
			return -1;
	}
	gate->waivers_list = items;
	gate->nwaivers = count;
	return 0;
}

int
waivers_read(struct gate_policy *gate, struct arena *arena, const char *path, struct err *err)
{
	struct yaml_file file;

	gate->nwaivers = 0;
	if (yaml_parse_file(&file, path, err) < 0)
		return -1;
	int result = waivers_read_parsed(gate, arena, &file, err);

	yaml_release(&file);
	return result;
}

int
waivers_read_parsed(struct gate_policy *gate, struct arena *arena, const struct yaml_file *file,
	struct err *err)
{
	const struct key_reader reader = {.file = file, .arena = arena, .err = err};

	gate->nwaivers = 0;
	/* An empty file says that nothing is waived. */
	return file->root ? list_read(&reader, file->root, gate) : 0;
}

bool
waiver_is_same(const struct waiver *waiver, const struct waiver *other)
{
	return waiver->kind == other->kind && strcmp(waiver->pattern, other->pattern) == 0 &&
	       strcmp(waiver->workload, other->workload) == 0 &&
	       strcmp(waiver->reason, other->reason) == 0 &&
	       strcmp(waiver->owner, other->owner) == 0 &&
	       waiver->max_effect == other->max_effect && waiver->expires == other->expires;
}

void
waivers_select(struct gate_policy *gate, struct arena *arena, const char *name)
{
	struct waiver *items = arena_alloc(arena, (gate->nwaivers + 1) * sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < gate->nwaivers; i++) {
		if (text_matches(name, gate->waivers_list[i].workload))
			items[count++] = gate->waivers_list[i];
	}
	gate->waivers_list = items;
	gate->nwaivers = count;
}

/* As a double-quoted scalar: YAML 1.2, section 7.3.1. */
static void
put_quoted(struct buf *out, const char *text)
{
	buf_putc(out, '"');
	for (const char *at = text; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '"');
}

static void
put_text(struct buf *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.@/()+ -";

	/* Text that begins with a letter and has only these characters is no number and no key. */
	bool letter = ((unsigned)*text | 0x20) - 'a' < 26;
	bool is_word = strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0 &&
		       strcasecmp(text, "null") != 0;

	if (letter && is_word && text[strspn(text, plain)] == '\0' && text[strlen(text) - 1] != ' ')
		buf_puts(out, text);
	else
		put_quoted(out, text);
}

static void
put_key(struct buf *out, const char *before, const char *key, const char *text)
{
	buf_printf(out, "%s%s: ", before, key);
	put_text(out, text);
	buf_putc(out, '\n');
}

static void
put_subject(struct buf *out, const char *before, const struct waiver *waiver)
{
	switch (waiver->kind) {
	case RULE_TOTAL:
		buf_printf(out, "%stotal: true\n", before);
		return;
	case RULE_SUBTREE:
		put_key(out, before, "subtree", waiver->pattern);
		return;
	case RULE_MODULE:
		put_key(out, before, "module", waiver->pattern);
		return;
	case RULE_CALL:
		put_key(out, before, "call", waiver->pattern);
		return;
	case RULE_COUNTER:
		put_key(out, before, "counter", waiver->pattern);
		return;
	case RULE_FUNCTION:
	case RULE_EACH:
	case RULE_KINDS:
		break;
	}
	put_key(out, before, "function", waiver->pattern);
}

/* The entry, `indent` columns from the left. */
static void
put_entry(struct buf *out, const struct waiver *waiver, size_t indent)
{
	char *first = mem_printf("%*s- ", (int)indent, "");
	char *next = mem_printf("%*s  ", (int)indent, "");

	put_subject(out, first, waiver);
	if (strcmp(waiver->workload, "*") != 0)
		put_key(out, next, "workload", waiver->workload);
	buf_printf(out, "%smax: ", next);
	buf_put_short(out, waiver->max_effect * 100);
	buf_puts(out, "%\n");
	put_key(out, next, "reason", waiver->reason);
	put_key(out, next, "owner", waiver->owner);
	buf_printf(out, "%sexpires: %s\n", next, waiver->last_day);
	free(first);
	free(next);
}

/* The waivers that the text has, and the column of their list; none where it is empty. */
static int
parse(const char *path, const struct buf *text, struct arena *arena, struct gate_policy *gate,
	size_t *indent, struct err *err)
{
	struct yaml_file file;

	if (yaml_parse(&file, path, buf_text(text), text->len, err) < 0)
		return -1;
	int result = waivers_read_parsed(gate, arena, &file, err);

	*indent = result == 0 && file.root ? file.root->column - 1 : 0;
	yaml_release(&file);
	return result;
}

/* Whether the new list is the old one with the waiver at its end. */
static bool
is_appended(
	const struct gate_policy *old, const struct gate_policy *new, const struct waiver *waiver)
{
	if (new->nwaivers != old->nwaivers + 1)
		return false;
	for (size_t i = 0; i < old->nwaivers; i++) {
		if (!waiver_is_same(&old->waivers_list[i], &new->waivers_list[i]))
			return false;
	}
	return waiver_is_same(&new->waivers_list[old->nwaivers], waiver);
}

static int
append_waiver(const char *path, struct buf *text, const struct waiver *waiver, struct arena *arena,
	struct err *err)
{
	struct gate_policy old = {0};
	struct gate_policy new = {0};
	struct err refused = {0};
	size_t indent;

	if (parse(path, text, arena, &old, &indent, err) < 0)
		return -1;
	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buf_putc(text, '\n');
	put_entry(text, waiver, indent);
	if (parse(path, text, arena, &new, &indent, &refused) < 0 ||
		!is_appended(&old, &new, waiver)) {
		err_set(err, ERR_INPUT, "%s: nothing can be appended to this file", path);
		if (refused.kind != ERR_NONE)
			err_note(err, "with the waiver it would be refused: %s", refused.text);
		return err_note(err,
			"a file of waivers is a list of entries that begin with '- ', one below the other");
	}
	return 0;
}

int
waivers_make_folder(const char *path, struct err *err)
{
	const char *base = file_basename(path);
	char *folder = base > path ? mem_dup(path, (size_t)(base - path)) : NULL;
	int result = folder ? file_make_dirs(folder, err) : 0;

	free(folder);
	return result;
}

int
waivers_append(const char *path, const struct waiver *waivers, size_t n, struct err *err)
{
	struct arena arena = {0};
	struct buf text = {0};
	int result = file_exists(path) ? file_read(path, &text, YAML_FILE_MAX, err) : 0;

	for (size_t i = 0; result == 0 && i < n; i++)
		result = append_waiver(path, &text, &waivers[i], &arena, err);
	if (result == 0)
		result = file_write(path, buf_text(&text), text.len, err);
	buf_release(&text);
	arena_release(&arena);
	return result;
}
