/* The environment and the paths of a counted run. */
#include "capture/surroundings.h"

#include "base/file.h"
#include "base/mem.h"
#include "process/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where programs are on any system. */
#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * The functions of glibc that it has for x86-64-v2, and the sizes by which some of them choose: the
 * same on each CPU that valgrind presents. Features are named twice where glibc 2.33 renamed them;
 * a name that it does not know is ignored. The list of features ends with a comma: without one, the
 * glibc of a static program reads on behind it, as far as the random bytes above the environment.
 */
#define TUNABLES                                                                       \
	"GLIBC_TUNABLES=glibc.cpu.hwcaps="                                             \
	"-AVX512F,-AVX512VL,-AVX512BW,-AVX2_Usable,-AVX2,-AVX_Usable,-AVX,"            \
	"-AVX_Fast_Unaligned_Load,-BMI1,-BMI2,-LZCNT,-MOVBE,-F16C,-FMA_Usable,-FMA,"   \
	"-FMA4_Usable,-FMA4,-RTM,-ERMS,-FSRM,-XSAVEC_Usable,-XSAVEC,-XSAVE,"           \
	"-Slow_BSF,-Fast_Copy_Backward,Fast_Rep_String,Fast_Unaligned_Load,"           \
	"Fast_Unaligned_Copy,Prefer_PMINUB_for_stringop,"                              \
	":glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576" \
	":glibc.cpu.x86_non_temporal_threshold=786432"                                 \
	":glibc.cpu.x86_rep_movsb_threshold=2048:glibc.cpu.x86_rep_stosb_threshold=2048"

static const char *const fixed[] = {
	"TZ=UTC0", /* else /etc/localtime is read */
	"PYTHONHASHSEED=0",
	"PERL_HASH_SEED=0",
	"PERL_PERTURB_KEYS=0",
	/* Go's preemption signals come by the clock, and valgrind 3.19 fails on one in a handler.
	 */
	"GODEBUG=asyncpreemptoff=1",
#ifdef __x86_64__
	TUNABLES,
#endif
	NULL,
};

/* Variables that valgrind needs itself, and does not hand on. */
static const char *const kept[] = {"VALGRIND_LIB", NULL};

/* Variables that hardly any program needs: not named when a program fails without them. */
static const char *const idle[] = {"HOME", "HOSTNAME", "LESSCLOSE", "LESSOPEN", "LOGNAME",
	"LS_COLORS", "MAIL", "OLDPWD", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "USER", "_", NULL};

/* So many missing variables are named. */
#define MISSING_MAX 12

static size_t
name_len(const char *variable)
{
	return strcspn(variable, "=");
}

static bool
is_same_name(const char *a, const char *b)
{
	return name_len(a) == name_len(b) && strncmp(a, b, name_len(a)) == 0;
}

static bool
is_among(const char *const *list, const char *variable)
{
	for (; list && *list; list++)
		if (is_same_name(*list, variable))
			return true;
	return false;
}

/* The folder of the checkout that `cwd` is in; cwd itself outside of one. */
static char *
find_checkout(const char *cwd)
{
	char *dir = mem_strdup(cwd);

	for (char *slash; (slash = strrchr(dir, '/')) && slash != dir; *slash = '\0') {
		char *git = file_join(dir, ".git");
		const bool found = access(git, F_OK) == 0;

		free(git);
		if (found)
			return dir;
	}
	free(dir);
	return mem_strdup(cwd);
}

/* Whether a path may begin behind, or end before, this character of a word. */
static bool
is_border(char c)
{
	return strchr("=:,;'\"()<>|&` \t\n", c) != NULL;
}

/* The text with all paths below the checkout replaced by those of the fixed place. */
static const char *
inside(struct surroundings *s, const char *text)
{
	const char *folder = s->place.folder;
	const size_t len = folder ? strlen(folder) : 0;
	struct buf out = {0};
	const char *from = text;

	if (!folder)
		return text;
	for (const char *at = text; (at = strstr(at, folder));) {
		const char *end = at + len;
		const bool begins = at == text || is_border(at[-1]);

		if (begins && (*end == '/' || is_border(*end))) {
			buf_put(&out, from, (size_t)(at - from));
			buf_puts(&out, FIXED_PLACE_FOLDER);
			from = end;
		}
		at = end;
	}
	if (from == text)
		return text;
	buf_puts(&out, from);
	const char *result = arena_strdup(&s->arena, buf_text(&out));

	buf_release(&out);
	return result;
}

