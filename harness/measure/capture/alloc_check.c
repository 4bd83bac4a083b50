#include "capture/alloc_check.h"

#include "base/file_view.h"
#include "process/find_program.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* What a Go program's build information begins with (Go: debug/buildinfo). */
static const char go_mark[] = "\xff Go buildinf:";

/* The loader that an ELF program of this machine names; NULL where it has none. */
static const char *
find_loader(const struct file_view *view)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	memcpy(&head, view->data, sizeof(head));
	for (size_t i = 0; i < head.e_phnum; i++) {
		uint64_t at = head.e_phoff + i * sizeof(segment);

		if (at > view->len || view->len - at < sizeof(segment))
			return NULL;
		memcpy(&segment, view->data + at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_offset > view->len ||
			view->len - segment.p_offset < segment.p_filesz ||
			view->data[segment.p_offset + segment.p_filesz - 1] != '\0')
			return NULL;
		return view->data + segment.p_offset;
	}
	return NULL;
}

static int
refuse_program(const char *path, const char *reason, const char *instead, struct err *err)
{
	err_set(err, ERR_MEASURE, "allocations of '%s' cannot be counted: %s", path, reason);
	return err_note(err, "%s", instead);
}

static int
check_elf(const struct file_view *view, const char *path, struct err *err)
{
	const char *loader;

	if (view->data[EI_CLASS] != ELFCLASS64)
		return refuse_program(path, "it is a 32-bit program",
			"build it for 64 bits, or measure its CPU time", err);
	loader = find_loader(view);
	if (memmem(view->data, view->len, go_mark, sizeof(go_mark) - 1))
		return refuse_program(path, "it is a Go program, whose memory is Go's own",
			"Go's own profiles show it: runtime/pprof, with -memprofilerate 1 every "
			"allocation",
			err);
	if (!loader)
		return refuse_program(path,
			"it is linked statically, so that nothing can be loaded before its malloc",
			"link it dynamically for this measurement, or measure its CPU time or "
			"instructions",
			err);
	return 0;
}

/* With another user's rights, or more than ours, the loader ignores LD_PRELOAD (ld.so(8)). */
static int
check_rights(const char *path, struct err *err)
{
	struct stat info;
	bool raised;

	if (stat(path, &info) < 0)
		return 0;
	raised = ((info.st_mode & S_ISUID) && info.st_uid != geteuid()) ||
		 ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getegid());
	if (!raised && geteuid() != 0)
		raised = getxattr(path, "security.capability", NULL, 0) > 0;
	if (!raised)
		return 0;
	return refuse_program(path,
		"it runs with the rights of another user or with capabilities (setuid)",
		"measure a copy of the file without them, or run profile_run as that user", err);
}

int
alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err)
{
	struct err ignored = {.kind = ERR_NONE};
	char *path = find_program(argv[0], env, cwd);
	struct file_view view;
	int result = 0;

	if (path && file_view_open(&view, path, &ignored) == 0) {
		if (view.len >= sizeof(Elf64_Ehdr) && memcmp(view.data, ELFMAG, SELFMAG) == 0)
			result = check_elf(&view, path, err);
		file_view_close(&view);
	}
	if (path && result == 0)
		result = check_rights(path, err);
	free(path);
	return result;
}
