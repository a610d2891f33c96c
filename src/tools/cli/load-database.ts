import { ConfigurationError, odataService, type EntitySet, type ODataService } from "odatakit";
import type { IntrospectedDatabase, DescribedWarning } from "odatakit/introspect";
import type { Invocation } from "./command.ts";
import { areProblems, readDatabaseOptions, type DatabaseSettings } from "./database-options.ts";
import { describeFailure, openDatabase, type OpenedDatabase } from "./open-database.ts";
import { isProblem, type Problem } from "./problem.ts";
import { parseTarget } from "./target.ts";

/** A database whose catalogue has been read. */
export interface LoadedDatabase {
  readonly opened: OpenedDatabase;
  readonly found: IntrospectedDatabase;
  /** Opens the database again, such as another file of its name. */
  readonly reopen: () => Promise<LoadedDatabase | readonly Problem[]>;
  /** Reads the catalogue again. @param omitted the names of further tables to leave out, with their schemas */
  readonly readAgain: (omitted?: readonly string[]) => Promise<IntrospectedDatabase>;
}

/** Further settings of the entity sets. */
type SetSettings = NonNullable<Parameters<typeof import("odatakit/introspect").introspectDatabase>[1]>;

/**
 * Opens the database of a command, and reads its catalogue.
 * @param onOpened runs before the catalogue is read
 * @returns all problems of the options, or that of the database
 * @throws ConfigurationError for names and types that cannot be used; MissingPackage
 */
export async function loadDatabase(
  invocation: Invocation,
  settings: Omit<DatabaseSettings, "folder">,
  sets: Pick<SetSettings, "operations" | "settings"> = {},
  onOpened: (opened: OpenedDatabase) => Promise<void> = () => Promise.resolve(),
): Promise<LoadedDatabase | readonly Problem[]> {
  const { positionals, environment, folder, terminal } = invocation;
  const target = parseTarget(positionals[0], environment);
  if (isProblem(target)) return [target];
  const parts = readDatabaseOptions(invocation);
  if (areProblems(parts)) return parts;
  terminal.progress("Opening the database …");
  const opened = await openDatabase(target, { ...settings, folder });
  if (isProblem(opened)) return [opened];
  terminal.progress("Reading its tables …");
  try {
    const { introspectDatabase } = await import("odatakit/introspect");
    const readAgain = (omitted: readonly string[] = []): Promise<IntrospectedDatabase> => {
      const exclude = [...(parts.options.exclude ?? []), ...omitted];
      return introspectDatabase(opened.db, { ...parts.options, exclude, schemas: parts.schemas, ...sets });
    };
    await onOpened(opened);
    const found = await readAgain();
    terminal.progress(null);
    const reopen = async (): ReturnType<typeof loadDatabase> => loadDatabase(invocation, settings, sets);
    return { opened, found, readAgain, reopen };
  } catch (error) {
    await opened.close().catch(() => undefined);
    const { ConfigurationError } = await import("odatakit");
    if (error instanceof ConfigurationError) throw error;
    return [describeFailure(error, target)];
  }
}

/** Returns whether loading found problems. */
export function isNotLoaded(loaded: LoadedDatabase | readonly Problem[]): loaded is readonly Problem[] {
  return Array.isArray(loaded);
}

/** A service over the sets of a database that can be served. */
interface ServableDatabase {
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

/** Returns the service that `serve` would serve, and closes the database. Faults that stop `serve` do not stop other commands. */
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
