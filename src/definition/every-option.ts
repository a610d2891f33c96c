/**
 * A table of options with all that it gives as members of its own: what a class or another table hands down, and what is
 * not enumerable, would be left out of a copy, and a rule among it would not hold. Anything but a table, which only
 * untyped code can pass, is left for the startup check.
 */
export function everyOption<Table extends object>(table: Table): Table {
  if (typeof table !== "object" || table === null || Array.isArray(table)) return table;
  const options = { ...table };
  for (let owner: unknown = table; isOwner(owner); owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (name === "constructor" || Object.hasOwn(options, name)) continue;
      Object.defineProperty(options, name, { value: Reflect.get(table, name), enumerable: true });
    }
  }
  return options;
}

/** What every object inherits is no option; each realm has an `Object.prototype` of its own. */
function isOwner(owner: unknown): owner is object {
  return typeof owner === "object" && owner !== null && !Object.hasOwn(owner, "hasOwnProperty");
}
