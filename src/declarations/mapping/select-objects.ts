import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedWarning } from "../described-service.ts";
import { givenKeys, isNameOf } from "./find-key.ts";
import { columnMatcher, globMatcher, unmatchedGlobs } from "./globs.ts";
import { placeOf } from "./rough-mapping.ts";

/** Omissions that `--include` with the exact name undoes. */
const REVERSIBLE: ReadonlySet<string> = new Set(["extension", "migrations", "partition"]);

/** Returns the tables and views to publish. Each other one that the user may expect has a warning. */
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
