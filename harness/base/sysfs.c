#include "base/sysfs.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)4 << 20)

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

const char *
sysfs_text(const char *root, const char *path, struct buf *text)
{
	char whole[PATH_MAX];
	struct err ignored = {0};

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	buf_clear(text);
	if (file_read(whole, text, TEXT_MAX, &ignored) < 0)
		buf_clear(text);
	return buf_text(text);
}

bool
sysfs_value(const char *text, const char *key, char *value, size_t size)
{
	size_t key_len = strlen(key);

	value[0] = '\0';
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, key, key_len) != 0)
			continue;
		const char *at = line + key_len + strspn(line + key_len, " \t");

		if (*at != ':')
			continue;
		at++;
		at += strspn(at, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
		return true;
	}
	return false;
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
	/* The kernel takes a setting by a single write(2) or not at all. */
	int errnum = write(fd, line, (size_t)len) == (ssize_t)len ? 0 : errno;

	if (errnum == 0 && ftruncate(fd, len) < 0)
		errno = 0; /* the kernel's files have no length */
	close(fd);
	return errnum;
}

uint32_t
sysfs_inner_pid(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	uint32_t pid = 0;

	for (const char *at = line ? line + 7 : ""; *at == '\t' || *at == ' ';) {
		char *end;

		pid = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			return 0;
		at = end;
	}
	return pid;
}
