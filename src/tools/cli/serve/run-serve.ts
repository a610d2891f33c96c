import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { reloadable, role, type ODataService } from "odatakit";
import type { DescribedSet, DescribedWarning } from "odatakit/introspect";
import type { Invocation, ExitReason } from "../command.ts";
import { databaseOf } from "../databases/find.ts";
import { isNotLoaded, loadDatabase, servableDatabase } from "../load-database.ts";
import { openBrowser } from "../open-browser.ts";
import { BANNER_STYLES, paint } from "../paint.ts";
import { isProblem, unavailable, usageProblem, type Problem, reportProblems } from "../problem.ts";
import { packageVersion } from "../run-command.ts";
import { checkOwnRules, setOptions } from "../set-rules.ts";
import { readAccess, type Access } from "./access.ts";
import { bannerLines, bannerWarnings, fileNameOf } from "./banner.ts";
import { FailedStatements } from "./failed-statements.ts";
import { makeService, isUnreadable, mayBeSchemaChange } from "./make-service.ts";
import { readServeSettings, type ServeCommandSettings, writtenOperations } from "./serve-settings.ts";
import { followDatabase, type CurrentDatabase, fingerprint, type SchemaWatch } from "./watch-database.ts";

/** Runs `odatakit serve` until a signal ends it. */
export async function runServe(invocation: Invocation): Promise<ExitReason> {
  const release = keepYoungGenerationSmall();
  try {
    return await serveDatabase(invocation, release);
  } finally {
    release();
  }
}

/** @param onReady called when the service accepts requests */
async function serveDatabase(invocation: Invocation, onReady: () => void): Promise<ExitReason> {
  const started = performance.now();
  const { terminal } = invocation;
  const settings = readServeSettings(invocation);
  if (!("ports" in settings)) return reportProblems(settings, terminal);
  const access = await readAccess(settings, invocation);
  if (isProblem(access)) return reportProblems([access], terminal);
  const { timeout, pool, write, rules } = settings;
  const database = { timeout, pool, mayWrite: write !== null };
  const operations = writtenOperations(write);
  let fingerprintBefore = "";
  const loaded = await loadDatabase(
    invocation,
    database,
    {
      operations: operations.of,
      settings: (set: DescribedSet) => ({
        ...setOptions(set, rules),
        ...(write === null ? {} : { authorization: WRITERS }),
      }),
    },
    async (opened) => {
      // A change while the catalogue is read differs from this fingerprint, so the watch follows it.
      if (settings.watch !== null) fingerprintBefore = await fingerprint(opened);
    },
  );
  if (isNotLoaded(loaded)) return reportProblems(loaded, terminal);
  const { found } = loaded;
  const current = { loaded };
  try {
    const { sets } = found.described;
    const unknown = [...operations.unknown(sets), ...checkOwnRules(rules, sets)];
    if (unknown.length > 0) return reportProblems(unknown, terminal);
    if (sets.length === 0) {
      for (const { place, message } of found.warnings) terminal.report(`${place} ${message}`);
      terminal.report("odatakit: The database contains nothing to publish. `odatakit inspect` explains why.");
      return "nothing";
    }
    if (invocation.signal.aborted) return "success";
    return await listen(invocation, {
      settings,
      access,
      current,
      started,
      served: fingerprintBefore,
      onReady,
      notes: operations.warnings(sets),
    });
  } finally {
    await current.loaded.opened.close().catch(() => undefined);
  }
}

/** Only users with the right `write` change rows. */
const WRITERS = { create: role("write"), update: role("write"), delete: role("write") };

interface Ready {
  readonly settings: ServeCommandSettings;
  readonly access: Access;
  readonly current: CurrentDatabase;
  /** The time of `performance.now()` when the command began. */
  readonly started: number;
  /** The fingerprint of the schema, if it is watched. */
  readonly served: string;
  readonly onReady: () => void;
  /** Warnings about sets that requests may write. */
  readonly notes: readonly DescribedWarning[];
}

const SHORT_SECRET = usageProblem(
  "`ODATAKIT_SECRET` is too short.",
  "Give 32 characters or more, such as the output of `openssl rand -hex 32`.",
);

