/*
 * Reading the machine's properties, its CPUs and their limits from /proc, /sys and the control
 * groups.
 */
#include "machine/machine.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stages.h"
#include "base/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* For /proc/cpuinfo: a few KiB a processor. */
#define CPUINFO_MAX ((size_t)64 << 20)

void
machine_read_cpuinfo(struct machine *machine, const char *text)
{
	char name[64];
	char family[12];
	char model[12];
	char stepping[12];

	sysfs_value(text, "model name", name, sizeof(name));
	sysfs_value(text, "cpu family", family, sizeof(family));
	sysfs_value(text, "model", model, sizeof(model));
	sysfs_value(text, "stepping", stepping, sizeof(stepping));
	if (name[0] && (strpbrk(name, "0123456789") || !family[0])) {
		snprintf(machine->cpu_model, sizeof(machine->cpu_model), "%s", name);
		return;
	}
	if (name[0]) {
		snprintf(machine->cpu_model, sizeof(machine->cpu_model),
			"%s (family %s, model %s, stepping %s)", name, family, model, stepping);
		return;
	}
	/* arm64 names its cores by numbers only, POWER and others by "cpu". */
	sysfs_value(text, "CPU implementer", family, sizeof(family));
	sysfs_value(text, "CPU part", model, sizeof(model));
	if (family[0]) {
		snprintf(machine->cpu_model, sizeof(machine->cpu_model), "implementer %s part %s",
			family, model);
		return;
	}
	sysfs_value(text, "cpu", name, sizeof(name));
	snprintf(machine->cpu_model, sizeof(machine->cpu_model), "%s", name[0] ? name : "unknown");
}

static void
read_os(struct machine *machine, const char *text)
{
	const char *at = strstr(text, "PRETTY_NAME=");

	if (!at)
		return;
	at += strlen("PRETTY_NAME=");
	at += *at == '"';
	snprintf(machine->os, sizeof(machine->os), "%.*s", (int)strcspn(at, "\"\n"), at);
}

/* Signs of a virtual machine: from Xen itself, the firmware's tables, or the CPU's flag. */
static void
read_hypervisor(struct machine *machine, const char *cpuinfo)
{
	char vendor[sizeof(machine->hypervisor)];
	char flags[8192];

	if (!sysfs_value(cpuinfo, "flags", flags, sizeof(flags)) || !strstr(flags, " hypervisor"))
		return;
	if (!sysfs_read("", "/sys/hypervisor/type", vendor, sizeof(vendor)))
		sysfs_read("", "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	snprintf(machine->hypervisor, sizeof(machine->hypervisor), "%s",
		vendor[0] ? vendor : "a hypervisor");
}

int
machine_inspect(struct machine *machine, struct err *err)
{
	struct buf text = {0};
	struct utsname names;
	int result = 0;

	*machine = (struct machine){.cpus = stages_usable_cpus()};
	if (uname(&names) == 0) {
		snprintf(machine->arch, sizeof(machine->arch), "%.31s", names.machine);
		snprintf(machine->kernel, sizeof(machine->kernel), "%s", names.release);
	}
	if (file_exists("/proc/cpuinfo"))
		result = file_read("/proc/cpuinfo", &text, CPUINFO_MAX, err);
	machine_read_cpuinfo(machine, buf_text(&text));
	read_hypervisor(machine, buf_text(&text));
	read_os(machine, sysfs_text("", "/etc/os-release", &text));
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);

	if (pages > 0 && page_bytes > 0) {
		double gib = (double)pages * (double)page_bytes / (1024.0 * 1024 * 1024);

		/* To a tenth: what the firmware takes differs from boot to boot. */
		machine->memory_gib = floor(gib * 10 + 0.5) / 10;
	}
	buf_release(&text);
	return result;
}

/* Words of CPU names that do not distinguish kinds of CPU. */
static bool
is_noise(const char *word, size_t len)
{
	static const char *const noise[] = {
		"cpu", "processor", "core", "r", "tm", "family", "model", "implementer", "part"};

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		if (strlen(noise[i]) == len && strncmp(noise[i], word, len) == 0)
			return true;
	}
	/* "64-core" */
	size_t digits = strspn(word, "0123456789");

	return digits > 0 && len == digits + 5 && strncmp(word + digits, "-core", 5) == 0;
}

/* Adds the words of `text` in lower case, joined by '-'. */
static void
put_words(struct buf *out, const char *text, bool keep_all)
{
	struct buf word = {0};

	while (*text) {
		buf_clear(&word);
		for (; isalnum((unsigned char)*text) || (*text && strchr("._-", *text)); text++)
			buf_putc(&word, (char)tolower((unsigned char)*text));
		if (word.len > 0 && (keep_all || !is_noise(word.data, word.len))) {
			if (out->len > 0)
				buf_putc(out, '-');
			buf_put(out, word.data, word.len);
		}
		if (*text)
			text++;
	}
	buf_release(&word);
}

/* The part of a model's name that identifies the kind: without clock rate, stepping and graphics.
 */
static char *
model_kind(const char *model)
{
	static const char *const tails[] = {" @ ", ", stepping ", " with ", " w/ "};
	size_t len = strlen(model);

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		const char *tail = strstr(model, tails[i]);

		if (tail && (size_t)(tail - model) < len)
			len = (size_t)(tail - model);
	}
	return mem_dup(model, len);
}

