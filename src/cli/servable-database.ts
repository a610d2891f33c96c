import { ConfigurationError, odataService, type EntitySet, type ODataService } from "odatakit";
import type { DescribedWarning, IntrospectedDatabase } from "odatakit/introspect";
import type { LoadedDatabase } from "./load-database.ts";

/** A service over the sets of a database that can be served. */
export interface ServableDatabase {
  readonly found: IntrospectedDatabase;
  readonly service: ODataService;
}

/**
 * Makes a service, and leaves out the sets that do not match their tables, with a warning for each: one of them must not
 * stop the others.
 * @param make makes the service over entity sets
 * @throws ConfigurationError if no set remains, or for another fault
 */
export async function servableDatabase(
  { found, readAgain }: Pick<LoadedDatabase, "found" | "readAgain">,
  make: (sets: readonly EntitySet[]) => ODataService = plainService,
): Promise<ServableDatabase> {
  if (found.entitySets.length === 0) return { found, service: make([]) };
  try {
    return await readyService(found, make);
  } catch (error) {
    const warnings = unservableSets(error, found);
    if (warnings.length === 0 || warnings.length === found.described.sets.length) throw error;
    const others = await readAgain(warnings.map(({ place }) => place));
    const all = [...warnings, ...others.warnings];
    const described = { ...others.described, warnings: all };
    return readyService({ ...others, described, warnings: all }, make);
  }
}

/** Returns what `serve` would serve, and closes the database. Faults that stop `serve` do not stop other commands. */
export async function publishedBy(loaded: LoadedDatabase): Promise<IntrospectedDatabase> {
  try {
    return (await servableDatabase(loaded)).found;
  } catch (error) {
    if (error instanceof ConfigurationError) return loaded.found;
    throw error;
  } finally {
    await loaded.opened.close();
  }
}

async function readyService(
  found: IntrospectedDatabase,
  make: (sets: readonly EntitySet[]) => ODataService,
): Promise<ServableDatabase> {
  const service = make(found.entitySets);
  await service.ready();
  return { found, service };
}

/** Returns a warning for each set at fault, whose place is its table; none if a fault is not about a set. */
function unservableSets(error: unknown, { described }: IntrospectedDatabase): readonly DescribedWarning[] {
  if (!(error instanceof ConfigurationError)) return [];
  const faults = new Map(error.faults.map((fault) => [fault.set, fault]));
  const warnings = Array.from(faults.values(), ({ set, message }): DescribedWarning | undefined => {
    const table = described.sets.find(({ setName }) => setName === set)?.table;
    if (table === undefined) return undefined;
    const place = `${table.schema}.${table.name}`;
    return { code: "unservable", place, message: `omitted, because it cannot be served: ${message}`, flag: null };
  });
  return warnings.some((warning) => warning === undefined) ? [] : warnings.filter((warning) => warning !== undefined);
}

/** Only the comparison with the database matters. */
function plainService(entitySets: readonly EntitySet[]): ODataService {
  const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
  return odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
}
