/* Finding the probes of operations and phases, in the program and its libraries. */
#include "capture/operation.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "elf/probe_sites.h"
#include "perfdata/writer.h"
#include "process/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PMU "/sys/bus/event_source/devices/uprobe/type"
/* perf_event_attr.config has half of its bits for a semaphore's offset. */
#define SEMAPHORE_MAX UINT32_MAX
/* Inlined into this many places at most: each is an event a CPU. */
#define PLACES_MAX 64
/* In the file, a name has 127 bytes. */
#define NAME_BYTES_MAX 100
#define PARTS_MAX 3
/* A line of /proc/PID/maps (proc_pid_maps(5)) is no longer. */
#define MAPS_LINE_MAX (4096 + 256)

/* One of the marks: a function, or with a provider a USDT probe. */
struct mark {
	char *text; /* as it was given */
	char *parts[PARTS_MAX];
	size_t nparts;
	const char *file; /* NULL: the program */
	const char *provider;
	bool may_be_file; /* the provider, which has the program's name: if it is none */
	const char *name;
	const char *option; /* that it was given for, in messages */
	bool ends;
};

/* A file that is searched. */
struct marked_file {
	char *path;  /* to open */
	char *shown; /* ... in messages */
	struct elf_image image;
};

uint32_t
operation_event_type(void)
{
	const double type = sysfs_number("", PMU);

	return type > 0 ? (uint32_t)type : 0;
}

void
operation_release(struct operation *operation)
{
	for (size_t i = 0; i < operation->count; i++)
		free(operation->probes[i].path);
	free(operation->probes);
	free(operation->begin_event);
	free(operation->end_event);
	*operation = (struct operation){.count = 0};
}

static void
release_mark(struct mark *mark)
{
	free(mark->text);
	for (size_t i = 0; i < mark->nparts; i++)
		free(mark->parts[i]);
}

/*
 * The length of the text up to the next `separator`. "::" of C++ is no ':', and text in <> or ()
 * has no separator.
 */
static size_t
operation_part_len(const char *text, char separator)
{
	int depth = 0;
	size_t at = 0;

	for (; text[at]; at++) {
		if (separator == ':' && text[at] == ':' && text[at + 1] == ':')
			at++;
		else if (text[at] == '<' || text[at] == '(')
			depth++;
		else if (text[at] == '>' || text[at] == ')')
			depth--;
		else if (text[at] == separator && depth <= 0)
			break;
	}
	return at;
}

static bool
is_library(const char *name)
{
	return strstr(name, ".so") != NULL;
}

/* "a/b/libx.so.1" is "libx.so.1", and "libx.so". */
static bool
is_called(const char *path, const char *name)
{
	const char *base = file_basename(path);
	const size_t len = strlen(name);

	return strncmp(base, name, len) == 0 && (base[len] == '\0' || base[len] == '.');
}

static int
parse_mark(struct mark *mark, const struct operation_program *program, struct err *err)
{
	bool empty = false;
	bool last = false;

	for (const char *at = mark->text; !last && mark->nparts < PARTS_MAX;) {
		const size_t len = operation_part_len(at, ':');

		last = at[len] == '\0';
		empty |= len == 0;
		mark->parts[mark->nparts++] = mem_printf("%.*s", (int)len, at);
		at += len + 1;
	}
	if (empty || !last)
		return err_set(err, ERR_USAGE,
			"'--%s': '%s' is neither [FILE:]FUNCTION nor [FILE:]PROVIDER:NAME",
			mark->option, mark->text);
	char *first = mark->parts[0];
	const bool of_program = program->argv && is_called(program->argv[0], first);

	mark->name = mark->parts[mark->nparts - 1];
	if (mark->nparts == 3 || (mark->nparts == 2 && (strchr(first, '/') || is_library(first))))
		mark->file = first;
	if (mark->nparts == (mark->file ? 3 : 2))
		mark->provider = mark->parts[mark->nparts - 2];
	mark->may_be_file = mark->nparts == 2 && of_program;
	return 0;
}

/* The path of a library in the memory of a process; NULL: it has none of that name. */
static char *
find_mapped(const char *name, pid_t pid)
{
	char line[MAPS_LINE_MAX];
	char *maps_path = mem_printf("/proc/%d/maps", (int)pid);
	FILE *maps = fopen(maps_path, "re");
	char *found = NULL;

	free(maps_path);
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (is_called(path, name))
			found = mem_strdup(path);
	}
	if (maps)
		fclose(maps);
	return found;
}

