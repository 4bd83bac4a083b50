// C++ program with templates, operators, threads with odd names, mapped page faults
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
#include <vector>
namespace
{
struct Op {
	__attribute__((noinline)) unsigned long
	operator()(unsigned long x) const
	{
		for (int i = 0; i < 2000; i++)
			x = x * 6364136223846793005ul + 1442695040888963407ul;
		return x;
	}
};
} // namespace
static inline unsigned long
inner(unsigned long x)
{
	for (int i = 0; i < 500; i++)
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return x;
}
static inline unsigned long
middle(unsigned long x)
{
	return inner(x) + inner(x + 1);
}
template <class T, int N>
__attribute__((noinline)) T
work(const std::map<int, T> &m, std::function<T(T)> f)
{
	T s = 0;
	for (auto &p : m)
		s += f(p.second) + middle(s);
	return s;
}
struct Sorter {
	__attribute__((noinline)) bool
	operator<(const Sorter &o) const
	{
		return v < o.v;
	}
	unsigned long v;
	__attribute__((noinline)) explicit operator bool() const
	{
		return v;
	}
};
__attribute__((noinline)) static unsigned long
touch(size_t pages)
{
	char *p = (char *)mmap(
		0, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long s = 0;
	for (size_t i = 0; i < pages; i++) {
		p[i * 4096] = 1;
		s += p[i * 4096];
	}
	munmap(p, pages * 4096);
	return s;
}
static void
body(const char *name, int rounds)
{
	prctl(PR_SET_NAME, name);
	std::map<int, unsigned long> m;
	for (int i = 0; i < 50; i++)
		m[i] = i;
	unsigned long s = 0;
	for (int r = 0; r < rounds; r++) {
		s += work<unsigned long, 3>(m, Op());
		s += touch(40);
		std::vector<std::string> v;
		for (int i = 0; i < 200; i++)
			v.push_back(std::to_string(i * s));
		if (r % 20 == 0)
			usleep(500);
		char b[64];
		FILE *f = fopen("/dev/null", "w");
		fwrite(b, 1, sizeof b, f);
		fclose(f);
		if (Sorter{s})
			s++;
	}
	printf("%lu\n", s);
}
int
main(int c, char **v)
{
	int r = c > 1 ? atoi(v[1]) : 400;
	std::thread a(body, "worker 2", r), b(body, "pool (x) 12: y", r), d(body, "1234", r),
		e(body, "io 31337", r);
	body("main prog", r);
	a.join();
	b.join();
	d.join();
	e.join();
}
