#include "spec/waivers_append.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "spec/waivers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
append(const char *path, struct buf *text, const struct waiver *waiver, struct arena *arena,
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

static int
make_folder(const char *path, struct err *err)
{
	const char *base = file_basename(path);
	char *folder = base > path ? mem_dup(path, (size_t)(base - path)) : NULL;
	int result = folder ? file_make_dirs(folder, err) : 0;

	free(folder);
	return result;
}

int
waivers_append(const char *path, const struct waiver *waiver, struct err *err)
{
	struct arena arena = {0};
	struct buf text = {0};
	int result = 0;

	if (file_exists(path))
		result = file_read(path, &text, YAML_FILE_MAX, err);
	else
		result = make_folder(path, err);
	if (result == 0)
		result = append(path, &text, waiver, &arena, err);
	if (result == 0)
		result = file_write(path, buf_text(&text), text.len, err);
	buf_release(&text);
	arena_release(&arena);
	return result;
}
