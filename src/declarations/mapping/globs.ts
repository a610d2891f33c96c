import type { ObjectName } from "../../introspect/database-schema.ts";

/** Whether a glob matches an object. */
export type MatchesObject = (object: ObjectName) => boolean;

/**
 * Makes a test of globs over `schema.name` and `name`, in any letter case: `*` stands for any characters, `?` for one.
 * @param globs matches nothing if empty
 */
export function globMatcher(globs: readonly string[]): MatchesObject {
  const patterns = globs.map(toPattern);
  return ({ schema, name }) => patterns.some((pattern) => pattern.test(name) || pattern.test(`${schema}.${name}`));
}

/** Returns the globs that match no object: mistyped names, most likely. */
export function unmatchedGlobs(globs: readonly string[], objects: readonly ObjectName[]): readonly string[] {
  return globs.filter((glob) => !objects.some(globMatcher([glob])));
}

function toPattern(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\/-]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "is");
}
