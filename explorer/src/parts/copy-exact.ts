/**
 * Copies the exact values of a selection in a table: a number without the separators of thousands, a time with its zone. Cells
 * are separated by tabs. A selection within one text stays as it is.
 */
export function copyExact(event: ClipboardEvent): void {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
  const range = selection.getRangeAt(0);
  if (range.startContainer === range.endContainer && !isWhole(range)) return;
  const { commonAncestorContainer: around } = range;
  const place = around instanceof Element ? around : around.parentElement;
  const own = place?.closest("td, th");
  const cells = own
    ? [own]
    : [...(place?.querySelectorAll("td, th") ?? [])].filter((cell) => range.intersectsNode(cell));
  if (cells.length === 0) return;
  const rows = [...new Set(cells.map((cell) => cell.parentElement))];
  const lines = rows.map((row) => cells.filter((cell) => cell.parentElement === row).map(exactText));
  event.clipboardData.setData("text/plain", lines.map((texts) => texts.join("\t")).join("\n"));
  event.preventDefault();
}

/** A double click or a triple click selects a whole text, or beyond it. */
function isWhole(range: Range): boolean {
  return range.toString() === range.startContainer.textContent;
}

function exactText(cell: Element): string {
  const value = cell.querySelector<HTMLElement>(".value");
  return value?.dataset["exact"] ?? value?.innerText ?? cell.textContent ?? "";
}
