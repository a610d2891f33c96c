import { matchesGlob } from "../../base/glob.ts";
import type { ObjectName } from "../../introspect/database-schema.ts";

/** Whether a glob matches an object. */
export type MatchesObject = (object: ObjectName) => boolean;

/**
 * Makes a test of globs over `schema.name` and `name`, in any letter case: `*` stands for any characters, `?` for one.
 * @param globs matches nothing if empty
 */
export function globMatcher(globs: readonly string[]): MatchesObject {
  return ({ schema, name }) => globs.some((glob) => matchesGlob(glob, name) || matchesGlob(glob, `${schema}.${name}`));
}

/** Returns the globs that match no object: mistyped names, most likely. */
export function unmatchedGlobs(globs: readonly string[], objects: readonly ObjectName[]): readonly string[] {
  return globs.filter((glob) => !objects.some(globMatcher([glob])));
}

/** Whether `--include-column` names a column. */
export type MatchesColumn = (object: ObjectName, column: string) => boolean;

/** Makes a test of globs over columns, such as `staff.*hash` and `sales.staff.password`. */
export function columnMatcher(given: readonly string[]): MatchesColumn {
  const entries = given.map((entry): readonly [MatchesObject, MatchesObject] => {
    const at = entry.lastIndexOf(".");
    return [globMatcher([entry.slice(0, Math.max(at, 0))]), globMatcher([entry.slice(at + 1)])];
  });
  return (object, name) => entries.some(([table, column]) => table(object) && column({ schema: "", name }));
}
