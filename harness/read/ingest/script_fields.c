/*
 * Parses the fields that perf script may print in a line beside its frame: behind a stack, and
 * between the event and the frame of a sample without a call chain.
 */
#include "base/mem.h"
#include "ingest/ingest_internal.h"
#include "ingest/script_internal.h"

#include <ctype.h>
#include <string.h>

#define ADDRESS_WIDTH 16
/* The flags of a branch: "  call                  ". */
#define FLAGS_WIDTH 24

static bool
is_hex(char c)
{
	return isxdigit((unsigned char)c) && !isupper((unsigned char)c);
}

static size_t
count_blanks(struct line text, size_t from)
{
	size_t at = from;

	while (at < text.len && text.at[at] == ' ')
		at++;
	return at - from;
}

static size_t
count_hex(struct line text, size_t from)
{
	size_t at = from;

	while (at < text.len && is_hex(text.at[at]))
		at++;
	return at - from;
}

bool
script_address_take(struct line *text, struct line *address)
{
	const char *const end = text->at + text->len;
	size_t at = 0;

	while (at < text->len) {
		const size_t blanks = count_blanks(*text, at);
		const size_t digits = count_hex(*text, at + blanks);
		const size_t behind = at + blanks + digits;

		if (digits > 0 && blanks > 0 && blanks + digits > ADDRESS_WIDTH &&
			(behind == text->len || text->at[behind] == ' ')) {
			*address = (struct line){text->at + at + blanks, digits};
			*text = (struct line){text->at + behind, (size_t)(end - text->at) - behind};
			return true;
		}
		at = behind;
		while (at < text->len && text->at[at] != ' ')
			at++;
	}
	return false;
}

/* The columns of flags that a rest begins with. */
static size_t
count_flags(struct line rest)
{
	const size_t blanks = count_blanks(rest, 0);

	if (blanks >= FLAGS_WIDTH)
		return FLAGS_WIDTH;
	return blanks == 2 && rest.len >= FLAGS_WIDTH && islower((unsigned char)rest.at[2]) &&
			       rest.at[FLAGS_WIDTH - 1] == ' '
		       ? FLAGS_WIDTH
		       : 0;
}

/*
 * A cursor over the fields that perf prints behind a stack.
 */
struct fields {
	struct line text;
	size_t at;
};

static bool
take_text(struct fields *fields, const char *wanted)
{
	const size_t len = strlen(wanted);

	if (fields->text.len - fields->at < len ||
		memcmp(fields->text.at + fields->at, wanted, len) != 0)
		return false;
	fields->at += len;
	return true;
}

/* The characters up to the next blank; returns how many. */
static size_t
take_word(struct fields *fields)
{
	const size_t from = fields->at;

	while (fields->at < fields->text.len && !words_blank(fields->text.at[fields->at]))
		fields->at++;
	return fields->at - from;
}

/* " ABI:2    AX:0x1    BX:0x2 " */
static bool
take_registers(struct fields *fields)
{
	if (!take_text(fields, " ABI:") || take_word(fields) == 0)
		return false;
	for (;;) {
		struct fields next = *fields;

		next.at += count_blanks(next.text, next.at);
		const size_t start = next.at;
		const size_t len = take_word(&next);

		if (len == 0 || !memmem(next.text.at + start, len, ":0x", 3))
			return true;
		*fields = next;
		take_text(fields, " ");
	}
}

/* "/P/-/-/0" or "/M/X/A/12/COND/-": the end of a branch. Returns its length, 0 if it is none. */
static size_t
branch_end(struct line text, size_t at)
{
	static const char *const flags[] = {"PMN-", "X-", "A-"};
	size_t end = at;

	for (size_t i = 0; i < 3; i++, end += 2)
		if (text.len < end + 2 || text.at[end] != '/' ||
			!strchr(flags[i], text.at[end + 1]))
			return 0;
	if (text.len < end + 2 || text.at[end] != '/' || !isdigit((unsigned char)text.at[end + 1]))
		return 0;
	while (end < text.len && !words_blank(text.at[end]))
		end++;
	return end - at;
}

/* All branches: "0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 ", or with names in place of addresses. */
static bool
take_branches(struct fields *fields, bool named)
{
	const size_t first = fields->at + count_blanks(fields->text, fields->at);
	size_t end = 0;

	if (!named && (first + 2 > fields->text.len || first == fields->at ||
			      memcmp(fields->text.at + first, "0x", 2) != 0))
		return false;
	for (size_t at = first; at < fields->text.len; at++) {
		const size_t len = fields->text.at[at] == '/' ? branch_end(fields->text, at) : 0;

		if (len > 0) {
			end = at + len;
			at = end;
		}
	}
	if (end > 0)
		fields->at = end + (end < fields->text.len && fields->text.at[end] == ' ');
	return end > 0;
}

/* " insn: 48 89 e5" */
static bool
take_bytes(struct fields *fields)
{
	if (!take_text(fields, " insn:"))
		return false;
	while (fields->at + 3 <= fields->text.len && fields->text.at[fields->at] == ' ' &&
		count_hex(fields->text, fields->at + 1) == 2)
		fields->at += 3;
	return true;
}

/* A number at the right end of 16 columns. */
static bool
take_wide(struct fields *fields)
{
	const size_t blanks = count_blanks(fields->text, fields->at);
	const size_t digits = count_hex(fields->text, fields->at + blanks);

	if (digits == 0 || blanks + digits != ADDRESS_WIDTH)
		return false;
	fields->at += ADDRESS_WIDTH;
	return true;
}

