#include "machine/sysfs.h"

#include "machine/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
sysfs_read(const char *root, const char *path, char *line, size_t size)
{
	char whole[PATH_MAX];

	line[0] = '\0';
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	FILE *file = fopen(whole, "re");

	if (!file)
		return false;
	if (!fgets(line, (int)size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return line[0] != '\0';
}

double
sysfs_number(const char *root, const char *path)
{
	char line[64];
	char *end = line;

	if (!sysfs_read(root, path, line, sizeof(line)))
		return NAN;
	double number = strtod(line, &end);

	return end > line && isfinite(number) ? number : NAN;
}

int
sysfs_write(const char *root, const char *path, const char *text)
{
	char whole[PATH_MAX];
	char line[1024];
	const int len = snprintf(line, sizeof(line), "%s\n", text);

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	int fd = open(whole, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	/* A setting is taken by one write(2) or not at all; and so a plain file's first line is. */
	int errnum = write(fd, line, (size_t)len) == (ssize_t)len ? 0 : errno;

	if (errnum == 0 && ftruncate(fd, len) < 0)
		errno = 0; /* the kernel's files have no length */
	close(fd);
	return errnum;
}

void
sysfs_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings)
{
	cpu_set_t both;

	CPU_ZERO(siblings);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96];
		char line[256];
		cpu_set_t core;

		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		if (sysfs_read(root, path, line, sizeof(line)) && cpu_list_parse(line, &core) == 0)
			CPU_OR(siblings, siblings, &core);
	}
	CPU_AND(&both, siblings, cpus);
	CPU_XOR(siblings, siblings, &both);
}
