/*
 * The lines of perf script's text.
 *
 *     comm words 1234/1235 [003] 1381.362126:     200040 cpu-clock:ppp:
 *             7fb9e2645c51 name+0x5c1 (/usr/lib/ld-linux-x86-64.so.2)
 *
 * Source: tools/perf/builtin-script.c; FlameGraph's stackcollapse-perf.pl reads the same.
 */
#ifndef INGEST_SCRIPT_LINE_H
#define INGEST_SCRIPT_LINE_H

#include "profile/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of the text; not terminated. */
struct text_span {
	const char *at;
	size_t len;
};

struct script_header {
	struct text_span comm;
	struct text_span ids;   /* "1234", which perf writes for the thread, or "PID/TID" */
	struct text_span time;  /* in seconds; empty if not there */
	struct text_span event; /* without its last colon; empty if not there */
	struct text_span rest;  /* after the event: a frame where there is no call chain */
	bool has_event;         /* there was an event or at least a time: surely such a line */
};

/* False where the line is not a sample's first line. */
bool script_header_parse(struct text_span line, struct script_header *header);
/*
 * The same of a line that begins with the comm and the ids of another one, `known_len` bytes that
 * are not looked at again. False, too, where there is more between the ids and the time than a CPU:
 * script_header_parse() knows.
 */
bool script_header_parse_rest(
	struct text_span line, size_t known_len, struct script_header *header);

struct script_frame {
	struct text_span name;   /* without offset; "[unknown]" as it stands */
	struct text_span module; /* empty for inlined frames */
	enum frame_kind kind;
};

/* False where the line is not a frame: "ADDRESS NAME+0xOFFSET (MODULE)". */
bool script_frame_parse(struct text_span line, struct script_frame *frame);
/* The frame's name; "[module]" where only the module is known. free() it. */
char *script_frame_name(const struct script_frame *frame);

#define SCRIPT_FRAME_TEXT 18

/* GCC's and Clang's vectors: one instruction for sixteen characters on any machine that has it. */
typedef uint8_t script_chars __attribute__((vector_size(16)));

static inline script_chars
script_hex_digits(script_chars c)
{
	return (script_chars)((c - '0') < 10) | (script_chars)(((c | 0x20) - 'a') < 6);
}

/*
 * Where perf writes what follows a frame's address: "\t%16lx ". Whether the line, of which at least
 * so many bytes are there, begins just like that.
 */
static inline bool
script_frame_is_aligned(const char *line)
{
	script_chars before;
	script_chars address;

	memcpy(&before, line, sizeof(before));
	memcpy(&address, line + 1, sizeof(address));

	script_chars blanks = (script_chars)(address == ' ');
	script_chars good =
		(script_hex_digits(address) | blanks) & ~(script_hex_digits(before) & blanks);
	uint64_t halves[2];

	memcpy(halves, &good, sizeof(good));
	return (halves[0] & halves[1]) == UINT64_MAX && line[0] == '\t' && line[16] != ' ' &&
	       line[17] == ' ';
}

#endif
