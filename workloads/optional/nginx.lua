-- For wrk: 5,000 requests, however long they take, so that the server does the same work each run.
local wanted, answered = 5000, 0

function response()
	answered = answered + 1
	if answered == wanted then
		wrk.thread:stop()
	end
end

function done(summary)
	local errors = summary.errors

	if summary.requests < wanted or errors.status + errors.connect + errors.read > 0 then
		io.stderr:write("only ", summary.requests, " of ", wanted, " requests were answered\n")
		os.exit(1)
	end
end