void
machine_class(const struct machine *machine, const char *event, const char *presented,
	const char *configured, char *out, size_t size)
{
	struct buf name = {0};

	if (configured) {
		snprintf(out, size, "%s", configured);
		return;
	}
	char *kind = model_kind(presented[0] ? presented : machine->cpu_model);

	put_words(&name, machine->arch, true);
	put_words(&name, kind, false);
	put_words(&name, event, true);
	free(kind);
	/* Only what a file name may start with. */
	const char *text = buf_text(&name);

	text += strspn(text, ".-");
	if (!*text)
		text = "unknown";
	snprintf(out, size, "%s", text);
	buf_release(&name);
}

/*
 * The CPUs of the machine.
 */

void
cpus_all(cpu_set_t *cpus)
{
	const long configured = sysconf(_SC_NPROCESSORS_CONF);

	CPU_ZERO(cpus);
	for (long cpu = 0; cpu < configured && cpu < CPU_SETSIZE; cpu++)
		CPU_SET((size_t)cpu, cpus);
}

/* One number of a list, at *at; -1 if there is none or it is no CPU. */
static long
list_number(const char **at)
{
	char *end;

	if (**at < '0' || **at > '9')
		return -1;
	errno = 0;
	long number = strtol(*at, &end, 10);

	if (errno != 0 || number >= CPU_SETSIZE)
		return -1;
	*at = end;
	return number;
}

int
cpu_list_parse(const char *text, cpu_set_t *cpus)
{
	const char *at = text;

	CPU_ZERO(cpus);
	for (;;) {
		long first = list_number(&at);
		long last = first;

		if (first < 0)
			return -1;
		if (*at == '-') {
			at++;
			last = list_number(&at);
			if (last < first)
				return -1;
		}
		for (long cpu = first; cpu <= last; cpu++)
			CPU_SET((size_t)cpu, cpus);
		if (*at == '\0')
			return 0;
		if (*at++ != ',')
			return -1;
	}
}

int
cpu_list_parse_all(const char *text, cpu_set_t *cpus)
{
	if (strcmp(text, "all") != 0)
		return cpu_list_parse(text, cpus);
	cpus_all(cpus);
	return 0;
}

void
cpu_list_format(const cpu_set_t *cpus, char *text, size_t size)
{
	struct buf out = {0};

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		int last = cpu;

		while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, cpus))
			last++;
		buf_printf(&out, out.len > 0 ? ",%d" : "%d", cpu);
		if (last > cpu)
			buf_printf(&out, "-%d", last);
		cpu = last;
	}
	snprintf(text, size, "%s", buf_text(&out));
	buf_release(&out);
}

void
cpu_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings)
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

static int
last_cpu(const cpu_set_t *cpus)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET((size_t)cpu, cpus))
			return cpu;
	return -1;
}

/*
 * The last allowed CPU that the program does not run on, on its own core where there is one;
 * -1 if the program has them all.
 */
static int
reader_for(const cpu_set_t *allowed, const cpu_set_t *program)
{
	cpu_set_t both;
	cpu_set_t others;
	cpu_set_t siblings;
	cpu_set_t apart;

	CPU_AND(&both, allowed, program);
	CPU_XOR(&others, allowed, &both);
	cpu_siblings("", program, &siblings);
	CPU_AND(&both, &others, &siblings);
	CPU_XOR(&apart, &others, &both);
	return last_cpu(CPU_COUNT(&apart) > 0 ? &apart : &others);
}

static int
plan_list(const char *pin, const cpu_set_t *allowed, struct cpu_plan *plan, struct err *err)
{
	char names[128];
	cpu_set_t usable;

	if (cpu_list_parse(pin, &plan->program) < 0)
		return err_set(err, ERR_USAGE,
			"'%s' is not a CPU list: expected auto, none, or numbers and ranges such as "
			"2-3,5",
			pin);
	CPU_AND(&usable, &plan->program, allowed);
	if (CPU_EQUAL(&usable, &plan->program))
		return 0;
	cpu_list_format(allowed, names, sizeof(names));
	return err_set(err, ERR_MEASURE,
		"cannot pin the program to CPUs %s: this process may use only %s", pin, names);
}

int
cpu_plan_make(const char *pin, struct cpu_plan *plan, struct err *err)
{
	char names[64];
	cpu_set_t allowed;

	*plan = (struct cpu_plan){.reader = -1};
	if (strcmp(pin, "none") == 0) {
		snprintf(plan->text, sizeof(plan->text), "not pinned");
		return 0;
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read which CPUs are allowed");
	if (strcmp(pin, "auto") == 0)
		CPU_SET((size_t)last_cpu(&allowed), &plan->program);
	else if (plan_list(pin, &allowed, plan, err) < 0)
		return -1;
	plan->pinned = true;
	plan->reader = reader_for(&allowed, &plan->program);
	cpu_list_format(&plan->program, names, sizeof(names));
	if (plan->reader >= 0)
		snprintf(plan->text, sizeof(plan->text), "program on CPU %s, reader on CPU %d",
			names, plan->reader);
	else
		snprintf(plan->text, sizeof(plan->text), "program and reader on CPU %s", names);
	return 0;
}

void
cpu_plan_note(struct cpu_plan *plan, const char *note)
{
	const size_t len = strlen(plan->text);

	snprintf(plan->text + len, sizeof(plan->text) - len, ", %s", note);
}

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
