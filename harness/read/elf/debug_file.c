#include "elf/debug_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/library.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source: elfutils/debuginfod.h. */
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(
	void *client, const unsigned char *build_id, int build_id_len, char **path);

static void
give_up(struct debuginfod *servers, const char *trouble)
{
	servers->state = DEBUGINFOD_USELESS;
	servers->trouble = trouble;
}

static void
start(struct debuginfod *servers)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	begin_function *begin;

	if (!urls || !*urls) {
		give_up(servers, "DEBUGINFOD_URLS names no server");
		return;
	}
	servers->library = library_open("libdebuginfod.so.1");
	if (!servers->library) {
		give_up(servers, "libdebuginfod.so.1 is not installed");
		return;
	}
	library_function(servers->library, "debuginfod_begin", (void *)&begin);
	servers->client = begin ? begin() : NULL;
	if (!servers->client)
		give_up(servers, "libdebuginfod.so.1 does not work");
	else
		servers->state = DEBUGINFOD_READY;
}

void
debuginfod_release(struct debuginfod *servers)
{
	end_function *end;

	if (servers->client) {
		library_function(servers->library, "debuginfod_end", (void *)&end);
		if (end)
			end(servers->client);
	}
	/* The library stays loaded: libraries that it depends on do not support unloading. */
	*servers = (struct debuginfod){0};
}

char *
debuginfod_fetch(struct debuginfod *servers, const struct build_id *build_id, bool executable)
{
	find_function *find;
	char *path = NULL;

	if (servers->state == DEBUGINFOD_ON)
		start(servers);
	if (servers->state != DEBUGINFOD_READY || build_id->len == 0)
		return NULL;
	library_function(servers->library,
		executable ? "debuginfod_find_executable" : "debuginfod_find_debuginfo",
		(void *)&find);

	int fd = find ? find(servers->client, build_id->bytes, (int)build_id->len, &path) : -ENOSYS;

	if (fd >= 0) {
		close(fd);
		return path;
	}
	/* A server that has no such file says so; anything else would cost the same wait again. */
	if (fd != -ENOENT)
		give_up(servers, "no debuginfod server answers");
	return NULL;
}

#define DEBUG_ROOT "/usr/lib/debug"

/* Opens the file at `path`, or one of that name which is packed. */
static bool
open_packed(struct elf_image *debug, const char *path)
{
	static const char *const suffixes[] = {"", ".xz", ".zst", ".gz"};
	bool opened = false;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && !opened; i++) {
		char *name = mem_printf("%s%s", path, suffixes[i]);

		opened = file_exists(name) && elf_packed_open(debug, name);
		free(name);
	}
	return opened;
}

/* Whether `image`, which is open, is of this build; it is closed if not. */
static bool
is_build(struct elf_image *image, const struct build_id *build_id)
{
	if (build_id_equal(&image->build_id, build_id))
		return true;
	elf_image_close(image);
	return false;
}

bool
debug_file_open_by_id(struct elf_image *debug, const char *root, const struct build_id *build_id)
{
	char digits[BUILD_ID_TEXT_SIZE];
	struct buf path = {0};

	if (build_id->len < 2)
		return false;
	build_id_text(build_id, digits);
	buf_printf(&path, "%s" DEBUG_ROOT "/.build-id/%.2s/%s.debug", root, digits, digits + 2);

	bool opened = open_packed(debug, buf_text(&path));

	buf_release(&path);
	return opened && (debug->build_id.len == 0 || is_build(debug, build_id));
}

/* CRC-32 of ISO 3309 as .gnu_debuglink holds it. */
static uint32_t
checksum(const char *bytes, size_t len)
{
	uint32_t table[256];
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
	for (size_t i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ (unsigned char)bytes[i]) & 0xff];
	return ~crc;
}

/* The file that is open, even if its name is another's by now. */
static bool
has_checksum(const struct elf_image *debug, uint32_t wanted)
{
	size_t len;
	const char *bytes = elf_rawfile(debug->elf, &len);

	return bytes && checksum(bytes, len) == wanted;
}

static bool
open_candidate(
	struct elf_image *debug, const struct elf_image *image, const char *path, uint32_t crc)
{
	if (!open_packed(debug, path))
		return false;
	if (debug->build_id.len > 0 && image->build_id.len > 0)
		return is_build(debug, &image->build_id);
	if (has_checksum(debug, crc))
		return true;
	elf_image_close(debug);
	return false;
}

bool
debug_file_open(
	struct elf_image *debug, const struct elf_image *image, const char *root, const char *path)
{
	GElf_Shdr header;
	uint32_t crc;

	if (debug_file_open_by_id(debug, root, &image->build_id))
		return true;
	Elf_Scn *section = elf_image_section(image, ".gnu_debuglink", SHT_NULL, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	if (!data || !data->d_buf || data->d_size < sizeof(crc) + 1 ||
		!memchr(data->d_buf, '\0', data->d_size - sizeof(crc)))
		return false;
	memcpy(&crc, (const char *)data->d_buf + data->d_size - sizeof(crc), sizeof(crc));

	const char *name = data->d_buf;
	int dir_len = (int)(file_basename(path) - path);
	bool opened = false;

	/* The link is a bare file name: anything else could lead anywhere. */
	if (strchr(name, '/') || dir_len == 0)
		return false;
	char *const places[] = {
		mem_printf("%s%.*s%s", root, dir_len, path, name),
		mem_printf("%s%.*s.debug/%s", root, dir_len, path, name),
		mem_printf("%s" DEBUG_ROOT "%.*s%s", root, dir_len, path, name),
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		opened = opened || (strcmp(places[i] + strlen(root), path) != 0 &&
					   open_candidate(debug, image, places[i], crc));
		free(places[i]);
	}
	return opened;
}

/* The folder of the file that `image` was opened from, with a slash at its end; "" if in memory. */
static void
folder_of(const struct elf_image *image, char folder[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", image->fd);

	ssize_t len = image->fd < 0 ? -1 : readlink(link, folder, PATH_MAX - 1);

	folder[len < 0 ? 0 : len] = '\0';
	folder[file_basename(folder) - folder] = '\0';
}

bool
debug_file_open_alt(struct elf_image *alt, const struct elf_image *image)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_image_section(image, ".gnu_debugaltlink", SHT_NULL, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	const char *end = name ? memchr(name, '\0', data->d_size) : NULL;
	char folder[PATH_MAX];

	if (!end || end == name)
		return false;

	struct build_id build_id = build_id_of(
		(const unsigned char *)end + 1, data->d_size - (size_t)(end + 1 - name));

	if (build_id.len < 2)
		return false;
	folder_of(image, folder);

	/* The path before /usr/lib/debug is the root of the system that the files are of. */
	const char *debug_root = strstr(folder, DEBUG_ROOT "/");
	char *root = mem_dup(folder, debug_root ? (size_t)(debug_root - folder) : 0);
	char *path = mem_printf("%s%s", name[0] == '/' ? root : folder, name);
	bool opened = debug_file_open_by_id(alt, root, &build_id) && is_build(alt, &build_id);

	/* A relative name with nothing to be relative to could lead anywhere. */
	if (!opened && path[0] == '/')
		opened = open_packed(alt, path) && is_build(alt, &build_id);
	free(root);
	free(path);
	return opened;
}