bool
surroundings_outside(const struct surroundings *s, const char *path, size_t len, struct buf *out)
{
	static const struct {
		const char *there;
		size_t len;
	} places[] = {{FIXED_PLACE_FOLDER, sizeof(FIXED_PLACE_FOLDER) - 1},
		{FIXED_PLACE_HOME, sizeof(FIXED_PLACE_HOME) - 1}};
	const char *const outside[] = {s->place.folder, s->place.home};

	for (size_t i = 0; s->place.folder && i < 2; i++) {
		if (!outside[i] || len < places[i].len ||
			memcmp(path, places[i].there, places[i].len) != 0 ||
			(len > places[i].len && path[places[i].len] != '/'))
			continue;
		buf_puts(out, outside[i]);
		buf_put(out, path + places[i].len, len - places[i].len);
		return true;
	}
	return false;
}

/* Adds the folder of the program `name` to `path` where the usual ones have another, or none. */
static void
add_program(const char *name, const char *const *env, const char *cwd, struct buf *path)
{
	static const char *const usual_env[] = {"PATH=" USUAL_PATH, NULL};
	char *here = find_program(name, env, cwd);
	char *usual = find_program(name, usual_env, cwd);
	char *slash = here ? strrchr(here, '/') : NULL;

	if (slash && here[0] == '/' && !(usual && file_is_same(here, usual))) {
		slash[slash == here] = '\0';
		char *entry = mem_printf(":%s:", here);

		/* Bounded by a colon on either side. */
		buf_puts(path, path->len == 0 ? ":" : "");
		if (!strstr(buf_text(path), entry))
			buf_printf(path, "%s:", here);
		free(entry);
	}
	free(usual);
	free(here);
}

