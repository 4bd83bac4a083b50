/*
 * Learns which fields the samples in perf script's text have, from the first ones.
 */
#include "ingest/ingest.h"
#include "ingest/script_internal.h"

/* Enough for as many samples without chains, and for tens with long ones. */
#define LINES_MAX 2048

/* Headers with a time, those with an event only, and those with neither. */
enum { TIMED, NAMED, BARE, KINDS };

struct headers {
	size_t count;
	size_t with_comms;
	size_t with_ids;
	size_t with_misc;
};

struct evidence {
	struct headers headers[KINDS];
	size_t frames;
	size_t with_names;
	size_t with_modules;
	size_t certain_modules; /* ... that are no part of a name */
	size_t after_tab;
	bool in_chain; /* the line before was a frame, or belonged to one */
};

/* `inlined`: the line after it says so. */
static void
learn_frame(struct evidence *evidence, struct line line, bool inlined)
{
	struct script_frame_parts parts;

	if (!script_frame_split(line, &parts))
		return;
	evidence->with_names += parts.name.len > 0;
	/* perf prints no module of inlined frames. */
	if (inlined || parts.inlined)
		return;
	evidence->frames++;
	if (!parts.has_module)
		return;
	evidence->with_modules++;
	evidence->certain_modules += parts.module.at[0] == '/' || parts.module.at[0] == '[' ||
				     parts.offset_len > 0 || parts.name.len == 0 ||
				     parts.name.at[0] == '[';
}

/* The line after the one that was taken last; empty at the end. */
static struct line
next_line(const struct lines *lines)
{
	struct lines ahead = *lines;
	struct line line;
	struct err ignored = {0};

	return lines_next(&ahead, &line, &ignored) > 0 ? line : (struct line){"", 0};
}

/* Whether a line looks like a message; one with a time is a sample of a thread of such a name. */
static bool
is_other(struct line line, const struct script_header *header)
{
	unsigned blanks;

	return header->time.len == 0 &&
	       script_other_find(script_line_trim(line), &blanks) != SCRIPT_OTHER_NONE;
}

/* A header, and its frame where it has one. Other lines are not of interest. */
static void
learn_header(struct evidence *evidence, struct line line, bool before_frame)
{
	static const struct script_layout unknown;
	struct script_header header;
	struct line frame;

	if (!script_header_parse(line, &unknown, &header) || header.is_record ||
		(!header.is_certain && !before_frame) || is_other(line, &header))
		return;
	struct headers *headers = &evidence->headers[header.time.len > 0    ? TIMED
						     : header.event.len > 0 ? NAMED
									    : BARE];

	headers->count++;
	headers->with_comms += header.comm.len > 0;
	headers->with_ids += header.ids.len > 0;
	headers->with_misc += header.has_misc;
	if (!before_frame &&
		script_rest_parse(header.rest, header.event, &frame) == SCRIPT_REST_FRAME &&
		script_rest_cut(&frame))
		learn_frame(evidence, frame, false);
}

static void
learn_line(struct evidence *evidence, struct line line, const struct lines *lines)
{
	const struct line trimmed = script_line_trim(line);
	const struct line next = next_line(lines);
	bool inlined = false;

	if (evidence->in_chain && script_source_line_is(trimmed, &inlined))
		return;
	evidence->in_chain = script_frame_follows_tab(trimmed);
	if (trimmed.len == 0)
		return;
	if (evidence->in_chain) {
		evidence->after_tab++;
		script_source_line_is(script_line_trim(next), &inlined);
		learn_frame(evidence, trimmed, inlined);
	} else {
		learn_header(evidence, line, script_frame_follows_tab(next));
	}
}

int
script_layout_learn(struct script_layout *layout, const struct file_view *view, struct err *err)
{
	struct evidence evidence = {0};
	struct lines lines;
	struct line line;
	int more = 1;

	lines_init(&lines, view);
	while (lines.number < LINES_MAX && (more = lines_next(&lines, &line, err)) > 0)
		learn_line(&evidence, line, &lines);
	unsigned kind = TIMED;

	/* Lines of the other kinds are something else, such as a message. */
	while (kind < BARE && evidence.headers[kind].count == 0)
		kind++;
	const struct headers *headers = &evidence.headers[kind];

	*layout = (struct script_layout){
		.timed = kind == TIMED,
		.named = kind == NAMED,
		.no_comms = headers->with_comms == 0,
		.no_ids = headers->with_ids < headers->count || headers->count == 0,
		.all_ids = headers->count > 0 && headers->with_ids == headers->count,
		.no_misc = headers->with_misc<headers->count, .no_names = evidence.frames> 0 &&
			   evidence.with_names == 0,
		.no_modules =
			evidence.certain_modules == 0 && evidence.with_modules < evidence.frames,
		.no_tabs = evidence.after_tab == 0,
	};
	return more < 0 ? -1 : 0;
}

/*
 * The first line that says what the text is decides: a sample's, or a stack's where samples have no
 * other fields.
 */
bool
script_is_text(const char *bytes, size_t len)
{
	static const struct script_layout unknown;
	struct first_lines first;
	struct line raw;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &raw)) {
		const struct line line = script_line_trim(raw);
		struct script_header header;
		struct line next;

		if (line.len == 0)
			continue;
		const bool parsed = script_header_parse(raw, &unknown, &header);

		if (is_other(raw, &header) || (parsed && header.is_record))
			continue;
		if (script_frame_follows_tab(line))
			return true;
		if (!parsed)
			return false;
		return header.is_certain || script_header_is_exact(raw, &header) ||
		       (first_lines_next(&first, &next) && script_frame_follows_tab(next));
	}
	return false;
}
