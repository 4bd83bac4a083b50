#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int
file_output_open(struct file_output *output, const char *path, struct err *err)
{
	bool to_stdout = strcmp(path, "-") == 0;
	int lent_fd = file_lent_fd(path);

	*output = (struct file_output){.fd = -1, .name = to_stdout ? "standard output" : path};
	if (!to_stdout && !file_is_special(path)) {
		if (file_draft_open(&output->draft, path, err) < 0)
			return -1;
		output->fd = output->draft.fd;
		return 0;
	}
	if (lent_fd >= 0)
		output->fd = dup(lent_fd);
	else
		output->fd = to_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", output->name);
	return 0;
}

int
file_output_put(struct file_output *output, const void *bytes, size_t len, struct err *err)
{
	return file_put(output->fd, bytes, len, output->name, err);
}

int
file_output_commit(struct file_output *output, struct err *err)
{
	int result = 0;

	if (output->draft.path)
		result = file_commit(&output->draft, err);
	else
		close(output->fd);
	output->fd = -1;
	return result;
}

void
file_output_abandon(struct file_output *output)
{
	if (output->draft.path)
		file_abandon(&output->draft);
	else
		close(output->fd);
	output->fd = -1;
}

int
file_write(const char *path, const void *bytes, size_t len, struct err *err)
{
	struct file_output output;

	if (file_output_open(&output, path, err) < 0)
		return -1;
	if (file_output_put(&output, bytes, len, err) < 0) {
		file_output_abandon(&output);
		return -1;
	}
	return file_output_commit(&output, err);
}