/* Adds the interpreter that env looks up for a script: "#!/usr/bin/env python3". */
static void
add_interpreter(const char *script, const char *const *env, const char *cwd, struct buf *path)
{
	static const char key[] = "env ";
	char line[256] = "";
	const int fd = open(script, O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (got < 2 || line[0] != '#' || line[1] != '!')
		return;
	line[strcspn(line, "\n")] = '\0';
	const char *name = strstr(line, key);

	if (!name)
		return;
	name += strlen(key);
	name += strncmp(name, "-S ", 3) == 0 ? 3 : 0;
	char *word = mem_dup(name, strcspn(name, " \t"));

	if (*word)
		add_program(word, env, cwd, path);
	free(word);
}

/* Adds the words of a shell's command: any of them may be a program's name. */
static void
add_words(const char *text, const char *const *env, const char *cwd, struct buf *path)
{
	while (*text) {
		text += strspn(text, "=:,;'\"()<>|&` \t\n$");
		const size_t len = strcspn(text, "=:,;'\"()<>|&` \t\n$");
		char *word = mem_dup(text, len);

		if (len > 0 && !strchr(word, '/'))
			add_program(word, env, cwd, path);
		free(word);
		text += len;
	}
}

/*
 * PATH of a counted run: the usual folders, and ahead of them those in which the command's own
 * programs are found. The other folders of our own PATH would only make searches longer.
 */
static const char *
make_path(struct surroundings *s, const char *const *argv, const char *const *env, const char *cwd)
{
	struct buf path = {0};
	char *program = find_program(argv[0], env, cwd);
	bool is_shell_text = false;

	if (argv[0] && !strchr(argv[0], '/'))
		add_program(argv[0], env, cwd, &path);
	if (program)
		add_interpreter(program, env, cwd, &path);
	for (const char *const *word = argv; *word; word++) {
		if (is_shell_text)
			add_words(*word, env, cwd, &path);
		is_shell_text = strcmp(*word, "-c") == 0;
	}
	const char *own = path.len > 0 ? buf_text(&path) + 1 : "";
	const char *text = arena_printf(&s->arena, "PATH=%s" USUAL_PATH, own);

	buf_release(&path);
	free(program);
	return inside(s, text);
}

/* Makes the environment. The workload's variables come last, and so replace others. */
static void
make_env(struct surroundings *s, const char *const *argv, const char *const *env, const char *cwd)
{
	const char *home = s->place.folder ? FIXED_PLACE_HOME : getenv("HOME");
	size_t nwanted = 0;
	size_t n = 0;

	while (env && env[nwanted])
		nwanted++;
	const size_t most =
		nwanted + sizeof(fixed) / sizeof(fixed[0]) + sizeof(kept) / sizeof(kept[0]) + 3;
	const char **all = arena_alloc(&s->arena, (most + 1) * sizeof(*all));

	all[n++] = arena_printf(&s->arena, "HOME=%s", home ? home : "/");
	all[n++] = make_path(s, argv, env, cwd);
	all[n++] = arena_printf(&s->arena, "PWD=%s", s->cwd);
	for (size_t i = 0; fixed[i]; i++)
		all[n++] = fixed[i];
	for (size_t i = 0; kept[i]; i++)
		if (getenv(kept[i]))
			all[n++] = arena_printf(&s->arena, "%s=%s", kept[i], getenv(kept[i]));
	for (size_t i = 0; i < nwanted; i++)
		all[n++] = inside(s, env[i]);
	all[n] = NULL;
	s->env = all;
}

void
surroundings_make(struct surroundings *s, const char *const *argv, const char *const *env,
	const char *cwd, bool placed)
{
	char *here = realpath(cwd ? cwd : ".", NULL);
	char *folder = here && placed ? find_checkout(here) : NULL;
	const char *home = getenv("HOME");
	size_t nwords = 0;

	*s = (struct surroundings){.cwd = cwd ? cwd : ".", .wanted = env};
	if (here)
		s->cwd = arena_strdup(&s->arena, here);
	/* The path of the root is short everywhere, and the prefix of every path. */
	if (folder && strcmp(folder, "/") != 0) {
		s->place.folder = arena_strdup(&s->arena, folder);
		s->place.home = home && home[0] == '/' ? arena_strdup(&s->arena, home) : NULL;
		s->cwd = inside(s, s->cwd);
	}
	while (argv[nwords])
		nwords++;
	const char **words = arena_alloc(&s->arena, (nwords + 1) * sizeof(*words));

	for (size_t i = 0; i < nwords; i++)
		words[i] = inside(s, argv[i]);
	words[nwords] = NULL;
	s->argv = words;
	make_env(s, argv, env, cwd);
	free(folder);
	free(here);
}

/* Whether the workload's `env` sets the variable. */
static bool
is_workloads(const struct surroundings *s, const char *variable)
{
	return is_among(s->wanted, variable);
}

/* Whether the variable names a place: the lack of such a one is the likeliest to matter. */
static bool
names_place(const char *variable)
{
	static const char *const parts[] = {"PATH", "HOME", "ROOT", "LIB", "PRELOAD", "DIR"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(variable, name_len(variable), parts[i], strlen(parts[i])))
			return true;
	return false;
}

#define TUNABLES_NAME "GLIBC_TUNABLES="

const char *const *
surroundings_dropped(struct surroundings *s, size_t *n)
{
	size_t most = 0;

	while (environ[most])
		most++;
	const char **dropped = arena_alloc(&s->arena, (most + 1) * sizeof(*dropped));

	*n = 0;
	for (int places = 1; places >= 0; places--) {
		for (char **at = environ; *at && *n < most; at++) {
			const bool is_path = is_same_name(*at, "PATH=");

			if (names_place(*at) == (places == 1) && !is_workloads(s, *at) &&
				!is_same_name(*at, TUNABLES_NAME) &&
				(is_path || !is_among(s->env, *at)))
				dropped[(*n)++] = arena_strdup(&s->arena, *at);
		}
	}
	dropped[*n] = NULL;
	return dropped;
}

const char *const *
surroundings_uncounted_env(struct surroundings *s, const char *const *added, size_t nadded)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	size_t n = 0;
	size_t most = nadded;

	while (s->env[n])
		n++;
	most += n + 1;
	const char **all = arena_alloc(&s->arena, (most + 1) * sizeof(*all));

	n = 0;
	for (size_t i = 0; s->env[i]; i++)
		if (is_workloads(s, s->env[i]) || !is_same_name(s->env[i], TUNABLES_NAME))
			all[n++] = s->env[i];
	if (tunables && !is_workloads(s, TUNABLES_NAME))
		all[n++] = arena_printf(&s->arena, TUNABLES_NAME "%s", tunables);
	for (size_t i = 0; i < nadded; i++)
		all[n++] = added[i];
	all[n] = NULL;
	return all;
}

void
surroundings_release(struct surroundings *s)
{
	arena_release(&s->arena);
	*s = (struct surroundings){0};
}

void
surroundings_note_missing(const struct surroundings *s, struct err *err)
{
	struct buf names = {0};
	size_t n = 0;

	for (int places = 1; places >= 0; places--) {
		for (char **variable = environ; *variable; variable++) {
			if (names_place(*variable) != (places == 1) ||
				is_among(s->env, *variable) || is_among(idle, *variable))
				continue;
			if (n++ < MISSING_MAX)
				buf_printf(&names, "%s%.*s", n > 1 ? ", " : "",
					(int)name_len(*variable), *variable);
		}
	}
	if (n > MISSING_MAX)
		buf_printf(&names, " and %zu more", n - MISSING_MAX);
	if (n > 0)
		err_note(err,
			"a counted run has the workload's `env` only: name there what the program "
			"needs of %s",
			buf_text(&names));
	buf_release(&names);
}
