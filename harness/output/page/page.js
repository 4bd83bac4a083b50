/* Tables sort by a click on a heading; a link to a workload opens it. Without script all is there. */
"use strict";

function cellValue(row, column) {
	const cell = row.cells[column];
	const value = cell.dataset.v;

	if (value === undefined)
		return cell.textContent;
	return value === "" ? null : Number(value);
}

/* What has no value stands last, whichever way the rest is sorted. */
function compareCells(a, b, direction) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	if (typeof a === "number")
		return (a - b) * direction;
	return (a < b ? -1 : a > b ? 1 : 0) * direction;
}

function sortBy(table, heading, column) {
	const body = table.tBodies[0];
	const descending = heading.getAttribute("aria-sort") !== "descending";
	const rows = Array.from(body.rows, (row) => ({ row, value: cellValue(row, column) }));

	rows.sort((a, b) => compareCells(a.value, b.value, descending ? -1 : 1));
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
	body.append(...rows.map((each) => each.row));
}

for (const table of document.querySelectorAll("table.sortable")) {
	Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
		if (heading.classList.contains("plain"))
			return;
		const button = document.createElement("button");

		button.type = "button";
		button.textContent = heading.textContent;
		button.addEventListener("click", () => sortBy(table, heading, column));
		heading.replaceChildren(button);
	});
}

function openTarget() {
	const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));

	if (target instanceof HTMLDetailsElement) {
		target.open = true;
		target.scrollIntoView();
	}
}

window.addEventListener("hashchange", openTarget);
openTarget();

/* On paper nothing can be unfolded. */
window.addEventListener("beforeprint", () => {
	for (const details of document.querySelectorAll("details"))
		details.open = true;
});
