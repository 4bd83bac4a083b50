# Writes three histories of 60 nights to `dir`: parse becomes 20 % slower in night 50, and a rate falls
# by the same in night 30.
function noise(k) {
	return 1 + 0.01 * (((k * 7919) % 101) / 50 - 1)
}

BEGIN {
	csv = dir "/history.csv"
	js = dir "/data.js"
	bencher = dir "/bencher.json"
	print "time,commit,series,value,unit" >csv
	printf "window.BENCHMARK_DATA = {\"entries\": {\"suite\": [" >js
	printf "{\"results\": [{\"branch\": {\"name\": \"main\"}, \"testbed\": {\"name\": \"ci\"}, " >bencher
	printf "\"benchmark\": {\"name\": \"parse\"}, \"measure\": {\"slug\": \"latency\", " >bencher
	printf "\"units\": \"nanoseconds (ns)\"}, \"metrics\": [" >bencher
	for (k = 0; k < 60; k++) {
		started = 1767225600 + k * 86400
		cost = 250 * noise(k) * (k < 50 ? 1 : 1.2)
		rate = 800 * noise(k + 13) / (k < 30 ? 1 : 1.2)
		printf "%d,c%02d,parse,%.3f,ms\n%d,c%02d,serve,%.3f,requests/s\n", started, k, k == 7 ? 0 : cost,
			started, k, rate >csv
		printf "%s{\"commit\": {\"id\": \"c%02d\"}, \"date\": %d000, \"tool\": \"cargo\", \"benches\": [" \
			"{\"name\": \"parse\", \"value\": %.3f, \"range\": \"+/- 2\", \"unit\": \"ns/iter\"}]}",
			k ? ", " : "", k, started, cost >js
		printf "%s{\"start_time\": \"%s\", \"version\": {\"hash\": \"c%02d\"}, \"metric\": {\"value\": %.3f}}",
			k ? ", " : "", started, k, cost >bencher
	}
	print "]}};" >js
	print "]}]}" >bencher
}
