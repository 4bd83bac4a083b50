/*
 * shard.bin: any bytes as the file and as its unpacked contents. What is accepted has a plan whose
 * names name files, and the same records for each of its workloads, which are then read, too.
 */
#include "output/replay_file.h"
#include "output/shard_file.h"
#include "replay/record_file.h"
#include "spec/keys.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_plan(const struct shard_file *file)
{
	const struct shard_plan *plan = &file->plan;
	size_t own = 0;

	check(plan->index >= 1 && plan->index <= plan->count);
	for (size_t i = 0; i < plan->nentries; i++) {
		const struct shard_entry *entry = &plan->entries[i];

		check(keys_is_name(entry->workload));
		check(shard_plan_find(plan, entry->workload) == entry->shard);
		own += entry->shard == plan->index;
	}
	check(own == file->nrecords);
}

static void
decode(const void *bytes, size_t len)
{
	struct shard_file file;
	struct buf contents = {0};
	struct err err = {0};

	buf_put(&contents, bytes, len);
	if (shard_file_decode(&file, "contents", &contents, &err) < 0) {
		check(err.kind == ERR_INPUT && err.len > 0);
		return;
	}
	check_plan(&file);
	for (size_t i = 0; i < file.nrecords; i++) {
		struct replay_file replay;

		if (replay_file_parse(&replay, "record", file.records[i].bytes, file.records[i].len,
			    &err) == 0)
			replay_file_release(&replay);
	}
	shard_file_release(&file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_contents record;
	struct err err = {0};

	if (record_unpack(&record_shard, "file", (const char *)data, size, &record, &err) == 0)
		decode(record.bytes.data, record.bytes.len);
	else
		check(err.kind == ERR_INPUT && err.len > 0);
	decode(data, size);
	buf_release(&record.bytes);
	return 0;
}
