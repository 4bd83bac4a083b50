/*
 * replay.bin of a report: the data that one workload was judged by and the report's other data on
 * it, from which the same report can be made again.
 */
#ifndef OUTPUT_REPLAY_FILE_H
#define OUTPUT_REPLAY_FILE_H

#include "output/report.h"
#include "replay/record_file.h"
#include "replay/record_input.h"

#define REPLAY_FILE_NAME "replay.bin"

struct replay_file {
	struct report report;         /* without workloads: the replay.bin of each has its own */
	struct report_workload entry; /* without judgement */
	struct machine machine;
	size_t index; /* of this workload in the report ... */
	size_t count; /* ... that had so many */
	struct record_input judged;
	struct arena arena; /* of what was read */
	/* What it was parsed from, where that stays; borrowed. */
	const char *path;
	const char *packed;
	size_t npacked;
	/* Without call trees: what is in the place of both sides while theirs are not in memory. */
	struct profile brief_before;
	struct profile brief_candidate;
	bool is_brief;
};

/* On error nothing needs releasing. Once read, *file must not be moved. */
int replay_file_read(struct replay_file *file, const char *path, struct err *err);
/* Reads it from the bytes of the file; `path` is for messages. */
int replay_file_parse(
	struct replay_file *file, const char *path, const char *bytes, size_t len, struct err *err);
/* Reads it from the contents without the frame of record_file.h; `path` is for messages. */
int replay_file_decode(struct replay_file *file, const char *path,
	const struct record_contents *record, struct err *err);
/*
 * Frees the call trees of both sides and their frames, which only a comparison, the search for
 * causes and the files of a report read; and reads them again from `packed`, where they are not
 * there. What points into the strings of brief sides stays valid.
 */
void replay_file_drop_stacks(struct replay_file *file);
int replay_file_restore_stacks(struct replay_file *file, struct err *err);
void replay_file_release(struct replay_file *file);

#endif
