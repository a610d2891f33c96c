import type { Model, Operation } from "./model.ts";

/** Something of the model that a search has found. */
export interface Finding {
  readonly kind: "set" | "property" | "operation";
  readonly name: string;
  /** The set of a property; null for others. */
  readonly set: string | null;
  readonly description: string | null;
}

/**
 * Returns the sets, properties and operations whose names, labels or descriptions contain all words of a text: those whose
 * name begins with it first, then sets before operations and properties.
 */
export function findInModel(model: Model, text: string, most: number): readonly Finding[] {
  const words = text
    .toLocaleLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const found = entriesOf(model).flatMap((entry) => {
    const rank = rankOf(entry, words);
    return rank === null ? [] : [{ entry, rank }];
  });
  return found
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ entry }) => entry.finding);
}

interface Entry {
  readonly finding: Finding;
  readonly words: string;
}

function entriesOf({ sets, operations }: Model): readonly Entry[] {
  const all = [...sets.values()];
  const ofSets = all.map(({ name, description, type }) =>
    entry({ kind: "set", name, set: name, description }, type.name),
  );
  const ofOperations = operations.map((operation) =>
    entry({ kind: "operation", name: callName(operation), set: null, description: operation.description }, ""),
  );
  const ofProperties = all.flatMap(({ name: set, type }) => [
    ...Array.from(type.properties.values(), ({ name, description, label }) =>
      entry({ kind: "property", name, set, description }, label ?? ""),
    ),
    ...Array.from(type.navigations.values(), ({ name, description }) =>
      entry({ kind: "property", name, set, description }, ""),
    ),
  ]);
  return [...ofSets, ...ofOperations, ...ofProperties];
}

function entry(finding: Finding, further: string): Entry {
  const { name, set, description } = finding;
  return { finding, words: `${name} ${set ?? ""} ${further} ${description ?? ""}`.toLocaleLowerCase() };
}

/** Returns the name by which a reader calls an operation: that of its import, or its own. */
export function callName({ importName, name }: Operation): string {
  return importName ?? name;
}

const KINDS: Readonly<Record<Finding["kind"], number>> = { set: 0, operation: 1, property: 2 };
const NOT_IN_NAME = 10;

function rankOf({ finding, words: text }: Entry, words: readonly string[]): number | null {
  if (!words.every((word) => text.includes(word))) return null;
  const name = finding.name.toLocaleLowerCase();
  const first = words[0] ?? "";
  const kind = KINDS[finding.kind];
  if (name === first) return kind;
  if (name.startsWith(first)) return kind + Object.keys(KINDS).length;
  return kind + (name.includes(first) ? 2 * Object.keys(KINDS).length : NOT_IN_NAME);
}
