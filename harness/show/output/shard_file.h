/*
 * shard.bin of a shard's report: which shard of which gate it is, and the replay.bin of each of its
 * workloads, measured or not. The files of all shards are merged into the report of the whole gate.
 */
#ifndef OUTPUT_SHARD_FILE_H
#define OUTPUT_SHARD_FILE_H

#include "output/report_view.h"
#include "spec/policy.h"
#include "spec/workload.h"

#define SHARD_FILE_NAME "shard.bin"

/* The replay.bin of a workload. */
struct shard_record {
	const char *workload;
	const char *bytes;
	size_t len;
};

/* Texts are never NULL unless said so. */
struct shard_file {
	struct shard_plan plan;
	const char *command;
	const char *settings;
	const char *commit;
	const char *against; /* NULL: stored baselines */
	const char *base_commit;
	const char *machine_class; /* "" of a shard without workloads */
	int64_t started;
	double duration_s;
	struct machine machine;
	struct shard_record *records; /* of its workloads, in the plan's order */
	size_t nrecords;

	struct arena arena;  /* of what was read ... */
	struct buf contents; /* ... which the records point into */
};

/* Appends that of a report of a shard. */
int shard_file_pack(const struct report *report, struct buf *out, struct err *err);
/* Writes it into the report's folder. */
int shard_file_write(const struct report *report, const char *folder, struct err *err);

/* On error nothing needs releasing. */
int shard_file_read(struct shard_file *file, const char *path, struct err *err);
/* Reads it from the contents without the frame of record_file.h; they become the file's. */
int shard_file_decode(
	struct shard_file *file, const char *path, struct buf *contents, struct err *err);
void shard_file_release(struct shard_file *file);

/*
 * A hash of all settings for measuring and judging the workloads of a whole gate: their names and
 * hashes, runs and frequencies, and the policies of a mode on a branch (NULL: not known).
 */
void shard_settings(const struct workload_list *workloads, enum gate_mode mode, const char *branch,
	char text[SHA256_TEXT_SIZE]);

#endif
