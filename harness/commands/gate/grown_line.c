#include "gate/grown_line.h"

#include "analysis/annotation.h"
#include "builds/commit_files.h"
#include "ingest/ingest.h"
#include "output/report.h"
#include "output/rows.h"

#include <string.h>

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

void
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
