#include "gate/finding_lines.h"

#include "analysis/annotation.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/code_owners.h"
#include "builds/diff_hunks.h"
#include "commands/annotate.h"
#include "gate/evidence.h"
#include "gate/finding_changes.h"
#include "gate/source_changes.h"
#include "ingest/ingest.h"
#include "ingest/ingest_cache.h"
#include "measurement/measurement.h"
#include "measurement/run_capture.h"
#include "output/report.h"
#include "output/rows.h"
#include "profile/line_weights.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The changed source line that made a function slower.
 */

/* The source in which it is searched. */
struct grown_line_source {
	const struct changed_lines *changed;
	const struct report *report; /* it has the source files */
	/*
	 * The path of the function's file, for lines whose file is not known; NULL: not known
	 * either.
	 */
	const char *declared_in;
};

/* The growth of a row, with all that it calls. With one side only, its cost. */
static double
growth_of(const struct annotation_rows *rows, const struct annotation_row *row)
{
	const double first = annotation_figure(rows, 0, row->total[0]);

	return rows->annotation->nsides > 1 ? annotation_figure(rows, 1, row->total[1]) - first
					    : first;
}

/* The path in the repository of a file of the rows; NULL: it is not in the repository. */
static const char *
path_of(const struct annotation_rows *rows, uint32_t file, const struct grown_line_source *source)
{
	const char *name = rows->files.all[file].path;
	const struct report_source *found = name ? report_find_source(source->report, name) : NULL;

	if (!name)
		return source->declared_in;
	return found ? found->path : NULL;
}

/*
 * The row that grew most, of those whose line is in `changed`, or (NULL) of all; NULL: none grew.
 */
static const struct annotation_row *
find_largest(const struct annotation_rows *rows, const struct changed_lines *changed,
	const struct grown_line_source *source)
{
	const struct annotation_row *most = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct annotation_row *row = &rows->rows[i];
		const char *path = path_of(rows, row->file, source);

		if (path && growth_of(rows, row) > (most ? growth_of(rows, most) : 0) &&
			(!changed || changed_lines_have(changed, path, row->line)))
			most = row;
	}
	return most;
}

/* The last line with weight in the file. */
static uint32_t
last_line(const struct annotation_rows *rows, uint32_t file)
{
	uint32_t last = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].file == file && rows->rows[i].line > last)
			last = rows->rows[i].line;
	return last;
}

/* The changed line of the function nearest to the one that grew most; 0: none. */
static uint32_t
find_near(const struct annotation_rows *rows, const struct grown_line_source *source,
	const struct annotation_row *most)
{
	const struct annotation_side *side = annotation_last(rows->annotation);
	const struct frame *declared = annotation_declaration(side);
	const char *file = declared ? strtab_str(&side->profile->strings, declared->file) : "";

	/* Inlined code may be in another file. */
	const char *path = rows->files.all[most->file].path;

	if (!declared || !path || strcmp(file, path) != 0)
		return 0;
	return changed_lines_near(source->changed, path_of(rows, most->file, source),
		declared->line, last_line(rows, most->file), most->line);
}

/*
 * Finds the changed line of the function that grew most, with all that it calls. Where no changed
 * line grew: the changed line nearest to the line that grew most, from the function's declaration
 * to its last line with weight. NULL and 0: there is none. `path`, in the repository, is borrowed.
 */
static void
grown_line_find(const struct annotation_rows *rows, const struct grown_line_source *source,
	const char **path, uint32_t *line)
{
	const struct annotation_row *most = find_largest(rows, source->changed, source);

	*line = most ? most->line : 0;
	if (!most) {
		most = find_largest(rows, NULL, source);
		*line = most ? find_near(rows, source, most) : 0;
	}
	*path = *line > 0 ? path_of(rows, most->file, source) : NULL;
}

/* Limits of what is read, and of what the report shows. */
#define FUNCTIONS_MOST 6
#define CAPTURES_MOST 5 /* of each side */
#define LINES_MOST 40

/* The functions with findings, whose lines are read. */
struct wanted_functions {
	const char *names[FUNCTIONS_MOST]; /* the comparison's */
	/*
	 * Their costs in the findings, by side (before, after): the costs of lines add up to these.
	 */
	double costs[FUNCTIONS_MOST][MEASURE_SIDES];
	uint32_t definitions[FUNCTIONS_MOST]; /* the definition because of which the code changed;
						 0: none, or not known which of several */
	bool are_defined_anew[FUNCTIONS_MOST];
	const struct finding *findings[FUNCTIONS_MOST]; /* the first about each */
	const struct judgement *judgement;
	struct finding_difference difference; /* of the source */
	size_t count;
};

