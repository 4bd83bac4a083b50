#include "builds/program.h"

#include "base/mem.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void suite_builds_build_system(void);

struct folder {
	char dir[48];
	char *back;
	struct arena arena;
};

/* A folder made by `script`, in which the test stands. */
static void
folder_init(struct folder *folder, const char *script)
{
	*folder = (struct folder){.dir = "/tmp/build-system-test-XXXXXX"};
	folder->back = getcwd(NULL, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder->dir));
	CU_ASSERT_EQUAL_FATAL(chdir(folder->dir), 0);
	CU_ASSERT_EQUAL_FATAL(system(script), 0);
}

static void
folder_release(struct folder *folder)
{
	char *command = mem_printf("rm -rf '%s'", folder->dir);

	CU_ASSERT_EQUAL_FATAL(chdir(folder->back), 0);
	CU_ASSERT_EQUAL(system(command), 0);
	free(command);
	free(folder->back);
	arena_release(&folder->arena);
}

static void
check(const char *script, const char *program, const char *prefix, const char *name,
	const char *command)
{
	struct folder folder;
	struct build_system found;

	folder_init(&folder, script);
	build_system_find(&found, program, prefix, &folder.arena);
	UNIT_STR_EQ(found.name ? found.name : "none", name);
	UNIT_STR_EQ(found.command ? found.command : "none", command);
	folder_release(&folder);
}

static void
a_makefile_builds_programs_of_the_folder(void)
{
	check("touch Makefile", "./parse", NULL, "Make", "make");
	check("touch GNUmakefile", "bin/parse", NULL, "Make", "make");
	/* Nothing says that it builds what is installed. */
	check("touch Makefile", "python3", NULL, "none", "none");
	check("touch Makefile", "/usr/bin/parse", NULL, "none", "none");
	check("touch Makefile", "../parse", NULL, "none", "none");
	check("true", "./parse", NULL, "none", "none");
}

static void
cmake_builds_in_the_folder_of_its_cache(void)
{
	check("touch CMakeLists.txt Makefile", "./out/parse", NULL, "CMake",
		"cmake -S . -B out -DCMAKE_BUILD_TYPE=RelWithDebInfo && "
		"cmake --build out --parallel");
	check("touch CMakeLists.txt; mkdir -p 'a b/c/d'\n"
	      "echo CMAKE_BUILD_TYPE:STRING=Release >'a b/c/CMakeCache.txt'",
		"a b/c/d/parse", NULL, "CMake",
		"cmake -S . -B 'a b/c' -DCMAKE_BUILD_TYPE=Release && "
		"cmake --build 'a b/c' --parallel");
	/* A program beside both files is that of the Makefile. */
	check("touch CMakeLists.txt Makefile", "./parse", NULL, "Make", "make");
	check("touch CMakeLists.txt", "./parse", NULL, "CMake",
		"cmake -S . -B . -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build . --parallel");
}

static void
meson_builds_in_its_folder(void)
{
	check("touch meson.build; mkdir -p b/meson-info b/src", "./b/src/parse", NULL, "Meson",
		"meson setup b --buildtype=debugoptimized && meson compile -C b");
}

static void
cargo_builds_the_profile_of_the_path(void)
{
	check("touch Cargo.toml", "target/release/parse", NULL, "Cargo",
		"CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release");
	check("touch Cargo.toml", "target/debug/parse", NULL, "Cargo", "cargo build");
	check("touch Cargo.toml", "target/bench/examples/parse", NULL, "Cargo",
		"cargo build --profile bench --example parse");
	check("touch Cargo.toml Makefile", "./parse", NULL, "Make", "make");
}

static void
go_builds_the_same_program_of_the_same_source(void)
{
	static const char options[] = "go build -buildvcs=false -trimpath -o";
	struct folder folder;
	char *at_root = mem_printf("%s parse .", options);
	char *of_command = mem_printf("%s bin/parse ./cmd/parse", options);

	check("touch go.mod; echo 'package main' >a.go", "./parse", NULL, "Go", at_root);
	check("touch go.mod; mkdir -p cmd/parse; echo 'package lib' >a.go\n"
	      "echo 'package main' >a_test.go; echo 'package main // x' >cmd/parse/b.go",
		"bin/parse", NULL, "Go", of_command);
	/* Its package is not known: how to build it is advice. */
	struct build_system found;

	folder_init(&folder, "touch go.mod; echo 'package mainly' >a.go");
	build_system_find(&found, "./parse", NULL, &folder.arena);
	UNIT_STR_EQ(found.name, "Go");
	CU_ASSERT_PTR_NULL(found.command);
	CU_ASSERT_PTR_NOT_NULL(strstr(found.advice, "-buildvcs=false -trimpath"));
	folder_release(&folder);
	free(at_root);
	free(of_command);
}

static void
npm_prepares_what_node_runs(void)
{
	check("touch package.json package-lock.json Makefile", "node", NULL, "npm",
		"npm ci --prefer-offline --no-audit --no-fund && npm run build --if-present");
	check("touch package.json", "./node_modules/.bin/parse", NULL, "npm",
		"npm install --no-package-lock --no-audit --no-fund && "
		"npm run build --if-present");
	check("touch package.json Makefile", "./parse", NULL, "Make", "make");
}

static void
a_subfolder_is_searched_before_the_root(void)
{
	check("mkdir bench; touch Makefile bench/Makefile", "./parse", "bench/", "Make",
		"cd bench && make");
	check("mkdir bench; touch Makefile", "./parse", "bench/", "Make", "make");
}

static const struct unit_case cases[] = {
	{"a_makefile_builds_programs_of_the_folder", a_makefile_builds_programs_of_the_folder},
	{"cmake_builds_in_the_folder_of_its_cache", cmake_builds_in_the_folder_of_its_cache},
	{"meson_builds_in_its_folder", meson_builds_in_its_folder},
	{"cargo_builds_the_profile_of_the_path", cargo_builds_the_profile_of_the_path},
	{"go_builds_the_same_program_of_the_same_source",
		go_builds_the_same_program_of_the_same_source},
	{"npm_prepares_what_node_runs", npm_prepares_what_node_runs},
	{"a_subfolder_is_searched_before_the_root", a_subfolder_is_searched_before_the_root},
	{NULL, NULL},
};

void
suite_builds_build_system(void)
{
	unit_suite("builds/build_system", cases);
}
