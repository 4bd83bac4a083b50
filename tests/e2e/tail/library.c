/* What each operation of known_tail does in a library. */
int library_step(int number);

int
library_step(int number)
{
	return number + 1;
}
