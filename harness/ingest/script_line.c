#include "ingest/script_line.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct text_span
trim(struct text_span text)
{
	while (text.len > 0 && is_blank(*text.at)) {
		text.at++;
		text.len--;
	}
	while (text.len > 0 && is_blank(text.at[text.len - 1]))
		text.len--;
	return text;
}

/* Takes the first word off `text`; false at its end. */
static bool
take_word(struct text_span *text, struct text_span *word)
{
	*text = trim(*text);
	*word = (struct text_span){text->at, 0};
	while (word->len < text->len && !is_blank(text->at[word->len]))
		word->len++;
	text->at += word->len;
	text->len -= word->len;
	return word->len > 0;
}

static size_t
count_digits(struct text_span text, size_t from)
{
	size_t at = from;

	while (at < text.len && isdigit((unsigned char)text.at[at]))
		at++;
	return at - from;
}

/* "1234" or "1234/1235" */
static bool
is_pid(struct text_span word)
{
	size_t digits = count_digits(word, 0);

	if (digits == 0 || digits == word.len)
		return digits > 0;
	return word.at[digits] == '/' && digits + 1 < word.len &&
	       digits + 1 + count_digits(word, digits + 1) == word.len;
}

/* "1381.362126:" */
static bool
is_time(struct text_span word)
{
	size_t digits = count_digits(word, 0);
	size_t decimals;

	if (digits == 0 || digits >= word.len || word.at[digits] != '.')
		return false;
	decimals = count_digits(word, digits + 1);
	return decimals > 0 && digits + decimals + 2 == word.len && word.at[word.len - 1] == ':';
}

static struct text_span
between(const char *start, const char *end)
{
	return trim((struct text_span){start, (size_t)(end - start)});
}

/*
 * The words up to the time. Names of threads can hold spaces and numbers: with a time, the process
 * is the last number before it; without, the first one.
 */
static bool
parse_front(struct text_span line, struct script_header *header, struct text_span *after)
{
	struct text_span rest = line;
	struct text_span word;
	struct text_span pid = {0};
	struct text_span first_pid = {0};
	const char *behind_first = NULL;

	while (take_word(&rest, &word)) {
		bool leads = word.at == trim(line).at;

		if (is_time(word) && pid.len > 0) {
			header->comm = between(line.at, pid.at);
			header->ids = pid;
			header->time = (struct text_span){word.at, word.len - 1};
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
parse_event(struct text_span text, struct script_header *header)
{
	struct text_span word;

	while (take_word(&text, &word)) {
		if (word.at[word.len - 1] != ':' || word.len < 2)
			continue;
		header->event = (struct text_span){word.at, word.len - 1};
		header->rest = trim(text);
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
script_header_parse(struct text_span line, struct script_header *header)
{
	struct text_span after;

	*header = no_header;
	if (!parse_front(line, header, &after))
		return false;
	parse_event(after, header);
	return true;
}

bool
script_header_parse_rest(struct text_span line, size_t known_len, struct script_header *header)
{
	struct text_span rest = {line.at + known_len, line.len - known_len};
	struct text_span word;

	*header = no_header;
	if (!take_word(&rest, &word))
		return false;
	if (word.at[0] == '[' && !take_word(&rest, &word))
		return false;
	if (word.at == line.at + known_len || !is_time(word))
		return false;
	header->time = (struct text_span){word.at, word.len - 1};
	header->has_event = true;
	parse_event(rest, header);
	return true;
}

/* Splits "(module)" off the end; the parentheses may be nested: "(/tmp/prog (deleted))". */
static bool
take_module(struct text_span *text, struct text_span *module)
{
	size_t depth = 0;

	*text = trim(*text);
	if (text->len == 0 || text->at[text->len - 1] != ')')
		return false;
	for (size_t at = text->len; at-- > 0;) {
		if (text->at[at] == ')')
			depth++;
		if (text->at[at] != '(' || --depth > 0)
			continue;
		*module = (struct text_span){text->at + at + 1, text->len - at - 2};
		*text = trim((struct text_span){text->at, at});
		return true;
	}
	return false;
}

/* "name+0x5c1" -> "name" */
static struct text_span
drop_offset(struct text_span name)
{
	size_t at = name.len;

	while (at > 0 && isxdigit((unsigned char)name.at[at - 1]))
		at--;
	if (at < name.len && at >= 3 && memcmp(name.at + at - 3, "+0x", 3) == 0)
		name.len = at - 3;
	return name;
}

static bool
span_is(struct text_span span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.at, text, span.len) == 0;
}

static bool
span_ends(struct text_span span, const char *text)
{
	size_t len = strlen(text);

	return span.len >= len && memcmp(span.at + span.len - len, text, len) == 0;
}

/* What kind of code a module as perf script prints it holds. */
static enum frame_kind
kind_of_module(struct text_span module)
{
	static const char *const user[] = {
		"[unknown]", "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[uprobes]"};
	const char *jit = memmem(module.at, module.len, "/perf-", strlen("/perf-"));

	if (jit && span_ends(module, ".map"))
		return FRAME_JIT;
	for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++)
		if (span_is(module, user[i]))
			return FRAME_USER;
	if (module.len > 0 && module.at[0] == '[')
		return FRAME_KERNEL;
	return span_ends(module, "vmlinux") || span_ends(module, ".ko") ? FRAME_KERNEL : FRAME_USER;
}

bool
script_frame_parse(struct text_span line, struct script_frame *frame)
{
	struct text_span address;

	if (!take_word(&line, &address))
		return false;
	for (size_t i = 0; i < address.len; i++)
		if (!isxdigit((unsigned char)address.at[i]))
			return false;
	if (!take_module(&line, &frame->module) || line.len == 0)
		return false;
	frame->name = drop_offset(line);
	if (span_is(frame->module, "inlined")) {
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
	struct text_span module = frame->module;

	if (!span_is(frame->name, "[unknown]"))
		return mem_dup(frame->name.at, frame->name.len);
	/* A JIT's map is named after its process, which differs each time. */
	if (frame->kind == FRAME_JIT)
		return mem_strdup("[anon]");
	if (module.len == 0 || module.at[0] == '[')
		return module.len == 0 ? mem_strdup("[unknown]") : mem_dup(module.at, module.len);
	if (span_ends(module, " (deleted)"))
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
