/* Small programs that are built again, and changed, by the compilers of this machine. */
#include "code/program_digest.h"

#include "base/file.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_code_program_digest(void);

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#ifndef NUMBER\n#define NUMBER 1234567\n#endif\n"
	"#ifndef TEXT\n#define TEXT \"a text\"\n#endif\n"
	"#ifndef FACTOR\n#define FACTOR 1.25\n#endif\n"
	"#ifndef FIRST\n#define FIRST one\n#endif\n"
	"#ifndef START\n#define START start\n#endif\n"
	"#ifndef LOCAL\n#define LOCAL 5\n#endif\n"
	"#ifndef ENTRY\n#define ENTRY 11\n#endif\n"
	"#ifndef VALUE\n#define VALUE 3\n#endif\n"
	"#ifndef CASE\n#define CASE 7\n#endif\n"
	"#ifndef OPERATOR\n#define OPERATOR +\n#endif\n"
	"#ifndef ZEROS\n#define ZEROS 64\n#endif\n"
	"#ifndef BYTE\n#define BYTE 1\n#endif\n"
	"#ifndef CALLED\n#define CALLED one\n#endif\n"
	"#ifndef FORMAT\n#define FORMAT \"%d\\n\"\n#endif\n"
	"#ifdef WITHPATH\nconst char *path(void) { return __FILE__; }\n"
	"#else\nconst char *path(void) { return \"no path\"; }\n#endif\n"
	"static const int table[] = {1, 3, ENTRY, 13, 17, 19, 23, 29};\n"
	"static const unsigned char resource[300] = {[250] = BYTE};\n"
	"static int initialised[4] = {1, 2, VALUE, 4};\n"
	"static char zeros[ZEROS];\n"
	"static __thread int local = LOCAL;\n"
	"static __attribute__((noinline)) int one(int x) { return x * 3 + local; }\n"
	"static __attribute__((noinline)) int two(int x) { return x * 5 - local; }\n"
	"static int (*const volatile functions[])(int) = {FIRST, two};\n"
	"static int (*volatile changing)(int) = FIRST;\n"
	"static void start(void) { initialised[0] = 9; }\n"
	"static void other(void) { initialised[1] = 8; }\n"
	"__attribute__((section(\".init_array\"), used)) static void (*const begin)(void) = START;\n"
	"static void (*volatile unused)(void) __attribute__((used)) = other;\n"
	"__attribute__((noinline)) int choose(int x) { switch (x) {\n"
	"  case 0: return one(9); case 1: return table[x & 7] * 3; case 2: return puts(\"two\");\n"
	"  case 3: return two(1); case 4: return x << 3; case 5: return puts(path());\n"
	"  case 6: return rand(); case CASE: return resource[x * 4]; case 8: return local++; }\n"
	"  return 2 * x; }\n"
	"int main(int c, char **v) { double d = c * FACTOR;\n"
	"  printf(FORMAT, choose(c) OPERATOR NUMBER); puts(TEXT); zeros[c & 3] = *v[0];\n"
	"  return (int)d + functions[c & 1](c) + changing(c) + CALLED(c) + initialised[2] +\n"
	"    table[c & 7] + zeros[1] + resource[c & 255]; }\n";

static struct scratch scratch;

#define FLAGS "-O2 -g"

/* Builds the source in a folder below the scratch one. False where that failed. */
static bool
build(const char *folder, const char *flags, const char *then, char digest[SHA256_TEXT_SIZE])
{
	char *command = NULL;
	char *root = NULL;
	struct err err = {0};

	digest[0] = '\0';
	if (asprintf(&root, "%s/%s", scratch.dir, folder) < 0 ||
		asprintf(&command,
			"mkdir -p '%s' && cp '%s/source.c' '%s/p.c' && cd '%s' && "
			"gcc %s '%s/p.c' -o p 2>err && { true\n%s\n}",
			root, scratch.dir, root, root, flags, root, then) < 0)
		return false;
	bool built = system(command) == 0; /* NOLINT(cert-env33-c) */
	const char *const folders[] = {root, NULL};
	char *path = NULL;

	if (built && asprintf(&path, "%s/p", root) >= 0)
		built = program_digest(path, folders, digest, &err) == 0;
	free(path);
	free(root);
	free(command);
	return built;
}

struct variant {
	const char *folder;
	const char *flags;
	const char *then;
};

static const struct variant same[] = {
	{"a", FLAGS, ""},
	{"a", "-O2", ""},
	{"a", FLAGS, "strip p"},
	{"a", FLAGS, "strip -g p"},
	{"other_folder_with_a_long_name", FLAGS, ""},
	{"a", FLAGS " -Wl,--build-id=0x1234567812345678", ""},
	{"a", FLAGS " -Wl,--build-id=none", ""},
	{"b/c", "-O2 -ggdb3 -gz",
		"objcopy --only-keep-debug p p.d; strip p; "
		"objcopy --add-gnu-debuglink=p.d p"},
};

