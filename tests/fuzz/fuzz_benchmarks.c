/*
 * What a suite printed: the first byte says whether it is the list of its benchmarks or a run of
 * one, and of which kind. Names that are accepted are plain, and have folders that are safe.
 */
#include "spec/suite.h"

#include "base/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_name(const char *benchmark)
{
	struct arena arena = {0};
	const char *name = arena_printf(&arena, "s/%s", benchmark);
	const char *folder = unit_folder(name, &arena);

	if (!unit_is_name(name) || strlen(benchmark) > SUITE_NAME_MAX ||
		strncmp(folder, "s@", 2) != 0 || strlen(folder) > 100 ||
		strpbrk(folder, "/ \n\\\"'<>"))
		abort();
	arena_release(&arena);
}

static void
check_list(const struct suite_preset *preset, const char *text, size_t len)
{
	struct suite_listing listing = {0};
	struct err err = {.kind = ERR_NONE};

	if (preset->list(&listing, text, len, &err) == 0) {
		for (size_t i = 0; i < listing.count; i++)
			check_name(listing.names[i]);
	} else if (err.kind != ERR_MEASURE || err.len == 0) {
		abort();
	}
	suite_listing_release(&listing);
}

/* The first line is the benchmark's name. */
static void
check_run(const struct suite_preset *preset, const char *text, size_t len)
{
	const char *newline = memchr(text, '\n', len);
	const size_t name_len = newline ? (size_t)(newline - text) : 0;
	char *name = mem_dup(text, name_len);
	struct suite_report report = {0};
	struct err err = {.kind = ERR_NONE};

	if (newline && preset->read(name, newline + 1, len - name_len - 1, &report, &err) == 0) {
		if (!isfinite(report.iterations) || report.iterations < 0)
			abort();
	} else if (newline && (err.kind != ERR_MEASURE || err.len == 0)) {
		abort();
	}
	free(name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t npresets = 0;

	while (suite_presets[npresets])
		npresets++;
	if (size == 0)
		return 0;
	const struct suite_preset *preset = suite_presets[data[0] / 2 % npresets];
	const char *text = (const char *)data + 1;

	if (data[0] % 2)
		check_list(preset, text, size - 1);
	else
		check_run(preset, text, size - 1);
	return 0;
}
