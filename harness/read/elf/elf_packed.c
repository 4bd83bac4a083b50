/*
 * Unpacks what is compressed in ELF files, within a bound: a whole file (.xz, .gz, .zst),
 * .gnu_debugdata, and sections packed with zstd.
 */
#include "elf/elf_packed.h"

#include "base/buf.h"
#include "base/file.h"
#include "elf/elf_image.h"

/* Input is constant. */
#define ZLIB_CONST
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/*
 * Source: "The .xz File Format" 1.1.0, sections 2.1.1 and 3; for LZMA2, the Linux kernel's
 * lib/xz/xz_dec_lzma2.c.
 */
#define STREAM_HEADER_BYTES 12
#define FILTER_LZMA2 0x21

enum block_flag {
	BLOCK_FILTERS = 0x03, /* one less than there are */
	BLOCK_PACKED = 0x40,  /* sizes are given */
	BLOCK_UNPACKED = 0x80,
};

enum chunk {
	CHUNK_END = 0,
	CHUNK_PLAIN_RESET = 1,
	CHUNK_PLAIN = 2,
	CHUNK_LZMA = 0x80,
	CHUNK_LZMA_PROPERTIES = 0xc0,
};

struct reading {
	const unsigned char *at;
	size_t left;
	bool failed; /* cut short, or no xz */
};

static const unsigned char *
take_bytes(struct reading *reading, size_t len)
{
	static const unsigned char nothing[8];
	const unsigned char *at = reading->at;

	if (len > reading->left) {
		reading->failed = true;
		reading->left = 0;
		return nothing;
	}
	reading->at += len;
	reading->left -= len;
	return at;
}

/* A number of up to nine bytes. */
static uint64_t
take_number(struct reading *reading)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		const unsigned char byte = *take_bytes(reading, 1);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reading->failed = true;
	return 0;
}

/* Whether the last of the block's filters, the one that unpacks, is LZMA2. */
static bool
is_lzma2(struct reading header)
{
	const unsigned char flags = *take_bytes(&header, 1);
	uint64_t filter = 0;

	if (flags & BLOCK_PACKED)
		take_number(&header);
	if (flags & BLOCK_UNPACKED)
		take_number(&header);
	for (unsigned i = 0; i <= (flags & BLOCK_FILTERS); i++) {
		filter = take_number(&header);
		const uint64_t len = take_number(&header);

		take_bytes(&header, len < SIZE_MAX ? (size_t)len : SIZE_MAX);
	}
	return !header.failed && filter == FILTER_LZMA2;
}

/* The size of a block's data when they are unpacked. */
static uint64_t
take_chunks(struct reading *reading)
{
	uint64_t size = 0;
	unsigned control;

	while ((control = *take_bytes(reading, 1)) != CHUNK_END) {
		const unsigned char *head = take_bytes(reading, 2);
		const uint64_t bytes = ((uint64_t)head[0] << 8 | head[1]) + 1;

		if (control >= CHUNK_LZMA) {
			const unsigned char *packed = take_bytes(reading, 2);

			size += ((uint64_t)(control & 0x1f) << 16) + bytes;
			take_bytes(reading, ((size_t)packed[0] << 8 | packed[1]) + 1 +
						    (control >= CHUNK_LZMA_PROPERTIES));
		} else {
			reading->failed |= control > CHUNK_PLAIN;
			size += bytes;
			take_bytes(reading, (size_t)bytes);
		}
	}
	return size;
}

