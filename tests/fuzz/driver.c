/*
 * Runs a fuzz target over files and folders of files without a fuzzer, for the corpora in `make
 * test`: any compiler, any sanitizer. A target that finds a bug aborts.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	if (result == 0)
		LLVMFuzzerTestOneInput(data, size);
	else
		fprintf(stderr, "%s: cannot be read\n", path);
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

	for (int i = 1; i < argc; i++) {
		struct stat status;

		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			result |= run_folder(argv[i], &nfiles);
		} else {
			result |= run_file(argv[i]);
			nfiles++;
		}
	}
	fprintf(stderr, "%u inputs\n", nfiles);
	return result < 0 || nfiles == 0;
}
