#include "elf/elf_packed.h"

#include "base/buf.h"
#include "base/file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* More than the debug information of the largest programs has. */
#define UNPACKED_BYTES_MAX ((uint64_t)1 << 30)
/* The largest ratio of zlib, and more than the others reach with symbols. */
#define RATIO_MAX 1032

/* elf.h of older systems lacks it. Source: ELF gABI, "Compression header". */
#define COMPRESSED_BY_ZSTD 2

#define CHUNK_BYTES 65536

#define XZ_EDGE_BYTES ((size_t)12) /* of a stream's header, and of its footer */

static uint64_t
unpacked_limit(uint64_t packed_bytes)
{
	return packed_bytes < UNPACKED_BYTES_MAX / RATIO_MAX ? packed_bytes * RATIO_MAX
							     : UNPACKED_BYTES_MAX;
}

/* Appends the unpacked content of `bytes`, one or more frames of zstd. */
static bool
unpack_zstd(const void *bytes, size_t len, struct buf *out)
{
	uint64_t limit = unpacked_limit(len) + out->len;
	ZSTD_DCtx *context = ZSTD_createDCtx();
	char *chunk = malloc(CHUNK_BYTES);
	ZSTD_inBuffer in = {bytes, len, 0};
	size_t left = 1; /* 0 at the end of a frame */
	bool more = true;

	while (context && chunk && more && out->len <= limit) {
		ZSTD_outBuffer part = {chunk, CHUNK_BYTES, 0};
		size_t before = in.pos;

		left = ZSTD_decompressStream(context, &part, &in);
		if (ZSTD_isError(left))
			break;
		buf_put(out, chunk, part.pos);
		more = in.pos < in.size || part.pos == part.size;
		/* Neither read nor written: the frame is cut short. */
		if (in.pos == before && part.pos == 0)
			break;
	}
	free(chunk);
	ZSTD_freeDCtx(context);
	return left == 0 && in.pos == len && out->len <= limit;
}

/* A variable-length number of xz; false where it is cut short or too long. */
static bool
xz_number(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
		unsigned char byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/*
 * Whether these bytes are one stream of xz whose index accounts for them and says that they become
 * no more than the limit: the library that unpacks them takes as much memory as it needs. Source:
 * "The .xz File Format", sections 2.1 and 4.
 */
static bool
is_fair_xz(const unsigned char *bytes, size_t len)
{
	uint32_t size_field;
	uint64_t packed = 2 * XZ_EDGE_BYTES;
	uint64_t unpacked = 0;
	uint64_t count;

	if (len < 2 * XZ_EDGE_BYTES + 8 ||
		memcmp(bytes,
			"\xfd"
			"7zXZ",
			6) != 0 ||
		memcmp(bytes + len - 2, "YZ", 2) != 0)
		return false;
	memcpy(&size_field, bytes + len - 8, sizeof(size_field));

	uint64_t index_bytes = ((uint64_t)size_field + 1) * 4;

	if (index_bytes > len - 2 * XZ_EDGE_BYTES)
		return false;
	const unsigned char *end = bytes + len - XZ_EDGE_BYTES;
	const unsigned char *at = end - index_bytes;

	if (*at++ != 0 || !xz_number(&at, end, &count) || count > index_bytes)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t block;
		uint64_t size;

		if (!xz_number(&at, end, &block) || !xz_number(&at, end, &size) || block > len ||
			size > UNPACKED_BYTES_MAX)
			return false;
		packed += (block + 3) / 4 * 4;
		unpacked += size;
	}
	return packed + index_bytes == len && unpacked <= unpacked_limit(len);
}

/* The last four bytes of gzip's are the size, modulo 2^32. */
static bool
is_fair_gzip(const unsigned char *bytes, size_t len)
{
	uint32_t size;

	if (len < 18 || memcmp(bytes, "\x1f\x8b", 2) != 0)
		return false;
	memcpy(&size, bytes + len - sizeof(size), sizeof(size));
	return size <= unpacked_limit(len) && len < UNPACKED_BYTES_MAX / 2;
}

/* Makes `image` the file in `fd`, which is packed; `fd` is the caller's. */
static bool
open_unpacked(struct elf_image *image, int fd, const unsigned char *bytes, size_t len)
{
	if (is_fair_xz(bytes, len) || is_fair_gzip(bytes, len))
		return elf_image_adopt(image, dwelf_elf_begin(fd), NULL);
	if (len < 4 || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) != 0)
		return false;

	struct buf out = {0};

	if (!unpack_zstd(bytes, len, &out) || out.len == 0) {
		buf_release(&out);
		return false;
	}
	return elf_image_adopt(image, elf_memory(out.data, out.len), out.data);
}

