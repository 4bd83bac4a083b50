#include "cli/input.h"

#include "base/file.h"
#include "ingest/ingest.h"

int
input_read(struct profile *profile, const char *path, struct err *err)
{
	struct ingest_options options = {0};

	profile_init(profile);
	if (ingest_file(profile, path, &options, err) < 0) {
		profile_release(profile);
		return -1;
	}
	profile_sort(profile);
	return 0;
}

int
input_write_result(struct buf *out, const char *path, struct err *err)
{
	int result = file_write(path, buf_text(out), out->len, err);

	buf_release(out);
	return result;
}
