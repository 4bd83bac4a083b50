/*
 * What the page does beyond showing itself: tables sort by their headings' buttons and are filtered
 * by name, commands are copied, paper shows what is folded away. Without script all of it is there
 * to be read.
 */
function cellValue(row, column) {
	const cell = row.cells[column];
	const value = cell.dataset.v;

	if (value === undefined)
		return cell.textContent || null;
	return value === "" ? null : Number(value);
}

/* What has no value stands last, whichever way the rest is sorted. */
function compareCells(a, b, direction) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	return (a < b ? -1 : a > b ? 1 : 0) * direction;
}

/* Numbers begin with the largest, names with the first; rows that are equal stay as they were. */
function sortBy(table, heading, column) {
	const body = table.tBodies[0];
	const sorted = heading.getAttribute("aria-sort");
	const rows = Array.from(body.rows, (row) => ({ row, value: cellValue(row, column) }));
	const numbers = rows.some((each) => typeof each.value === "number");
	const descending = sorted ? sorted === "ascending" : numbers;

	rows.sort((a, b) => compareCells(a.value, b.value, descending ? -1 : 1));
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
	body.append(...rows.map((each) => each.row));
}

function makeSortable(table) {
	Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
		if (heading.classList.contains("plain"))
			return;
		const button = document.createElement("button");

		button.type = "button";
		button.append(...heading.childNodes);
		button.addEventListener("click", () => sortBy(table, heading, column));
		heading.append(button);
		if (heading.classList.contains("sorted"))
			heading.setAttribute("aria-sort",
				heading.classList.contains("up") ? "ascending" : "descending");
	});
}

/* Rows whose name holds what is typed, in any case, stay. */
function makeFiltered(table) {
	const input = document.createElement("input");

	input.type = "search";
	input.className = "filter";
	input.placeholder = "Filter by name";
	input.setAttribute("aria-label", "Filter by name");
	input.addEventListener("input", () => {
		const wanted = input.value.toLowerCase();

		for (const row of table.tBodies[0].rows)
			row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
	});
	table.parentElement.before(input);
}

function select(element) {
	const selection = getSelection();

	selection.removeAllRanges();
	selection.selectAllChildren(element);
}

/* Where the clipboard is refused, the command is selected: one key less to press. */
async function copy(code, said) {
	try {
		await navigator.clipboard.writeText(code.textContent);
		said.textContent = "Copied";
	} catch (error) {
		select(code);
		said.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it by key";
	}
}

function makeCopied(command) {
	const button = document.createElement("button");
	const said = document.createElement("span");
	const line = document.createElement("p");

	button.type = "button";
	button.textContent = "Copy command";
	said.setAttribute("role", "status");
	button.addEventListener("click", () => copy(command.firstElementChild, said));
	line.className = "copy";
	line.append(button, " ", said);
	command.after(line);
}

/* A link to a workload that passed shows what it was judged by. */
function openTarget() {
	let id;

	try {
		id = decodeURIComponent(location.hash.slice(1));
	} catch (error) {
		return;
	}
	const section = id.startsWith("w-") ? document.getElementById(id) : null;
	const details = section && section.querySelector("details:not(.causes)");

	if (details && !details.open) {
		details.open = true;
		section.scrollIntoView();
	}
}

/* What only paper had to have open is closed again. Long lists of what tells nothing stay closed. */
const opened = [];

function openAll() {
	for (const details of document.querySelectorAll("details:not(.rest)")) {
		if (!details.open) {
			details.open = true;
			opened.push(details);
		}
	}
}

function closeOpened() {
	for (const details of opened.splice(0))
		details.open = false;
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("table.functions").forEach(makeFiltered);
document.querySelectorAll("pre.command").forEach(makeCopied);
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", openAll);
addEventListener("afterprint", closeOpened);
openTarget();