static const char *const other[] = {"-DNUMBER=1234568", "-DTEXT='\"b text\"'", "-DTEXT='\"a tex\"'",
	"-DFACTOR=1.5", "-DFIRST=two", "-DSTART=other", "-DLOCAL=6", "-DENTRY=12", "-DVALUE=4",
	"-DCASE=9", "-DOPERATOR=-", "-DZEROS=128", "-DBYTE=2", "-DCALLED=two",
	"-DFORMAT='\"%x\\n\"'", "-O1", "-O0", "-Os", "-fno-pie -no-pie", "-static",
	"-Wl,-rpath,/opt/lib", "-Wl,--no-as-needed -lm", "-Wl,-rpath,/opt/lic", "-Wl,-z,execstack",
	"-fcf-protection=full", "-fstack-protector-all", "-DWITHPATH", "-Wl,-z,now",
	"-fno-jump-tables", "-pg", "-march=x86-64-v3", "-falign-functions=64", "-rdynamic",
	"-Wl,--hash-style=sysv"};

static bool
can_build(void)
{
	struct err err = {0};
	char path[128];

	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/source.c", scratch.dir);
	CU_ASSERT_EQUAL_FATAL(file_write(path, source, strlen(source), &err), 0);
	if (system("gcc --version >/dev/null 2>&1") == 0) /* NOLINT(cert-env33-c) */
		return true;
	unit_skip("no compiler");
	scratch_release(&scratch);
	return false;
}

static void
test_built_again(void)
{
	static const char *const kinds[] = {"", " -DWITHPATH", " -DWITHPATH -fno-pie -no-pie"};
	char first[SHA256_TEXT_SIZE];
	char digest[SHA256_TEXT_SIZE];

	if (!can_build())
		return;
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
			char flags[256];

			snprintf(flags, sizeof(flags), "%s%s", same[i].flags, kinds[kind]);
			CU_ASSERT_TRUE_FATAL(build(same[i].folder, flags, same[i].then, digest));
			if (i == 0)
				memcpy(first, digest, sizeof(first));
			if (strcmp(digest, first) != 0)
				printf("differs: %s in %s, %s\n", flags, same[i].folder,
					same[i].then);
			CU_ASSERT_STRING_EQUAL(digest, first);
		}
	}
	scratch_release(&scratch);
}

static void
test_changed(void)
{
	char digests[sizeof(other) / sizeof(other[0]) + 1][SHA256_TEXT_SIZE];
	const size_t count = sizeof(other) / sizeof(other[0]);

	if (!can_build())
		return;
	/* Stripped: nothing has a name. */
	CU_ASSERT_TRUE_FATAL(build("a", FLAGS, "strip p", digests[count]));
	for (size_t i = 0; i < count; i++) {
		char flags[256];

		snprintf(flags, sizeof(flags), "%s %s", FLAGS, other[i]);
		CU_ASSERT_TRUE(build("a", flags, "strip p", digests[i]));
		for (size_t k = 0; k < count + 1; k++) {
			if (k == i || (k > i && k < count))
				continue;
			if (strcmp(digests[i], digests[k]) == 0)
				printf("same: %s and %s\n", other[i], k < count ? other[k] : "-");
			CU_ASSERT_STRING_NOT_EQUAL(digests[i], digests[k]);
		}
	}
	scratch_release(&scratch);
}

static void
test_added_to_the_file(void)
{
	static const char *const then[] = {"", "echo more >> p", "echo other >> p",
		"echo x > r; objcopy --add-section .resource=r p",
		"echo y > r; objcopy --add-section .resource=r p"};
	char digests[sizeof(then) / sizeof(then[0])][SHA256_TEXT_SIZE];

	if (!can_build())
		return;
	for (size_t i = 0; i < sizeof(then) / sizeof(then[0]); i++) {
		CU_ASSERT_TRUE_FATAL(build("a", FLAGS, then[i], digests[i]));
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(digests[i], digests[k]);
	}
	scratch_release(&scratch);
}

/* A program of Go; HELPER is ahead of a function that is inlined. */
static const char go_source[] = "package main\n"
				"import (\n\"fmt\"\n\"log\"\n\"os\"\n\"runtime\"\n\"sort\"\n)\n"
				"var _ = log.Println\nvar _ = runtime.GC\n"
				"//HELPER\n"
				"func add(a, b int) int { return a + b }\n"
				"func sum(v []int) (s int) {\n"
				"\tfor i := range v {\n\t\ts = add(s, v[i])\n\t}\n"
				"\tsort.Slice(v, func(i, j int) bool { return v[i] < v[j] })\n"
				"\treturn s\n}\n"
				"//MAIN\n"
				"func main() {\n"
				"\tif len(os.Args) > 5 {\n\t\tlog.Fatal(\"no\")\n\t}\n"
				"\tfmt.Println(sum([]int{1, 2, len(os.Args)}))\n"
				"\t//BODY\n}\n";

