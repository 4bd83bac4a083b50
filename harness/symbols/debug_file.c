#include "symbols/debug_file.h"

#include "base/buf.h"
#include "base/file.h"

#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

bool
debug_file_open_by_id(struct elf_image *debug, const unsigned char *build_id, size_t build_id_len)
{
	struct buf path;

	if (build_id_len < 2)
		return false;
	buf_init(&path);
	buf_printf(&path, DEBUG_ROOT "/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < build_id_len; i++)
		buf_printf(&path, "%02x", build_id[i]);
	buf_puts(&path, ".debug");

	bool opened = elf_image_open(debug, buf_text(&path));

	buf_release(&path);
	return opened;
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

static bool
has_checksum(const char *path, uint32_t wanted)
{
	struct file_view view;
	struct err err = {0};

	if (file_view_open(&view, path, &err) < 0)
		return false;
	bool same = checksum(view.data, view.len) == wanted;

	file_view_close(&view);
	return same;
}

static bool
open_candidate(
	struct elf_image *debug, const struct elf_image *image, const char *path, uint32_t crc)
{
	if (!file_exists(path) || !elf_image_open(debug, path))
		return false;
	bool same =
		debug->build_id_len > 0 && image->build_id_len > 0
			? debug->build_id_len == image->build_id_len &&
				  memcmp(debug->build_id, image->build_id, image->build_id_len) == 0
			: has_checksum(path, crc);

	if (!same)
		elf_image_close(debug);
	return same;
}

bool
debug_file_open(struct elf_image *debug, const struct elf_image *image, const char *path)
{
	static const char *const places[] = {"", "/.debug", DEBUG_ROOT};
	GElf_Shdr header;
	uint32_t crc;

	if (debug_file_open_by_id(debug, image->build_id, image->build_id_len))
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
	struct buf candidate;

	/* The link is a bare file name: anything else could lead anywhere. */
	if (strchr(name, '/') || dir_len == 0)
		return false;
	buf_init(&candidate);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !opened; i++) {
		buf_clear(&candidate);
		if (places[i][0] && places[i] != places[1])
			buf_printf(&candidate, "%s%.*s%s", places[i], dir_len, path, name);
		else
			buf_printf(&candidate, "%.*s%s%s%s", dir_len, path,
				places[i][0] ? places[i] + 1 : "", places[i][0] ? "/" : "", name);
		opened = strcmp(buf_text(&candidate), path) != 0 &&
			 open_candidate(debug, image, buf_text(&candidate), crc);
	}
	buf_release(&candidate);
	return opened;
}
