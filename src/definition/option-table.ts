import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { nearestName } from "../errors/nearest-name.ts";

/** What the value of an option must be. An option that is absent or undefined is never wrong, unless required. */
export type OptionRule =
  | { readonly kind: "flag" | "text" | "handler" | "texts" | "object" | "array" | "any" }
  | { readonly kind: "limit"; readonly least: number }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string | false> };

/** The options of one declaration, each with its rule. */
export type OptionTable<Name extends string = string> = Readonly<Record<Name, OptionRule>>;

/** Where a declaration stands, for its faults. */
export type FaultPlace = Pick<ConfigurationFault, "set" | "route" | "method">;

/**
 * Checks the options of one declaration: their names, and that each has a value of its kind.
 * @param owner what the options belong to, such as `entitySet` or `defaults`
 */
export function* checkOptions(
  table: OptionTable,
  options: Readonly<Record<string, unknown>>,
  owner: string,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (rule === undefined) {
      yield { ...place, message: `${owner} has no option \`${name}\`.`, fix: adviseName(name, Object.keys(table)) };
      continue;
    }
    const wanted = value === undefined ? null : wantedInstead(rule, value);
    if (wanted !== null) {
      yield { ...place, message: `\`${name}\` of ${owner} cannot be ${describe(value)}.`, fix: `Give ${wanted}.` };
    }
  }
}

/** What to do about a name that is not declared: the nearest one that is, or all of them. */
export function adviseName(name: string, declared: readonly string[]): string {
  const nearest = nearestName(name, declared);
  if (nearest !== null) return `Did you mean \`${nearest}\`?`;
  if (declared.length === 0) return "Remove it: there are none to name.";
  return `Remove it, or use one of ${declared.map((each) => `\`${each}\``).join(", ")}.`;
}

/** A value as the message of a fault shows it. */
export function describe(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** Null when the value satisfies the rule. */
function wantedInstead(rule: OptionRule, value: unknown): string | null {
  switch (rule.kind) {
    case "flag":
      return typeof value === "boolean" ? null : "true or false, or leave it out to inherit";
    case "text":
      return typeof value === "string" && value !== "" ? null : "a text";
    case "handler":
      return typeof value === "function" ? null : "a function";
    case "texts":
      return isArrayOfTexts(value) ? null : "an array of property keys";
    case "object":
      return isObject(value) ? null : "an object";
    case "array":
      return Array.isArray(value) ? null : "an array";
    case "limit":
      return isLimit(value, rule.least) ? null : `a whole number of ${rule.least} or more, or null for no limit`;
    case "choice":
      return rule.values.some((each) => each === value) ? null : rule.values.map(describe).join(" or ");
    case "any":
      return null;
  }
}

function isArrayOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isLimit(value: unknown, least: number): boolean {
  return value === null || (typeof value === "number" && Number.isSafeInteger(value) && value >= least);
}

/** A name as text, whatever untyped code gave for it: `check-names.ts` refuses what is no identifier, as `<5>` is none. */
export function nameOf(value: unknown): string {
  return typeof value === "string" ? value : `<${describe(value)}>`;
}

/** Tells whether a value is an object that is no array: a table of named things. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

/** A frozen copy of a table; anything else, which only untyped code can pass, is left for the startup check. */
export function frozenCopy<Table extends object>(table: Table): Table {
  return typeof table === "object" && table !== null ? Object.freeze({ ...table }) : table;
}

/** The options of these names that are stated. */
export function pickStated<Name extends string>(
  options: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}