/* The text of the line whose own cost grew most; "": none did. */
static const char *
grown_text(const struct report_lines *lines)
{
	const char *text = "";
	double most = 0;

	for (size_t i = 0; i < lines->nentries; i++) {
		const struct annotation_entry *entry = &lines->entries[i];
		const double growth =
			lines->pairs ? entry->self[1] - entry->self[0] : entry->self[0];

		if (entry->kind == ANNOTATION_LINE && growth > most) {
			most = growth;
			text = entry->text;
		}
	}
	return text;
}

/*
 * Puts the changed type or macro ahead of the text on the lines that grew. Where the function has
 * several, it is the one on the line that grew most.
 */
static void
put_definition(
	struct report_lines *lines, uint32_t number, const struct finding_lines_options *options)
{
	const char *path;
	const char *name;

	if (!options->source)
		return;
	if (number == 0)
		number = source_changes_definition_in(options->source, grown_text(lines));
	name = source_changes_definition(options->source, number, &path, &lines->changed_line);
	if (!name)
		return;
	lines->changed_path = arena_strdup(options->arena, path);
	lines->growth = arena_printf(options->arena, "%s:%u: %s changed%s%s", path,
		lines->changed_line, name, lines->growth[0] ? "; " : "", lines->growth);
}

/* Adds the function of a finding, once. */
static void
want_function(struct wanted_functions *wanted, const struct judgement *judgement,
	const struct finding *finding)
{
	const struct comparison *comparison = &judgement->comparison;
	const char *name = profile_frame_name(&comparison->profile, finding->frame);

	for (size_t i = 0; i < wanted->count; i++)
		if (strcmp(wanted->names[i], name) == 0)
			return;
	if (wanted->count == FUNCTIONS_MOST)
		return;
	wanted->definitions[wanted->count] = code_definition(judgement->input.code, finding->frame);
	wanted->are_defined_anew[wanted->count] =
		code_is_defined_anew(judgement->input.code, finding->frame);
	rows_self_costs(
		comparison, &judgement->verdict, finding->frame, wanted->costs[wanted->count]);
	wanted->findings[wanted->count] = finding;
	wanted->names[wanted->count++] = name;
}

static void
want_functions(struct wanted_functions *wanted, const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;

	for (size_t i = 0; i < verdict->nall && judgement->compared; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->frame != 0 && finding->status != STATUS_PASS)
			want_function(wanted, judgement, finding);
	}
}

static bool
read_capture(struct line_weights *weights, const char *path, const struct measurement *m,
	struct ingest_cache *cache)
{
	const struct capture_policy *policy = &m->workload->capture;
	struct ingest_options options = {.cache = cache, .may_be_empty = true, .lines = weights};
	struct profile profile;
	struct err err = {0};

	run_capture_select_threads(policy->thread, policy->metric, &options);
	profile_init(&profile);
	int result = ingest_file(&profile, path, &options, &err);

	if (result < 0)
		log_debug("no lines are read: %s", err.text);
	profile_release(&profile);
	return result == 0;
}

/* Adds up the weights of lines in the last captures of a side. */
static void
read_side(struct line_weights *weights, const struct measurement *m, enum measure_side side,
	const struct finding_lines_options *options)
{
	unsigned nread = 0;

	for (unsigned attempt = m->attempts; attempt > 0 && nread < CAPTURES_MOST; attempt--) {
		char *path = measurement_capture_path(m, options->scratch_dir, side, attempt);

		if (file_exists(path))
			nread += read_capture(weights, path, m, options->cache);
		free(path);
	}
}

/* Copies the rows into the arena, with their texts, so that the annotation can be released. */
static void
keep_rows(struct report_lines *lines, const struct annotation_rows *rows, struct arena *arena)
{
	struct annotation_entries entries;
	struct buf growth = {0};

	annotation_entries_init(&entries, rows);
	struct annotation_entry *kept = arena_alloc(arena, entries.count * sizeof(*kept));

	for (size_t i = 0; i < entries.count; i++) {
		kept[i] = entries.entries[i];
		kept[i].text = arena_strdup(arena, kept[i].text);
	}
	if (lines->pairs)
		annotation_put_growth(rows, &growth);
	lines->unit = annotation_unit(rows) ? arena_strdup(arena, annotation_unit(rows)) : NULL;
	lines->growth = arena_strdup(arena, buf_text(&growth));
	lines->entries = kept;
	lines->nentries = entries.count;
	lines->left_out = rows->left_out;
	buf_release(&growth);
	annotation_entries_release(&entries);
}

