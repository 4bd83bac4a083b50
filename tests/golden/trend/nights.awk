# Forty nights of a workload on one machine, and of the same in pairs: a function that is 8 % slower
# from the 33rd night on, one whose name is markup, and a machine that was used thrice.
function line(night, class, mode, ratio, name, cost) {
	printf "2026-0%d-%02dT03:17:00Z\t%012d%028d\tcpu\tns\t%.9g\t0.004\t%s\t%s\t%s\t%s\t0.1.0\t%s\t%s\n",
		night < 31 ? 3 : 4, night < 31 ? night + 1 : night - 30, night, 0, cost, mode,
		mode == "paired" ? "cafe" : "-", ratio, mode == "paired" ? "0.003" : "-",
		mode == "paired" ? "https://ci.example/runs/" night : "../reports/night-" night,
		name > (dir "/" class "/parse.tsv")
}
BEGIN {
	for (night = 0; night < 40; night++) {
		noise = 1 + (night * 7919 % 13 - 6) / 1000
		slow = night >= 32 ? 1.08 : 1
		machine = night % 15 == 14 ? "m2" : "m1"
		line(night, machine, "stored", "-", "-", 1e9 * noise * (1 + (slow - 1) / 4))
		line(night, machine, "stored", "-", "read_token", 25e7 * noise * slow)
		line(night, machine, "stored", "-", "</title><b>&\\x01", 1e7 * noise)
		line(night, machine, "paired", noise * slow, "read_token", 25e7 * noise * slow)
	}
}
