import type { IntrospectedDatabase } from "odatakit/introspect";
import type { Invocation } from "./command.ts";
import { describeFailure } from "./connection-failure.ts";
import { areProblems, readDatabaseOptions } from "./database-options.ts";
import type { DatabaseSettings } from "./database-settings.ts";
import { openDatabase, type OpenedDatabase } from "./open-database.ts";
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
export type SetSettings = NonNullable<Parameters<typeof import("odatakit/introspect").introspectDatabase>[1]>;

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
