import type { ConfigurationFault } from "../base/errors/configuration-error.ts";
import { nearestName } from "../base/errors/nearest-name.ts";

/** The rule for the value of an option. An absent or undefined option passes every rule. */
export type OptionRule =
  | { readonly kind: "flag" | "text" | "emptyText" | "handler" | "object" | "array" | "any" }
  /** `or`: a word in place of the array. */
  | { readonly kind: "texts"; readonly or?: string }
  /** `isRequired`: null, which means no limit, is no value. */
  | { readonly kind: "limit"; readonly least: number; readonly most?: number; readonly isRequired?: true }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string | false> };

/** The options of one declaration, each with its rule. */
export type OptionTable<Name extends string = string> = Readonly<Record<Name, OptionRule>>;

/** The place of a declaration, for its faults. */
export type FaultPlace = Pick<ConfigurationFault, "set" | "route" | "method">;

/**
 * Checks the names and values of the options of one declaration.
 * @param owner the owner of the options, such as `entitySet` or `defaults`
 * @param elsewhere the options of another declaration, to which a fault then refers, and further options of this one, for advice;
 *   `removed`: the options that an earlier version had, each with the advice on what replaces it
 */
export function* checkOptions(
  table: OptionTable,
  options: Readonly<Record<string, unknown>>,
  owner: string,
  place: FaultPlace,
  elsewhere?: {
    readonly table: OptionTable;
    readonly example: (name: string) => string;
    readonly beside?: readonly string[] | undefined;
    readonly removed?: Readonly<Record<string, string>> | undefined;
  },
): Iterable<ConfigurationFault> {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (rule === undefined) {
      const isElsewhere = elsewhere !== undefined && Object.hasOwn(elsewhere.table, name);
      const { beside = [], removed = {} } = elsewhere ?? {};
      const fix = isElsewhere
        ? elsewhere.example(name)
        : ((Object.hasOwn(removed, name) ? removed[name] : undefined) ??
          adviseName(name, [...beside, ...Object.keys(table)]));
      yield { ...place, message: `${owner} has no option \`${name}\`.`, fix };
      continue;
    }
    const wanted = value === undefined ? null : wantedInstead(rule, value);
    if (wanted !== null) {
      yield { ...place, message: `\`${name}\` of ${owner} cannot be ${describe(value)}.`, fix: `Give ${wanted}.` };
    }
  }
}

/** Returns the advice for an unknown name: the nearest declared name, or all declared names. */
export function adviseName(name: string, declared: readonly string[]): string {
  const nearest = nearestName(name, declared);
  if (nearest !== null) return `Did you mean \`${nearest}\`?`;
  if (declared.length === 0) return "Remove it: no name is available.";
  return `Remove it, or use one of ${declared.map((each) => `\`${each}\``).join(", ")}.`;
}

/** Describes a value in the message of a fault. */
export function describe(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** Returns the wanted values, for an error; null if the value satisfies the rule. */
function wantedInstead(rule: OptionRule, value: unknown): string | null {
  switch (rule.kind) {
    case "flag":
      return typeof value === "boolean" ? null : "true or false, or leave it out to inherit";
    case "text":
      return typeof value === "string" && value !== "" ? null : "a string";
    case "emptyText":
      return typeof value === "string" ? null : "a string";
    case "handler":
      return typeof value === "function" ? null : "a function";
    case "texts":
      if (isArrayOfTexts(value) || (rule.or !== undefined && value === rule.or)) return null;
      return `an array of property keys${rule.or === undefined ? "" : `, or ${JSON.stringify(rule.or)}`}`;
    case "object":
      return isObject(value) ? null : "an object";
    case "array":
      return Array.isArray(value) ? null : "an array";
    case "limit": {
      const { least, most = Infinity, isRequired = false } = rule;
      if (isLimit(value, least) && Number(value) <= most && !(isRequired && value === null)) return null;
      const wanted = `a whole number ${most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`}`;
      return isRequired ? wanted : `${wanted}, or null for no limit`;
    }
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

/** Returns a name as a string. Other values become strings that `check-names.ts` rejects, such as `<5>`. */
export function nameOf(value: unknown): string {
  return typeof value === "string" ? value : `<${describe(value)}>`;
}

/** Returns whether a value is an object with a `kind`, as declarations have one. */
export function hasKind<Kind extends string>(value: unknown, kind: Kind): value is { readonly kind: Kind } {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}

/** Returns whether a value is an object other than an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Copies options with their inherited and non-enumerable members. Otherwise an authorization rule that a class defines
 * would be lost. Returns a value that is not an object as it is, for the startup check.
 */
export function everyOption<Table extends object>(table: Table): Table {
  if (typeof table !== "object" || table === null || Array.isArray(table)) return table;
  const options = { ...table };
  let owner: object | null = table;
  while (owner !== null && owner !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (name === "constructor" || Object.hasOwn(options, name)) continue;
      Object.defineProperty(options, name, { value: Reflect.get(table, name), enumerable: true });
    }
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return options;
}

/** Returns a frozen copy of an object; returns any other value as it is, for the startup check. */
export function frozenCopy<Table extends object>(table: Table): Table {
  return typeof table === "object" && table !== null ? Object.freeze({ ...table }) : table;
}

/** Returns the options of these names that are not undefined. */
export function pickStated<Name extends string>(
  options: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}
