/**
 * JSON texts of cells without a value in between, for the commonest forms. Each answers null for a cell that has not
 * exactly the form it should have, null included: then the value is read, checked and written.
 */

const DIGITS = /^-?\d{1,19}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?Z$/;

/** An Edm.Int32. */
export function int32Text(cell: unknown): string | null {
  return typeof cell === "number" && (cell | 0) === cell ? String(cell) : null;
}

/** An Edm.Int64 that was selected as text. */
export function int64Text(cell: unknown, ieee754Compatible: boolean): string | null {
  if (typeof cell !== "string" || !DIGITS.test(cell)) return null;
  return ieee754Compatible ? `"${cell}"` : cell;
}

/** A Decimal that was selected as the text of an integer, to be divided by ten to the power of `scale`. */
export function scaledText(scale: number): (cell: unknown, ieee754Compatible: boolean) => string | null {
  return (cell, ieee754Compatible) => {
    if (typeof cell !== "string" || !DIGITS.test(cell) || cell.length <= scale + 1) return null;
    const text = scale === 0 ? cell : `${cell.slice(0, -scale)}.${cell.slice(-scale)}`;
    return ieee754Compatible ? `"${text}"` : text;
  };
}

/** A timestamp in UTC. */
export function utcText(cell: unknown): string | null {
  return typeof cell === "string" && UTC.test(cell) ? `"${cell}"` : null;
}
