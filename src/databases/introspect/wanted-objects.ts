import type { WantedObjects } from "./database-catalogue.ts";
import type { DatabaseSchema, ObjectName } from "./database-schema.ts";
import type { WantedTable } from "./schema.ts";

/** The names of objects, by `WantedTable.text`. */
export type Names = ReadonlyMap<string, ObjectName>;

/** Returns the names as statements have them. */
export function statedNames({ defaultSchema }: DatabaseSchema, wanted: readonly WantedTable[]): Names {
  return new Map(
    wanted.map(({ text, names }) => [text, { schema: names.at(-2) ?? defaultSchema, name: names.at(-1) ?? "" }]),
  );
}

/** Returns some schemas, and those that statements name. */
export function namedSchemas(wanted: readonly WantedTable[], own: readonly string[]): readonly string[] {
  return [...new Set([...own, ...wanted.flatMap(({ names }) => names.slice(-2, -1))])];
}

/** Finds objects. Prefers one with exactly the name to one whose name is the same after `simplify`. */
export function matched(database: DatabaseSchema, names: Names, simplify: (name: string) => string): WantedObjects {
  const { objects } = database;
  const keyOf = ({ schema, name }: ObjectName): string => JSON.stringify([schema, name]);
  const similar = new Map(objects.map((object) => [simplify(keyOf(object)), object]));
  const exact = new Map(objects.map((object) => [keyOf(object), object]));
  const found = Array.from(names, ([text, name]) => {
    const object = exact.get(keyOf(name)) ?? similar.get(simplify(keyOf(name)));
    return object === undefined ? [] : [[text, object] as const];
  });
  return { database, objects: new Map(found.flat()) };
}

/** Finds objects by the names of statements, in any letter case. */
export function matchedInAnyCase(database: DatabaseSchema, wanted: readonly WantedTable[]): WantedObjects {
  return matched(database, statedNames(database, wanted), (name) => name.toLowerCase());
}
