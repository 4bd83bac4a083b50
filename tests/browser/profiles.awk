# Writes the profiles that tests/browser/run draws, as folded text, into the folder `folder`.
function put(file, stack, weight) {
	print stack, weight > (folder "/" file ".folded")
}

BEGIN {
	put("simple", "prog;main;parse;read_text", 500)
	put("simple", "prog;main;parse;parse;read_text", 100)
	put("simple", "prog;main;print", 300)
	put("simple", "prog;main;std::vector<int>::push_back(int const&)", 100)

	put("hostile", "main;<img src=x onerror=window.hacked=1>", 10)
	put("hostile", "<script>window.hacked=1</script>;main", 20)
	put("hostile", "main;\"onmouseover=\"window.hacked=1;]]><script>window.hacked=1</script>", 10)
	put("hostile", "main;\033[31mred\001;\377\376;right \342\200\256gnp.exe\342\200\254", 10)
	put("hostile", "main;(((((;[a-", 10)
	long = "box<"
	while (length(long) < 65536)
		long = long "std::map<int, std::pair<char, long> >, "
	put("hostile", "main;" long "int>::grow()", 10)

	n = split("/srv/someone/project/module_a/file.c /srv/someone/project/module_b/file.c " \
		"io/netty/channel/nio/AbstractNioByteChannel:.doWrite png_do_expand_palette_rgba8_neon " \
		"outer::inner::deep::call_me std::vector<std::string>::push_back github.com/a/b/tool.(*T).Close", cut, " ")
	for (i = 1; i <= n; i++)
		for (k = 1; k <= 6; k++)
			put("cut", "main;step_" k ";" cut[i], 2 + k * k * k)

	put("sandwich", "prog;insert;hash;mix", 200)
	put("sandwich", "prog;insert;hash", 100)
	put("sandwich", "prog;insert;hash;hash", 100)
	put("sandwich", "prog;lookup;hash", 100)
	put("sandwich", "prog;lookup;hash;mix", 100)
	put("sandwich", "prog;print", 400)

	stack = "prog"
	for (i = 0; i < 200; i++)
		stack = stack ";level_" i
	put("tower", stack, 20)
	stack = "prog"
	for (i = 0; i < 10000; i++)
		stack = stack ";deep_" i
	put("tower", stack, 5000)
	put("tower", "prog;wide", 4980)
	for (i = 0; i < 400; i++)
		put("tower", "prog;wide;tiny_" i, 0.001)

	stack = "prog"
	for (i = 0; i < 60; i++)
		stack = stack ";ns::some_class::method_" i
	put("deep", stack ";leaf", 10)

	for (i = 0; i < 50000; i++)
		put("large", "prog;main;module_" (i % 40) ";ns::class_" (i % 900) "::method;work_" \
			(i % 12000) ";leaf_" i, 1 + i % 9)

	# A function that is inlined into itself, where it is too small to be drawn.
	for (i = 0; i < 3000; i++)
		put("large", "prog;main;module_" (i % 40) ";ns::class_" (i % 900) "::method;work_" i ";twin;twin_[i]", 1)

	put("two_columns", "prog;left", "300 0")
	put("two_columns", "prog;stays", "3000 3000")

	put("before", "prog;main;parse", 4000)
	put("before", "prog;main;print", 3000)
	put("before", "prog;main;old_way;helper", 3000)
	put("after", "prog;main;parse", 4010)
	put("after", "prog;main;print", 6000)
	put("after", "prog;main;new_way;helper", 500)
}
