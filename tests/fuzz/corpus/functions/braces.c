int f(const char *x) /* } */
{
	char c = '}'; // }
	return x[0] == "}\"{"[1] ? c : 1'000;
}
HERE::HERE(int x) : a{x}, b{2} { c(); }
fn g<'a>(x: &'a str) -> &'a str {
	lines.map(|x| x + 1);
}
func (s *Scanner[T]) next(x interface{}) { f := func() { `}` } }
main.(*Scanner[go.shape.int_0]).next.func1
a/b.total[x/y.T]-fm