/* Shows files by their paths in the repository, where debug information has relative names. */
static void
name_files(struct annotation_rows *rows, const struct report *report)
{
	for (size_t i = 0; i < rows->files.count; i++) {
		struct annotation_file *file = &rows->files.all[i];
		const struct report_source *found = file->path && file->path[0] != '/'
							    ? report_find_source(report, file->path)
							    : NULL;

		file->shown = found ? found->path : NULL;
	}
}

/* What changed in the function, and near it. */
static void
keep_changes(struct report_lines *lines, const struct annotate_result *result,
	const struct grown_line_source *source, const struct finding_difference *difference,
	const struct finding_function *function, struct arena *arena)
{
	const struct annotation_rows *rows = &result->rows;
	struct finding_line *weighted = mem_zalloc(rows->count + 1, sizeof(*weighted));
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const char *path = path_of(rows, rows->rows[i].file, source);

		if (path)
			weighted[count++] = (struct finding_line){path, rows->rows[i].line};
	}
	finding_changes_put_hunks(&lines->changes, difference, function, weighted, count, arena);
	finding_changes_put_code(&lines->changes, result, arena);
	free(weighted);
}

/* Reads the lines of one function. False: no capture has a stack with it. */
static bool
read_function(struct report_lines *lines, const struct wanted_functions *wanted, size_t number,
	const struct measurement *m, const struct finding_lines_options *options)
{
	const char *name = wanted->names[number];
	const double *own_cost = wanted->costs[number];
	struct line_weights weights[MEASURE_SIDES];
	struct annotate_request request = {.nsides = m->nsides, .most_lines = LINES_MOST};
	bool any = false;

	for (size_t i = 0; i < m->nsides; i++) {
		/* In an annotation the base comes first. */
		const enum measure_side side =
			m->nsides > 1 && i == 0 ? MEASURE_BASE : MEASURE_CANDIDATE;

		line_weights_init(&weights[i], name);
		read_side(&weights[i], m, side, options);
		request.sides[i] = (struct annotation_side){
			.profile = &m->sides[side].profile,
			.weights = &weights[i],
			.sources.root = side == MEASURE_BASE ? options->base_root : NULL,
			.own_cost = m->nsides > 1 ? own_cost[i] : 0,
		};
		any |= weights[i].total > 0;
	}
	if (any) {
		struct annotate_result result;

		*lines = (struct report_lines){
			.function = arena_strdup(options->arena, name), .pairs = m->nsides > 1};
		annotate_rows(&request, &result);
		name_files(&result.rows, options->report);
		keep_rows(lines, &result.rows, options->arena);
		const struct grown_line_source source = {
			.changed = options->changed,
			.report = options->report,
			.declared_in = options->source
					       ? source_changes_declared(options->source, name)
					       : NULL,
		};

		grown_line_find(&result.rows, &source, &lines->changed_path, &lines->changed_line);
		if (lines->changed_path)
			lines->changed_path = arena_strdup(options->arena, lines->changed_path);
		else if (wanted->are_defined_anew[number])
			put_definition(lines, wanted->definitions[number], options);
		if (lines->changed_path)
			lines->changed_owners =
				code_owners_of(options->owners, lines->changed_path);
		const struct causes *causes = wanted->findings[number]->causes;

		keep_changes(lines, &result, &source, &wanted->difference,
			&(struct finding_function){
				.comparison = &wanted->judgement->comparison,
				.frame = wanted->findings[number]->frame,
				.causes = causes ? causes
						 : evidence_late_causes(wanted->judgement,
							   wanted->findings[number]->frame,
							   options->arena),
				.marked_path = lines->changed_path,
				.marked_line = lines->changed_line,
			},
			options->arena);
		annotate_result_release(&result);
	}
	for (size_t i = 0; i < m->nsides; i++)
		line_weights_release(&weights[i]);
	return any;
}

void
finding_lines_read(struct report_workload *entry, const struct measurement *m,
	const struct finding_lines_options *options)
{
	struct wanted_functions wanted = {.judgement = entry->judgement};

	if (m->error)
		return;
	want_functions(&wanted, entry->judgement);
	if (wanted.count == 0)
		return;
	finding_difference_init(&wanted.difference, options->base_commit, options->hunks,
		options->source, &m->sides[MEASURE_CANDIDATE].profile);
	struct report_lines *lines = arena_alloc(options->arena, wanted.count * sizeof(*lines));

	for (size_t i = 0; i < wanted.count; i++)
		entry->nlines += read_function(&lines[entry->nlines], &wanted, i, m, options);
	entry->lines = lines;
	finding_difference_release(&wanted.difference);
}
