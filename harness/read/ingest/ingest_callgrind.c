/*
 * The reader of callgrind files: header and part, costs by source line, then the lines of the file
 * in their order.
 */
#include "base/buf.h"
#include "base/lines.h"
#include "base/log.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/line_weights.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The header of a part of a callgrind file: its process, and the events that its costs count.
 *
 * A part is a thread, or a time, of a run; concatenated files are read as parts, too.
 */

/* All zeros before the first. */
struct callgrind_part {
	size_t positions;     /* in each line of costs; where not stated, one: the line */
	size_t line_position; /* which of them is the source line; SIZE_MAX: none */
	size_t nevents;       /* 0: not stated */
	struct event_sum sum; /* what is read of each line of costs; empty if the selected event is
				 not among the file's */
	struct buf events;    /* the names of all */
	struct buf event;     /* the name of the one, or of the metric, that is read; set once */
	const struct metric *metric; /* that the file was captured for; NULL: not stated */
	struct buf command;
	struct buf program; /* the name of the file that the command starts */
	uint32_t pid;
	uint32_t thread; /* 0: not stated */
};

static void
part_release(struct callgrind_part *part)
{
	buf_release(&part->events);
	buf_release(&part->event);
	buf_release(&part->command);
	buf_release(&part->program);
}

/* Forgets what another file stated. */
static void
part_begin_file(struct callgrind_part *part)
{
	buf_clear(&part->command);
	buf_clear(&part->program);
	part->pid = part->thread = 0;
	part->positions = 1;
	part->line_position = 0;
	part->nevents = 0;
	part->metric = NULL;
}

static void
select_event(struct callgrind_part *part, struct event_sum sum, struct line name)
{
	part->sum = sum;
	buf_clear(&part->event);
	buf_put(&part->event, name.at, name.len);
}

/* Selects the sum of a metric if the file has its events. */
static bool
select_metric(struct callgrind_part *part, const struct metric *metric, struct line names)
{
	struct event_sum sum;

	if (!metric || !event_sum_of_metric(&sum, metric, names.at, names.len))
		return false;
	select_event(part, sum, (struct line){metric->name, strlen(metric->name)});
	return true;
}

/* "Ir Dr": finds the event that is wanted, else that of the file's metric, else the first. */
static void
take_events(struct callgrind_part *part, struct line names, const char *wanted)
{
	struct line rest = names;
	struct line name;

	part->sum = (struct event_sum){0};
	buf_clear(&part->events);
	part->nevents = 0;
	for (size_t i = 0; words_take(&rest, &name); i++) {
		part->nevents++;
		buf_puts(&part->events, i > 0 ? ", " : "");
		buf_put(&part->events, name.at, name.len);
		if (part->sum.nterms == 0 && (wanted ? words_are(name, wanted) : i == 0))
			select_event(part, event_sum_single(i), name);
	}
	if (!wanted)
		select_metric(part, part->metric, names);
	else if (part->sum.nterms == 0)
		select_metric(part, metric_find(wanted), names);
}

/* "Metric: l1_misses", as captures of ours have it in their description. */
static void
take_description(struct callgrind_part *part, struct line value)
{
	struct line key;
	char name[32];

	words_take(&value, &key);
	value = words_trim(value);
	if (!words_are(key, EVENT_SUM_KEY) || value.len >= sizeof(name))
		return;
	memcpy(name, value.at, value.len);
	name[value.len] = '\0';
	part->metric = metric_find(name);
}

/* "instr line" */
static void
take_positions(struct callgrind_part *part, struct line names)
{
	struct line name;

	part->line_position = SIZE_MAX;
	for (part->positions = 0; words_take(&names, &name); part->positions++)
		if (words_are(name, "line"))
			part->line_position = part->positions;
}

/* A number at the start of the text, cut to 32 bits. */
static uint32_t
number_of(struct line text)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++)
		value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(text.at[i] - '0');
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The program's name is that of its file, which has a bound: it is needed for each part. */
static void
take_command(struct callgrind_part *part, struct line value)
{
	struct line rest = value;
	struct line program;

	words_take(&rest, &program);
	const char *slash = memrchr(program.at, '/', program.len);

	if (slash) {
		program.len -= (size_t)(slash + 1 - program.at);
		program.at = slash + 1;
	}
	buf_clear(&part->command);
	buf_put(&part->command, value.at, value.len);
	buf_clear(&part->program);
	buf_put(&part->program, program.at, program.len < NAME_MAX ? program.len : NAME_MAX);
}

