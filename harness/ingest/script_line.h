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

/* A part of the text; not terminated. */
struct text_span {
	const char *at;
	size_t len;
};

struct script_header {
	struct text_span comm;
	struct text_span event; /* without its last colon; empty if not there */
	struct text_span rest;  /* after the event: a frame where there is no call chain */
	bool has_event;         /* there was an event or at least a time: surely such a line */
	double time_s;          /* 0 if not there */
};

/* False where the line is not a sample's first line. */
bool script_header_parse(struct text_span line, struct script_header *header);

struct script_frame {
	struct text_span name;   /* without offset; "[unknown]" as it stands */
	struct text_span module; /* empty for inlined frames */
	enum frame_kind kind;
};

/* False where the line is not a frame: "ADDRESS NAME+0xOFFSET (MODULE)". */
bool script_frame_parse(struct text_span line, struct script_frame *frame);
/* The frame's name; "[module]" where only the module is known. free() it. */
char *script_frame_name(const struct script_frame *frame);

#endif
