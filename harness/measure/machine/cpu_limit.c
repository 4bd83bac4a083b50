#include "machine/cpu_limit.h"

#include "base/buf.h"
#include "base/sysfs.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each version may be mounted: as distributions do, and the second beside the first. */
static const struct hierarchy {
	const char *mount;
	bool is_second;
} hierarchies[] = {
	{"/sys/fs/cgroup", true},
	{"/sys/fs/cgroup/unified", true},
	{"/sys/fs/cgroup/cpu", false},
};

#define HIERARCHIES (sizeof(hierarchies) / sizeof(hierarchies[0]))

typedef void see_group(const char *root, const char *folder, bool is_second, double *sum);

/* Whether a comma-separated list has "cpu". */
static bool
has_cpu(const char *list, size_t len)
{
	while (len > 0) {
		const size_t word = strcspn(list, ",:");

		if (word == 3 && memcmp(list, "cpu", 3) == 0)
			return true;
		if (word >= len)
			return false;
		list += word + 1;
		len -= word + 1;
	}
	return false;
}

/* The path of our group in /proc/self/cgroup, "0::/a/b" or "1:cpu,cpuacct:/a/b"; "" if not there.
 */
static void
find_group(const char *root, bool is_second, char group[PATH_MAX])
{
	char path[PATH_MAX];
	char line[PATH_MAX];

	group[0] = '\0';
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		const char *list = strchr(line, ':');
		const char *name = list ? strchr(list + 1, ':') : NULL;

		if (!name || is_second != (name == list + 1) ||
			(!is_second && !has_cpu(list + 1, (size_t)(name - list - 1))))
			continue;
		snprintf(group, PATH_MAX, "%.*s", (int)strcspn(name + 1, "\n"), name + 1);
	}
	if (file)
		fclose(file);
}

/* Calls see() for our group and each above it, in each hierarchy. */
static void
walk(const char *root, see_group *see, double *sum)
{
	for (size_t i = 0; i < HIERARCHIES; i++) {
		char group[PATH_MAX];
		char folder[2 * PATH_MAX];

		find_group(root, hierarchies[i].is_second, group);
		for (char *end = group[0] ? group + strlen(group) : NULL; end;
			end = strrchr(group, '/')) {
			*end = '\0';
			snprintf(folder, sizeof(folder), "%s%s", hierarchies[i].mount, group);
			see(root, folder, hierarchies[i].is_second, sum);
		}
	}
}

/* "" if there is none. */
static const char *
read_cpu_file(const char *root, const char *folder, const char *name, struct buf *text)
{
	char path[2 * PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return sysfs_text(root, path, text);
}

static void
see_limit(const char *root, const char *folder, bool is_second, double *sum)
{
	struct buf text = {0};
	char *rest;
	double quota = strtod(
		read_cpu_file(root, folder, is_second ? "cpu.max" : "cpu.cfs_quota_us", &text),
		&rest);
	double period = strtod(
		is_second ? rest : read_cpu_file(root, folder, "cpu.cfs_period_us", &text), NULL);

	buf_release(&text);
	if (quota > 0 && period > 0 && (*sum == 0 || quota / period < *sum))
		*sum = quota / period;
}

/* "throttled_usec 12" of the second version, "throttled_time 12000" (ns) of the first. */
static void
see_waited(const char *root, const char *folder, bool is_second, double *sum)
{
	const char *word = is_second ? "throttled_usec " : "throttled_time ";
	struct buf text = {0};
	const char *at = strstr(read_cpu_file(root, folder, "cpu.stat", &text), word);
	const double value = at ? strtod(at + strlen(word), NULL) * (is_second ? 1000 : 1) : NAN;

	buf_release(&text);
	if (value >= 0)
		*sum = isnan(*sum) ? value : *sum + value;
}

double
cpu_limit(const char *root)
{
	double least = 0;

	walk(root, see_limit, &least);
	return least;
}

double
cpu_limit_waited_ns(const char *root)
{
	double sum = NAN;

	walk(root, see_waited, &sum);
	return sum;
}
