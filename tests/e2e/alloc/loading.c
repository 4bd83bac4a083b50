/* Two libraries, 10 times in turn: 1,000 bytes each time by lib_one(), 2,000 by lib_two(). */
#include <dlfcn.h>
#include <stdlib.h>

static int
use(const char *path, const char *name, size_t bytes)
{
	void *library = dlopen(path, RTLD_NOW);
	void *(*function)(size_t);

	if (!library)
		return 1;
	*(void **)&function = dlsym(library, name);
	free(function(bytes));
	return dlclose(library);
}

int
main(void)
{
	for (int i = 0; i < 10; i++)
		if (use("./library.1.so", "lib_one", 1000) != 0 ||
			use("./library.2.so", "lib_two", 2000) != 0)
			return 1;
	return 0;
}
