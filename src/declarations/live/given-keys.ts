import { quoteName } from "../../introspect/quote-name.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedService, DescribedSet, DescribedWarning } from "../described-service.ts";
import { isNameOf } from "../mapping/find-key.ts";
import { placeOf } from "../mapping/rough-mapping.ts";
import { limitedRun } from "./limited-run.ts";
import { quotedTable } from "./table-options.ts";

/** Milliseconds for one view. */
const TIMEOUT = 1000;

/** The given keys that the data allows. */
export interface CheckedKeys {
  /** The sets whose given key several rows share. */
  readonly shared: readonly DescribedSet[];
  readonly warnings: readonly DescribedWarning[];
}

/**
 * Looks for rows that share a key which the user has given: two entities with one id would be wrong without a sign.
 * @returns a warning for each given key that rows share, or that takes too long
 */
export async function checkGivenKeys(db: AnyKysely, service: DescribedService): Promise<CheckedKeys> {
  const run = limitedRun(db, () => TIMEOUT);
  const shared: DescribedSet[] = [];
  const warnings: DescribedWarning[] = [];
  for (const set of service.sets.filter(({ key, isKeyGuaranteed }) => key === "given" && !isKeyGuaranteed)) {
    const columns = set.properties.filter(({ isKey }) => isKey).map(({ column }) => column);
    const place = placeOf(set.table);
    try {
      const found = await run({ sql: duplicatesQuery(set, columns, service), parameters: [], width: 1 });
      if (found.length === 0) continue;
      shared.push(set);
      warnings.push({
        code: "shared-key",
        place,
        message: `has rows with the same values of the given key ${columns.join(", ")}, so the given key is ignored`,
        flag: `--key "${place}=${[...columns, "<column>"].join(",")}"`,
      });
    } catch {
      const message = `takes too long to check whether ${columns.join(", ")} is unique`;
      warnings.push({ code: "unchecked-key", place, message, flag: null });
    }
  }
  return { shared, warnings };
}

/** Returns the options without the keys that rows share. */
export function withoutKeys(options: DescribeOptions, shared: readonly DescribedSet[]): DescribeOptions {
  const { keys } = options;
  if (typeof keys !== "object") return options;
  const entries = Object.entries(keys).filter(([name]) => !shared.some(({ table }) => isNameOf(name, table)));
  return { ...options, keys: Object.fromEntries(entries) };
}

/** Rows with null in the key are no entities. */
function duplicatesQuery(set: DescribedSet, columns: readonly string[], { kind }: DescribedService): string {
  const quoted = columns.map((column) => quoteName(column, kind));
  const where = quoted.map((column) => `${column} is not null`).join(" and ");
  return `select 1 as c0 from ${quotedTable(set, kind)} where ${where} group by ${quoted.join(", ")} having count(*) > 1 limit 1`;
}
