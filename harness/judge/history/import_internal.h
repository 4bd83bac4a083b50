/*
 * The entries of a history while it is read from another tool's (import.h), by import_json.c or
 * import_table.c.
 */
#ifndef HISTORY_IMPORT_INTERNAL_H
#define HISTORY_IMPORT_INTERNAL_H

#include "base/text_map.h"
#include "history/history_files.h"

#include <stdbool.h>

/* A history that is being read. */
struct import {
	struct history *history;
	struct text_map series; /* of class and workload: index into history->files */
	const char *name;       /* of the input, for errors */
	const char *text;
	size_t len;
	size_t nskipped;           /* values that are empty or not above 0 */
	const char *first_skipped; /* in the text; NULL: not known */
};

/* A value of a series. Texts are borrowed until it is added. */
struct import_value {
	const char *machine_class;
	const char *workload;
	const char *function; /* "": the whole program */
	const char *metric;
	const char *unit;
	const char *commit;
	const char *link; /* URL of the commit; "" or no http(s) URL: none */
	int64_t started;
	double value;
	double error;   /* standard error, in the unit; NAN: not known */
	bool is_rate;   /* more is better; units that end with "/s" say it themselves */
	const char *at; /* where it stands in the text; NULL: not known */
};

/* Adds the value, or counts it as skipped. */
void import_add(struct import *import, const struct import_value *value);

/* Each reads one form of input. */
int import_json(struct import *import, struct err *err);
int import_table(struct import *import, struct err *err);

#endif
