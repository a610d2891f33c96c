/**
 * Copies the exact values of a selection in a table: a number without the separators of thousands, a time with its zone. Cells
 * are separated by tabs. A selection within one text stays as it is.
 * @param active the value to copy without a selection
 */
export function copyExact(event: ClipboardEvent, active: string | null = null): void {
  const selection = getSelection();
  const text = selection?.isCollapsed === false ? selectedText(selection.getRangeAt(0)) : active;
  if (text === null) return;
  event.clipboardData?.setData("text/plain", text);
  event.preventDefault();
}

function selectedText(range: Range): string | null {
  const { startContainer: start, endContainer: end, commonAncestorContainer: around } = range;
  if (start === end && range.toString() !== start.textContent) return null;
  const place = around instanceof Element ? around : around.parentElement;
  const all = [place?.closest("td, th") ?? [...(place?.querySelectorAll("td, th") ?? [])]].flat();
  const cells = all.filter((cell) => range.intersectsNode(cell));
  const rows = [...new Set(cells.map((cell) => cell.parentElement))];
  const lines = rows.map((row) => cells.filter((cell) => cell.parentElement === row).map(exactText));
  return lines.length === 0 ? null : lines.map((texts) => texts.join("\t")).join("\n");
}

function exactText(cell: Element): string {
  const value = cell.querySelector<HTMLElement>(".value");
  return value?.dataset["exact"] ?? value?.innerText ?? cell.textContent ?? "";
}