/* Where the loader looks, as far as that is the same everywhere; free() it. NULL: not found. */
static char *
find_library(const char *name)
{
	static const char usual[] =
		"/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
		"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
	const char *own = getenv("LD_LIBRARY_PATH");
	char *folders = mem_printf("%s:%s", own ? own : "", usual);
	char *found = NULL;
	char *rest = NULL;

	for (char *folder = strtok_r(folders, ":", &rest); folder && !found;
		folder = strtok_r(NULL, ":", &rest)) {
		found = file_join(folder, name);
		if (access(found, R_OK) == 0)
			continue;
		free(found);
		found = NULL;
	}
	free(folders);
	return found;
}

static int
place_program(struct marked_file *file, const struct operation_program *program, struct err *err)
{
	char link[4096];

	if (program->pid > 0) {
		file->path = mem_printf("/proc/%d/exe", (int)program->pid);
		const ssize_t len = readlink(file->path, link, sizeof(link));

		if (len < 0)
			return err_set_errno(err, ERR_MEASURE, errno,
				"cannot find the program of process %d", (int)program->pid);
		file->shown = mem_printf("%.*s", (int)len, link);
		return 0;
	}
	if (!program->argv)
		return err_set(err, ERR_USAGE,
			"'--operation': with '--cpus', name the file, too: FILE:FUNCTION");
	file->path = find_program(program->argv[0], program->env, program->cwd);
	if (!file->path)
		return err_set(err, ERR_MEASURE, "there is no program '%s'", program->argv[0]);
	file->shown = mem_strdup(file->path);
	return 0;
}

/* A file of a process is the one that it sees. */
static int
place_library(struct marked_file *file, const char *name, const struct operation_program *program,
	struct err *err)
{
	char *path = strchr(name, '/')  ? mem_strdup(name)
		     : program->pid > 0 ? find_mapped(name, program->pid)
					: find_library(name);

	if (!path) {
		err_set(err, ERR_MEASURE, "there is no library '%s'%s", name,
			program->pid > 0 ? " in the memory of the process"
					 : " where the loader looks for them");
		return err_note(err, "give its path, such as /opt/lib/libx.so.1:FUNCTION");
	}
	file->shown = path;
	file->path = program->pid > 0 && path[0] == '/'
			     ? mem_printf("/proc/%d/root%s", (int)program->pid, path)
			     : mem_strdup(path);
	return 0;
}

static int
refuse_file(const struct marked_file *file, struct err *err)
{
	char head[2] = "";
	FILE *bytes = fopen(file->path, "re");

	if (!bytes)
		return err_set_errno(err, ERR_MEASURE, errno, "cannot read '%s'", file->shown);
	const bool script = fread(head, 1, 2, bytes) == 2 && memcmp(head, "#!", 2) == 0;

	fclose(bytes);
	err_set(err, ERR_MEASURE, "'%s' is %s, which has no functions to be marked", file->shown,
		script ? "a script" : "no ELF program");
	return err_note(err,
		"name the program or library that has them, such as /usr/bin/python3:FUNCTION");
}

static void
release_file(struct marked_file *file)
{
	if (file->image.elf)
		elf_image_close(&file->image);
	free(file->path);
	free(file->shown);
}

static int
open_file(struct marked_file *file, const struct mark *mark,
	const struct operation_program *program, struct err *err)
{
	const bool named =
		mark->file && !(program->argv && is_called(program->argv[0], mark->file));

	*file = (struct marked_file){.path = NULL};
	if ((named ? place_library(file, mark->file, program, err)
		   : place_program(file, program, err)) < 0)
		return -1;
	if (!elf_image_open(&file->image, file->path)) {
		file->image.elf = NULL;
		return refuse_file(file, err);
	}
	return 0;
}

static int
no_usdt(const struct marked_file *file, const struct mark *mark, struct err *err)
{
	struct buf others = {0};

	err_set(err, ERR_MEASURE, "'%s' has no USDT probe %s:%s", file->shown, mark->provider,
		mark->name);
	probe_sites_put_usdt(&file->image, mark->provider, &others);
	if (others.len == 0)
		probe_sites_put_usdt(&file->image, NULL, &others);
	if (others.len > 0)
		err_note(err, "it has %s and maybe others: `readelf -n` lists all",
			buf_text(&others));
	else
		err_note(err, "it has no symbols; a function in a shared library is "
			      "libNAME.so:FUNCTION, or FILE:FUNCTION with a path");
	buf_release(&others);
	return -1;
}