bool
xz_size(const unsigned char *bytes, size_t len, uint64_t *size)
{
	static const unsigned char check_bytes[16] = {
		0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
	static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	struct reading reading = {bytes, len, false};
	const unsigned char *header = take_bytes(&reading, STREAM_HEADER_BYTES);

	*size = 0;
	if (reading.failed || memcmp(header, magic, sizeof(magic)) != 0)
		return false;
	const size_t check = check_bytes[header[7] & 0x0f];

	/* The index begins with the size of no block. */
	while (reading.left > 0 && *reading.at != 0) {
		const unsigned char *block = reading.at;
		const size_t header_bytes = ((size_t)*block + 1) * 4;

		take_bytes(&reading, header_bytes);
		if (reading.failed ||
			!is_lzma2((struct reading){block + 1, header_bytes - 1, false}))
			return false;
		const unsigned char *data = reading.at;

		*size += take_chunks(&reading);
		take_bytes(&reading, (size_t) - (reading.at - data) % 4 + check);
	}
	return !reading.failed && reading.left > 0;
}

/* More than the debug information of the largest programs has. */
#define UNPACKED_BYTES_MAX ((uint64_t)1 << 30)

/* elf.h of older systems lacks it. Source: ELF gABI, "Compression header". */
#define COMPRESSED_BY_ZSTD 2

/* For inflateInit2(): the largest window, in the format of gzip. */
#define GZIP_WINDOW (15 + 16)

#define CHUNK_BYTES 65536

/* Appends the unpacked content of `bytes`, one or more frames of zstd: at most what is allowed. */
static bool
unpack_zstd(const void *bytes, size_t len, struct allowance *allowance, struct buf *out)
{
	const uint64_t start = out->len;
	const uint64_t limit = start + allowance->left;
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
	return allowance_take(allowance, out->len - start) && left == 0 && in.pos == len;
}

/* Unpacks a section that gzip packed. */
static bool
unpack_gzip(const void *bytes, size_t len, struct allowance *allowance, struct buf *out)
{
	const uint64_t limit = allowance->left;
	unsigned char *chunk = malloc(CHUNK_BYTES);
	z_stream stream = {.next_in = bytes, .avail_in = (uInt)len};
	int status = chunk && inflateInit2(&stream, GZIP_WINDOW) == Z_OK ? Z_OK : Z_MEM_ERROR;
	const bool begun = status == Z_OK;

	while (status == Z_OK && out->len <= limit) {
		stream.next_out = chunk;
		stream.avail_out = CHUNK_BYTES;
		status = inflate(&stream, Z_NO_FLUSH);
		buf_put(out, chunk, CHUNK_BYTES - stream.avail_out);
	}
	if (begun)
		inflateEnd(&stream);
	free(chunk);
	return allowance_take(allowance, out->len) && status == Z_STREAM_END;
}

/* Whether a library that unpacks all of this stream of xz may do so. */
static bool
may_unpack_xz(const void *bytes, size_t len, struct allowance *allowance)
{
	uint64_t size;

	return xz_size(bytes, len, &size) && size <= UNPACKED_BYTES_MAX &&
	       allowance_take(allowance, size);
}

/* Makes `image` the file in `fd`, which is packed; `fd` is the caller's. */
static bool
open_unpacked(struct elf_image *image, int fd, const unsigned char *bytes, size_t len)
{
	struct allowance allowance = elf_image_unpacking(len);
	struct buf out = {0};
	bool good = false;

	if (may_unpack_xz(bytes, len, &allowance))
		return elf_image_adopt(image, dwelf_elf_begin(fd), NULL);
	if (len >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0)
		good = unpack_zstd(bytes, len, &allowance, &out);
	else if (len >= 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0)
		good = unpack_gzip(bytes, len, &allowance, &out);
	if (!good || out.len == 0) {
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
	int fd = file_open_ordinary(path);

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
elf_packed_open_mini(struct elf_image *mini, struct elf_image *image)
{
	GElf_Shdr header;
	struct err err = {0};
	Elf_Scn *section = elf_image_section(image, ".gnu_debugdata", SHT_NULL, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	bool opened = false;

	if (!data || !data->d_buf || !may_unpack_xz(data->d_buf, data->d_size, &image->unpacking))
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
append_plain(Elf_Scn *section, uint64_t headers_at, struct allowance *allowance, struct buf *out)
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

	if (!unpack_zstd(bytes, len, allowance, out) || out->len - start != packed.ch_size)
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
		good = append_plain(section, header.e_shoff, &image->unpacking, &out);
	if (!good) {
		buf_release(&out);
		return false;
	}
	if (!elf_image_adopt(&plain, elf_memory(out.data, out.len), out.data))
		return false;
	plain.unpacking = image->unpacking;
	elf_image_close(image);
	*image = plain;
	return true;
}
