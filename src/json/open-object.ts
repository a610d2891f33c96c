import { type JsonValue, keepNames } from "./json-value.ts";

/** The number of members from which an object keeps their names. */
const MANY = 1000;

/** A name that an object lists before all others, whatever its place in the text. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** An object under construction. */
export class OpenObject {
  readonly kind = "object";
  readonly value: Record<string, JsonValue> = { __proto__: null };
  /** The name of the member whose value is next. */
  name = "";
  #count = 0;
  /** The names, once they are many; null if their order is not that of the text. */
  #names: string[] | null | undefined;

  /** Counts the member whose value is next. */
  count(): void {
    this.#count += 1;
    if (this.#count > MANY) this.#note(this.name);
  }

  #note(name: string): void {
    if (this.#names === undefined) {
      const names = Object.keys(this.value);
      this.#names = names.some((each) => INDEX.test(each)) ? null : names;
    }
    if (INDEX.test(name)) this.#names = null;
    this.#names?.push(name);
  }

  /** Ends the object. */
  end(): void {
    const names = this.#names;
    if (names !== undefined && names !== null) keepNames(this.value, names);
  }
}
