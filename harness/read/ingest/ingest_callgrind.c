/*
 * The reader of callgrind files: takes the lines of the file in their order, fills the call graph
 * of each process with their costs, and has it converted to stacks.
 */
#include "base/buf.h"
#include "base/lines.h"
#include "base/log.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NO_COSTS "expected the line of the costs of the call, or of the jump, above"
#define FORMAT_MARK "# callgrind format"

static bool
is_mark(struct line line)
{
	return line.len >= sizeof(FORMAT_MARK) - 1 &&
	       memcmp(line.at, FORMAT_MARK, sizeof(FORMAT_MARK) - 1) == 0;
}

/* The mark that it begins with since Valgrind 3.13; older files have a header up to the events. */
static bool
detect_callgrind(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line text;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &text)) {
		const struct callgrind_line line = callgrind_line_parse(text);

		if (is_mark(text) || callgrind_line_is(&line, "events"))
			return true;
		if (line.kind != CALLGRIND_EMPTY && !callgrind_line_is_known(&line))
			return false;
	}
	return false;
}

/* The function, source and object that cost lines apply to. */
struct position {
	str_id names[CALLGRIND_NAME_KINDS];
};

struct reading {
	struct profile *profile;
	const char *path;
	const struct ingest_options *options;
	struct lines lines;
	struct line text; /* the line being read */
	size_t column;

	/* The file being read, of several that may be concatenated. */
	struct callgrind_names names;
	struct callgrind_graph graph;
	node_id root; /* of the graph; CTREE_ROOT: no part of it has begun */

	struct callgrind_part part; /* the one being read */
	bool in_body;
	bool skipped; /* the options do not select it */
	double part_total;

	struct position at;
	struct position called; /* 0: as `at` */
	bool has_callee;
	uint32_t function; /* of the graph; UINT32_MAX: to be looked up */
	enum { COSTS_SELF, COSTS_CALL, COSTS_NONE } next; /* what the next cost line has */

	struct callgrind_lines lines_of; /* costs of one function by source line */
	double total;
	double left_out;
	bool estimated;
};

static int
refuse_callgrind(const struct reading *reading, const char *at, const char *what, struct err *err)
{
	struct location location =
		lines_location(&reading->lines, reading->path, reading->text, at);

	return err_set_at(err, &location, "%s", what);
}

/* Puts the graph of a process into the tree. */
static void
flush(struct reading *reading)
{
	const struct callgrind_target target = {
		.profile = reading->profile,
		.column = reading->column,
		.root = reading->root,
		.no_marks = reading->options->no_marks,
		.short_names = reading->options->short_names,
	};

	if (reading->graph.nfunctions > 0 &&
		callgrind_put_stacks(&reading->graph, &reading->names, &target))
		reading->estimated = true;
	callgrind_graph_release(&reading->graph);
	reading->function = UINT32_MAX;
	reading->root = CTREE_ROOT;
}

/* Begins a new file, whose numbers stand for names of its own. */
static void
begin_file(struct reading *reading)
{
	flush(reading);
	if (reading->names.texts.nentries > 1) {
		callgrind_names_release(&reading->names);
		callgrind_names_init(&reading->names);
		callgrind_lines_begin(&reading->lines_of);
	}
	callgrind_part_begin_file(&reading->part);
	reading->in_body = false;
	reading->at = reading->called = (struct position){0};
}

/* Begins a new part of the same file, at a header line after a body. */
static void
begin_part(struct reading *reading)
{
	reading->in_body = false;
	reading->next = COSTS_SELF;
	reading->part_total = 0;
}

/* Begins the body of a part, at its first line after the header. */
static int
begin_body(struct reading *reading, struct err *err)
{
	struct profile *profile = reading->profile;
	const struct buf *command = &reading->part.command;

	if (reading->part.nevents == 0)
		return refuse_callgrind(reading, reading->text.at,
			"expected a line \"events: NAME ...\" ahead of the costs", err);
	if (reading->part.positions == 0)
		return refuse_callgrind(reading, reading->text.at,
			"the line \"positions:\" ahead of the costs names none, such as \"line\"",
			err);
	const node_id root = callgrind_part_root(&reading->part, reading->options, profile);

	if (reading->root != CTREE_ROOT && reading->root != root)
		flush(reading);
	reading->root = root;
	reading->skipped = !callgrind_part_is_wanted(&reading->part, reading->options);
	reading->in_body = true;
	if (profile->command == 0 && !reading->skipped && command->len > 0)
		profile->command = profile->workload =
			strtab_intern(&profile->strings, buf_text(command), command->len);
	return 0;
}

/* Warns where the stated total is not the sum of the cost lines: some are missing then. */
static void
check_total(const struct reading *reading, struct line values)
{
	const struct callgrind_columns columns = {.events = SIZE_MAX, .sum = &reading->part.sum};
	double stated;
	const char *at;

	if (reading->part.sum.nterms > 0 && callgrind_line_cost(values, &columns, &stated, &at) &&
		stated != reading->part_total)
		log_warn("%s: line %u states a total of %.0f, but its costs add up to %.0f",
			reading->path, reading->lines.number, stated, reading->part_total);
}

