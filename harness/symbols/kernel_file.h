/*
 * Names out of a kernel's files, for captures of a kernel that is not the one that runs: vmlinux
 * and its modules. Only files of the very build are taken.
 */
#ifndef SYMBOLS_KERNEL_FILE_H
#define SYMBOLS_KERNEL_FILE_H

#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_build {
	const char *root;  /* where /lib/modules and the like lie: "" but in tests */
	char release[128]; /* as uname -r; "" if not known */
	struct build_id build_id;
};

/*
 * Fills `tab` with the symbols of the build's vmlinux, by the addresses it was linked for; *text is
 * that of _text. False where no vmlinux of this build-id is found.
 */
bool kernel_file_vmlinux(const struct kernel_build *build, struct symtab *tab, uint64_t *text);

/*
 * Fills `tab` with the functions of a module, by their offsets from where it was loaded. `name` is
 * as the capture has it, "[ext4]" or the path of ext4.ko; the build-id is the module's. False where
 * no such file is found.
 */
bool kernel_file_module(const struct kernel_build *build, const char *name,
	const struct build_id *build_id, struct symtab *tab);

/*
 * Writes "[ext4]" for "[ext4]" and for ".../ext4.ko.xz"; modules are known by '_' where their files
 * may have '-'. False where it is no module's name, or too long.
 */
bool kernel_file_module_name(const char *path, char *name, size_t size);

#endif
