#include "replay/record_file.h"

#include "base/mem.h"
#include "base/sha256.h"
#include "replay/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC "profile_run-"
#define LINE_MAX_BYTES 128
#define HASH_BYTES (SHA256_TEXT_SIZE - 1)

const struct record_kind record_replay = {
	.name = "replay",
	.expected = "the reports of a gate have one a workload: REPORT/WORKLOAD/replay.bin",
	/* A compromise between time and size: a report has one such file per workload. */
	.level = 6,
};

const struct record_kind record_shard = {
	.name = "shard",
	.expected =
		"the report of 'profile_run gate --shard INDEX/COUNT' has one: REPORT/shard.bin",
	.same_tool = true,
	/* Most of its contents are compressed already. */
	.level = 1,
};

/* The first line. */
struct header {
	unsigned format;
	char tool_version[32];
	size_t unpacked;
	size_t packed;
	size_t bytes; /* of the line */
};

bool
record_pack(const struct record_kind *kind, const struct buf *contents, const char *tool_version,
	struct buf *out)
{
	size_t bound = ZSTD_compressBound(contents->len);
	char hash[SHA256_TEXT_SIZE];
	size_t start = out->len;
	struct buf packed = {0};

	if (contents->len > RECORD_UNPACKED_MAX)
		return false;
	buf_reserve(&packed, bound);
	size_t len =
		ZSTD_compress(packed.data, bound, buf_text(contents), contents->len, kind->level);

	/* There is room for whatever comes out. */
	if (ZSTD_isError(len))
		mem_exhausted();
	buf_printf(out, MAGIC "%s %d %s %zu %zu\n", kind->name, RECORD_FORMAT, tool_version,
		contents->len, len);
	buf_put(out, packed.data, len);
	sha256_text(out->data + start, out->len - start, hash);
	buf_put(out, hash, HASH_BYTES);
	buf_release(&packed);
	return true;
}

static int
check_format(const struct record_kind *kind, const char *path, const struct header *header,
	struct err *err)
{
	if (header->format > RECORD_FORMAT) {
		err_set(err, ERR_INPUT,
			"%s: written by profile_run %s in format %u; this is profile_run " PROFILE_RUN_VERSION
			", which reads up to format %d",
			path, header->tool_version, header->format, RECORD_FORMAT);
		return err_note(err, "read it with profile_run %s or newer", header->tool_version);
	}
	if (header->format < 1)
		return err_set(err, ERR_INPUT, "%s: there is no format %u", path, header->format);
	if (kind->same_tool && strcmp(header->tool_version, PROFILE_RUN_VERSION) != 0) {
		err_set(err, ERR_INPUT,
			"%s: written by profile_run %s; this is profile_run " PROFILE_RUN_VERSION,
			path, header->tool_version);
		return err_note(
			err, "use one version of profile_run for all shards and for the merge");
	}
	return 0;
}

/* The text after "profile_run-KIND "; NULL: it is another file. */
static const char *
behind_magic(const struct record_kind *kind, const char *line)
{
	size_t len = strlen(kind->name);

	if (strncmp(line, MAGIC, strlen(MAGIC)) != 0)
		return NULL;
	line += strlen(MAGIC);
	return strncmp(line, kind->name, len) == 0 && line[len] == ' ' ? line + len : NULL;
}

static int
read_header(const struct record_kind *kind, const char *path, const char *bytes, size_t len,
	struct header *header, struct err *err)
{
	char line[LINE_MAX_BYTES + 1];
	size_t most = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES;
	const char *end = memchr(bytes, '\n', most);

	memcpy(line, bytes, most);
	line[end ? (size_t)(end - bytes) : most] = '\0';
	*header = (struct header){.bytes = end ? (size_t)(end - bytes) + 1 : most};
	const char *rest = behind_magic(kind, line);
	int found = rest ? sscanf(rest, "%9u %31s %19zu %19zu", &header->format,
				   header->tool_version, &header->unpacked, &header->packed)
			 : 0;

	if (found < 2) {
		err_set(err, ERR_INPUT, "%s: not a %s file of profile_run", path, kind->name);
		return err_note(err, "%s", kind->expected);
	}
	if (check_format(kind, path, header, err) < 0)
		return -1;
	if (found < 4 || !end)
		return err_set(err, ERR_INPUT, "%s: the first line is cut off or altered", path);
	return 0;
}

/* Checks the sizes that the header gives. */
static int
check_length(const char *path, const struct header *header, size_t len, struct err *err)
{
	const struct allowance allowance =
		allowance_of(RECORD_UNPACKED_LEAST, header->packed, RECORD_UNPACKED_RATIO);

	if (header->unpacked > allowance.left)
		return err_set(err, ERR_INPUT,
			"%s: %zu bytes, %zu when unpacked; more than %d times as many are not read",
			path, header->packed, header->unpacked, RECORD_UNPACKED_RATIO);
	if (header->unpacked > RECORD_UNPACKED_MAX || header->packed > RECORD_FILE_MAX)
		return err_set(err, ERR_INPUT,
			"%s: %zu bytes, %zu when unpacked; more than %zu MiB are not read", path,
			header->packed, header->unpacked, RECORD_UNPACKED_MAX >> 20);
	size_t expected = header->bytes + header->packed + HASH_BYTES;

	if (len < expected) {
		err_set(err, ERR_INPUT, "%s: cut off: %zu of its %zu bytes are there", path, len,
			expected);
		return err_note(err, "copy the file again");
	}
	if (len > expected)
		return err_set(err, ERR_INPUT, "%s: altered: %zu bytes follow its end", path,
			len - expected);
	return 0;
}

size_t
record_memory(size_t len)
{
	const struct allowance memory = allowance_of(RECORD_MEMORY_LEAST, len, RECORD_MEMORY_RATIO);

	return memory.left < RECORD_MEMORY_MAX ? (size_t)memory.left : RECORD_MEMORY_MAX;
}

int
record_unpack(const struct record_kind *kind, const char *path, const char *bytes, size_t len,
	struct record_contents *record, struct err *err)
{
	struct buf *contents = &record->bytes;
	struct header header;
	char hash[SHA256_TEXT_SIZE];

	*record = (struct record_contents){.format = RECORD_FORMAT};
	if (read_header(kind, path, bytes, len, &header, err) < 0 ||
		check_length(path, &header, len, err) < 0)
		return -1;
	sha256_text(bytes, len - HASH_BYTES, hash);
	if (memcmp(hash, bytes + len - HASH_BYTES, HASH_BYTES) != 0) {
		err_set(err, ERR_INPUT, "%s: altered: its checksum is not that of its contents",
			path);
		return err_note(err, "copy the file again");
	}
	buf_reserve(contents, header.unpacked);
	size_t unpacked = ZSTD_decompress(
		contents->data, header.unpacked, bytes + header.bytes, header.packed);

	if (ZSTD_isError(unpacked) || unpacked != header.unpacked) {
		buf_release(contents);
		return err_set(err, ERR_INPUT, "%s: broken: it cannot be unpacked", path);
	}
	contents->len = unpacked;
	record->format = header.format;
	return 0;
}
