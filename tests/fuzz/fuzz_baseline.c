/*
 * baseline.json: any bytes, compared with a tree of three runs. runs.stacks has its own target.
 */
#include "baseline/store_internal.h"

#include <math.h>
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
check_read(const struct baseline_info *info, const struct profile *profile)
{
	check(info->format_version == BASELINE_FORMAT_VERSION);
	check(strnlen(info->metric, sizeof(info->metric)) < sizeof(info->metric));
	for (size_t i = 0; i < profile->nruns; i++) {
		check(isfinite(profile->runs[i].cost_total) && profile->runs[i].cost_total >= 0);
		check(profile->runs[i].session < info->nsessions);
	}
}

/* What was accepted is written and read again: it must be accepted, and be written the same. */
static void
check_again(const struct baseline_info *info, struct profile *profile, const char *hash)
{
	struct baseline_info again;
	struct buf first = {0};
	struct buf second = {0};
	struct err err = {0};

	store_json_write(info, profile, hash, &first);
	check(store_json_read(&again, profile, "b", first.data, first.len, &err) == 0);
	store_json_write(&again, profile, hash, &second);
	check(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	buf_release(&second);
	buf_release(&first);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct baseline_info info;
	struct profile profile;
	struct store_runs runs;
	struct err err = {0};

	if (store_json_read_hash(&runs, "b", text, size, &err) < 0) {
		check(err.kind != ERR_NONE && err.len > 0);
		return 0;
	}
	profile_init(&profile);
	for (int i = 0; i < 3; i++)
		profile_add_run(&profile);
	if (store_json_read(&info, &profile, "b", text, size, &err) < 0) {
		check(err.kind != ERR_NONE && err.len > 0);
	} else {
		check_read(&info, &profile);
		check_again(&info, &profile, runs.hash);
	}
	profile_release(&profile);
	return 0;
}
