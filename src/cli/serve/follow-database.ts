import process from "node:process";
import type { ODataService, ReloadableService } from "odatakit";
import type { Invocation } from "../command.ts";
import { isNotLoaded, type LoadedDatabase } from "../load-database.ts";
import { fileIdOf } from "../open-database.ts";
import { servableDatabase } from "../servable-database.ts";
import { fingerprint, watchDatabase, type SchemaWatch } from "./watch-database.ts";

/** The database that a service uses now: a replaced file becomes another one. */
export interface CurrentDatabase {
  loaded: LoadedDatabase;
}

/** What follows a database. */
export interface Following {
  readonly current: CurrentDatabase;
  readonly service: ReloadableService;
  /** Makes the service over the sets of the database. */
  readonly make: (sets: LoadedDatabase["found"]["entitySets"]) => ODataService;
  /** The fingerprint of the schema that is served; empty if nobody asked for it. */
  readonly served: string;
  /** Milliseconds between two looks; null to look only at SIGHUP. */
  readonly interval: number | null;
}

/** Follows changes of a database until the signal of the invocation: of its schema, and of a file that is replaced. */
export function followDatabase(
  { terminal, signal }: Pick<Invocation, "signal" | "terminal">,
  { current, service, make, served, interval }: Following,
): SchemaWatch {
  const reload = async (): Promise<void> => {
    const { opened, reopen, readAgain } = current.loaded;
    if (opened.file === null || fileIdOf(opened.file) === opened.fileId) {
      const next = await servableDatabase({ found: await readAgain(), readAgain }, make);
      await service.replace(next.service);
      return;
    }
    const next = await reopen();
    if (isNotLoaded(next)) throw new Error(next.map(({ message, fix }) => `${message} ${fix}`).join(" "));
    try {
      const served = await servableDatabase(next, make);
      await service.replace(served.service, { close: () => opened.close() });
      current.loaded = next;
    } catch (error) {
      await next.opened.close();
      throw error;
    }
  };
  const look = async (): Promise<string> => fingerprint(current.loaded.opened);
  const watch = watchDatabase({ look, served, interval, signal, reload, report: terminal.report });
  process.on("SIGHUP", watch.reload);
  signal.addEventListener("abort", () => process.off("SIGHUP", watch.reload), { once: true });
  if (interval !== null) current.loaded.opened.listen?.(watch.reload, signal);
  return watch;
}
