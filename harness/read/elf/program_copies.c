#include "elf/program_copies.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Digits of the hash of a path: the files that they distinguish have the same inode. */
#define PATH_DIGITS 16
/* For a name that can be a build-id's: of 8 bytes or more, as linkers make them. */
#define DIGITS_LEAST 16
/* For the file of reasons: a line for each of some thousand files. */
#define PROBLEMS_NAME "not-copied.txt"
#define PROBLEMS_BYTES_MAX ((size_t)1 << 20)

char *
program_copies_path(
	const char *dir, const struct build_id *build_id, const char *path, uint64_t inode)
{
	char digits[BUILD_ID_TEXT_SIZE];
	char hash[SHA256_TEXT_SIZE];

	if (build_id->len >= 2) {
		build_id_text(build_id, digits);
		return mem_printf("%s/" PROGRAM_COPIES "/%s", dir, digits);
	}
	if (inode == 0)
		return NULL;
	sha256_text(path, strlen(path), hash);
	return mem_printf(
		"%s/" PROGRAM_COPIES "/inode-%" PRIu64 "-%.*s", dir, inode, PATH_DIGITS, hash);
}

char *
program_copies_jit_map(const char *dir, uint32_t pid)
{
	return mem_printf("%s/" PROGRAM_COPIES "/perf-%" PRIu32 ".map", dir, pid);
}

char *
program_copies_problems(const char *dir)
{
	return mem_printf("%s/" PROGRAM_COPIES "/" PROBLEMS_NAME, dir);
}

char *
program_copies_problem(const char *dir, const char *path)
{
	const size_t path_len = strlen(path);
	struct err ignored = {0};
	struct buf text = {0};
	char *file = program_copies_problems(dir);
	char *reason = NULL;

	if (file_read(file, &text, PROBLEMS_BYTES_MAX, &ignored) == 0) {
		for (const char *line = buf_text(&text); *line && !reason;
			line += strcspn(line, "\n"), line += *line == '\n')
			if (strncmp(line, path, path_len) == 0 && line[path_len] == '\t')
				reason = mem_dup(
					line + path_len + 1, strcspn(line + path_len + 1, "\n"));
	}
	buf_release(&text);
	free(file);
	return reason;
}

/* Whether a file of this name in the folder is of ours: others may have put theirs beside them. */
static bool
is_ours(const char *name)
{
	const size_t len = strlen(name);
	const char *end = len > 4 ? name + len - 4 : name;

	return text_begins(name, "inode-") || strcmp(name, PROBLEMS_NAME) == 0 ||
	       (text_begins(name, "perf-") && strcmp(end, ".map") == 0) ||
	       (len >= DIGITS_LEAST && strspn(name, "0123456789abcdef") == len);
}

/* Adds up the bytes of our files, or removes them. */
static uint64_t
visit_copies(const char *dir, bool remove)
{
	char *folder = file_join(dir, PROGRAM_COPIES);
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	struct stat status;
	uint64_t bytes = 0;

	while (entries && (entry = readdir(entries))) {
		if (!is_ours(entry->d_name))
			continue;
		if (remove)
			unlinkat(dirfd(entries), entry->d_name, 0);
		else if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			bytes += (uint64_t)status.st_blocks * 512;
	}
	if (entries)
		closedir(entries);
	if (remove)
		rmdir(folder); /* only if it is empty */
	free(folder);
	return bytes;
}

uint64_t
program_copies_bytes(const char *dir)
{
	return visit_copies(dir, false);
}

void
program_copies_remove(const char *dir)
{
	visit_copies(dir, true);
}

