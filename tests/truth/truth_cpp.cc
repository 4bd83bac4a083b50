/* Phases of the C++ program and their true stacks. */
#include "truth.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

volatile unsigned long sink;

/* Virtual calls; through the second base the call goes over a thunk. */
struct Shape {
	virtual ~Shape() = default;
	virtual void draw(int detail) = 0;
};

struct Named {
	virtual ~Named() = default;
	virtual void describe() const = 0;
};

struct Circle : Shape, Named {
	KEEP void
	draw(int detail) override
	{
		burn(detail);
		STAY();
	}
	KEEP void
	describe() const override
	{
		burn(50000);
		STAY();
	}
};

KEEP void
virtual_calls()
{
	Circle circle;
	Shape *volatile shape = &circle;
	Named *volatile named = &circle;

	while (!enough()) {
		shape->draw(20000);
		named->describe();
	}
}

template <typename T>
KEEP T
twice(T value)
{
	burn(30000);
	STAY();
	return value + value;
}

template <int Levels>
KEEP void
nested()
{
	if constexpr (Levels > 0)
		nested<Levels - 1>();
	else
		burn(30000);
	STAY();
}

KEEP void
templates()
{
	while (!enough()) {
		sink = twice<int>(2);
		sink = static_cast<unsigned long>(twice(2.5));
		nested<3>();
	}
}

KEEP void
lambdas()
{
	unsigned long rounds = 20000;
	auto work = [&rounds]() KEEP {
		burn(rounds);
		STAY();
	};
	std::function<void()> kept = work;

	while (!enough())
		kept();
}

KEEP bool
less(int a, int b)
{
	burn(200);
	STAY();
	return a < b;
}

KEEP void
sorts()
{
	while (!enough()) {
		std::vector<int> numbers(200);

		for (int i = 0; i < 200; i++)
			numbers[i] = i * 37 % 200;
		std::sort(numbers.begin(), numbers.end(), less);
	}
}

struct Guard {
	KEEP ~Guard()
	{
		burn(50000);
		STAY();
	}
};

KEEP void
thrower(int levels)
{
	Guard guard;

	if (levels == 0)
		throw std::runtime_error("thrown");
	thrower(levels - 1);
	STAY();
}

/* Work in destructors while the stack is unwound, in the unwinder itself and in the handler. */
KEEP void
exceptions()
{
	while (!enough()) {
		try {
			thrower(3);
		} catch (const std::exception &error) {
			burn(50000);
			sink = error.what()[0];
		}
	}
}

KEEP void
in_thread(int rounds)
{
	burn(rounds);
	spend();
	STAY();
}

KEEP void
threads()
{
	std::thread thread(in_thread, 100);

	thread.join();
}

/* What the standard library has in headers is inlined or not, as the compiler likes. */
KEEP void
strings()
{
	while (!enough()) {
		std::string text;

		for (int i = 0; i < 1000; i++)
			text += std::to_string(i);
		sink = text.size();
	}
}

} // namespace

#define OURS "\\(anonymous namespace\\)::"
#define ARGS "(\\([^;]*\\))?( const)?"
#define ANY "(;[^;]+)*"
/* Of the C++ runtime or what it calls. */
#define RUNTIME \
	"[^;]*(cxa|Unwind|gxx|std::|libstdc|libgcc|libc|plt|_dl_|ld-linux|truth|operator|free|malloc)[^;]*" ANY

const struct phase truth_phases[] = {
	{"virtual_calls", virtual_calls, NEEDS_NOTHING,
		OURS "virtual_calls" ARGS "(;" OURS "Circle::draw" ARGS
		     "(;burn)?|(;[^;]*non-virtual thunk[^;]*)?(;" OURS "Circle::describe" ARGS
		     "(;burn)?)?)"},
	{"templates", templates, NEEDS_NOTHING,
		OURS "templates" ARGS "(;[^;]*twice(<[^;]*>)?" ARGS
		     "(;burn)?|(;[^;]*nested(<[^;]*>)?" ARGS "){4};burn)?"},
	{"lambdas", lambdas, NEEDS_NOTHING,
		OURS "lambdas" ARGS "(;std::[^;]*)*(;[^;]*(lambda|\\$_)[^;]*(;burn)?)?"},
	{"sorts", sorts, NEEDS_NOTHING,
		OURS "sorts" ARGS "(;[^;]*(std::|__gnu_cxx::|operator)[^;]*)*(;" OURS "less" ARGS
		     "(;burn)?|(;[^;]*(free|malloc|mem(set|cpy|move)|plt|_dl_|\\[truth)[^;]*)*)?"},
	{"exceptions", exceptions, NEEDS_DWARF,
		OURS "exceptions" ARGS "((;" OURS "thrower" ARGS "){0,4}(;" OURS
		     "Guard::~Guard" ARGS ")?(;burn)?|(;" OURS "thrower" ARGS "){4}" ANY "|(;" OURS
		     "thrower" ARGS "){0,3};" RUNTIME ")"},
	{"threads", threads, NEEDS_NOTHING,
		"^((" LIBC_FRAME ";){1,2}([^;]*(libstdc|std::|execute_native)[^;]*;)+(" OURS
		"in_thread" ARGS "(;burn|" SPEND ")?|[^;]*(free|_dealloc|delete)[^;]*" ANY
		")|(" LIBC_FRAME ";){1,2}_*(libc|res|rseq|nptl|pthread|free|madvise)[^;]*" ANY
		"|([^;]+;)+main;" OURS "threads" ARGS
		"(;(std::|_*(GI_+)?(nptl|pthread|futex|munmap|madvise)|\\[lib|operator|malloc|_*clone)[^;]*)*)"},
	{"strings", strings, NEEDS_DWARF, OURS "strings" ARGS ANY},
	{},
};