static int
take_header(struct reading *reading, const struct callgrind_line *line, struct err *err)
{
	if (callgrind_line_is(line, "totals")) {
		check_total(reading, line->value);
		begin_part(reading);
		return 0;
	}
	if (!callgrind_line_is_known(line))
		return refuse_callgrind(reading, reading->text.at,
			"expected a line of a callgrind file: \"fn=NAME\", \"LINE COST\", \"calls=\" "
			"or \"key: value\"",
			err);
	if (callgrind_line_is(line, "version"))
		begin_file(reading);
	/* Older files end in their summary. */
	if (reading->in_body)
		begin_part(reading);
	callgrind_part_take(&reading->part, line, reading->options);
	return 0;
}

static int
take_position(struct reading *reading, const struct callgrind_line *line, struct err *err)
{
	static const char *const unknown[] = {
		[CALLGRIND_FUNCTION] = "this function was given no name before",
		[CALLGRIND_SOURCE] = "this file was given no name before",
		[CALLGRIND_OBJECT] = "this object was given no name before",
	};
	struct position *position =
		line->place == CALLGRIND_CALLED ? &reading->called : &reading->at;
	str_id id;

	if (!callgrind_names_take(&reading->names, line->names, line->value, &id))
		return refuse_callgrind(reading, line->value.at, unknown[line->names], err);
	callgrind_lines_position(&reading->lines_of, line, id);
	if (line->place == CALLGRIND_JUMPED_TO ||
		(line->names == CALLGRIND_SOURCE && !line->begins_function))
		return 0;
	if (line->place == CALLGRIND_CALLED && line->names == CALLGRIND_FUNCTION)
		reading->has_callee = true;
	position->names[line->names] = id;
	if (position == &reading->at && line->names != CALLGRIND_SOURCE)
		reading->function = UINT32_MAX;
	return 0;
}

static uint32_t
current_function(struct reading *reading)
{
	if (reading->function == UINT32_MAX) {
		const str_id *names = reading->at.names;

		reading->function = callgrind_graph_function(
			&reading->graph, names[CALLGRIND_FUNCTION], names[CALLGRIND_OBJECT]);
		reading->graph.functions[reading->function].source = names[CALLGRIND_SOURCE];
	}
	return reading->function;
}

static void
take_call(struct reading *reading, double cost)
{
	const str_id *called = reading->called.names;
	str_id object = called[CALLGRIND_OBJECT] ? called[CALLGRIND_OBJECT]
						 : reading->at.names[CALLGRIND_OBJECT];
	uint32_t caller = current_function(reading);
	uint32_t callee =
		callgrind_graph_function(&reading->graph, called[CALLGRIND_FUNCTION], object);

	callgrind_graph_call(&reading->graph, caller, callee, cost);
	callgrind_lines_add(&reading->lines_of, cost, called[CALLGRIND_FUNCTION]);
	reading->called = (struct position){0};
	reading->has_callee = false;
}

static int
take_cost(struct reading *reading, struct line line, struct err *err)
{
	const char *at = line.at;
	double cost;

	const struct callgrind_columns columns = {
		.positions = reading->part.positions,
		.events = reading->next == COSTS_NONE ? 0 : reading->part.nevents,
		.sum = &reading->part.sum,
	};

	if (!callgrind_line_cost(line, &columns, &cost, &at))
		return refuse_callgrind(reading, at,
			at < line.at + line.len
				? "expected a number for each position, and for each event at most"
				: "expected a number for each position",
			err);
	callgrind_lines_move(&reading->lines_of, &reading->part, line);
	if (reading->next == COSTS_SELF)
		reading->part_total += cost;
	if (reading->skipped) {
		reading->left_out += reading->next == COSTS_SELF ? cost : 0;
	} else if (reading->next == COSTS_SELF) {
		/* Also one without cost: it may be a part of the names of stacks. */
		uint32_t function = current_function(reading);

		reading->graph.functions[function].self += cost;
		reading->total += cost;
		callgrind_lines_add(&reading->lines_of, cost, 0);
	} else if (reading->next == COSTS_CALL) {
		take_call(reading, cost);
	}
	reading->next = COSTS_SELF;
	return 0;
}

/* "calls=COUNT TARGET", "jump=COUNT TARGET" and "jcnd=COUNT/COUNT TARGET": a line of costs follows.
 */
static int
take_arc(struct reading *reading, const struct callgrind_line *line, struct err *err)
{
	if (line->value.len == 0 || *line->value.at < '0' || *line->value.at > '9')
		return refuse_callgrind(reading, line->value.at, "expected how often it was", err);
	if (line->kind == CALLGRIND_CALLS && !reading->has_callee)
		return refuse_callgrind(reading, reading->text.at,
			"expected \"cfn=NAME\", the function that is called, ahead of this", err);
	reading->next = line->kind == CALLGRIND_CALLS ? COSTS_CALL : COSTS_NONE;
	return 0;
}

