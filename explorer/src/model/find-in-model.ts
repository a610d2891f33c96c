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
  const found = entriesOf(model).flatMap((finding) => {
    const rank = rankOf(finding, words);
    return rank === null ? [] : [{ finding, rank }];
  });
  return found
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ finding }) => finding);
}

interface Entry extends Finding {
  /** What else it is found by. */
  readonly further: string;
}

function entriesOf({ sets, operations }: Model): readonly Entry[] {
  const ofOperations = operations.map((operation): Entry => {
    const { description } = operation;
    return { kind: "operation", name: callName(operation), set: null, description, further: "" };
  });
  const ofSets = [...sets.values()].flatMap(({ name: set, description, type }): readonly Entry[] => [
    { kind: "set", name: set, set, description, further: type.name },
    ...[...type.properties.values(), ...type.navigations.values()].map((each): Entry => ({
      kind: "property",
      name: each.name,
      set,
      description: each.description,
      further: "label" in each ? (each.label ?? "") : "",
    })),
  ]);
  return [...ofSets, ...ofOperations];
}

/** Returns the name by which a reader calls an operation: that of its import, or its own. */
export function callName({ importName, name }: Operation): string {
  return importName ?? name;
}

const KINDS: readonly Finding["kind"][] = ["set", "operation", "property"];

/** Returns the place of an entry among the found ones: after how its name fits, then after its kind; null if it is none. */
function rankOf(entry: Entry, words: readonly string[]): number | null {
  const text = `${entry.name} ${entry.set ?? ""} ${entry.further} ${entry.description ?? ""}`.toLocaleLowerCase();
  if (!words.every((word) => text.includes(word))) return null;
  const name = entry.name.toLocaleLowerCase();
  const first = words[0] ?? "";
  const fits = [name === first, name.startsWith(first), name.includes(first), true];
  return fits.indexOf(true) * KINDS.length + KINDS.indexOf(entry.kind);
}
