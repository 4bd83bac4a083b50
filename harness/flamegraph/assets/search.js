/* Search by regular expression: what matches is marked, its share said, and one is led through it. */

/* The sum of what `weigh` gives for all that matches, a match within a match counted once. */
function matched(graph, weigh) {
	let sum = 0;

	for (let i = 1; i < graph.boxes.length;) {
		const box = graph.boxes[i];
		const hit = isHit(graph, box);

		sum += hit ? weigh(box) : 0;
		i = hit ? box.end : i + 1;
	}
	return sum;
}

/* Which names match, or null if the text is no regular expression. Capitals make it exact. */
function findNames(graph, text) {
	try {
		const pattern = new RegExp(text, text === text.toLowerCase() ? "i" : "");

		return graph.names.map(([name], line) => line > WHOLE && pattern.test(name));
	} catch (wrong) {
		return null;
	}
}

/* What is not drawn may match, too: nothing is known of it but its weight in its callers. */
function resultOf(graph) {
	if (graph.hits === null) {
		return graph.query ? "not a regular expression" : "";
	}
	const shares = graph.diff
		? ["before", "after"].map((side) =>
			share(matched(graph, (box) => box.total[side]), graph.whole[side]))
		: [share(matched(graph, (box) => box.width), graph.boxes[0].width)];

	return "matched " + (graph.hides && Math.min(...shares) < 1 ? "at least " : "") +
		shares.map(percent).join(" \u2192 ");
}

function search(graph, text) {
	graph.query = text;
	graph.hits = text ? findNames(graph, text) : null;
	if (text && graph.hits === null) {
		graph.field.setAttribute("aria-invalid", "true");
	} else {
		graph.field.removeAttribute("aria-invalid");
		remember(graph);
	}
	graph.result.textContent = resultOf(graph);
	draw(graph);
}

/* To the next match in the order of the boxes, or the one before; zooms if it is out of sight. */
function nextMatch(graph, step) {
	const { boxes } = graph;
	const isMatch = (i) => isHit(graph, boxes[i]) && valueOf(graph, boxes[i]) > 0;

	for (let k = 1; k <= boxes.length && graph.hits !== null; k++) {
		const i = (graph.focused + k * step + boxes.length) % boxes.length;

		if (isMatch(i)) {
			if (!isSeen(graph, i)) {
				zoom(graph, i);
			}
			return point(graph, i);
		}
	}
	return false;
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
}

const isSearching = (graph) => graph.holder.getAttribute("display") === "inline";