bool
elf_packed_open(struct elf_image *image, const char *path)
{
	struct stat status;

	if (elf_image_open(image, path))
		return true;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool opened = false;
	void *map = MAP_FAILED;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
		(uint64_t)status.st_size <= UNPACKED_BYTES_MAX)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map != MAP_FAILED) {
		opened = open_unpacked(image, fd, map, (size_t)status.st_size);
		munmap(map, (size_t)status.st_size);
	}
	close(fd);
	return opened;
}

bool
elf_packed_open_mini(struct elf_image *mini, const struct elf_image *image)
{
	GElf_Shdr header;
	struct err err = {0};
	Elf_Scn *section = elf_image_section(image, ".gnu_debugdata", SHT_NULL, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	bool opened = false;

	if (!data || !data->d_buf || !is_fair_xz(data->d_buf, data->d_size))
		return false;
	/* libdw unpacks files only. */
	int fd = memfd_create("gnu_debugdata", MFD_CLOEXEC);

	if (fd < 0)
		return false;
	if (file_put(fd, data->d_buf, data->d_size, "gnu_debugdata", &err) == 0)
		opened = elf_image_adopt(mini, dwelf_elf_begin(fd), NULL);
	close(fd);
	return opened;
}

/* The bytes that zstd packed in `section`, without their header; NULL if it is not such a one. */
static const char *
zstd_bytes(Elf_Scn *section, GElf_Chdr *packed, size_t *len)
{
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED) ||
		header.sh_type == SHT_NOBITS || !gelf_getchdr(section, packed) ||
		packed->ch_type != COMPRESSED_BY_ZSTD)
		return NULL;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !data->d_buf || data->d_size < sizeof(Elf64_Chdr))
		return NULL;
	*len = data->d_size - sizeof(Elf64_Chdr);
	return (const char *)data->d_buf + sizeof(Elf64_Chdr);
}

/* Appends the plain bytes of `section` to the file in `out` and points its header there. */
static bool
append_plain(Elf_Scn *section, uint64_t headers_at, struct buf *out)
{
	size_t number = elf_ndxscn(section);
	size_t at = headers_at + number * sizeof(Elf64_Shdr);
	GElf_Chdr packed;
	Elf64_Shdr header;
	size_t len;
	const char *bytes = zstd_bytes(section, &packed, &len);

	if (!bytes)
		return true;
	if (out->len > UNPACKED_BYTES_MAX || at > out->len || out->len - at < sizeof(header))
		return false;
	buf_put_zeros(out, (16 - out->len % 16) % 16);

	size_t start = out->len;

	if (!unpack_zstd(bytes, len, out) || out->len - start != packed.ch_size)
		return false;
	memcpy(&header, out->data + at, sizeof(header));
	header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	header.sh_offset = start;
	header.sh_size = packed.ch_size;
	header.sh_addralign = packed.ch_addralign;
	memcpy(out->data + at, &header, sizeof(header));
	return true;
}

bool
elf_packed_expand(struct elf_image *image)
{
	Elf_Scn *section = NULL;
	GElf_Chdr packed;
	size_t len;
	bool any = false;

	while (!any && (section = elf_nextscn(image->elf, section)))
		any = zstd_bytes(section, &packed, &len) != NULL;
	if (!any)
		return true;

	GElf_Ehdr header;
	const char *file = elf_rawfile(image->elf, &len);
	struct buf out = {0};
	struct elf_image plain;
	bool good = file && len <= UNPACKED_BYTES_MAX && gelf_getehdr(image->elf, &header) &&
		    header.e_ident[EI_CLASS] == ELFCLASS64 &&
		    header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shoff <= len;

	if (!good)
		return false;
	buf_put(&out, file, len);
	for (section = NULL; good && (section = elf_nextscn(image->elf, section));)
		good = append_plain(section, header.e_shoff, &out);
	if (!good) {
		buf_release(&out);
		return false;
	}
	if (!elf_image_adopt(&plain, elf_memory(out.data, out.len), out.data))
		return false;
	elf_image_close(image);
	*image = plain;
	return true;
}