static int
no_function(const struct marked_file *file, const struct mark *mark, struct err *err)
{
	struct buf similar = {0};

	err_set(err, ERR_MEASURE, "'%s' has no function '%s'", file->shown, mark->name);
	probe_sites_put_similar(&file->image, file->path, mark->name, &similar);
	if (similar.len > 0)
		err_note(err, "similar names are %s", buf_text(&similar));
	else if (probe_sites_are_exported_only(&file->image, file->path))
		err_note(err,
			"it is stripped: only the functions that it exports are known; install its "
			"debug symbols, or build it without `strip`");
	else
		err_note(err,
			"the compiler may have inlined it wherever it is called: mark one that calls "
			"it, or build with __attribute__((noinline))");
	if (!mark->file)
		err_note(err, "a function in a shared library is libNAME.so:FUNCTION");
	buf_release(&similar);
	return -1;
}

/* Functions of one name: overloads of C++, static ones of several files, clones by the compiler. */
static int
several_functions(const struct marked_file *file, const struct mark *mark,
	const struct probe_sites *sites, struct err *err)
{
	struct buf names = {0};

	err_set(err, ERR_MEASURE, "'%s' has %zu functions '%s'", file->shown, sites->count,
		mark->name);
	for (size_t i = 0; i < sites->count && i < 4; i++)
		buf_printf(&names, "%s%s at 0x%" PRIx64, i > 0 ? ", " : "", sites->all[i].name,
			sites->all[i].offset);
	err_note(err, "%s: give the name as the file has it, or mark one that calls it",
		buf_text(&names));
	buf_release(&names);
	return -1;
}

static void
add_probe(struct operation *operation, const struct marked_file *file,
	const struct probe_site *site, bool ends, bool at_return)
{
	operation->probes = mem_grow(operation->probes, &operation->capacity, operation->count + 1,
		sizeof(*operation->probes));
	operation->probes[operation->count++] = (struct operation_probe){
		.path = mem_strdup(file->path),
		.offset = site->offset,
		.semaphore = site->semaphore,
		.at_return = at_return,
		.ends = ends,
	};
}

static int
check_sites(const struct marked_file *file, const struct mark *mark,
	const struct probe_sites *sites, struct err *err)
{
	if (sites->count == 0)
		return mark->provider ? no_usdt(file, mark, err) : no_function(file, mark, err);
	if (!mark->provider && sites->count > 1)
		return several_functions(file, mark, sites, err);
	for (size_t i = 0; i < sites->count; i++)
		if (sites->all[i].semaphore > SEMAPHORE_MAX)
			return err_set(err, ERR_MEASURE,
				"the semaphore of %s:%s lies behind the first 4 GiB of '%s'",
				mark->provider, mark->name, file->shown);
	if (sites->count > PLACES_MAX)
		return err_set(err, ERR_MEASURE,
			"%s:%s is at %zu places of '%s', at most %d can be marked", mark->provider,
			mark->name, sites->count, file->shown, PLACES_MAX);
	return 0;
}

/* `both`: the mark is a function whose return is the end. */
static int
find_sites(struct probe_sites *sites, struct mark *mark, const struct marked_file *file, bool both,
	struct err *err)
{
	if (mark->provider)
		probe_sites_add_usdt(sites, &file->image, mark->provider, mark->name);
	if (sites->count == 0 && mark->may_be_file)
		mark->provider = NULL;
	if (!mark->provider)
		probe_sites_add_function(sites, &file->image, file->path, mark->name);
	if (both && mark->provider && sites->count > 0)
		return err_set(err, ERR_USAGE,
			"'--operation %s': a USDT probe is one moment: give the one that ends the "
			"operation, too, as BEGIN,END",
			mark->text);
	return check_sites(file, mark, sites, err);
}

static int
find_mark(struct operation *operation, struct mark *mark, bool both,
	const struct operation_program *program, struct err *err)
{
	struct probe_sites sites = {0};
	struct marked_file file;
	int status = open_file(&file, mark, program, err);

	if (status == 0)
		status = find_sites(&sites, mark, &file, both, err);
	for (size_t i = 0; status == 0 && i < sites.count; i++) {
		add_probe(operation, &file, &sites.all[i], mark->ends, false);
		if (both)
			add_probe(operation, &file, &sites.all[i], true, true);
	}
	probe_sites_release(&sites);
	release_file(&file);
	return status;
}

static int
check_kernel(struct err *err)
{
	if (operation_event_type() > 0)
		return 0;
	return err_set(err, ERR_MEASURE,
		"this kernel has no uprobes, which marks need (CONFIG_UPROBE_EVENTS; " PMU ")");
}