/* Copies a part of a file to the same place of another one. */
static int
copy_part(int from, int to, uint64_t start, uint64_t bytes, struct err *err)
{
	char chunk[65536];
	uint64_t end = start + bytes;

	while (start < end) {
		size_t wanted = end - start < sizeof(chunk) ? (size_t)(end - start) : sizeof(chunk);
		ssize_t got = pread(from, chunk, wanted, (off_t)start);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot read it");
		/* The file was cut short meanwhile. */
		if (got == 0)
			return 0;
		for (ssize_t done = 0; done < got;) {
			ssize_t put = pwrite(
				to, chunk + done, (size_t)(got - done), (off_t)start + (off_t)done);

			if (put < 0 && errno != EINTR)
				return err_set_errno(err, ERR_SYSTEM, errno, "cannot write it");
			done += put > 0 ? put : 0;
		}
		start += (uint64_t)got;
	}
	return 0;
}

/* The use of a section. */
enum part {
	PART_NEEDED, /* code, unwind rows, names, notes */
	PART_DEBUG,  /* lines, inlined functions, names of a stripped program */
	PART_UNUSED, /* data */
	PART_NONE,   /* no bytes of the file */
};

static enum part
part_of(const struct elf_image *image, const GElf_Shdr *header)
{
	const char *name = elf_image_section_name(image, header);

	if (header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL || header->sh_size == 0)
		return PART_NONE;
	if (text_begins(name, ".debug_") || text_begins(name, ".zdebug_") ||
		text_begins(name, ".gdb_index"))
		return PART_DEBUG;
	/* Go's table of functions, also where it is relocated: .data.rel.ro.gopclntab. */
	if (strstr(name, "gopclntab"))
		return PART_NEEDED;
	if ((header->sh_flags & SHF_ALLOC) &&
		(text_begins(name, ".rodata") || text_begins(name, ".data") ||
			text_begins(name, ".tdata")))
		return PART_UNUSED;
	return PART_NEEDED;
}

/* The file's bytes, and its sections as far as they lie in it. */
struct parts {
	const struct elf_image *image;
	uint64_t file_bytes;
	GElf_Ehdr header;
	size_t nsections;
	uint64_t bytes[PART_NONE + 1]; /* of the sections of each kind */
	bool with_debug;
};

static uint64_t
bytes_within(uint64_t offset, uint64_t size, uint64_t file_bytes)
{
	if (offset >= file_bytes)
		return 0;
	return size < file_bytes - offset ? size : file_bytes - offset;
}

static void
survey(struct parts *parts)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(parts->image->elf, section));)
		if (gelf_getshdr(section, &header))
			parts->bytes[part_of(parts->image, &header)] +=
				bytes_within(header.sh_offset, header.sh_size, parts->file_bytes);
}

/* A section that is not in the copy has no bytes there, as its header says. */
static int
hide_section(const struct parts *parts, size_t number, int to, struct err *err)
{
	const bool big = parts->header.e_ident[EI_DATA] == ELFDATA2MSB;
	const unsigned char type[4] = {big ? 0 : SHT_NOBITS, 0, 0, big ? SHT_NOBITS : 0};
	/* sh_type is the second word of a section's header, of either class. */
	const uint64_t at = parts->header.e_shoff + number * parts->header.e_shentsize + 4;

	if (pwrite(to, type, sizeof(type), (off_t)at) != (ssize_t)sizeof(type))
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write it");
	return 0;
}

static int
copy_section(const struct parts *parts, Elf_Scn *section, int to, struct err *err)
{
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header))
		return 0;
	enum part part = part_of(parts->image, &header);

	if (part == PART_NONE)
		return 0;
	if (part == PART_UNUSED || (part == PART_DEBUG && !parts->with_debug))
		return hide_section(parts, elf_ndxscn(section), to, err);
	return copy_part(parts->image->fd, to, header.sh_offset,
		bytes_within(header.sh_offset, header.sh_size, parts->file_bytes), err);
}

