/*
 * The fields of struct profile and struct run, one table each: the folded header, baseline.json,
 * verdict.json and the tables of runs in reports all walk them. To add a field, add it to its
 * struct, a line to its table, and the code that measures it. A scalar beside the profile that
 * users may want to see or to judge is a counter: profile/counters.h.
 */
#ifndef PROFILE_FIELDS_H
#define PROFILE_FIELDS_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
	FIELD_TEXT,   /* char[size] */
	FIELD_HASH,   /* char[size]: 64 hexadecimal digits or "" */
	FIELD_COMMIT, /* char[size]: 40 or 64 of them, or "" */
	FIELD_STR_ID, /* str_id in the profile's strings */
	FIELD_LINES,  /* the same, of lines: a list of texts where it is stored */
	FIELD_BOOL,   /* bool */
	FIELD_U32,    /* uint32_t */
	FIELD_U64,    /* uint64_t */
	FIELD_DOUBLE, /* double, finite, not negative */
	FIELD_TIME,   /* int64_t seconds since 1970; 0: not known */
};

/* Which files have it; a set. */
enum field_files {
	FIELD_STORED = 1,       /* baseline.json */
	FIELD_LATER = 2,        /* ... but not those of earlier versions: "" or 0 then */
	FIELD_FOLDED = 4,       /* the "# key: value" lines of a folded file */
	FIELD_REPORTED = 8,     /* verdict.json, of a run */
	FIELD_DISTURBANCE = 16, /* ... in its "disturbance" */
	FIELD_UNJUDGED = 32,    /* not replay.bin, or in another place there */
	FIELD_WEIGHTS = 64      /* says what weights are: in a folded file without runs, too */
};

struct field {
	const char *name; /* the key */
	size_t offset;    /* in its struct */
	size_t size;      /* bytes there */
	enum field_type type;
	unsigned files; /* enum field_files */
};

/* The first three of a member. */
#define FIELD_OF(type, member) #member, offsetof(type, member), sizeof(((type *)0)->member)

/* A number or a bool at `from`, which has the field, as a double. */
double field_number(const struct field *field, const void *from);
/* The place of a FIELD_STR_ID in a profile; to be written to only if the profile may be changed. */
str_id *field_string(const struct field *field, const struct profile *profile);

/* Ends with a NULL name. */
extern const struct field profile_fields[];

/* The tables that show a field as a column; a set. */
enum run_tables {
	RUN_TABLE_PAGE = 1, /* index.html, "Every run" */
	RUN_TABLE_TEXT = 2, /* `analyze`, and report.txt of a workload */
};

struct run_column {
	unsigned tables; /* enum run_tables; 0: no column */
	unsigned place;  /* among the columns, from 1 */
	const char *heading;
	/* The value shown instead of the field: NAN where not known; NULL: the field itself. */
	double (*derive)(const struct run *run);
};

struct run_field {
	struct field field;
	bool zero_is_unknown; /* 0 stands for what is not known */
	size_t cpus;          /* offset of the number of CPUs it was summed over; 0: of none */
	const char *unit;     /* of the column: "ns", "ratio"; NULL: it is a count */
	struct run_column column;
};

/* Ends with a NULL name. */
extern const struct run_field run_fields[];

/* The number in `run`, as JSON has it: NAN where it is not known. */
double run_field_value(const struct run_field *field, const struct run *run);

/* The columns of a table of runs, in order: fills up to RUN_COLUMNS_MAX, and returns how many. */
#define RUN_COLUMNS_MAX 24
size_t run_table_columns(enum run_tables table, const struct run_field *columns[RUN_COLUMNS_MAX]);
/*
 * The column's number in a run: NAN where not known. Of a run that was not measured only the
 * samples are known.
 */
double run_column_value(const struct run_field *column, const struct run *run);
/* The column's heading; samples are called instructions where those were counted. */
const char *run_column_heading(const struct run_field *column, const struct profile *profile);

#endif
