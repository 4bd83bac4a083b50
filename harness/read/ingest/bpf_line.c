#include "ingest/bpf_line.h"

#include "base/text.h"
#include "ingest/ingest_internal.h"

#include <ctype.h>
#include <string.h>

#define DIGITS_MAX 18
/* Shorter words of hexadecimal digits may be names. */
#define ADDRESS_DIGITS 8
#define UNKNOWN "[unknown]"

static bool
has(struct line text, const char *part)
{
	return memmem(text.at, text.len, part, strlen(part)) != NULL;
}

static struct line
from(struct line text, size_t at)
{
	return (struct line){text.at + at, text.len - at};
}

/* "12:34:56" */
static bool
is_time(struct line text)
{
	if (text.len != 8)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (i % 3 == 2 ? text.at[i] != ':' : !text_is_digit(text.at[i]))
			return false;
	return true;
}

struct known_text {
	const char *begin, *part;
};

static bool
is_one_of(struct line text, const struct known_text *known, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words_start(text, known[i].begin) && has(text, known[i].part))
			return true;
	return false;
}

static bool
is_notice(struct line text)
{
	static const struct known_text notices[] = {
		{"Attaching ", "probe"}, {"Attached ", "probe"}, {"Detaching...", ""}, {"^C", ""}};

	return is_one_of(text, notices, sizeof(notices) / sizeof(notices[0])) || is_time(text);
}

static bool
is_message(struct line text)
{
	static const struct known_text messages[] = {{"Lost ", " events"}, {"WARNING: ", ""},
		{"ERROR: ", "RLIMIT_MEMLOCK"}, {"failed to get syms", ""},
		{"failed to lookup ", ""}};

	return is_one_of(text, messages, sizeof(messages) / sizeof(messages[0]));
}

static bool
is_header(struct line text)
{
	return (words_start(text, "Sampling at ") && has(text, " stack")) ||
	       (words_start(text, "Tracing ") &&
		       (has(text, " time (us) ") || has(text, " functions for \"")));
}

bool
bpf_is_attached(struct line line)
{
	return words_start(line, "Attach") && is_notice(words_trim(line));
}

bool
bpf_is_off_cpu(struct line line)
{
	return words_start(line, "Tracing off-CPU time (us)");
}

static size_t
map_name_len(struct line text)
{
	size_t len = 1;

	if (text.len == 0 || *text.at != '@')
		return 0;
	while (len < text.len && (isalnum((unsigned char)text.at[len]) || text.at[len] == '_'))
		len++;
	return len;
}

static bool
is_map(struct line text)
{
	const size_t len = map_name_len(text);

	if (len == 0 || len == text.len)
		return false;
	return text.at[len] == '[' ||
	       (text.at[len] == ':' && (len + 1 == text.len || words_blank(text.at[len + 1])));
}

enum bpf_line_kind
bpf_line_kind(struct line line)
{
	const struct line text = words_trim(line);
	double number;

	if (text.len == 0)
		return BPF_EMPTY;
	if (*line.at == '\t' || words_start(line, "  "))
		return bpf_number(text, &number) ? BPF_NUMBER : BPF_INDENTED;
	if (is_map(line))
		return BPF_MAP;
	if (is_header(line))
		return BPF_HEADER;
	if (is_notice(text))
		return BPF_NOTICE;
	return is_message(text) ? BPF_MESSAGE : BPF_OTHER;
}

bool
bpf_is_histogram(struct line line)
{
	return line.len > 1 && (*line.at == '[' || *line.at == '(') && line.at[line.len - 1] == '|';
}

struct line
bpf_map_name(struct line *line)
{
	const struct line name = {line->at, map_name_len(*line)};

	*line = from(*line, name.len);
	return name;
}

const char *
bpf_key_end(struct line text)
{
	for (size_t i = text.len; i-- > 1;)
		if (text.at[i] == ':' && text.at[i - 1] == ']')
			return text.at + i - 1;
	return NULL;
}

