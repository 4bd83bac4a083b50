/*
 * The names of the running kernel, from /proc/kallsyms.
 */
#include "base/buf.h"
#include "base/file_view.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "symbols/symbols_internal.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Some 200,000 names of 40 bytes; many times that is no kernel. */
#define KALLSYMS_BYTES_MAX (256u << 20)
/* A line has 40 bytes or more on average: room for the table is made once. */
#define LINE_BYTES 40

void
kernel_names_release(struct kernel_names *kernel)
{
	symtab_release(&kernel->tab);
	buf_release(&kernel->lines);
}

/* Behind the digits; NULL where there are none. */
static char *
parse_address(char *at, const char *end, uint64_t *address)
{
	const char *start = at;

	for (*address = 0; at < end && isxdigit((unsigned char)*at) && at - start < 16; at++)
		*address = *address << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at & 7) + 9);
	return at > start ? at : NULL;
}

/*
 * One line: "ffffffff81000000 T _text" or "... t ext4_map_blocks\t[ext4]". Names are terminated in
 * place: there are 200,000 of them, and a copy of each costs more than all else here.
 */
static void
parse_line(struct kernel_names *kernel, char *line, char *end)
{
	uint64_t address;
	char *at = parse_address(line, end, &address);

	if (!at || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return;
	char type = (char)toupper((unsigned char)at[1]);
	char *name = at + 3;
	char *name_end = memchr(name, '\t', (size_t)(end - name));

	/* Code and data, as perf takes them; not absolute symbols, which are per-CPU offsets. */
	if (address == 0 || !strchr("TWDB", type))
		return;
	if (!name_end)
		name_end = end;
	if (name_end == name)
		return;

	enum symbol_binding binding = type == 'W'     ? BINDING_WEAK
				      : at[1] == type ? BINDING_GLOBAL
						      : BINDING_LOCAL;
	struct symtab_entry *entry = symtab_add(&kernel->tab, address, 0, binding, name, true);

	if (name_end + 1 < end && name_end[1] == '[')
		entry->module = name_end + 1;
	entry->data = type == 'D' || type == 'B';
	*name_end = '\0';
	*end = '\0';
	if (strcmp(entry->name, "_text") == 0)
		kernel->text = address;
}

/* Parses kernel->lines, which are cut up into names. */
static void
parse_lines(struct kernel_names *kernel)
{
	char *end = kernel->lines.data + kernel->lines.len;

	kernel->tab.entries = mem_grow(kernel->tab.entries, &kernel->tab.capacity,
		kernel->lines.len / LINE_BYTES + 1, sizeof(*kernel->tab.entries));
	for (char *line = kernel->lines.data; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *line_end = newline ? newline : end;

		parse_line(kernel, line, line_end);
		line = line_end + 1;
	}
	symtab_finish(&kernel->tab, true);
	kernel->readable = kernel->tab.count > 0;
}

void
kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len)
{
	buf_put(&kernel->lines, text, len);
	if (kernel->lines.len > 0)
		parse_lines(kernel);
}

/* /sys/kernel/notes is a run of ELF notes in the machine's own order. */
static void
parse_notes(struct kernel_names *kernel, const char *bytes, size_t len)
{
	Elf64_Nhdr note;
	size_t at = 0;

	while (at + sizeof(note) <= len) {
		memcpy(&note, bytes + at, sizeof(note));
		size_t name_at = at + sizeof(note);
		size_t desc_at = name_at + ((size_t)note.n_namesz + 3) / 4 * 4;
		size_t next = desc_at + ((size_t)note.n_descsz + 3) / 4 * 4;

		if (next > len)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(bytes + name_at, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MAX) {
			kernel->build_id =
				build_id_of((const unsigned char *)bytes + desc_at, note.n_descsz);
			return;
		}
		at = next;
	}
}

void
kernel_names_identify(struct kernel_names *kernel)
{
	struct utsname machine;
	struct err err = {0};
	struct buf notes = {0};

	if (uname(&machine) == 0)
		snprintf(kernel->release, sizeof(kernel->release), "%s", machine.release);
	if (file_read("/sys/kernel/notes", &notes, KALLSYMS_BYTES_MAX, &err) == 0)
		parse_notes(kernel, notes.data, notes.len);
	buf_release(&notes);
}

void
kernel_names_load(struct kernel_names *kernel)
{
	struct err ignored = {0};

	if (kernel->loaded)
		return;
	kernel->loaded = true;
	if (file_read("/proc/kallsyms", &kernel->lines, KALLSYMS_BYTES_MAX, &ignored) == 0 &&
		kernel->lines.len > 0)
		parse_lines(kernel);
}
