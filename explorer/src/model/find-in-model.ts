import { inTask } from "./later.ts";
import type { Model, Operation } from "./model.ts";

/** Something of the model that a search has found. */
export interface Finding {
  readonly kind: "set" | "property" | "operation";
  readonly name: string;
  readonly set: string | null;
  readonly label?: string | null;
  readonly description: string | null;
}

/** Returns the elements with all words of a text in name, label or description: first those with the first word in their name. */
export function findInModel(model: Model, text: string, most: number): readonly Finding[] {
  const [first = "", ...others] = text.toLocaleLowerCase().trim().split(/\s+/u);
  if (first === "") return [];
  const found = findingsIn(model).filter(({ name, set, label, description }) => {
    const searched = [name, set, label, description].join(" ").toLocaleLowerCase();
    return [first, ...others].every((word) => searched.includes(word));
  });
  const placeOf = ({ name }: Finding): number => {
    const lower = name.toLocaleLowerCase();
    return [lower === first, lower.startsWith(first), lower.includes(first), true].indexOf(true);
  };
  return found.toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, most);
}

/** Reads the types of a model before a search, in short tasks: the page answers meanwhile. */
export async function readForSearch({ sets }: Model): Promise<void> {
  let start = performance.now();
  for (const [name, set] of sets) {
    findingsIn({ operations: [], sets: new Map([[name, set]]) });
    if (performance.now() - start > 30) start = await inTask(() => performance.now());
  }
}

function findingsIn({ sets, operations }: Pick<Model, "sets" | "operations">): readonly Finding[] {
  const all = Array.from(sets.values(), ({ name, type, description }) => ({ name, set: name, type, description }));
  return [
    ...all.map((each): Finding => ({ ...each, kind: "set", label: each.type.name })),
    ...operations.map((each): Finding => ({ ...each, kind: "operation", name: callName(each), set: null })),
    ...all.flatMap(({ name: set, type: { properties, navigations } }) =>
      [...properties.values(), ...navigations.values()].map((each): Finding => ({ ...each, kind: "property", set })),
    ),
  ];
}

/** Returns the name by which a reader calls an operation: that of its import, or its own. */
export function callName({ importName, name }: Operation): string {
  return importName ?? name;
}
