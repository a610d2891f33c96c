/** A frozen copy of a table; anything else, which only untyped code can pass, is left for the startup check. */
export function frozenCopy<Table extends object>(table: Table): Table {
  return typeof table === "object" && table !== null ? Object.freeze({ ...table }) : table;
}