/* Takes a header line; those that are not needed are ignored. */
static void
part_take(struct callgrind_part *part, const struct callgrind_line *line,
	const struct ingest_options *options)
{
	const struct line value = line->value;

	if (callgrind_line_is(line, "events")) {
		take_events(part, value, options->event);
	} else if (callgrind_line_is(line, "desc")) {
		take_description(part, value);
	} else if (callgrind_line_is(line, "positions")) {
		take_positions(part, value);
	} else if (callgrind_line_is(line, "cmd")) {
		take_command(part, value);
	} else if (callgrind_line_is(line, "pid")) {
		part->pid = number_of(value);
	} else if (callgrind_line_is(line, "thread")) {
		part->thread = number_of(value);
	}
}

/* A process without a thread line has one thread. */
static uint32_t
thread_of(const struct callgrind_part *part)
{
	return part->thread > 0 ? part->thread : part->pid;
}

/* The node that its stacks stand below. */
static node_id
part_root(const struct callgrind_part *part, const struct ingest_options *options,
	struct profile *profile)
{
	const struct labels *by = labels_or_thread(&options->by);
	node_id node = CTREE_ROOT;

	for (size_t i = 0; i < by->count; i++) {
		char *value = selection_value(by->all[i].kind, buf_text(&part->program),
			part->program.len, part->pid, thread_of(part));

		node = ctree_child(&profile->tree, node,
			profile_frame(profile, value, strlen(value), FRAME_USER));
		free(value);
	}
	return node;
}

/* Whether the options select it. */
static bool
part_is_wanted(const struct callgrind_part *part, const struct ingest_options *options)
{
	return selection_takes(
		options, part->pid, thread_of(part), buf_text(&part->program), part->program.len);
}

/*
 * The costs of one function in a callgrind file by source line.
 */

/* Zero it and set `weights`. */
struct callgrind_lines {
	struct line_weights *weights; /* borrowed; NULL: not wanted */
	struct callgrind_names *names;
	str_id file;          /* of the lines that follow */
	str_id function_file; /* of the lines of each function that follows, at first */
	uint64_t line;        /* of the line of costs before: others are relative to it */
	bool inside;          /* the lines are the function's */
};

/* As far as the text alone shows: of separated callers, only the innermost. */
static bool
is_wanted(struct callgrind_lines *lines, str_id function)
{
	const str_id leaf = callgrind_names_leaf(lines->names, function);

	return strcmp(strtab_str(&lines->names->texts, leaf), lines->weights->function) == 0;
}

/* A position was read: the function, or a source file, of the lines that follow. */
static void
callgrind_lines_position(
	struct callgrind_lines *lines, const struct callgrind_line *line, str_id id)
{
	if (!lines->weights || line->place != CALLGRIND_HERE)
		return;
	if (line->names == CALLGRIND_SOURCE) {
		lines->file = id;
		if (line->begins_function)
			lines->function_file = id;
	} else if (line->names == CALLGRIND_FUNCTION) {
		lines->inside = is_wanted(lines, id);
		lines->file = lines->function_file;
	}
}

/* Moves to the source line that a line of costs is of, as those without costs do, too. */
static void
callgrind_lines_move(
	struct callgrind_lines *lines, const struct callgrind_part *part, struct line text)
{
	struct line word = {0};
	char digits[32];

	if (!lines->weights || part->line_position == SIZE_MAX)
		return;
	for (size_t i = 0; i <= part->line_position; i++)
		words_take(&text, &word);
	if (word.len == 0 || word.len >= sizeof(digits) || *word.at == '*')
		return;
	memcpy(digits, word.at, word.len);
	digits[word.len] = '\0';
	const uint64_t number = strtoull(digits + (*digits == '+' || *digits == '-'), NULL, 0);

	lines->line = *digits == '+'   ? lines->line + number
		      : *digits == '-' ? lines->line - number
				       : number;
}

/* Adds the cost of the line that it moved to; `callee`: of calls of that function, else 0. */
static void
callgrind_lines_add(struct callgrind_lines *lines, double cost, str_id callee)
{
	const bool known = lines->line <= UINT32_MAX;
	const struct line_place place = {
		.file = lines->file ? strtab_str(&lines->names->texts, lines->file) : NULL,
		.line = known ? (uint32_t)lines->line : 0,
	};

	if (!lines->weights)
		return;
	if (!callee)
		lines->weights->whole += cost;
	/* A function's call of itself is in its cost already. */
	if (!lines->inside || (callee && is_wanted(lines, callee)))
		return;
	line_weights_begin(lines->weights, 0);
	line_weights_add(lines->weights, &place, cost, !callee);
}

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

	struct callgrind_lines lines_of; /* the function whose lines are wanted */
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
	}
	part_begin_file(&reading->part);
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
	const node_id root = part_root(&reading->part, reading->options, profile);

	if (reading->root != CTREE_ROOT && reading->root != root)
		flush(reading);
	reading->root = root;
	reading->skipped = !part_is_wanted(&reading->part, reading->options);
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
	part_take(&reading->part, line, reading->options);
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
	part_release(&reading.part);
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
