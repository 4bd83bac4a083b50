#include "builds/go_modules.h"

#include "base/mem.h"
#include "builds/git.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "go.mod"
#define BLANKS " \t\r"

/* "module example.org/tool // comment"; the name may be quoted. NULL: it has none. */
static const char *
read_name(char *line, struct arena *arena)
{
	char *name = line + strcspn(line, BLANKS);

	name += strspn(name, BLANKS "\"`");
	name[strcspn(name, BLANKS "\"`")] = '\0';
	return *name ? arena_strdup(arena, name) : NULL;
}

static void
add_module(struct go_modules *modules, const char *path, char *line, struct arena *arena)
{
	const size_t len = strlen(path);
	const char *name = read_name(line, arena);

	if (!name || len < sizeof(FILE_NAME) - 1)
		return;
	modules->modules = mem_grow(modules->modules, &modules->capacity, modules->count + 1,
		sizeof(*modules->modules));
	modules->modules[modules->count++] = (struct go_module){
		name, arena_printf(arena, "%.*s", (int)(len - (sizeof(FILE_NAME) - 1)), path)};
}

void
go_modules_read(struct go_modules *modules, const char *top, struct arena *arena)
{
	static const char files[] = ":(top,glob)**/" FILE_NAME;
	static const char *const args[] = {"grep", "-z", "--no-color", "--no-line-number",
		"--no-column", "--full-name", "-I", "-E", "^module[[:space:]]", "--", files, NULL};
	struct tool_output output = {0};
	struct err ignored = {0};

	*modules = (struct go_modules){0};
	if (git_run(&output, top, args, &ignored) == 0 && output.status == 0) {
		/* Each is a path, ended by a null character, and its line. */
		for (char *at = output.out.data, *end = at + output.out.len; at < end;) {
			char *line = at + strlen(at) + 1;
			char *next = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;

			if (!next)
				break;
			*next = '\0';
			add_module(modules, at, line, arena);
			at = next + 1;
		}
	}
	tool_output_release(&output);
}

void
go_modules_release(struct go_modules *modules)
{
	free(modules->modules);
	*modules = (struct go_modules){0};
}

const char *
go_modules_path(const struct go_modules *modules, const char *name, struct arena *arena)
{
	const struct go_module *found = NULL;
	size_t found_len = 0;

	/* A module may be within another. */
	for (size_t i = 0; i < modules->count; i++) {
		const size_t len = strlen(modules->modules[i].name);

		if (len > found_len && strncmp(name, modules->modules[i].name, len) == 0 &&
			name[len] == '/') {
			found = &modules->modules[i];
			found_len = len;
		}
	}
	return found ? arena_printf(arena, "%s%s", found->folder, name + found_len + 1) : NULL;
}
