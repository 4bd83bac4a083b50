/*
 * The fields of baseline.json that do not belong to a profile, one table a struct like those of
 * profile/fields.h, read and written by store_json_read.c and store_json_write.c. To add a field,
 * add a line.
 */
#ifndef BASELINE_STORE_FIELDS_H
#define BASELINE_STORE_FIELDS_H

#include "profile/fields.h"

/* The key of the document that holds the SHA-256 of runs.stacks; in format 1, of runs.folded. */
#define STORE_JSON_HASH_KEY "runs_stacks_sha256"
#define STORE_JSON_FOLDED_HASH_KEY "runs_folded_sha256"
/* The key of the counters of runs; baselines of earlier versions have none. */
#define STORE_JSON_COUNTERS_KEY "counters"

extern const struct field info_fields[];    /* of struct baseline_info */
extern const struct field machine_fields[]; /* of struct machine */

#endif
