/* Synthesising records of processes, mappings and phases, in the format of the kernel. */
#include "capture/capture_internal.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/sysfs.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bounds the records of all processes together. */
#define ALL_BYTES_MAX ((size_t)128 << 20)

/* Where the kernel's code lies; the same as long as it runs. */
struct kernel_text {
	bool looked;
	uint64_t start;
	uint64_t end;
	char name[64]; /* as perf writes it: the symbol that addresses are relative to */
};

/* A terminated name, padded as all records are. */
static void
put_padded(struct buf *out, const char *name)
{
	size_t len = strlen(name) + 1;

	buf_put(out, name, len);
	buf_put_zeros(out, (8 - len % 8) % 8);
}

static size_t
begin_record(struct buf *out, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};
	size_t at = out->len;

	buf_put(out, &header, sizeof(header));
	return at;
}

static void
end_size(struct buf *out, size_t at)
{
	const uint16_t size = (uint16_t)(out->len - at);

	memcpy(out->data + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/* The trailer that sample_id_all asks for (TID, TIME, CPU, IDENTIFIER), and the record's size. */
static void
end_record(struct buf *out, size_t at, pid_t pid, pid_t tid, const struct synth_moment *moment)
{
	buf_put_u32(out, (uint32_t)pid);
	buf_put_u32(out, (uint32_t)tid);
	buf_put_u64(out, moment->time_ns);
	buf_put_u64(out, 0);
	buf_put_u64(out, moment->id);
	end_size(out, at);
}

void
synth_phase(struct buf *records, const char *name, size_t len, const struct synth_moment *moment)
{
	const size_t at = begin_record(records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	/* The size and the data fill whole words together; the name is terminated. */
	const uint32_t room =
		(uint32_t)((sizeof(uint32_t) + len + 1 + 7) / 8 * 8 - sizeof(uint32_t));

	buf_put_u64(records, moment->id);
	buf_put_u64(records, 0); /* address */
	buf_put_u64(records, 0); /* process and thread: not known */
	buf_put_u64(records, moment->time_ns);
	buf_put_u64(records, 0); /* CPU */
	buf_put_u64(records, 1); /* period */
	buf_put_u32(records, room);
	buf_put(records, name, len);
	buf_put_zeros(records, room - len);
	end_size(records, at);
}

void
synth_end(struct buf *records, const struct synth_moment *moment)
{
	end_record(records, begin_record(records, PERF_RECORD_SWITCH, 0), 0, 0, moment);
}

static void
put_kernel_map(struct buf *out, uint64_t start, uint64_t size, uint64_t offset, const char *name,
	uint64_t id)
{
	size_t at = begin_record(out, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	buf_put_u32(out, UINT32_MAX);
	buf_put_u32(out, 0);
	buf_put_u64(out, start);
	buf_put_u64(out, size);
	buf_put_u64(out, offset);
	put_padded(out, name);
	end_record(out, at, -1, 0, &(struct synth_moment){.id = id});
}

/*
 * The size of the kernel's code, which lies in memory as it lies in addresses (proc_iomem(5)); 0 if
 * it is not known.
 */
static uint64_t
code_bytes(void)
{
	char line[256];
	uint64_t first = 0;
	uint64_t last = 0;
	FILE *file = fopen("/proc/iomem", "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *end;

		if (!strstr(line, " : Kernel code\n"))
			continue;
		first = strtoull(line, &end, 16);
		last = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
		break;
	}
	if (file)
		fclose(file);
	/* All zeros for whom they are hidden from. */
	return last > first ? last - first + 1 : 0;
}

/* A line of /proc/kallsyms: "address type name". */
static void
note_symbol(struct kernel_text *text, const char *line, uint64_t *stext)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
		return;
	const char *name = end + 3;

	if (strcmp(name, "_text\n") == 0)
		text->start = address;
	else if (strcmp(name, "_stext\n") == 0)
		*stext = address;
	else if (strcmp(name, "_etext\n") == 0)
		text->end = address;
}

static void
read_kallsyms(struct kernel_text *text)
{
	char line[512];
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t bytes = code_bytes();
	uint64_t stext = 0;

	if (!file)
		return;
	while (text->end == 0 && fgets(line, sizeof(line), file)) {
		note_symbol(text, line, &stext);
		/* The end is behind some ten thousand others, each of which the kernel has to
		 * make up for us. */
		if (text->start != 0 && bytes != 0)
			text->end = text->start + bytes;
	}
	fclose(file);
	snprintf(text->name, sizeof(text->name), "[kernel.kallsyms]%s",
		text->start != 0 ? "_text" : "_stext");
	if (text->start == 0)
		text->start = stext;
}

/* name size references users state address */
static void
put_modules(struct buf *out, uint64_t id)
{
	char line[1024];
	FILE *file = fopen("/proc/modules", "re");

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		char name[128];
		char bracketed[132];
		uint64_t size;
		uint64_t start;

		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size, &start) !=
				3 ||
			start == 0)
			continue;
		snprintf(bracketed, sizeof(bracketed), "[%s]", name);
		put_kernel_map(out, start, size, 0, bracketed, id);
	}
	fclose(file);
}

