#include "ingest/script_internal.h"

#include "base/mem.h"
#include "ingest/words.h"

#include <ctype.h>
#include <string.h>

struct line
script_line_trim(struct line line)
{
	while (line.len > 0 && (line.at[line.len - 1] == '\r' || line.at[line.len - 1] == ' '))
		line.len--;
	return line;
}

static size_t
count_digits(struct line text, size_t from)
{
	size_t at = from;

	while (at < text.len && isdigit((unsigned char)text.at[at]))
		at++;
	return at - from;
}

/* "1234" or "1234/1235" */
static bool
is_pid(struct line word)
{
	size_t digits = count_digits(word, 0);

	if (digits == 0 || digits == word.len)
		return digits > 0;
	return word.at[digits] == '/' && digits + 1 < word.len &&
	       digits + 1 + count_digits(word, digits + 1) == word.len;
}

/* "1381.362126:" */
static bool
is_time(struct line word)
{
	size_t digits = count_digits(word, 0);
	size_t decimals;

	if (digits == 0 || digits >= word.len || word.at[digits] != '.')
		return false;
	decimals = count_digits(word, digits + 1);
	return decimals > 0 && digits + decimals + 2 == word.len && word.at[word.len - 1] == ':';
}

static struct line
between(const char *start, const char *end)
{
	return words_trim((struct line){start, (size_t)(end - start)});
}

/*
 * The words up to the time. Names of threads can hold spaces and numbers: with a time, the process
 * is the last number before it; without, the first one.
 */
static bool
parse_front(struct line line, struct script_header *header, struct line *after)
{
	struct line rest = line;
	struct line word;
	struct line pid = {0};
	struct line first_pid = {0};
	const char *behind_first = NULL;
	const char *start = words_trim(line).at;

	while (words_take(&rest, &word)) {
		bool leads = word.at == start;

		if (is_time(word) && pid.len > 0) {
			header->comm = between(line.at, pid.at);
			header->ids = pid;
			header->time = (struct line){word.at, word.len - 1};
			header->has_event = true;
			*after = rest;
			return true;
		}
		if (is_pid(word) && !leads) {
			pid = word;
			if (first_pid.len == 0) {
				first_pid = word;
				behind_first = word.at + word.len;
			}
		}
	}
	if (first_pid.len == 0)
		return false;
	header->comm = between(line.at, first_pid.at);
	header->ids = first_pid;
	*after = between(behind_first, line.at + line.len);
	return true;
}

/* "200040 cpu-clock:ppp: rest" or "cycles: rest" */
static void
parse_event(struct line text, struct script_header *header)
{
	struct line word;

	while (words_take(&text, &word)) {
		if (word.at[word.len - 1] != ':' || word.len < 2)
			continue;
		header->event = (struct line){word.at, word.len - 1};
		header->rest = words_trim(text);
		header->has_event = true;
		return;
	}
}

static const struct script_header no_header = {
	.comm = {"", 0},
	.ids = {"", 0},
	.time = {"", 0},
	.event = {"", 0},
	.rest = {"", 0},
};

bool
script_header_parse(struct line line, struct script_header *header)
{
	struct line after;

	*header = no_header;
	if (!parse_front(line, header, &after))
		return false;
	parse_event(after, header);
	return true;
}

bool
script_header_parse_rest(struct line line, size_t known_len, struct script_header *header)
{
	struct line rest = {line.at + known_len, line.len - known_len};
	struct line word;

	*header = no_header;
	if (!words_take(&rest, &word))
		return false;
	if (word.at[0] == '[' && !words_take(&rest, &word))
		return false;
	if (word.at == line.at + known_len || !is_time(word))
		return false;
	header->time = (struct line){word.at, word.len - 1};
	header->has_event = true;
	parse_event(rest, header);
	return true;
}

/* Splits "(module)" off the end; the parentheses may be nested: "(/tmp/prog (deleted))". */
static bool
take_module(struct line *text, struct line *module)
{
	size_t depth = 0;

	*text = words_trim(*text);
	if (text->len == 0 || text->at[text->len - 1] != ')')
		return false;
	for (size_t at = text->len; at-- > 0;) {
		if (text->at[at] == ')')
			depth++;
		if (text->at[at] != '(' || --depth > 0)
			continue;
		*module = (struct line){text->at + at + 1, text->len - at - 2};
		*text = words_trim((struct line){text->at, at});
		return true;
	}
	return false;
}

/* "name+0x5c1" -> "name" */
static struct line
drop_offset(struct line name)
{
	size_t at = name.len;

	while (at > 0 && isxdigit((unsigned char)name.at[at - 1]))
		at--;
	if (at < name.len && at >= 3 && memcmp(name.at + at - 3, "+0x", 3) == 0)
		name.len = at - 3;
	return name;
}

static bool
words_end_in(struct line span, const char *text)
{
	size_t len = strlen(text);

	return span.len >= len && memcmp(span.at + span.len - len, text, len) == 0;
}

/* The kind of code in a module, by its name as perf script prints it. */
static enum frame_kind
kind_of_module(struct line module)
{
	static const char *const user[] = {
		"[unknown]", "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[uprobes]"};
	const char *jit = memmem(module.at, module.len, "/perf-", strlen("/perf-"));

	if (jit && words_end_in(module, ".map"))
		return FRAME_JIT;
	for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++)
		if (words_are(module, user[i]))
			return FRAME_USER;
	if (module.len > 0 && module.at[0] == '[')
		return FRAME_KERNEL;
	return words_end_in(module, "vmlinux") || words_end_in(module, ".ko") ? FRAME_KERNEL
									      : FRAME_USER;
}

bool
script_frame_parse(struct line line, struct script_frame *frame)
{
	struct line address;

	if (!words_take(&line, &address))
		return false;
	for (size_t i = 0; i < address.len; i++)
		if (!isxdigit((unsigned char)address.at[i]))
			return false;
	if (!take_module(&line, &frame->module) || line.len == 0)
		return false;
	frame->name = drop_offset(line);
	if (words_are(frame->module, "inlined")) {
		frame->kind = FRAME_INLINED;
		frame->module.len = 0;
	} else {
		frame->kind = kind_of_module(frame->module);
	}
	return frame->name.len > 0;
}

char *
script_frame_name(const struct script_frame *frame)
{
	struct line module = frame->module;

	if (!words_are(frame->name, "[unknown]"))
		return mem_dup(frame->name.at, frame->name.len);
	/* A JIT's map is named after its process, which differs each time. */
	if (frame->kind == FRAME_JIT)
		return mem_strdup("[anon]");
	if (module.len == 0 || module.at[0] == '[')
		return module.len == 0 ? mem_strdup("[unknown]") : mem_dup(module.at, module.len);
	if (words_end_in(module, " (deleted)"))
		module.len -= strlen(" (deleted)");
	for (size_t i = module.len; i-- > 0;) {
		if (module.at[i] == '/') {
			module.at += i + 1;
			module.len -= i + 1;
			break;
		}
	}
	return mem_printf("[%.*s]", (int)module.len, module.at);
}