async function listen(invocation: Invocation, ready: Ready): Promise<ExitReason> {
  const { terminal, environment, signal } = invocation;
  const { settings, access, current, started, served, onReady, notes } = ready;
  const { loaded } = current;
  const { serve } = await import("odatakit/node");
  const secret = environment["ODATAKIT_SECRET"];
  if (secret !== undefined && secret.length < 32) return reportProblems([SHORT_SECRET], terminal);
  const failed = new FailedStatements();
  const watching: { current: SchemaWatch | undefined } = { current: undefined };
  const warned: { current: readonly DescribedWarning[] } = { current: [] };
  const parts = {
    warnings: () => warned.current,
    settings,
    access,
    secret: secret ?? crypto.getRandomValues(new Uint8Array(32)),
    fileName: fileNameOf(loaded.opened),
    report: terminal.report,
    failed,
    ...(settings.watch === null ? {} : { onFailure: (error: unknown) => follow(watching.current, failed, error) }),
    ...(settings.watch === null || !databaseOf(loaded.opened.kind).mixesValues ? {} : { onOtherValue: refuseOnce() }),
  };
  terminal.progress("Starting the service …");
  const make = (sets: typeof loaded.found.entitySets): ODataService => makeService(sets, parts);
  const servable = await servableDatabase(loaded, make);
  const service = reloadable(servable.service);
  const server = await firstFree(settings, (port) => serve(service, { host: settings.host, port, compression: true }));
  terminal.progress(null);
  if (isProblem(server)) return reportProblems([server], terminal);
  onReady();
  const url = `${server.url}${settings.prefix}`;
  const warnings = [...(await databaseOf(loaded.opened.kind).userWarnings(loaded.opened.db)), ...notes];
  warned.current = bannerWarnings({ warnings, settings, found: servable.found });
  if (settings.output !== "text") reportWarnings(warnings, terminal);
  if (invocation.options["open"] === true) openBrowser(`${url}/`, process.platform, terminal);
  if (settings.output === "json") {
    const explorer = settings.hasExplorer ? { explorer: `${url}/explorer` } : {};
    terminal.print(JSON.stringify({ url, ...explorer, pid: process.pid }));
  }
  if (settings.output === "text") {
    const ms = Math.round(performance.now() - started);
    const facts = {
      warnings,
      url,
      settings,
      loaded: { ...loaded, found: servable.found },
      ms,
      version: packageVersion(),
      hasOwnSecret: secret !== undefined,
    };
    for (const line of bannerLines(facts)) terminal.print(paint(line, BANNER_STYLES, terminal));
  }
  const watch = followDatabase(invocation, { current, service, make, served, failed, interval: settings.watch });
  watching.current = watch;
  await ended(signal);
  await server.close();
  await watch.ended;
  return "success";
}

function reportWarnings(warnings: readonly DescribedWarning[], { report }: Invocation["terminal"]): void {
  for (const { place, message } of warnings) report(`warning: ${place} ${message}.`);
}

/** Checks the schema or reloads the rows, depending on the failure of a request. */
function follow(watch: SchemaWatch | undefined, failed: FailedStatements, error: unknown): void {
  if (mayBeSchemaChange(error)) failed.note(error);
  if (isUnreadable(error)) watch?.reloadRows();
  else watch?.look();
}

/**
 * Returns a function that refuses the first cell of a column: the types of SQLite follow from rows, so the service reads them
 * again. A cell that still has no value then is null.
 */
function refuseOnce(): (fields: Readonly<Record<string, unknown>>) => void {
  const known = new Set<string>();
  return ({ table, column, err }) => {
    const name = JSON.stringify([table, column]);
    if (known.has(name)) return;
    known.add(name);
    throw err;
  };
}

/** Tries the ports in turn. */
async function firstFree<Server>(
  { ports, host }: ServeCommandSettings,
  open: (port: number) => Promise<Server>,
): Promise<Server | Problem> {
  for (const port of ports) {
    try {
      return await open(port);
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: string } };
      if (cause?.code === "EADDRINUSE") continue;
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (cause?.code === "EACCES") return usageProblem(message, "Give another `--port`.");
      if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
        return usageProblem(`This machine has no address ${host}.`, "Correct `--host`.");
      }
      throw error;
    }
  }
  const [first, ...more] = ports;
  const shown =
    more.length === 0 ? `Port ${String(first)} is` : `The ports ${String(first)} to ${String(more.at(-1))} are`;
  return unavailable(`${shown} in use.`, "Give another `--port`.");
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Keeps V8 from reserving more memory for new objects. A start makes many objects that stay, as for 600 tables, and V8 would
 * then reserve 100 MB or more, which it keeps although requests need little.
 * @returns lets V8 reserve memory again, as by default
 */
function keepYoungGenerationSmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => setFlagsFromString("--semi-space-growth-factor=2");
}
