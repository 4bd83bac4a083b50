#include "builds/program_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "process/find_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHEBANG_MAX 256

char *
program_path(const struct workload *workload, const char *path)
{
	return workload->cwd && path[0] != '/' ? file_join(workload->cwd, path) : mem_strdup(path);
}

/* `path` as the program finds it; NULL if that is no plain file. */
static char *
plain_file(const struct workload *workload, const char *path)
{
	struct stat file;
	char *found = program_path(workload, path);

	/* Reading a FIFO or a device might never end. */
	if (stat(found, &file) == 0 && S_ISREG(file.st_mode))
		return found;
	free(found);
	return NULL;
}

char *
program_file(const struct workload *workload, size_t word)
{
	const char *argument = workload->run[word];

	return strchr(argument, '/') || word > 0
		       ? plain_file(workload, argument)
		       : find_program(argument, workload->env, workload->cwd);
}

/* Endings that an interpreter, named by the beginning of its name, loads by itself. */
static const struct {
	const char *name;
	const char *endings[4];
} interpreters[] = {
	{"python", {".py"}},
	{"pypy", {".py"}},
	{"node", {".js", ".mjs", ".cjs"}},
	{"perl", {".pl", ".pm"}},
	{"ruby", {".rb"}},
	{"php", {".php"}},
	{"lua", {".lua"}},
	{"tclsh", {".tcl"}},
	{"Rscript", {".R"}},
	{"julia", {".jl"}},
	{"bash", {".sh"}},
	{"dash", {".sh"}},
	{"sh", {".sh"}},
};

/* For "#!/usr/bin/env python3" it is "python3"; for a file that is no script, `path` itself. */
static void
interpreter_name(const char *path, char name[SHEBANG_MAX])
{
	char line[SHEBANG_MAX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
	const char *at = path;

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "#!", 2) == 0) {
		at = line + 2 + strspn(line + 2, " ");
		size_t len = strcspn(at, " ");

		if (len >= 4 && strncmp(at + len - 4, "/env", 4) == 0)
			at += len + strspn(at + len, " ");
		line[at - line + (ptrdiff_t)strcspn(at, " ")] = '\0';
	}
	snprintf(name, SHEBANG_MAX, "%s", file_basename(at));
}

static const char *const *
endings_of(const char *name)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
		size_t len = strlen(interpreters[i].name);

		/* "python3.11" */
		if (strncmp(name, interpreters[i].name, len) == 0 &&
			strspn(name + len, "0123456789.-") == strlen(name + len))
			return interpreters[i].endings;
	}
	return NULL;
}

const char *const *
program_script_endings(const char *word, const char *path)
{
	char name[SHEBANG_MAX];
	const char *const *endings = endings_of(file_basename(word));

	if (endings)
		return endings;
	interpreter_name(path, name);
	return endings_of(name);
}
