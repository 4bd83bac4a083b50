/* Search by regular expression or name: what matches is marked, its share said, and one is led through it. */

/*
 * The sum of what `weigh` gives for all of box `from` whose name `hits`, a match within a match
 * counted once. Callers are none of what a function does.
 */
function matched(boxes, from, hits, weigh) {
	const { end } = boxes[from];
	let sum = 0;

	for (let i = from; i < end;) {
		const box = boxes[i];
		const hit = !box.up && hits[box.name];

		sum += hit ? weigh(box) : 0;
		i = hit ? box.end : i + 1;
	}
	return sum;
}

/* Whether two names are one of which either may have lost its middle. */
function isSameName(...names) {
	const [short, long] = names.sort((a, b) => a.length - b.length);
	const [head, tail] = short.split("\u2026");

	return short === long || tail !== undefined && long.length > short.length &&
		long.startsWith(head) && long.endsWith(tail);
}

/* A test of names: behind "=" stands one; all else is a regular expression, exact by capitals. */
function tester(text) {
	const pattern = text[0] === "=" ? null : new RegExp(text, text === text.toLowerCase() ? "i" : "");

	return (name) => (pattern ? pattern.test(name) : isSameName(name, text.slice(1)));
}

/* Which names match, or null if the text is no regular expression. */
function findNames(graph, text) {
	try {
		const isMatch = tester(text);

		/* What all of it stands on is a function where that is not all. */
		return graph.names.map(([name], line) =>
			line > (graph.sandwich === WHOLE ? GATHERED : WHOLE) && isMatch(name));
	} catch (wrong) {
		return null;
	}
}

/*
 * The share of one side that matches. Where functions of several names match that are not in all of
 * their boxes, one may call the other: what is known then is a range.
 */
function matchedShare(graph, side) {
	const weigh = graph.diff ? (box) => box.total[side === 0 ? "before" : "after"] : (box) => box.width;
	const all = graph.diff ? weigh(graph.main[0]) : graph.all;
	const unit = graph.diff ? 1 : all;
	const inBoxes = (hits) => share(matched(graph.main, 0, hits, weigh), all);
	const least = inBoxes(graph.hits);
	/* By name: functions of one name, of several kinds, were counted as one. */
	const hidden = new Map();

	graph.names.forEach(([name], line) => {
		if (graph.hits[line] && graph.hidden[line]) {
			hidden.set(name, (hidden.get(name) || 0) + share(graph.hidden[line][side] || 0, unit));
		}
	});
	const [largest, weight] = Array.from(hidden).reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0]);
	const alone = weight > 0
		? inBoxes(graph.hits.map((hit, line) => hit && graph.names[line][0] === largest)) + weight : 0;
	const most = Math.min(1, Array.from(hidden.values()).reduce((sum, one) => sum + one, least));
	const [from, to] = [percent(Math.max(least, alone)), percent(most)];

	return from === to ? to : from.replace(" %", "") + " to " + to;
}

/* "matched 12.3 %, 45.6 % of parse, 3 of 89". */
function resultOf(graph) {
	const { matches, match } = graph;

	if (graph.hits === null) {
		return graph.query ? "not a regular expression" : "";
	}
	if (!graph.hits.some(Boolean)) {
		return graph.unlisted > 0
			? "no match; " + number(graph.unlisted) + " small functions are not listed" : "no match";
	}
	const words = ["matched " + (graph.diff ? [0, 1] : [0]).map((side) =>
		matchedShare(graph, side)).join(" \u2192 ")];

	if (!graph.diff && !graph.sandwich && graph.zoomed > 0) {
		const inside = pathTo(graph, graph.zoomed).some((i) => isHit(graph, graph.boxes[i]));
		const part = matched(graph.boxes, graph.zoomed, graph.hits, (box) => box.width);

		words.push(percent(inside ? 1 : share(part, graph.boxes[graph.zoomed].width)) + " of " +
			label(nameOf(graph, graph.boxes[graph.zoomed]), 24));
	}
	words.push(matches.length === 0 ? "too small to draw"
		: match >= 0 ? number(match + 1) + " of " + number(matches.length)
			: number(matches.length) + (matches.length === 1 ? " frame" : " frames"));
	return words.join(", ");
}

function showResult(graph) {
	graph.result.textContent = resultOf(graph);
}

/* All that match, from the largest to the smallest. */
function findMatches(graph) {
	const { boxes } = graph;
	const weight = (i) => valueOf(graph, boxes[i]);

	graph.match = -1;
	graph.matches = graph.hits === null ? [] : Array.from(boxes.keys()).filter((i) =>
		isHit(graph, boxes[i]) && weight(i) > 0).sort((i, k) => weight(k) - weight(i) || i - k);
}

function search(graph, text) {
	graph.query = text;
	graph.hits = text ? findNames(graph, text) : null;
	findMatches(graph);
	if (text && graph.hits === null) {
		graph.field.setAttribute("aria-invalid", "true");
	} else {
		graph.field.removeAttribute("aria-invalid");
		remember(graph);
	}
	redraw(graph);
}

/* To the next smaller match, or the one before; zooms if it is out of sight. */
function nextMatch(graph, step) {
	const count = graph.matches.length;

	if (count === 0) {
		return false;
	}
	graph.match = graph.match < 0 ? (step > 0 ? 0 : count - 1) : (graph.match + step + count) % count;
	const i = graph.matches[graph.match];

	if (!isSeen(graph, i)) {
		zoom(graph, i);
	}
	point(graph, i);
	showResult(graph);
	return true;
}

function openSearch(graph, open) {
	graph.holder.setAttribute("display", open ? "inline" : "none");
	if (open) {
		graph.field.focus();
		graph.field.select();
	} else if (graph.query) {
		graph.field.value = "";
		search(graph, "");
	}
	refit(graph);
}

const isSearching = (graph) => graph.holder.getAttribute("display") === "inline";