/* " 4K", " 2M" or " N/A" */
static bool
take_page_size(struct fields *fields)
{
	struct fields next = *fields;

	if (take_text(&next, " N/A")) {
		*fields = next;
		return true;
	}
	if (!take_text(&next, " ") || next.at == next.text.len ||
		!isdigit((unsigned char)next.text.at[next.at]))
		return false;
	while (next.at < next.text.len && isdigit((unsigned char)next.text.at[next.at]))
		next.at++;
	if (next.at == next.text.len || !strchr("BKMGT", next.text.at[next.at]))
		return false;
	next.at++;
	*fields = next;
	return next.at == next.text.len || words_blank(next.text.at[next.at]);
}

/* In perf's order. */
static bool
take_fields(struct fields *fields, bool named)
{
	const size_t from = fields->at;

	while (take_registers(fields))
		;
	take_branches(fields, named);
	if (take_text(fields, " ilen: "))
		take_word(fields);
	take_bytes(fields);
	if (take_text(fields, "\t\t"))
		fields->at = fields->text.len;
	take_wide(fields);
	while (take_page_size(fields))
		;
	if (take_text(fields, " \t IPC: "))
		fields->at = fields->text.len;
	return fields->at > from;
}

static bool
all_taken(const struct fields *fields)
{
	struct line rest = {fields->text.at + fields->at, fields->text.len - fields->at};

	return words_trim(rest).len == 0;
}

bool
script_fields_are(struct line text)
{
	struct fields fields = {.text = text};

	return take_fields(&fields, true) && all_taken(&fields);
}

/* Cuts off what perf prints behind a frame. */
static void
cut_fields(struct line *text)
{
	for (size_t at = 1; at < text->len; at++) {
		if (!words_blank(text->at[at]) || words_blank(text->at[at - 1]))
			continue;
		struct fields fields = {.text = *text, .at = at};

		if (take_fields(&fields, false) && all_taken(&fields)) {
			text->len = at;
			return;
		}
	}
}

/* Cuts off where a branch went to: " =>     7f10c0de f (/lib/f.so)". */
static void
cut_target(struct line *text)
{
	static const char arrow[] = " => ";
	const char *at = memmem(text->at, text->len, arrow, strlen(arrow));

	if (!at)
		return;
	struct fields fields = {.text = *text, .at = (size_t)(at - text->at) + strlen(arrow)};

	if (take_wide(&fields))
		text->len = (size_t)(at - text->at);
}

bool
script_rest_cut(struct line *text)
{
	cut_target(text);
	cut_fields(text);
	/* Branches with names follow the frame without a blank. */
	for (size_t at = 0; at < text->len; at++)
		if (text->at[at] == '/' && branch_end(*text, at) > 0)
			return false;
	return true;
}

static enum script_rest
found(struct line rest, const char *address, struct line *text)
{
	*text = script_line_trim((struct line){address, (size_t)(rest.at + rest.len - address)});
	return SCRIPT_REST_FRAME;
}

/* "sched:sched_switch", not "cycles:u"; of synthesized events, too. */
static bool
is_traced(struct line event)
{
	static const char *const synthesized[] = {
		"ptwrite", "mwait", "pwre", "exstop", "pwrx", "cbr", "psb", "evt", "iflag"};
	const char *colon = memchr(event.at, ':', event.len);

	for (size_t i = 0; i < sizeof(synthesized) / sizeof(synthesized[0]); i++)
		if (words_are(event, synthesized[i]))
			return true;
	while (colon && ++colon < event.at + event.len && *colon != ':')
		if (!strchr("ukhGHIpPSDWeb", *colon))
			return true;
	return event.len == 0;
}

/* A frame that is not where perf puts it: "7f10 name+0x10 (/usr/lib/x.so)". */
static bool
is_loose_frame(struct line rest, struct line *address)
{
	const struct line text = words_trim(rest);
	const size_t digits = count_hex(text, 0);

	*address = (struct line){text.at, digits};
	return digits >= 3 && digits < text.len && text.at[digits] == ' ' &&
	       (text.at[text.len - 1] == ')' || memmem(text.at, text.len, "+0x", 3));
}

/* " |OP LOAD|LVL L1 hit|SNP None|TLB N/A": of a sample of a memory access. */
static bool
starts_memory(struct line text)
{
	struct fields fields = {.text = text};

	return take_text(&fields, " |OP ");
}

enum script_rest
script_rest_parse(struct line rest, struct line event, struct line *text)
{
	size_t at = count_flags(rest);
	const size_t start = at;
	struct line address;
	struct line next;

	for (;;) {
		const size_t blanks = count_blanks(rest, at);
		const size_t digits = count_hex(rest, at + blanks);
		const size_t behind = at + blanks + digits;

		if (digits > 0 && blanks + digits == ADDRESS_WIDTH + 1 && blanks > 0 &&
			(behind == rest.len || rest.at[behind] == ' '))
			return found(rest, rest.at + at + blanks, text);
		if (digits == 0 || blanks + digits != ADDRESS_WIDTH)
			break;
		at = behind;
	}
	struct line more = {rest.at + at, rest.len - at};

	if (words_trim(more).len == 0)
		return SCRIPT_REST_EMPTY;
	/* A memory access has any width: a number after it can look like an address. */
	const bool pads = starts_memory(more);

	cut_target(&more);
	if (script_address_take(&more, &address)) {
		while (script_address_take(&more, &next)) {
			if (!pads)
				return SCRIPT_REST_UNKNOWN;
			address = next;
		}
		return found(rest, address.at, text);
	}
	if (at == start && is_loose_frame(rest, &address))
		return found(rest, address.at, text);
	more = (struct line){rest.at + at, rest.len - at};
	return at > start || is_traced(event) || script_fields_are(more) ? SCRIPT_REST_EMPTY
									 : SCRIPT_REST_UNKNOWN;
}
