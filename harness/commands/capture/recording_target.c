#include "capture/recording.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "capture/record.h"
#include "measurement/suite_listing.h"
#include "spec/workload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#define FOLDER_NAME_MAX 60

/*
 * The path of the workload that `name` is the file or the name of; NULL: it is a command. free()
 * it.
 */
static char *
workload_path(const struct config *config, const char *name)
{
	size_t len = strlen(name);
	char *path;

	if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
		path = mem_strdup(name);
	else
		path = mem_printf("%s/%s.yaml", config->workloads_dir, name);
	if (strpbrk(name, " \t;&|") == NULL && file_exists(path))
		return path;
	free(path);
	return NULL;
}

bool
record_is_workload(const struct config *config, const char *name)
{
	char *path = workload_path(config, name);

	free(path);
	return path != NULL;
}

int
recording_find_target(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	const char *name = options->workload;
	char *path = name ? workload_path(options->config, name) : NULL;

	recording->argv = options->command;
	if (path) {
		int result = workload_read(&recording->workload, path, options->config, err);

		recording->is_workload = result == 0;
		if (result == 0 && recording->workload.suite) {
			const struct workload_list list = {&recording->workload, 1, NULL, 0};

			result = suites_refuse(&list, "capture", err);
		}
		free(path);
		return result;
	}
	if (name) {
		recording->shell_argv[0] = "/bin/sh";
		recording->shell_argv[1] = "-c";
		recording->shell_argv[2] = name;
		recording->argv = recording->shell_argv;
	}
	return 0;
}

/* Appends "capture-xz" for "/usr/bin/xz -9", with only characters that suit a folder's name. */
static void
put_folder_name(const struct recording *recording, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.-";
	const struct record_options *options = recording->options;
	const char *name = options->command ? options->command[0] : options->workload;

	buf_printf(out, "%scapture-", options->beside ? options->beside : "");
	if (recording->is_workload) {
		buf_puts(out, recording->workload.name);
	} else if (name) {
		char *word = mem_printf("%.*s", (int)strcspn(name, " \t"), name);
		const char *program = file_basename(word);
		size_t len = strspn(program, plain);

		buf_put(out, program, len < FOLDER_NAME_MAX ? len : FOLDER_NAME_MAX);
		buf_puts(out, len > 0 ? "" : "command");
		free(word);
	} else if (options->attach_pid > 0) {
		buf_printf(out, "%d", (int)options->attach_pid);
	} else {
		buf_puts(out, "cpus");
	}
}

int
recording_make_folder(struct recording *recording, struct err *err)
{
	struct buf path = {0};

	if (recording->options->output_dir) {
		recording->output_dir = mem_strdup(recording->options->output_dir);
		return file_make_dirs(recording->output_dir, err);
	}
	put_folder_name(recording, &path);
	size_t len = path.len;
	int result = mkdir(buf_text(&path), 0777);

	for (unsigned n = 2; result < 0 && errno == EEXIST; n++) {
		path.len = len;
		buf_printf(&path, "-%u", n);
		result = mkdir(buf_text(&path), 0777);
	}
	if (result < 0) {
		err_set_errno(
			err, ERR_SYSTEM, errno, "cannot make the folder '%s'", buf_text(&path));
		err_note(err, "choose another folder with '--output DIR'");
	}
	recording->is_new = result == 0;
	recording->output_dir = mem_strdup(buf_text(&path));
	buf_release(&path);
	return result;
}

static char *
name_process(pid_t pid)
{
	char name[64];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	sysfs_read("", path, name, sizeof(name));
	return *name ? mem_printf("process %d (%s)", (int)pid, name)
		     : mem_printf("process %d", (int)pid);
}

char *
recording_title(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct buf words = {0};

	if (options->workload)
		return mem_strdup(
			recording->is_workload ? recording->workload.name : options->workload);
	if (options->attach_pid > 0)
		return name_process(options->attach_pid);
	if (!options->command)
		return mem_printf("all processes on CPUs %s", options->all_of);
	for (size_t i = 0; options->command[i]; i++)
		buf_printf(&words, "%s%s", i > 0 ? " " : "", options->command[i]);
	return words.data;
}
