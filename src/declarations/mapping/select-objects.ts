import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedWarning } from "../described-service.ts";
import { globMatcher, unmatchedGlobs } from "./globs.ts";
import { placeOf } from "./rough-mapping.ts";

/** Omissions that `--include` with the exact name undoes. */
const REVERSIBLE: ReadonlySet<string> = new Set(["extension", "migrations", "partition"]);

/** Returns the tables and views to publish. Each other one that the user may expect has a warning. */
export function selectObjects(
  { objects }: DatabaseSchema,
  { include = [], exclude = [] }: DescribeOptions,
  warn: (warning: DescribedWarning) => void,
): readonly SchemaObject[] {
  for (const [flag, globs] of [
    ["--include", include],
    ["--exclude", exclude],
  ] as const) {
    for (const glob of unmatchedGlobs(globs, objects)) {
      warn({ code: "glob", place: glob, message: `of ${flag} matches no table and no view`, flag: null });
    }
  }
  const isIncluded = include.length === 0 ? () => true : globMatcher(include);
  const isNamed = globMatcher(include.filter((glob) => !/[*?]/.test(glob)));
  const isExcluded = globMatcher(exclude);
  return objects.filter((object) => {
    if (!isIncluded(object) || isExcluded(object)) return false;
    const { omission } = object;
    if (omission === null || (REVERSIBLE.has(omission.code) && isNamed(object))) return true;
    const place = placeOf(object);
    const flag = REVERSIBLE.has(omission.code) ? `--include "*" --include "${place}"` : null;
    warn({ code: omission.code, place, message: `omitted, because it is ${omission.reason}`, flag });
    return false;
  });
}