static int
copy_parts(const struct parts *parts, int to, struct err *err)
{
	const GElf_Ehdr *header = &parts->header;
	int from = parts->image->fd;

	if (ftruncate(to, (off_t)parts->file_bytes) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write it");
	if (copy_part(from, to, 0, header->e_ehsize, err) < 0 ||
		copy_part(from, to, header->e_phoff,
			parts->image->nheaders * (uint64_t)header->e_phentsize, err) < 0 ||
		copy_part(from, to, header->e_shoff,
			parts->nsections * (uint64_t)header->e_shentsize, err) < 0)
		return -1;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(parts->image->elf, section));)
		if (copy_section(parts, section, to, err) < 0)
			return -1;
	return 0;
}

static int
too_large(uint64_t bytes, const struct allowance *allowance, struct err *err)
{
	return err_set(err, ERR_SYSTEM,
		"%" PRIu64 " MiB are needed of it, and %" PRIu64
		" MiB are left for copies of this capture",
		bytes >> 20, allowance->left >> 20);
}

static int
commit(struct file_draft *draft, int status, struct err *err)
{
	if (status == 0)
		return file_commit_unflushed(draft, err);
	file_abandon(draft);
	return -1;
}

int
program_copies_write(const struct elf_image *image, const char *path, struct allowance *allowance,
	struct err *err)
{
	struct parts parts = {.image = image, .file_bytes = (uint64_t)image->seen.st_size};
	struct file_draft draft;

	if (!gelf_getehdr(image->elf, &parts.header) ||
		elf_getshdrnum(image->elf, &parts.nsections) < 0 || parts.nsections == 0)
		return program_copies_write_whole(image->fd, path, allowance, err);
	survey(&parts);

	const uint64_t needed = parts.bytes[PART_NEEDED];
	const uint64_t debug = parts.bytes[PART_DEBUG];

	if (needed > allowance->left)
		return too_large(needed, allowance, err);
	/* Names of other programs are worth more than the lines of this one. */
	parts.with_debug = debug <= (allowance->left - needed) / 2;
	if (file_draft_open(&draft, path, err) < 0)
		return -1;
	allowance_take(allowance, needed + (parts.with_debug ? debug : 0));
	return commit(&draft, copy_parts(&parts, draft.fd, err), err);
}

int
program_copies_write_whole(int fd, const char *path, struct allowance *allowance, struct err *err)
{
	struct file_draft draft;
	struct stat status;

	if (fstat(fd, &status) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read it");
	const uint64_t bytes = (uint64_t)status.st_size;

	if (bytes > allowance->left)
		return too_large(bytes, allowance, err);
	if (file_draft_open(&draft, path, err) < 0)
		return -1;
	allowance_take(allowance, bytes);
	return commit(&draft, copy_part(fd, draft.fd, 0, bytes, err), err);
}

/* Opens the file at `at`, which is freed or becomes *path. */
static bool
try_copy(struct elf_image *image, char *at, const struct build_id *build_id, char **path)
{
	if (elf_image_open(image, at)) {
		if (build_id_equal(&image->build_id, build_id)) {
			*path = at;
			return true;
		}
		elf_image_close(image);
	}
	free(at);
	return false;
}

/* As perf keeps files by build-id, in a folder each since Linux 4.10. */
static bool
try_perf(struct elf_image *image, const char *dir, const struct build_id *build_id, char **path)
{
	char digits[BUILD_ID_TEXT_SIZE];

	build_id_text(build_id, digits);
	return try_copy(image, mem_printf("%s/.build-id/%.2s/%s/elf", dir, digits, digits + 2),
		       build_id, path) ||
	       try_copy(image, mem_printf("%s/.build-id/%.2s/%s", dir, digits, digits + 2),
		       build_id, path);
}

bool
program_copies_open(struct elf_image *image, const char *dir, const char *home,
	const struct build_id *build_id, char **path)
{
	bool opened = false;

	if (build_id->len < 2)
		return false;
	if (dir)
		opened = try_copy(image, program_copies_path(dir, build_id, "", 0), build_id,
				 path) ||
			 try_perf(image, dir, build_id, path);
	if (!opened && home && *home) {
		char *cache = file_join(home, ".debug");

		opened = try_perf(image, cache, build_id, path);
		free(cache);
	}
	return opened;
}
