/*
 * The entries of a history while it is read from another tool's (import.h), by import_json.c,
 * import_table.c or import_suite.c.
 */
#ifndef HISTORY_IMPORT_INTERNAL_H
#define HISTORY_IMPORT_INTERNAL_H

#include "base/json_pull.h"
#include "base/text_map.h"
#include "history/history_files.h"

#include <stdbool.h>

struct import_suite;   /* import_suite.h */
struct import_skipped; /* import.h */

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

/* The series are united, and the history is complete; `skipped` as in import.h. */
void import_finish(struct import *import, struct import_skipped *skipped);

/* The output of a suite that is being read (import_suite.h). */
struct suite_reading {
	struct import import;
	const struct import_suite *suite;
	int64_t started;    /* in the output; 0: not there */
	const char *commit; /* in the output, the arena's; NULL: not there */
	size_t nleft_out;   /* benchmarks that failed, metrics that are not known */
	struct err *err;
};

struct suite_value {
	const char *benchmark;
	const char *metric;
	const char *unit;
	double value;
	double error;   /* standard error, as the value; NAN: not known */
	double scale;   /* to the unit */
	bool is_rate;   /* the value counts what is done in `scale` units */
	const char *at; /* of the value, in the text */
};

/* Adds a value; an error where it is negative, not finite, or too large to be one. */
int suite_add(struct suite_reading *reading, const struct suite_value *value);
/* An error at this place of the text; returns -1. */
int suite_refuse(const struct suite_reading *reading, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs, for the first time, what is left out: a benchmark, or a quantity of one. */
void suite_leave_out(struct suite_reading *reading, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Nanoseconds of a unit of time such as "us"; 0: no such unit. */
double suite_unit_ns(const char *text, size_t len);

/* Suites that write JSON. */

/* A number, and where it stands. */
struct suite_number {
	double value; /* NAN: not there, or no number */
	const char *at;
};

/* The place of the value that comes next. */
const char *suite_next_value(const struct suite_reading *reading, const struct json_pull *json);
struct suite_number suite_take_number(const struct suite_reading *reading, struct json_pull *json);
/* An error of the values, unless the text is no JSON, of which json_pull_end() has the error. */
int suite_refuse_value(const struct suite_reading *reading, const struct json_pull *json,
	const char *at, const char *expected);
/* The nanoseconds of a unit that stands at `at`; -1: an error. */
int suite_find_scale(const struct suite_reading *reading, const struct json_pull *json,
	const char *at, const char *unit, double *scale);
/* Adds a time, as suite_add() does, in nanoseconds. */
int suite_add_time(struct suite_reading *reading, const char *benchmark, const char *metric,
	struct suite_number time, double error, double scale);

/* Reads a value; of a list of benchmarks, what is within the object of one. */
typedef int (*suite_item)(struct suite_reading *reading, struct json_pull *json, void *context);

/* Reads a list of objects; `item` is called within each. */
int suite_read_list(
	struct suite_reading *reading, struct json_pull *json, suite_item item, void *context);
/* Reads the whole text, one value. */
int suite_read_text(struct suite_reading *reading, suite_item top, void *context);

/* An object with a list of benchmarks at the key `list`. */
struct suite_object {
	const char *list;
	const char *time;    /* key of the night, also within `context`; NULL: there is none */
	const char *context; /* key of an object; NULL: there is none */
	const char *commit;  /* key of an object whose "id" is the commit; NULL: there is none */
	suite_item item;
	void *state;
};

/* `context` is a struct suite_object. */
int suite_read_object(struct suite_reading *reading, struct json_pull *json, void *context);

int suite_read_google(struct suite_reading *reading);
int suite_read_estimates(struct suite_reading *reading);
int suite_read_pytest(struct suite_reading *reading);
int suite_read_jmh(struct suite_reading *reading);
int suite_read_hyperfine(struct suite_reading *reading);
int suite_read_bencher(struct suite_reading *reading);

#endif