/*
 * The same for a single mark, each of whose probes is a begin; the caller sets begin_event.
 * `option` is the name of the option that has the mark, for messages.
 */
static int
operation_find_mark(struct operation *operation, const char *text, const char *option,
	const struct operation_program *program, struct err *err)
{
	struct mark mark = {.text = mem_strdup(text), .option = option};

	*operation = (struct operation){.count = 0};
	int status = parse_mark(&mark, program, err);

	if (status == 0)
		status = find_mark(operation, &mark, false, program, err);
	release_mark(&mark);
	return status == 0 ? check_kernel(err) : -1;
}

int
operation_find(struct operation *operation, const char *marks,
	const struct operation_program *program, struct err *err)
{
	const bool both = marks[operation_part_len(marks, ',')] == '\0';
	int status = 0;

	*operation = (struct operation){
		.begin_event = mem_printf(OPERATION_BEGIN_EVENT "%.*s", NAME_BYTES_MAX, marks),
		.end_event = mem_printf("%s%.*s",
			both ? OPERATION_RETURN_EVENT : OPERATION_END_EVENT, NAME_BYTES_MAX, marks),
	};
	for (const char *at = marks; status == 0 && at;) {
		const size_t len = operation_part_len(at, ',');
		struct mark mark = {
			.text = mem_printf("%.*s", (int)len, at),
			.option = "operation",
			.ends = at != marks,
		};

		status = parse_mark(&mark, program, err);
		if (status == 0)
			status = find_mark(operation, &mark, both, program, err);
		release_mark(&mark);
		at = at[len] ? at + len + 1 : NULL;
	}
	return status == 0 ? check_kernel(err) : -1;
}

int
operation_refused(const struct operation_probe *probe, int errnum, struct err *err)
{
	err_set_errno(err, ERR_MEASURE, errnum, "the kernel refuses a probe in '%s' at 0x%" PRIx64,
		probe->path, probe->offset);
	switch (errnum) {
	case EACCES:
	case EPERM:
		return err_note(err,
			"operations are marked by uprobes: these are for root, or a program with "
			"CAP_PERFMON, whatever kernel.perf_event_paranoid is");
	case EINVAL:
	case EIO:
	case EOPNOTSUPP:
		return err_note(err,
			"an instruction there cannot be probed, or the file is not on a file system "
			"that can be: mark another function");
	default:
		return -1;
	}
}

#define PIPE_WORD "pipe"

static int
add_phase_probe(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err)
{
	/* A function's name has no '=' but in C++'s operators. */
	const char *equals = strchr(text, '=');
	const bool named = equals && !strstr(text, "operator");
	const char *mark = named ? equals + 1 : text;
	const char *colon = strrchr(mark, ':');
	const char *name = named ? text : colon ? colon + 1 : mark;
	size_t len = named ? (size_t)(equals - text) : strlen(name);

	if (len == 0)
		return err_set(err, ERR_USAGE, "'--%s': '%s' names no phase", option, text);
	if (phases->nprobes == PHASE_PROBES_MAX)
		return err_set(err, ERR_USAGE, "'--%s': more than %d phases by probes", option,
			PHASE_PROBES_MAX);
	struct operation *probe = &phases->probes[phases->nprobes++];

	if (len > PHASE_NAME_MAX)
		len = PHASE_NAME_MAX;
	if (operation_find_mark(probe, mark, option, program, err) < 0)
		return -1;
	probe->begin_event = mem_printf(PHASE_PROBE_EVENT "%.*s", (int)len, name);
	return 0;
}

int
capture_phases_find(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err)
{
	int status = 0;

	*phases = (struct capture_phases){.pipe = false};
	for (const char *at = text; status == 0 && at;) {
		const size_t len = operation_part_len(at, ',');
		char *part = mem_printf("%.*s", (int)len, at);

		if (strcmp(part, PIPE_WORD) == 0)
			phases->pipe = true;
		else
			status = add_phase_probe(phases, part, option, program, err);
		free(part);
		at = at[len] ? at + len + 1 : NULL;
	}
	if (status == 0 && phases->pipe && program->pid > 0)
		status = err_set(err, ERR_USAGE,
			"'--%s pipe': a running process cannot receive the path of the pipe",
			option);
	return status;
}

void
capture_phases_release(struct capture_phases *phases)
{
	for (size_t i = 0; i < phases->nprobes; i++)
		operation_release(&phases->probes[i]);
	*phases = (struct capture_phases){.pipe = false};
}