/* Builds it after `edit`, an expression of sed. */
static bool
build_go(const char *body, const char *edit, char digest[SHA256_TEXT_SIZE])
{
	char *command = NULL;
	char *path = NULL;
	struct err err = {0};
	const char *const folders[] = {scratch.dir, NULL};

	if (asprintf(&command,
		    "cd '%s' && echo 'module example.org/p' >go.mod && "
		    "sed 's|//BODY|%s|' source.go | sed '%s' >main.go && "
		    "GOTOOLCHAIN=local go build -buildvcs=false -trimpath -o p main.go",
		    scratch.dir, body, edit) < 0)
		return false;
	const bool built = system(command) == 0 && /* NOLINT(cert-env33-c) */
			   asprintf(&path, "%s/p", scratch.dir) >= 0 &&
			   program_digest(path, folders, digest, &err) == 0;

	free(path);
	free(command);
	return built;
}

static bool
can_build_go(void)
{
	struct err err = {0};
	char path[128];

	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/source.go", scratch.dir);
	CU_ASSERT_EQUAL_FATAL(file_write(path, go_source, strlen(go_source), &err), 0);
	if (system("go version >/dev/null 2>&1") == 0) /* NOLINT(cert-env33-c) */
		return true;
	unit_skip("no go");
	scratch_release(&scratch);
	return false;
}

/* So many lines that numbers of later ones are longer, and all behind the table moves. */
#define TEN_LINES "\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n"

static const char go_comments[] = "s|//MAIN|/*" TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES
	TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES "*/|";

static void
test_go_lines(void)
{
	static const char *const moved[] = {"s|//HELPER|// one\\n// two|", go_comments,
		"s|//HELPER|\\n|", "s|return s|// the sum\\n\\treturn s|"};
	static const char *const changed[] = {"s|a + b|a - b|", "s|1, 2|1, 3|", "s|\"no\"|\"nO\"|"};
	char first[SHA256_TEXT_SIZE];
	char digest[SHA256_TEXT_SIZE];

	if (!can_build_go())
		return;
	CU_ASSERT_TRUE_FATAL(build_go("", "", first));
	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		CU_ASSERT_TRUE(build_go("", moved[i], digest));
		CU_ASSERT_STRING_EQUAL(digest, first);
	}
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		CU_ASSERT_TRUE(build_go("", changed[i], digest));
		CU_ASSERT_STRING_NOT_EQUAL(digest, first);
	}
	scratch_release(&scratch);
}

static void
test_go_lines_taken(void)
{
	static const char *const takes[] = {
		"_, _, line, _ := runtime.Caller(0); fmt.Println(line)",
		"get := runtime.Caller; if len(os.Args) > 1 { get = nil }; fmt.Println(get(0))",
		"log.SetFlags(log.Lshortfile)",
		"log.New(os.Stdout, \"\", log.Llongfile).Print(1)",
		("pc := make([]uintptr, 9); runtime.Callers(0, pc); "
		 "f, _ := runtime.CallersFrames(pc).Next(); fmt.Println(f.Line)"),
		"pc, _, _, _ := runtime.Caller(0); fmt.Println(runtime.FuncForPC(pc).FileLine(pc))",
		"text := make([]byte, 999); fmt.Println(len(text[:runtime.Stack(text, true)]))",
	};
	char first[SHA256_TEXT_SIZE];
	char digest[SHA256_TEXT_SIZE];

	if (!can_build_go())
		return;
	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		CU_ASSERT_TRUE(build_go(takes[i], "", first));
		CU_ASSERT_TRUE(build_go(takes[i], "s|//HELPER|// one\\n// two|", digest));
		CU_ASSERT_STRING_NOT_EQUAL(digest, first);
	}
	scratch_release(&scratch);
}

static void
test_errors(void)
{
	char digest[SHA256_TEXT_SIZE];
	struct err err = {0};

	CU_ASSERT_EQUAL(program_digest("/nonexistent", NULL, digest, &err), -1);
	UNIT_CONTAINS(err.text, "/nonexistent");
	CU_ASSERT_EQUAL(program_digest("/proc/self/maps", NULL, digest, &err), -1);
}

static const struct unit_case cases[] = {
	{"a_program_that_is_built_again_is_the_same", test_built_again},
	{"whatever_is_executed_or_read_counts", test_changed},
	{"a_program_may_read_its_own_file", test_added_to_the_file},
	{"lines_that_moved_leave_a_go_program_the_same", test_go_lines},
	{"a_go_program_that_takes_its_lines_differs", test_go_lines_taken},
	{"other_files_are_errors", test_errors},
	{NULL, NULL},
};

void
suite_code_program_digest(void)
{
	unit_suite("code/program_digest", cases);
}
