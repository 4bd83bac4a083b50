/*
 * fuzz_corpus TARGET FILE...: runs a fuzz target over files and folders of files without a fuzzer,
 * for the corpora in `make test`: any compiler, any sanitizer. A target that finds a bug aborts.
 * One that has a mutator is also given changed inputs, the same ones each time. `fuzz_corpus
 * --list` names the targets.
 */
#include "mutate.h"
#include "target.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MUTATIONS 16
#define MUTATED_MAX ((size_t)1 << 16)

static const struct fuzz_target *target;
static unsigned nmutated;

/* In place of libFuzzer's: some bytes are changed, put in or taken out. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	static struct chance chance = {1};

	for (size_t n = 1 + chance_below(&chance, 3); n > 0; n--) {
		size_t at = size > 0 ? chance_below(&chance, size) : 0;
		size_t kind = chance_below(&chance, 8);

		if (kind == 0 && size < max_size) {
			size = move_tail(data, size, at, 1);
			data[at] = (uint8_t)chance_next(&chance);
		} else if (kind == 1 && size > 1) {
			size = move_tail(data, size, at + 1, -1);
		} else if (kind == 2 && size > 0) {
			data[at] = (uint8_t)(chance_next(&chance) % 3 - 1);
		} else if (size > 0) {
			data[at] ^= (uint8_t)(1U << chance_below(&chance, 8));
		}
	}
	return size;
}

/* Each starts from the one before. */
static void
run_mutated(const uint8_t *data, size_t size)
{
	uint8_t *mutated = malloc(MUTATED_MAX);

	if (!mutated)
		abort();
	if (size > 0 && size <= MUTATED_MAX)
		memcpy(mutated, data, size);
	for (unsigned seed = 0; seed < MUTATIONS && size <= MUTATED_MAX; seed++) {
		size = target->mutate(mutated, size, MUTATED_MAX, seed);
		uint8_t *exact = malloc(size ? size : 1);

		if (!exact)
			abort();
		memcpy(exact, mutated, size);
		target->run(exact, size);
		free(exact);
		nmutated++;
	}
	free(mutated);
}

static int
run_file(const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "rb");

	if (!file || fstat(fileno(file), &status) < 0) {
		perror(path);
		if (file)
			fclose(file);
		return -1;
	}
	/* Exactly as large as the input, so that a read beyond its end is seen. */
	size_t size = (size_t)status.st_size;
	uint8_t *data = malloc(size ? size : 1);
	int result = data && fread(data, 1, size, file) == size ? 0 : -1;

	fclose(file);
	if (result == 0) {
		target->run(data, size);
		if (target->mutate)
			run_mutated(data, size);
	} else {
		fprintf(stderr, "%s: cannot be read\n", path);
	}
	free(data);
	return result;
}

static int
run_folder(const char *path, unsigned *nfiles)
{
	struct dirent **entries = NULL;
	int nentries = scandir(path, &entries, NULL, alphasort);
	int result = 0;

	if (nentries < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < nentries; i++) {
		char file[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
			result |= run_file(file);
			(*nfiles)++;
		}
		free(entries[i]);
	}
	free(entries);
	return result;
}

int
main(int argc, char **argv)
{
	unsigned nfiles = 0;
	int result = 0;
	bool list = argc == 2 && strcmp(argv[1], "--list") == 0;

	for (const struct fuzz_target *each = fuzz_targets; each->name; each++) {
		if (list)
			puts(each->name);
		else if (argc > 1 && strcmp(argv[1], each->name) == 0)
			target = each;
	}
	if (list)
		return 0;
	if (!target) {
		fprintf(stderr, "usage: fuzz_corpus TARGET FILE... (--list: the targets)\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		struct stat status;

		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			result |= run_folder(argv[i], &nfiles);
		} else {
			result |= run_file(argv[i]);
			nfiles++;
		}
	}
	fprintf(stderr, "%u inputs, %u changed ones\n", nfiles, nmutated);
	return result < 0 || nfiles == 0;
}
