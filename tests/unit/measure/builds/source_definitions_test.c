#include "builds/source_definitions.h"

#include "base/buf.h"
#include "builds/source_scan.h"
#include "unit.h"

#include <string.h>

void suite_builds_source_definitions(void);

/* The definition of the line with "HERE": "struct node", with the name behind it "struct node (t)";
 * "": none. */
static const char *
read_at(const char *text, bool go)
{
	static char name[128];
	struct source_definitions found;
	struct arena arena = {0};
	uint32_t line = 1;

	for (const char *at = text, *here = strstr(text, "HERE"); at < here; at++)
		line += *at == '\n';
	source_definitions_read(&found, text, strlen(text), go, &arena);
	const struct source_definition *at =
		source_definitions_at(&found, text, strlen(text), line);

	name[0] = '\0';
	if (at)
		snprintf(name, sizeof(name), "%s %s%s%s%s", at->keyword, at->name,
			at->alias[0] ? " (" : "", at->alias, at->alias[0] ? ")" : "");
	source_definitions_release(&found);
	arena_release(&arena);
	return name;
}

static const char *
definition_at(const char *text)
{
	return read_at(text, false);
}

static void
a_line_is_of_a_type_or_a_macro(void)
{
	UNIT_STR_EQ(definition_at("#define A(n) (n)\n\nstruct node {\n\tint HERE;\n};\n"),
		"struct node");
	UNIT_STR_EQ(definition_at("namespace n {\ntemplate <class T> struct Node : Base {\n"
				  "\tvoid f() {\n\t}\n\tT HERE = {};\n};\n}\n"),
		"struct Node");
	UNIT_STR_EQ(
		definition_at("struct node {\n\tint a;\n} __attribute__((aligned(64))) HERE;\n"),
		"struct node (HERE)");
	UNIT_STR_EQ(definition_at("struct outer {\n\tunion {\n\t\tint HERE;\n\t} in;\n};\n"),
		"struct outer");
	UNIT_STR_EQ(definition_at("struct outer {\n\tstruct in {\n\t\tint HERE;\n\t} in;\n};\n"),
		"struct in (in)");
	UNIT_STR_EQ(definition_at("enum HERE { ONE, TWO };\n"), "enum HERE");
	UNIT_STR_EQ(definition_at("enum {\n\tONE,\n\tHERE = 3,\n};\n"), "enum ");
	UNIT_STR_EQ(definition_at("int a;\n#  define HERE 3\n"), "macro HERE");
	UNIT_STR_EQ(definition_at("#define ADD(a, b) \\\n\t((a) + \\\n\t(b)) /* HERE */\n"),
		"macro ADD");
	UNIT_STR_EQ(definition_at("struct ops {\n\tint (*HERE)(int);\n};\n"), "struct ops");
}

static void
a_line_is_of_another_name_for_a_type(void)
{
	UNIT_STR_EQ(
		definition_at("typedef struct {\n\tint a;\n\tint HERE;\n} t;\n"), "struct  (t)");
	UNIT_STR_EQ(definition_at("typedef struct node {\n\tint HERE;\n}\nnode_t[4];\n"),
		"struct node (node_t)");
	UNIT_STR_EQ(
		definition_at("#if A\ntypedef int64_t cell; /* HERE */\n#endif\n"), "typedef cell");
	UNIT_STR_EQ(definition_at("typedef struct node HERE[4];\n"), "typedef HERE");
	UNIT_STR_EQ(definition_at("typedef int (*HERE)(const void *, int);\n"), "typedef HERE");
}

static void
a_line_is_of_a_constant_or_a_variable(void)
{
	UNIT_STR_EQ(definition_at("static const unsigned HERE = 3 * (4);\n"), "const HERE");
	UNIT_STR_EQ(
		definition_at("const int table[] = {\n\t1,\n\t2, // HERE\n};\n"), "const table");
	UNIT_STR_EQ(definition_at("struct node nodes[HERE];\nint x;\n"), "variable nodes");
	UNIT_STR_EQ(definition_at("static const struct op ops[] = {\n\t{1, f}, /* HERE */\n};\n"),
		"const ops");
}

static void
functions_and_declarations_are_not_definitions(void)
{
	UNIT_STR_EQ(definition_at("int f(struct node *n)\n{\n\tint HERE;\n}\n"), "");
	UNIT_STR_EQ(definition_at("int f(int HERE);\n"), "");
	UNIT_STR_EQ(definition_at("struct node {\n\t// HERE\n};\n"), "");
	UNIT_STR_EQ(definition_at("struct node {\n\tint HERE(void);\n};\n"), "");
	UNIT_STR_EQ(definition_at("class node {\npublic:\n\tint f() const {\n\t\treturn HERE;\n"
				  "\t}\n\tint a;\n};\n"),
		"");
	UNIT_STR_EQ(definition_at("struct HERE;\n"), "");
	UNIT_STR_EQ(definition_at("extern int HERE;\n"), "");
	UNIT_STR_EQ(definition_at("using std::HERE;\n"), "");
	UNIT_STR_EQ(definition_at("use crate::HERE;\n"), "");
	UNIT_STR_EQ(definition_at("node &operator=(const node &HERE) = default;\n"), "");
	UNIT_STR_EQ(definition_at("fn f() {\n    let a = 3;\n    let HERE = 3;\n}\n"), "");
	UNIT_STR_EQ(definition_at("}\n}\nHERE\n"), "");
	UNIT_STR_EQ(definition_at(""), "");
}