static int
take_line(struct reading *reading, struct err *err)
{
	const struct callgrind_line line = callgrind_line_parse(reading->text);

	if (reading->next != COSTS_SELF && line.kind != CALLGRIND_COST &&
		(line.kind != CALLGRIND_EMPTY || is_mark(reading->text)))
		return refuse_callgrind(reading, reading->text.at, NO_COSTS, err);
	switch (line.kind) {
	case CALLGRIND_EMPTY:
		if (is_mark(reading->text))
			begin_file(reading);
		return 0;
	case CALLGRIND_HEADER:
	case CALLGRIND_OTHER:
		return take_header(reading, &line, err);
	case CALLGRIND_COST:
	case CALLGRIND_POSITION:
	case CALLGRIND_CALLS:
	case CALLGRIND_JUMP:
		break;
	}
	/* Names may be given ahead of a part's first costs, but nothing else. */
	if (!reading->in_body && begin_body(reading, err) < 0)
		return -1;
	if (line.kind == CALLGRIND_POSITION)
		return take_position(reading, &line, err);
	if (line.kind == CALLGRIND_COST)
		return take_cost(reading, line.value, err);
	return take_arc(reading, &line, err);
}

static int
read_lines(struct reading *reading, struct err *err)
{
	int more;

	while ((more = lines_next(&reading->lines, &reading->text, err)) > 0) {
		if (take_line(reading, err) < 0)
			return -1;
		lines_done(&reading->lines, reading->text.at);
	}
	if (more == 0 && reading->next != COSTS_SELF)
		return err_set(err, ERR_INPUT,
			"%s: ends after a call or a jump: the line of its costs is missing",
			reading->path);
	if (more == 0)
		flush(reading);
	return more;
}

static int
no_costs(const struct reading *reading, struct err *err)
{
	const char *event = reading->options->event;

	if (event && reading->part.event.len == 0) {
		const struct metric *metric = metric_find(event);

		err_set(err, ERR_INPUT, "%s: has no event '%s'", reading->path, event);
		err_note(err, "its events are: %s", buf_text(&reading->part.events));
		return metric && metric->events
			       ? err_note(err, "'%s' needs those of callgrind --cache-sim=yes",
					 event)
			       : -1;
	}
	err_set(err, ERR_INPUT, "%s: holds no costs", reading->path);
	return reading->left_out > 0
		       ? err_note(err, "a cost of %.0f of other processes was ignored",
				 reading->left_out)
		       : err_note(err, "run the program under callgrind again: with "
				       "--collect-atstart=no or --toggle-collect=FUNCTION it may "
				       "have collected nothing");
}

static void
describe_profile(struct reading *reading)
{
	struct profile *profile = reading->profile;
	const char *event = buf_text(&reading->part.event);
	/* Ir is callgrind's "instruction read". */
	bool instructions = strcmp(event, "Ir") == 0 || strcmp(event, "Instructions") == 0;
	const struct metric *metric = metric_find(instructions ? METRIC_INSTRUCTIONS : event);
	const char *unit = metric && metric->events ? metric->unit : event;
	struct run *run = &profile->runs[reading->column];

	describe_set(profile, &profile->event, event);
	describe_set(profile, &profile->metric, metric && metric->events ? metric->name : event);
	describe_set(profile, &profile->unit, unit);
	describe_set(profile, &profile->cost_unit, unit);
	if (reading->estimated)
		describe_set(profile, &profile->callgraph_why,
			"a call graph only: its stacks are estimated from the cost of calls");
	run->cost_total = reading->total;
	/* Real counts are far below 2^64. */
	run->samples = reading->total < 1e19 ? (uint64_t)reading->total : UINT64_MAX;
}

static int
read_callgrind(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile,
		.path = path,
		.options = options,
		.lines_of = {.weights = options->lines, .names = &reading.names}};

	lines_init(&reading.lines, view);
	callgrind_names_init(&reading.names);
	reading.column = profile_add_run(profile);
	begin_file(&reading);
	int result = read_lines(&reading, err);

	if (result == 0 && !(reading.total > 0))
		result = no_costs(&reading, err);
	if (result == 0)
		describe_profile(&reading);
	callgrind_graph_release(&reading.graph);
	callgrind_names_release(&reading.names);
	callgrind_part_release(&reading.part);
	return result;
}

const struct input_format ingest_callgrind = {
	.name = "callgrind",
	.summary = "the output of valgrind --tool=callgrind, also from other tools",
	.detect = detect_callgrind,
	.read = read_callgrind,
	.streams = true,
	.lines = true,
	.by_thread = true,
	.labels = LABELS_OF_THREADS,
};
