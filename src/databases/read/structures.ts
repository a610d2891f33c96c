import { BoundedCache } from "../../base/memo.ts";

/** The kinds of objects that belong to a model. Two of them may look alike, and each is made once. */
const MODEL_KINDS: ReadonlySet<unknown> = new Set([
  "EntitySet",
  "EntityType",
  "ComplexType",
  "EnumType",
  "PrimitiveType",
  "StructuralProperty",
  "NavigationProperty",
  "direct",
  "link",
]);

/** The most characters of the texts of known structures. */
const CHARACTERS_KEPT = 4_000_000;

/**
 * Numbers the parts of statements: parts with equal numbers give equal SQL. Clauses are numbered by their structure, so copies
 * of a clause have its number; everything else, such as a property or a function, by its identity. A number never stands for
 * two structures, but a structure that was forgotten gets another number.
 */
export class Structures {
  /** Saves the text of a clause that is known. */
  readonly #known = new WeakMap<object, number>();
  readonly #texts: BoundedCache<string, number>;
  #count = 0;

  /** @param capacity the maximum number of structures with known numbers */
  constructor(capacity: number) {
    this.#texts = new BoundedCache(capacity, { most: CHARACTERS_KEPT, weightOf: ({ length }) => length });
  }

  /** Returns a number that stands for nothing else. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }

  /** Returns the number of a clause, or of another object; 0 for none. */
  of(part: object | null | undefined): number {
    if (part === null || part === undefined) return 0;
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const number = isClause(part) ? this.ofText(this.textOf(part)) : this.next();
    this.#known.set(part, number);
    return number;
  }

  /** Returns the number of a declaration of the application, by its identity. */
  ofDeclaration(declaration: object): number {
    const known = this.#known.get(declaration) ?? this.next();
    this.#known.set(declaration, known);
    return known;
  }

  /** Returns the number of a text. */
  ofText(text: string): number {
    return this.#texts.getOrMake(text, () => this.next());
  }

  /** Returns the text of a clause. It never changes what it stands for. */
  textOf(part: object): string {
    if (Array.isArray(part)) return `[${part.map((each) => this.#text(each)).join()}]`;
    if (part instanceof Set || part instanceof Map) return `<${[...part].map((each) => this.#text(each)).join()}>`;
    const members: ReadonlyArray<readonly [string, unknown]> = Object.entries(part);
    return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${this.#text(each)}`).join()}}`;
  }

  #text(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "bigint":
        return `${String(value)}n`;
      case "object":
        if (value === null) return "null";
        return isClause(value) ? this.textOf(value) : `#${String(this.of(value))}`;
      case "function":
        return `#${String(this.of(value))}`;
      default:
        return Object.is(value, -0) ? "-0" : String(value);
    }
  }
}

/** Whether an object consists of its members. */
function isClause(part: object): boolean {
  if (Array.isArray(part) || part instanceof Set || part instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(part);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return !MODEL_KINDS.has((part as { readonly kind?: unknown }).kind);
}
