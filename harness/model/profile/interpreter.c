#include "profile/interpreter.h"

#include "base/mem.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* Below this part of the weight the script is a small part of the program. */
#define LEAST_SHARE 0.2
/* Names count as enabled where this part of the interpreter's weight has them. */
#define NAMED_SHARE 0.01
#define RUNNERS_MAX 5

static const struct language {
	const char *name;
	const char *process; /* its name begins so; NULL: no machine code is made as it runs */
	const char *advice;
	const char *runners[RUNNERS_MAX + 1]; /* functions that run a script's */
} languages[] = {
	{"Python", "python", "run Python 3.12 or later with -X perf or PYTHONPERFSUPPORT=1",
		{"_PyEval_EvalFrameDefault", "PyEval_EvalFrameEx"}},
	{"JavaScript", "node", "run node with --perf-basic-prof --interpreted-frames-native-stack",
		{"Builtins_InterpreterEntryTrampoline"}},
	{"Perl", NULL, "use a profiler of Perl, such as perl -d:NYTProf",
		{"Perl_runops_standard", "Perl_runops_debug"}},
	{"Ruby", "ruby", "run Ruby 3.3 or later with --yjit --yjit-perf",
		{"rb_vm_exec", "vm_exec", "vm_exec_core"}},
	{"PHP", "php", "run PHP with its JIT and -d opcache.jit_debug=16", {"execute_ex"}},
	{"Lua", NULL, "use a profiler of Lua",
		{"luaV_execute", "lua_pcall", "lua_pcallk", "lua_callk", "lua_resume"}},
	{"Java", "java",
		"run java with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit "
		"-XX:+PreserveFramePointer",
		{NULL}},
	{".NET", "dotnet", "run it with DOTNET_PerfMapEnabled=1", {NULL}},
	{"Lua", "luajit",
		"use its own profiler, luajit -jp=fl, or a LuaJIT that was built with "
		"LUAJIT_USE_PERFTOOLS",
		{NULL}},
};

#define LANGUAGES (sizeof(languages) / sizeof(languages[0]))

/* The language that the function runs scripts of, from 1; 0: none. Clones have a suffix. */
static unsigned char
language_run_by(const char *name)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		for (const char *const *runner = languages[i].runners; *runner; runner++) {
			size_t len = strlen(*runner);

			if (strncmp(name, *runner, len) == 0 &&
				(name[len] == '\0' || name[len] == '.'))
				return (unsigned char)(i + 1);
		}
	return 0;
}

const char *
interpreter_advice(const char *process)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		if (languages[i].process &&
			strncmp(process, languages[i].process, strlen(languages[i].process)) == 0)
			return languages[i].advice;
	return NULL;
}

struct script_place *
script_places(const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	struct script_place *frames = mem_zalloc(profile->frames.nframes, sizeof(*frames));
	struct script_place *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));

	for (frame_id i = 1; i < profile->frames.nframes; i++) {
		const char *name = profile_frame_name(profile, i);

		frames[i].language = language_run_by(name);
		frames[i].broken = strcmp(name, FRAME_BROKEN) == 0;
		if (profile->frames.frames[i].kind == FRAME_JIT && !frame_name_is_unknown(name))
			frames[i].function = i;
	}
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct script_place *frame = &frames[tree->nodes[i].frame];

		nodes[i] = nodes[tree->nodes[i].parent];
		nodes[i].broken |= frame->broken;
		if (frame->function)
			nodes[i].function = frame->function;
		if (frame->language)
			nodes[i].language = frame->language;
	}
	free(frames);
	return nodes;
}

bool
interpreter_find(const struct profile *profile, struct interpreter *found)
{
	const struct ctree *tree = &profile->tree;
	struct script_place *nodes = script_places(profile);
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));
	double plain[LANGUAGES + 1] = {0};
	double named[LANGUAGES + 1] = {0};
	double broken = 0; /* of incomplete stacks: the missing part may have a name */
	double all = 0;
	size_t most = 1;

	ctree_sum(tree, 0, tree->ncolumns, weights);
	for (size_t i = 0; i < tree->nnodes; i++) {
		all += weights[i];
		if (nodes[i].broken)
			broken += weights[i];
		else
			(nodes[i].function ? named : plain)[nodes[i].language] += weights[i];
	}
	free(weights);
	free(nodes);
	for (size_t i = 2; i <= LANGUAGES; i++)
		if (plain[i] > plain[most])
			most = i;
	*found = (struct interpreter){.language = languages[most - 1].name,
		.advice = languages[most - 1].advice,
		.share = all > 0 ? plain[most] / all : 0};
	return found->share >= LEAST_SHARE && plain[most] > broken &&
	       named[most] < NAMED_SHARE * plain[most];
}

void
interpreter_put_found(
	const struct profile *profile, const struct interpreter *found, struct buf *out)
{
	format_percent(out, found->share);
	buf_printf(out,
		" of the %s %s in the %s interpreter, without the names of the script's functions",
		weights_noun(profile), weights_verb(profile), found->language);
}

void
interpreter_put(const struct profile *profile, struct buf *out)
{
	struct interpreter found;

	if (!interpreter_find(profile, &found))
		return;
	interpreter_put_found(profile, &found, out);
	buf_printf(out, "; to name them, %s", found.advice);
}
