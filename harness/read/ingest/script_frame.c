/*
 * Parses the line of a frame in perf script's text: its address, name and module.
 */
#include "base/mem.h"
#include "ingest/ingest_internal.h"
#include "ingest/script_internal.h"

#include <ctype.h>
#include <string.h>

#define ADDRESS_MAX 16

static bool
ends_in(struct line span, const char *text)
{
	size_t len = strlen(text);

	return span.len >= len && memcmp(span.at + span.len - len, text, len) == 0;
}

/* The length of "+0x5c1" at the end; 0 if there is none. */
static size_t
offset_len(struct line name)
{
	size_t at = name.len;

	while (at > 0 && isxdigit((unsigned char)name.at[at - 1]))
		at--;
	return at < name.len && at >= 3 && memcmp(name.at + at - 3, "+0x", 3) == 0
		       ? name.len - at + 3
		       : 0;
}

/* Cuts text in two at a parenthesis that a blank precedes. */
static bool
split_at(struct line *text, size_t at, struct line *module)
{
	if (at > 0 && text->at[at - 1] != ' ')
		return false;
	*module = (struct line){text->at + at + 1, text->len - at - 2};
	*text = words_trim((struct line){text->at, at});
	return true;
}

/* Splits "(module)" off the end; the parentheses may be nested: "(/tmp/prog (deleted))". */
static bool
take_module(struct line *text, struct line *module)
{
	size_t depth = 0;

	*text = words_trim(*text);
	if (text->len < 2 || text->at[text->len - 1] != ')')
		return false;
	/* A module follows an offset, whatever its name. */
	for (size_t at = text->len - 1; at-- > 1;)
		if (text->at[at] == '(' && text->at[at - 1] == ' ' &&
			offset_len((struct line){text->at, at - 1}) > 0)
			return split_at(text, at, module);
	for (size_t at = text->len; at-- > 0;) {
		if (text->at[at] == ')')
			depth++;
		if (text->at[at] == '(' && --depth == 0)
			return split_at(text, at, module);
	}
	return false;
}

/* The kind of code in a module, by its name as perf script prints it. */
static enum frame_kind
kind_of_module(struct line module)
{
	static const char *const user[] = {
		"[unknown]", "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[uprobes]"};
	const char *jit = memmem(module.at, module.len, "/perf-", strlen("/perf-"));

	if (jit && ends_in(module, ".map"))
		return FRAME_JIT;
	for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++)
		if (words_are(module, user[i]))
			return FRAME_USER;
	if (module.len > 0 && module.at[0] == '[')
		return FRAME_KERNEL;
	return ends_in(module, "vmlinux") || ends_in(module, ".ko") ? FRAME_KERNEL : FRAME_USER;
}

/* Without a module: the kernel has the upper half of all addresses. */
static enum frame_kind
kind_of_address(struct line address)
{
	return address.len == ADDRESS_MAX && address.at[0] >= '8' ? FRAME_KERNEL : FRAME_USER;
}

/* Takes a frame's address off the line. */
static bool
take_address(struct line *line, struct line *address)
{
	if (!words_take(line, address) || address->len > ADDRESS_MAX)
		return false;
	for (size_t i = 0; i < address->len; i++)
		if (!isxdigit((unsigned char)address->at[i]))
			return false;
	*line = words_trim(*line);
	return true;
}

bool
script_frame_follows_tab(struct line line)
{
	struct line address;

	return line.len > 0 && line.at[0] == '\t' && take_address(&line, &address) &&
	       (line.len == 0 || line.at[-1] == ' ');
}

bool
script_frame_split(struct line line, struct script_frame_parts *parts)
{
	static const char mark[] = "(inlined)";
	const size_t mark_len = strlen(mark);

	*parts = (struct script_frame_parts){.module = {"", 0}};
	if (!take_address(&line, &parts->address))
		return false;
	parts->text = line;
	parts->inlined = ends_in(line, mark) &&
			 (line.len == mark_len || line.at[line.len - mark_len - 1] == ' ');
	if (parts->inlined)
		line = words_trim((struct line){line.at, line.len - mark_len});
	else
		parts->has_module = take_module(&line, &parts->module);
	parts->offset_len = offset_len(line);
	parts->name = (struct line){line.at, line.len - parts->offset_len};
	return true;
}

bool
script_frame_parse(struct line line, const struct script_layout *layout, struct script_frame *frame)
{
	struct script_frame_parts parts;

	if (!script_frame_split(line, &parts))
		return false;
	*frame = (struct script_frame){.name = parts.name, .module = parts.module};
	if (parts.inlined) {
		frame->kind = FRAME_INLINED;
	} else if (layout->no_modules) {
		frame->kind = kind_of_address(parts.address);
		frame->name = parts.text;
		frame->name.len -= offset_len(parts.text);
		frame->module.len = 0;
	} else if (parts.has_module) {
		/* With -F +dsoff the module has an offset, too. */
		frame->module.len -= offset_len(frame->module);
		frame->kind = kind_of_module(frame->module);
	} else {
		return false;
	}
	if (!layout->no_names)
		return frame->name.len > 0;
	if (frame->name.len > 0)
		return false;
	frame->name = (struct line){"[unknown]", strlen("[unknown]")};
	return true;
}

char *
script_frame_name(const struct script_frame *frame)
{
	struct buf name = {0};

	if (!words_are(frame->name, "[unknown]"))
		return mem_dup(frame->name.at, frame->name.len);
	/* A JIT's map is named after its process, which differs each time. */
	if (frame->kind == FRAME_JIT)
		return mem_strdup("[anon]");
	frame_put_unnamed(&name, frame->module.at, frame->module.len);
	char *copy = mem_dup(buf_text(&name), name.len);

	buf_release(&name);
	return copy;
}

bool
script_source_line_is(struct line line, bool *inlined)
{
	static const char mark[] = " (inlined)";

	if (line.len < 4 || memcmp(line.at, "  ", 2) != 0 || words_blank(line.at[2]))
		return false;
	line = words_trim(line);
	*inlined = ends_in(line, mark);
	if (*inlined)
		line.len -= strlen(mark);
	size_t at = line.len;

	if (at > 0 && line.at[at - 1] == ')') {
		const char *open = memmem(line.at, line.len, " (discriminator ", 16);

		at = open ? (size_t)(open - line.at) : 0;
	} else if (at > 0 && line.at[at - 1] == ']') {
		/* "libc.so.6[11bfb]": where no line is known. */
		at--;
		while (at > 0 && isxdigit((unsigned char)line.at[at - 1]))
			at--;
		return at > 1 && at < line.len - 1 && line.at[at - 1] == '[';
	}
	const size_t end = at;

	while (at > 0 && (isdigit((unsigned char)line.at[at - 1]) || line.at[at - 1] == '?'))
		at--;
	return at > 0 && at < end && (line.at[at - 1] == ':' || line.at[at - 1] == '+');
}
