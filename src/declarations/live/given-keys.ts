import { ConfigurationError, type ConfigurationFault } from "../../errors/configuration-error.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribedService, DescribedSet, DescribedWarning } from "../described-service.ts";
import { placeOf } from "../mapping/rough-mapping.ts";
import { limitedRun } from "./limited-run.ts";
import { quotedTable } from "./table-options.ts";

/** Milliseconds for one view. */
const TIMEOUT = 1000;

/**
 * Looks for rows that share a key which the user has given: two entities with one id would be wrong without a sign.
 * @returns the service, with a warning for each view that takes too long
 * @throws ConfigurationError for such rows
 */
export async function checkGivenKeys(db: AnyKysely, service: DescribedService): Promise<DescribedService> {
  const run = limitedRun(db, () => TIMEOUT);
  const faults: ConfigurationFault[] = [];
  const warnings: DescribedWarning[] = [];
  for (const set of service.sets.filter(({ key }) => key === "given")) {
    const columns = set.properties.filter(({ isKey }) => isKey).map(({ column }) => column);
    const place = placeOf(set.table);
    try {
      const found = await run({ sql: duplicatesQuery(set, columns, service), parameters: [], width: 1 });
      if (found.length === 0) continue;
      faults.push({
        message: `The given key ${columns.join(", ")} of ${place} is not unique: several rows have the same values.`,
        fix: `Give more columns, such as --key "${place}=${[...columns, "<column>"].join(",")}", or remove the key.`,
      });
    } catch {
      const message = `takes too long to check whether ${columns.join(", ")} is unique`;
      warnings.push({ code: "unchecked-key", place, message, flag: null });
    }
  }
  if (faults.length > 0) throw new ConfigurationError(faults, { where: "in the settings of keys" });
  return { ...service, warnings: [...service.warnings, ...warnings] };
}

/** Rows with null in the key are no entities. */
function duplicatesQuery(set: DescribedSet, columns: readonly string[], { kind }: DescribedService): string {
  const quoted = columns.map((column) => quoteName(column, kind));
  const where = quoted.map((column) => `${column} is not null`).join(" and ");
  return `select 1 as c0 from ${quotedTable(set, kind)} where ${where} group by ${quoted.join(", ")} having count(*) > 1 limit 1`;
}
