#include "cli/picture.h"

#include "base/file.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PNG_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define SVG_NAME "picture.svg"

bool
picture_is_png(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && strcasecmp(path + len - 4, ".png") == 0;
}

/* Appends the picture in `folder` as PNG. Size is not limited: we drew it ourselves. */
static int
convert(const char *folder, struct tool_output *output, struct err *err)
{
	const char *const argv[] = {"rsvg-convert", "--unlimited", "--format=png", SVG_NAME, NULL};

	if (tool_run_up_to(output, PNG_BYTES_MAX, argv, NULL, folder, err) < 0)
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
	char *folder;

	if (file_dir_scratch(&folder, err) < 0)
		return -1;
	char *source = file_join(folder, SVG_NAME);
	int result = file_write(source, svg->data, svg->len, err);

	if (result == 0)
		result = convert(folder, &output, err);
	if (result == 0)
		result = file_write(path, output.out.data, output.out.len, err);
	tool_output_release(&output);
	free(source);
	file_dir_abandon(folder);
	return result;
}

int
picture_write(struct buf *svg, const char *path, struct err *err)
{
	int result = picture_is_png(path) ? write_png(svg, path, err)
					  : file_write(path, buf_text(svg), svg->len, err);

	buf_release(svg);
	return result;
}