void
synth_kernel(struct buf *records, uint64_t id)
{
	/* Reading it may take tens of milliseconds, which is not for every run. */
	static struct kernel_text text;

	if (!text.looked)
		read_kallsyms(&text);
	text.looked = true;
	/* Addresses are 0 where kernel.kptr_restrict hides them. */
	if (text.start == 0 || text.end <= text.start)
		return;
	put_kernel_map(records, text.start, text.end - text.start, text.start, text.name, id);
	put_modules(records, id);
}

static void
put_comm_record(struct buf *out, const char *name, uint16_t misc, pid_t pid, pid_t tid,
	const struct synth_moment *moment)
{
	size_t at = begin_record(out, PERF_RECORD_COMM, misc);

	buf_put_u32(out, (uint32_t)pid);
	buf_put_u32(out, (uint32_t)tid);
	put_padded(out, name);
	end_record(out, at, pid, tid, moment);
}

static void
put_comm(struct buf *out, pid_t pid, pid_t tid, uint64_t id)
{
	char path[64];
	char name[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	if (sysfs_read("", path, name, sizeof(name)))
		put_comm_record(out, name, 0, pid, tid, &(struct synth_moment){.id = id});
}

void
synth_exec(struct buf *records, const char *name, pid_t pid, const struct synth_moment *moment)
{
	put_comm_record(records, name, PERF_RECORD_MISC_COMM_EXEC, pid, pid, moment);
}

static void
put_map(struct buf *out, char *line, pid_t pid, const struct synth_moment *moment, bool data)
{
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	char rights[5];
	int used = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		    " %n",
		    &start, &end, rights, &offset, &major, &minor, &inode, &used) < 7 ||
		strlen(rights) != 4 || (rights[2] != 'x' && !data))
		return;
	const char *path = line + used;
	const bool code = rights[2] == 'x';
	size_t at = begin_record(out, PERF_RECORD_MMAP2,
		PERF_RECORD_MISC_USER | (code ? 0 : PERF_RECORD_MISC_MMAP_DATA));

	buf_put_u32(out, (uint32_t)pid);
	buf_put_u32(out, (uint32_t)pid);
	buf_put_u64(out, start);
	buf_put_u64(out, end - start);
	buf_put_u64(out, offset);
	buf_put_u32(out, major);
	buf_put_u32(out, minor);
	buf_put_u64(out, inode);
	buf_put_u64(out, 0); /* inode generation */
	buf_put_u32(out, (rights[0] == 'r' ? PROT_READ : 0U) |
				 (rights[1] == 'w' ? PROT_WRITE : 0U) | (code ? PROT_EXEC : 0U));
	buf_put_u32(out, rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	put_padded(out, *path ? path : "//anon");
	end_record(out, at, pid, pid, moment);
}

void
synth_map(struct buf *out, char *line, pid_t pid, const struct synth_moment *moment)
{
	put_map(out, line, pid, moment, false);
}

pid_t *
synth_tasks(pid_t pid, size_t *ntasks)
{
	char path[64];
	size_t capacity = 0;
	pid_t *tasks = NULL;
	struct dirent *entry;

	*ntasks = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		tasks = mem_grow(tasks, &capacity, *ntasks + 1, sizeof(*tasks));
		tasks[(*ntasks)++] = tid;
	}
	if (dir)
		closedir(dir);
	return tasks;
}

void
synth_process(struct buf *records, pid_t pid, uint64_t id, bool data)
{
	char path[64];
	char line[SYNTH_LINE_MAX];

	put_comm(records, pid, pid, id);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");

	while (maps && fgets(line, sizeof(line), maps))
		put_map(records, line, pid, &(struct synth_moment){.id = id}, data);
	if (maps)
		fclose(maps);
	size_t ntasks;
	pid_t *tasks = synth_tasks(pid, &ntasks);

	for (size_t i = 0; i < ntasks; i++)
		if (tasks[i] != pid)
			put_comm(records, pid, tasks[i], id);
	free(tasks);
}

void
synth_all_processes(struct buf *records, uint64_t id)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (pid <= 0 || *end != '\0')
			continue;
		if (records->len > ALL_BYTES_MAX) {
			log_warn("there are too many processes: those from %ld on have no names of "
				 "functions until they map something",
				pid);
			break;
		}
		synth_process(records, (pid_t)pid, id, false);
	}
	if (proc)
		closedir(proc);
}
