/*
 * A baseline: the stored runs of a workload on one class of machines, and what is known of them.
 */
#ifndef BASELINE_BASELINE_H
#define BASELINE_BASELINE_H

#include "machine/machine.h"
#include "profile/fields.h"
#include "profile/profile.h"

#include <stdint.h>

/* The format that is written. Format 1, which has its runs as folded text, is read, too. */
#define BASELINE_FORMAT_VERSION 2

/* A run is disturbed that lost a larger part of its CPUs' time: the default of gate.disturbed. */
#define BASELINE_DISTURBED 0.10

struct baseline_info {
	uint32_t format_version;
	char tool_version[32];
	char workload[192];
	char metric[32];
	char event[64];
	double frequency_hz;
	char unit[32]; /* of the cost totals */
	char machine_class[192];
	struct machine machine;
	char program_hash[65];
	char workload_hash[65];
	char commit[65];      /* of the repository; "" if not known */
	char working_tree[8]; /* "clean": it was that commit; "changed"; "": not known */
	char data_digest[65]; /* of the commit's data, where it was clean: data_digest_of(); "" */
	int64_t created;      /* seconds since 1970 UTC */
	uint32_t nsessions;
	uint32_t disturbed_runs; /* of all: by BASELINE_DISTURBED */
	/*
	 * BASELINE_COUNTS_SLOW: its instructions were not counted; "": they were, or counting was
	 * not tried.
	 */
	char counts[8];
};

/* Counting takes longer than a minute, and is not tried again. */
#define BASELINE_COUNTS_SLOW "slow"

struct baseline {
	struct baseline_info info;
	struct profile profile; /* a column a run; runs[].session tells sessions apart */
};

/*
 * The fields of baseline.json that do not belong to a profile, one table a struct like those of
 * profile/fields.h. To add a field, add a line.
 */
extern const struct field info_fields[];    /* of struct baseline_info */
extern const struct field machine_fields[]; /* of struct machine */

#endif