static void
of_cpp(void)
{
	UNIT_STR_EQ(
		definition_at("namespace app {\nusing HERE = std::int64_t;\n}\n"), "using HERE");
	UNIT_STR_EQ(definition_at("inline constexpr std::array<int, 2> HERE = f(3);\n"),
		"constexpr HERE");
	UNIT_STR_EQ(definition_at("constexpr int HERE{20};\n"), "constexpr HERE");
	UNIT_STR_EQ(definition_at("template <class T,\n\tint Slots = 4> // HERE\n"
				  "class ring final : public base<T> {\n\tT slots[Slots];\n};\n"),
		"class ring");
	UNIT_STR_EQ(definition_at("enum class limits : int {\n\tHERE = 20,\n};\n"), "enum limits");
	UNIT_STR_EQ(definition_at("class API [[nodiscard]] node {\n\tvoid f() { g(); }\n"
				  "\tint HERE{3};\n};\n"),
		"class node");
	UNIT_STR_EQ(definition_at("extern \"C\" {\ntypedef int HERE;\n}\n"), "typedef HERE");
}

static void
of_rust(void)
{
	UNIT_STR_EQ(definition_at(
			    "pub enum Kind {\n    One(u32),\n    Two { a: u32 },\n    HERE,\n}\n"),
		"enum Kind");
	UNIT_STR_EQ(definition_at("/// A row.\n#[repr(C, align(64))] // HERE\n"
				  "#[derive(Clone)]\npub(crate) struct Row {\n    a: u32,\n}\n"),
		"struct Row");
	UNIT_STR_EQ(definition_at("pub struct Row<T> where T: Fn(u32) -> u32 {\n    HERE: T,\n}\n"),
		"struct Row");
	UNIT_STR_EQ(definition_at("pub struct Cell(pub i64); // HERE\n"), "struct Cell");
	UNIT_STR_EQ(definition_at("mod a {\n    pub type HERE = i64;\n}\n"), "type HERE");
	UNIT_STR_EQ(definition_at("impl Table {\n    fn f() {\n    }\n"
				  "    pub const HERE: [u32; 2] = [1, 2];\n}\n"),
		"const HERE");
	UNIT_STR_EQ(definition_at("static HERE: u32 = 3;\n"), "static HERE");
	UNIT_STR_EQ(definition_at("macro_rules! add {\n    ($a:expr) => { $a + HERE };\n}\n"),
		"macro add");
	UNIT_STR_EQ(
		definition_at("struct A {\n    a: u32,\n}\nconst HERE: u32 = 3;\n"), "const HERE");
}

static void
of_go(void)
{
	UNIT_STR_EQ(read_at("type Row struct {\n\tHERE int\n}\n", true), "struct Row");
	UNIT_STR_EQ(read_at("type HERE int64 // a cell\n", true), "type HERE");
	UNIT_STR_EQ(read_at("const HERE = 20\n", true), "const HERE");
	UNIT_STR_EQ(read_at("const (\n\ta = iota // a\n\tHERE uint = 3\n)\n", true), "const HERE");
	UNIT_STR_EQ(read_at("type (\n\ta struct {\n\t\tb int\n\t}\n\tHERE = int\n)\n", true),
		"type HERE");
	UNIT_STR_EQ(read_at("type (\n\ta struct {\n\t\tHERE int\n\t}\n)\n", true), "struct a");
	UNIT_STR_EQ(read_at("var table = []int{\n\t1,\n\t2, // HERE\n}\n", true), "var table");
	UNIT_STR_EQ(read_at("var HERE [256]int\n", true), "var HERE");
	UNIT_STR_EQ(read_at("func f() {\n\tconst HERE = 3\n}\n", true), "");
	UNIT_STR_EQ(read_at("var f = func(x int) int {\n\treturn HERE\n}\n", true), "");
	UNIT_STR_EQ(read_at("import (\n\t\"HERE\"\n)\n", true), "");
}

void
suite_builds_source_definitions(void)
{
	static const struct unit_case cases[] = {
		{"a_line_is_of_a_type_or_a_macro", a_line_is_of_a_type_or_a_macro},
		{"a_line_is_of_another_name_for_a_type", a_line_is_of_another_name_for_a_type},
		{"a_line_is_of_a_constant_or_a_variable", a_line_is_of_a_constant_or_a_variable},
		{"functions_and_declarations_are_not_definitions",
			functions_and_declarations_are_not_definitions},
		{"cpp", of_cpp},
		{"rust", of_rust},
		{"go", of_go},
		{NULL, NULL},
	};

	unit_suite("builds/source_definitions", cases);
}
