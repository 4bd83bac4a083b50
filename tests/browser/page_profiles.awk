# Writes the profiles of both sides that tests/browser/run makes pages of, as folded text of eight
# runs each, into the folder `folder`. Runs differ by a fixed pattern, so that the verdicts stand.
function side(file, which) {
	out = folder "/" file "_" which ".folded"
	print "# runs: 8" > out
	print "# event: cpu-clock" > out
}

function put(stack, weight, spread,   line, i) {
	line = stack
	for (i = 0; i < 8; i++)
		line = line " " int(weight * (1 + spread * sin(i * 2.4 + length(stack)))) + (weight > 0)
	print line > out
}

# At last a stack that is high, and narrower than a pixel.
function program(grown, spread,   i, stack) {
	put("app;main;parse", 3000 * grown, spread)
	put("app;main;parse;read_text", 2000, spread)
	put("app;main;print;std::vector<int, std::allocator<int> >::push_back(int const&)", 1500, spread)
	put("app;main;walk;sys_read_[k]", 900, spread)
	put("app;main;sort", 4000, spread)
	for (i = 0; i < 60; i++)
		put("app;main;setup;step_" i, 4 + i % 5, spread)
	stack = "app;main;sort"
	for (i = 0; i < 30; i++)
		stack = stack ";fault_" i
	put(stack, 3, spread)
}

function hostile(grown) {
	put("app;<img src=x onerror=window.hacked=1>", 900, 0.01)
	put("app;<script>window.hacked=1</script>", 900 * grown, 0.01)
	put("app;\"onmouseover=\"window.hacked=1;]]><script>window.hacked=1</script>", 900, 0.01)
	put("app;</svg></table></details><h1>broken out", 900, 0.01)
	put("app;</style></script><!-- ", 900, 0.01)
	put("app;\033[31mred\001;\377\376", 900, 0.01)
	put("app;right\342\200\256to left", 900, 0.01)
	long = "box<"
	while (length(long) < 65536)
		long = long "std::map<int, std::pair<char, long> >, "
	put("app;" long "int>::grow()", 900, 0.01)
}

BEGIN {
	side("fail", "before"); program(1, 0.01)
	side("fail", "after"); program(1.4, 0.01)
	side("pass", "before"); program(1, 0.01)
	side("pass", "after"); program(1, 0.011)
	side("unsure", "before"); program(1, 0.5)
	side("unsure", "after"); program(1.1, 0.5)
	side("hostile", "before"); hostile(1)
	side("hostile", "after"); hostile(1.5)
}
