#include "cli/picture.h"

#include "base/escape.h"
#include "base/file.h"
#include "process/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#define PNG_BYTES_MAX ((size_t)256 * 1024 * 1024)

bool
picture_is_png(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && strcasecmp(path + len - 4, ".png") == 0;
}

/*
 * Converts the SVG file that is open as `fd`. Its size is not limited: we have drawn it ourselves.
 */
static int
convert(int fd, struct tool_output *output, struct err *err)
{
	char name[32];
	const char *const argv[] = {"rsvg-convert", "--unlimited", "--format=png", name, NULL};

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (tool_run_up_to(output, PNG_BYTES_MAX, argv, NULL, NULL, err) < 0)
		return err_note(err,
			"PNG is drawn by rsvg-convert: install librsvg2-bin (Debian, Ubuntu) or "
			"librsvg2-tools (Fedora), or write an .svg");
	if (output->status == 0 && output->out.len > 0 && output->out.len < PNG_BYTES_MAX)
		return 0;
	err_set(err, ERR_SYSTEM, "rsvg-convert made no PNG (status %d)", output->status);
	tool_note_complaint(output, err);
	return -1;
}

static int
write_png(const struct buf *svg, const char *path, struct err *err)
{
	struct tool_output output = {0};
	/* A file in memory, which rsvg-convert inherits. */
	int fd = memfd_create("picture.svg", 0);

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	int result = file_put(fd, svg->data, svg->len, path, err);

	if (result == 0)
		result = convert(fd, &output, err);
	if (result == 0)
		result = file_write(path, output.out.data, output.out.len, err);
	tool_output_release(&output);
	close(fd);
	return result;
}

int
picture_write(struct buf *svg, const char *path, struct err *err)
{
	/* Names in it are on lines of their own, which a CI system may take for commands. */
	if (strcmp(path, "-") == 0)
		escape_commands(svg->data, svg->len);
	int result = picture_is_png(path) ? write_png(svg, path, err)
					  : file_write(path, buf_text(svg), svg->len, err);

	buf_release(svg);
	return result;
}
