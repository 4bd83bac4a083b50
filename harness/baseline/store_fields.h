/*
 * The fields of baseline.json and where each is kept: one table a struct, read and written by
 * store_json_read.c and store_json_write.c. To add a field, add a line.
 */
#ifndef BASELINE_STORE_FIELDS_H
#define BASELINE_STORE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
	FIELD_TEXT,   /* char[size] */
	FIELD_HASH,   /* char[size]: 64 hexadecimal digits or "" */
	FIELD_STR_ID, /* str_id in the profile's strings */
	FIELD_BOOL,   /* bool */
	FIELD_U32,    /* uint32_t */
	FIELD_U64,    /* uint64_t */
	FIELD_INT,    /* int */
	FIELD_DOUBLE, /* double, finite, not negative */
	FIELD_TIME,   /* int64_t seconds since 1970, written "2026-01-31T12:00:00Z"; 0 is "" */
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	uint32_t size; /* of the texts */
	bool optional; /* may be missing, and is empty then */
};

/* The key of the document that holds the SHA-256 of runs.folded. */
#define STORE_JSON_HASH_KEY "runs_folded_sha256"

extern const struct field info_fields[];    /* of struct baseline_info */
extern const struct field machine_fields[]; /* of struct machine */
extern const struct field profile_fields[]; /* of struct profile */
extern const struct field run_fields[];     /* of struct run */

#endif
