/*
 * The change points of series in a file of marks (trend_marks.py says its format), one series a
 * line: its name, a tab, and the places of its change points between commas.
 *
 * usage: trend_marks FILE
 */
#include "history/change_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 6
#define VALUES 5

static void
put_change_points(char *text)
{
	double *values = malloc((strlen(text) + 1) * sizeof(*values));
	struct change_point *points;
	size_t n = 0;

	if (!values)
		exit(2);
	for (char *value; (value = strsep(&text, ","));)
		values[n++] = log(strtod(value, NULL));
	size_t count = change_points_find(values, n, &change_search_default, &points);

	for (size_t i = 0; i < count; i++)
		printf("%s%zu", i > 0 ? "," : "", points[i].at);
	free(points);
	free(values);
}

int
main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		perror(argc > 1 ? argv[1] : "usage: trend_marks FILE");
		return 2;
	}
	while (getline(&line, &size, file) > 0) {
		char *fields[FIELDS] = {NULL};
		char *rest = line;

		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; line[0] != '#' && i < FIELDS; i++)
			fields[i] = strsep(&rest, "\t");
		if (!fields[VALUES])
			continue;
		printf("%s\t", fields[0]);
		put_change_points(fields[VALUES]);
		putchar('\n');
	}
	free(line);
	fclose(file);
	return 0;
}
