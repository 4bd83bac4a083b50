/*
 * The keyboard: from box to box, and to the tools. All boxes together are one stop of the Tab key:
 * the box that was focused last.
 */

/* Makes box i the one that keys start from, without taking the focus from where it is. */
function point(graph, i) {
	const before = graph.shapes[graph.focused];
	const shape = graph.shapes[i];
	const words = lines(graph, i);

	if (before) {
		before.removeAttribute("tabindex");
		before.removeAttribute("aria-selected");
		before.removeAttribute("aria-description");
	}
	graph.focused = i;
	setAttributes(shape, {
		tabindex: "0",
		role: "treeitem",
		"aria-selected": "true",
		"aria-level": String(graph.boxes[i].depth + 1),
		"aria-label": words[0],
		"aria-description": words.slice(1).join(", "),
	});
	showTools(graph);
	say(graph, words);
	return true;
}

function focusOn(graph, i) {
	point(graph, i);
	graph.shapes[i].focus();
}

/* After drawing: where the box with the focus is gone, what stands below it has it. */
function keepFocus(graph, held) {
	let i = graph.focused;

	while (i > 0 && !isSeen(graph, i)) {
		i = graph.boxes[i].parent;
	}
	if (i !== graph.focused) {
		point(graph, i);
	}
	if (held && document.activeElement !== graph.shapes[i]) {
		graph.shapes[i].focus();
	}
}

/* The first of the boxes from `k` on, each the sibling of the one before, that can be seen. */
function firstSeen(graph, k, end) {
	while (k < end && !isSeen(graph, k)) {
		k = graph.boxes[k].end;
	}
	return k < end ? k : -1;
}

function previousSibling(graph, i) {
	let last = i;

	for (let k = graph.boxes[i].parent + 1; k < i; k = graph.boxes[k].end) {
		last = isSeen(graph, k) ? k : last;
	}
	return last;
}

/* Up or down: to what a box calls, or back from it; in a sandwich up is to the callers. */
function moveUp(graph, i, up) {
	const { boxes } = graph;
	const isOther = (k) => graph.sandwich && i === 0 && boxes[k].up !== up;
	const away = up === (graph.sandwich && i === 0 ? up : isUp(graph, boxes[i]));
	let k = i + 1;

	while (k < boxes[i].end && isOther(k)) {
		k = boxes[k].end;
	}
	k = away ? firstSeen(graph, k, boxes[i].end) : boxes[i].parent;
	return k >= 0 ? k : i;
}

/* Where a key leads from the focused box: it stays where there is nothing; -1 if it is no such key. */
function move(graph, key) {
	const { boxes, focused: i } = graph;
	const or = (found) => (found >= 0 ? found : i);

	switch (key) {
	case "ArrowLeft":
		return previousSibling(graph, i);
	case "ArrowRight":
		return i > 0 ? or(firstSeen(graph, boxes[i].end, boxes[boxes[i].parent].end)) : i;
	case "ArrowUp":
	case "ArrowDown":
		return moveUp(graph, i, key === "ArrowUp");
	case "Home":
		return graph.zoomed;
	case "End":
		return Math.max(...graph.seen);
	default:
		return -1;
	}
}

function onEscape(graph) {
	if (isSearching(graph)) {
		openSearch(graph, false);
		graph.shapes[graph.focused].focus();
	} else if (graph.zoomed === 0 && graph.boxes !== graph.main) {
		leaveSandwich(graph);
	} else {
		zoom(graph, 0);
	}
}

/* Returns whether the key was one of the search field's. */
function onFieldKey(graph, event) {
	return event.key === "Enter" && nextMatch(graph, event.shiftKey ? -1 : 1);
}

/* Returns whether the key meant something. */
function onPlainKey(graph, event) {
	if (event.key === "/") {
		openSearch(graph, true);
	} else if (event.key === "s" && canSandwich(graph)) {
		enterSandwich(graph, graph.boxes[chosen(graph)].name);
	} else if (event.key === "i" && !graph.sandwich) {
		turn(graph);
	} else if (event.key === "n" || event.key === "N") {
		return nextMatch(graph, event.key === "n" ? 1 : -1);
	} else if (event.key === "Enter" && event.target === graph.shapes[graph.focused]) {
		zoom(graph, graph.focused);
	} else if (move(graph, event.key) >= 0) {
		focusOn(graph, move(graph, event.key));
	} else {
		return false;
	}
	return true;
}

function onKey(graph, event) {
	const modified = event.ctrlKey || event.metaKey || event.altKey;
	let done = true;

	if (event.key === "Escape") {
		onEscape(graph);
	} else if (event.target === graph.field) {
		done = onFieldKey(graph, event);
	} else if ((event.ctrlKey || event.metaKey) && event.key === "f") {
		openSearch(graph, true);
	} else {
		done = !modified && onPlainKey(graph, event);
	}
	if (done) {
		event.preventDefault();
	}
}
