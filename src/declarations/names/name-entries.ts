import { isSimpleIdentifier } from "../../definition/names.ts";
import { nearestName } from "../../errors/nearest-name.ts";
import type { DescribedWarning } from "../described-service.ts";
import type { NamingFault } from "./naming.ts";

/** One entry of `NamingOptions.names`. */
export interface NameEntry {
  readonly key: string;
  readonly value: string;
}

/** The entries of `NamingOptions.names`, which objects and members take one after the other. */
export class NameEntries {
  readonly #entries: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  /** Everything that an entry could name, for advice. */
  readonly #known = new Set<string>();
  readonly #faults: NamingFault[] = [];

  constructor(names: Readonly<Record<string, string>>) {
    this.#entries = new Map(Object.entries(names).filter(([key]) => key !== "*"));
  }

  /** Returns the first entry of an object or member that no other has taken. @param keys the keys that name it */
  take(keys: readonly string[]): NameEntry | null {
    for (const key of keys) this.#known.add(key);
    for (const key of keys) {
      const value = this.#entries.get(key);
      if (value === undefined || this.#used.has(key)) continue;
      this.#used.add(key);
      return { key, value };
    }
    return null;
  }

  /** Returns whether a value can be a name. Otherwise it becomes a fault. */
  accept(key: string, value: string): boolean {
    const isName = isSimpleIdentifier(value) && value !== "__proto__";
    const fix = "Begin with a letter or underscore, then letters, digits and underscores, at most 128 characters.";
    if (!isName) this.reject(key, `"${value}" is not an identifier.`, fix);
    return isName;
  }

  /** Adds a fault. */
  reject(key: string, message: string, fix: string): void {
    this.#faults.push({ key, message, fix });
  }

  /** The entries that cannot be used. */
  get faults(): readonly NamingFault[] {
    return this.#faults;
  }

  /** Returns a warning for each entry that names nothing. */
  unused(): readonly DescribedWarning[] {
    return [...this.#entries.keys()]
      .filter((key) => !this.#used.has(key))
      .map((key) => {
        const nearest = nearestName(key, this.#known);
        const advice = nearest === null ? "" : `; did you mean "${nearest}"?`;
        const message = this.#known.has(key)
          ? "another entry of `names` names the same"
          : `the entry of \`names\` names no published table, column or navigation${advice}`;
        return { code: "unused-name", place: key, message, flag: null };
      });
  }
}
