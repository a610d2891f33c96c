import { matchesGlob } from "../../../base/glob.ts";
import type { DatabaseSchema, SchemaObject, ObjectName } from "../../../databases/introspect/database-schema.ts";
import type { DescribeOptions, DescribedWarning } from "../described-service.ts";
import { givenKeys, isNameOf, placeOf } from "./find-key.ts";

/** Omissions that `--include` with the exact name undoes. */
const REVERSIBLE: ReadonlySet<string> = new Set(["extension", "migrations", "partition"]);

/** Returns the tables and views to publish. Warns of each other object that the user may expect. */
export function selectObjects(
  { objects }: DatabaseSchema,
  options: DescribeOptions,
  warn: (warning: DescribedWarning) => void,
): readonly SchemaObject[] {
  const { include = [], exclude = [] } = options;
  for (const [flag, globs] of [
    ["--include", include],
    ["--exclude", exclude],
  ] as const) {
    for (const glob of unmatchedGlobs(globs, objects)) {
      warn({ code: "glob", place: glob, message: `of ${flag} matches no table and no view`, flag: null });
    }
  }
  for (const name of Object.keys(givenKeys(options))) {
    const isName = objects.some((object) => isNameOf(name, object));
    if (!isName) warn({ code: "glob", place: name, message: "of --key is no table and no view", flag: null });
  }
  for (const name of options.includeColumns ?? []) {
    const isIncludedBy = columnMatcher([name]);
    if (objects.some((object) => object.columns.some((column) => isIncludedBy(object, column.name)))) continue;
    warn({
      code: "glob",
      place: name,
      message: "of --include-column matches no column of a table or view",
      flag: null,
    });
  }
  const isIncluded = include.length === 0 ? () => true : globMatcher(include);
  const isNamed = globMatcher(include.filter((glob) => !/[*?]/.test(glob)));
  const isExcluded = globMatcher(exclude);
  return objects.filter((object) => {
    if (!isIncluded(object) || isExcluded(object)) return false;
    const { omission } = object;
    if (object.name === "") {
      warn({ code: "no-name", place: '""', message: "omitted, because its name is empty", flag: null });
      return false;
    }
    if (omission === null || (REVERSIBLE.has(omission.code) && isNamed(object))) return true;
    const place = placeOf(object);
    const flag = REVERSIBLE.has(omission.code) ? `--include "*" --include "${place}"` : null;
    warn({ code: omission.code, place, message: `omitted, because it is ${omission.reason}`, flag });
    return false;
  });
}

/** Whether a glob matches an object. */
type MatchesObject = (object: ObjectName) => boolean;

/**
 * Makes a test of globs over `schema.name` and `name`, in any letter case: `*` matches any characters, `?` matches one.
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
