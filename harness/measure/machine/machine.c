#include "machine/machine.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stages.h"
#include "base/sysfs.h"

#include <ctype.h>
#include <math.h>
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