bool
bpf_number(struct line text, double *number)
{
	*number = 0;
	if (text.len == 0 || text.len > DIGITS_MAX)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (!text_is_digit(text.at[i]))
			return false;
		*number = *number * 10 + (text.at[i] - '0');
	}
	return true;
}

/* "name (12)" -> "name" */
static bool
take_pid(struct line *text, char open, char close)
{
	size_t at = text->len;
	size_t digits = 0;

	if (at == 0 || text->at[--at] != close)
		return false;
	while (at > 0 && text_is_digit(text->at[at - 1])) {
		at--;
		digits++;
	}
	if (digits == 0 || at < 3 || text->at[at - 1] != open || !words_blank(text->at[at - 2]))
		return false;
	*text = words_trim((struct line){text->at, at - 1});
	return text->len > 0;
}

bool
bpf_comm(struct line text, struct line *comm)
{
	*comm = text;
	if (words_start(text, "- ")) {
		*comm = words_trim(from(text, 2));
		return take_pid(comm, '(', ')');
	}
	return take_pid(comm, '[', ']');
}

bool
bpf_is_waker(struct line text)
{
	return words_start(text, "waker:") || words_start(text, "target:");
}

static bool
is_address(struct line word)
{
	const bool prefixed = words_start(word, "0x");
	const struct line digits = from(word, prefixed ? 2 : 0);

	if (digits.len < (prefixed ? 1 : ADDRESS_DIGITS))
		return false;
	for (size_t i = 0; i < digits.len; i++)
		if (!isxdigit((unsigned char)digits.at[i]))
			return false;
	return true;
}

/* Takes "#3" and an address off the start; returns whether there is one. */
static bool
take_address(struct line *text)
{
	struct line rest = *text;
	struct line word;
	bool any = false;

	if (*text->at == '#' && text->len > 1 && text_is_digit(text->at[1]))
		words_take(text, &word);
	rest = *text;
	if (words_take(&rest, &word) && is_address(word)) {
		*text = rest;
		any = true;
	}
	*text = words_trim(*text);
	return any;
}

/* Takes "[module]", or behind an address "(module)", off the end. */
static struct line
take_module(struct line *text, bool addressed)
{
	struct line module = {text->at + text->len, 0};
	const int last = text->len > 0 ? text->at[text->len - 1] : 0;
	const int open = last == ']' ? '[' : last == ')' && addressed ? '(' : 0;
	const char *at = open ? memrchr(text->at, open, text->len) : NULL;

	if (!at || (at > text->at && !words_blank(at[-1])) || (at == text->at && open == '['))
		return module;
	module = (struct line){at, (size_t)(text->at + text->len - at)};
	*text = words_trim((struct line){text->at, (size_t)(at - text->at)});
	return module;
}

/* "name+0x12", "name+15" -> "name" */
static struct line
drop_offset(struct line name)
{
	const char *plus = memrchr(name.at, '+', name.len);
	const struct line offset =
		plus ? from(name, (size_t)(plus + 1 - name.at)) : (struct line){name.at, 0};
	double number;

	if (plus > name.at &&
		(bpf_number(offset, &number) || (words_start(offset, "0x") && is_address(offset))))
		name.len = (size_t)(plus - name.at);
	return name;
}

bool
bpf_frame_parse(struct line text, struct bpf_frame *frame)
{
	text = words_trim(text);
	if (text.len == 0)
		return false;
	const bool addressed = take_address(&text);
	const struct line module = take_module(&text, addressed);
	const bool kernel = words_are(module, "[kernel]");

	frame->name = drop_offset(text);
	frame->kind = kernel ? FRAME_KERNEL : FRAME_USER;
	if (frame->name.len > 0 && !is_address(frame->name) && !words_are(frame->name, UNKNOWN) &&
		!words_are(frame->name, "unknown"))
		return true;
	frame->name = module.len > 0 && *module.at == '[' ? module
							  : (struct line){UNKNOWN, strlen(UNKNOWN)};
	return true;
}

bool
bpf_frame_is_own(const struct bpf_frame *frame)
{
	return words_start(frame->name, "bpf_prog_") || words_start(frame->name, "bpf_trace_run");
}
