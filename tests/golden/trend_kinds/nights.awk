# Sixty nights of functions: one in two states, one that drifts, one that was slower for fifteen nights,
# one that was slower for three.
function line(night, name, cost) {
	printf "2026-0%d-%02dT03:17:00Z\t%012d%028d\tcpu\tns\t%.9g\t0.004\tstored\t-\t-\t-\t0.1.0\t-\t%s\n",
		night < 31 ? 3 : 4, night < 31 ? night + 1 : night - 30, night, 0, cost, name \
		> (dir "/m1/parse.tsv")
}
BEGIN {
	for (night = 0; night < 60; night++) {
		noise = 1 + (night * 7919 % 13 - 6) / 1000
		line(night, "alternates", 1e7 * noise * (night * 31 % 7 < 3 ? 1.1 : 1))
		line(night, "drifts", 1e7 * noise * (1 + night / 600))
		line(night, "was_fixed", 1e7 * noise * (night >= 35 && night < 50 ? 1.2 : 1))
		line(night, "three_nights", 1e7 * noise * (night >= 30 && night < 33 ? 1.2 : 1))
	}
}
