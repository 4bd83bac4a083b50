/*
 * Workloads and configurations: any bytes are read as both. What is accepted must hold what its
 * header promises; the rest must have a message.
 */
#include "base/file.h"
#include "spec/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
read_as_workload(const char *path)
{
	struct config config;
	struct workload workload;
	struct err err = {0};

	config_init(&config);
	if (workload_read(&workload, path, &config, &err) < 0) {
		check(err.kind != ERR_NONE && err.len > 0);
	} else {
		check(workload.name[0] != '.' && !strchr(workload.name, '/'));
		check(workload.run[0] && workload.run[0][0]);
		check(workload.capture.runs >= 3 &&
			workload.capture.runs <= workload.capture.max_runs);
		check(!(workload.gate.total.warn > workload.gate.total.fail));
		check(strlen(workload.hash) == 64);
		workload_release(&workload);
	}
	config_release(&config);
}

static void
read_as_config(const char *path)
{
	struct config config;
	struct err err = {0};

	config_init(&config);
	if (config_read(&config, path, &err) < 0)
		check(err.kind != ERR_NONE && err.len > 0);
	config_release(&config);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct err err = {0};
	int fd = memfd_create("input.yaml", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	check(file_put(fd, data, size, "input", &err) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_as_workload(path);
	read_as_config(path);
	close(fd);
	return 0;
}
