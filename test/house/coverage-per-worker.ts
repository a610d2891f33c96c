import { existsSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { V8CoverageProvider } from "@vitest/coverage-v8/dist/provider.js";
import type { AfterSuiteRunMeta } from "vitest";
import type { CoverageProviderModule, ReportContext } from "vitest/node";
import { COMPILED } from "../once-per-run.ts";
import { ROOT } from "./source-files.ts";

/**
 * Measures the coverage of a worker once, when it stops. Vitest measures it after each test file: there V8 walks through all
 * functions of the process each time, and Vitest reads and merges the same sources again.
 */

const SOURCES = pathToFileURL(path.join(ROOT, "src/")).href;
const PROJECT = "tests";
const MILLISECONDS_BETWEEN_LOOKS = 20;
const MOST_LOOKS = 3000;

interface Measurement {
  session?: Session;
  /** Where this process writes it. */
  file?: string;
  /** Where the code of a module starts in its script. */
  modules?: ReadonlyMap<string, { readonly startOffset: number }> | undefined;
}

/** The process keeps the measurement: a test that resets modules loads this one again. */
const place: NodeJS.Process & { odatakitCoverage?: Measurement } = process;
place.odatakitCoverage ??= {};
const measurement = place.odatakitCoverage;

/** Writes what ran in this process. Calls of the inspector of the same process complete at once. */
function write(): void {
  const { session, file, modules } = measurement;
  if (session === undefined || file === undefined) return;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    const scripts = result
      .filter(({ url }) => url.startsWith(SOURCES))
      .map((script) => ({ ...script, startOffset: modules?.get(new URL(script.url).pathname)?.startOffset ?? 0 }));
    writeFileSync(`${file}.unfinished`, JSON.stringify({ result: scripts }));
    renameSync(`${file}.unfinished`, file);
  });
}

/** Reads one file of each worker, and converts those of all projects at once: they transform the sources alike. */
class ProviderPerWorker extends V8CoverageProvider {
  readonly #files = new Set<string>();

  override onAfterSuiteRun(meta: AfterSuiteRunMeta): void {
    const file = String(meta.coverage);
    this.#files.add(file);
    super.onAfterSuiteRun({ ...meta, projectName: PROJECT, testFiles: [file] });
  }

  override async generateCoverage(context: ReportContext): ReturnType<V8CoverageProvider["generateCoverage"]> {
    // Vitest does not wait for workers to stop.
    const missing = (): readonly string[] => [...this.#files].filter((file) => !existsSync(file));
    for (let looks = 0; looks < MOST_LOOKS && missing().length > 0; looks += 1) await sleep(MILLISECONDS_BETWEEN_LOOKS);
    // A worker that ended before has failed the run.
    for (const file of missing()) writeFileSync(file, JSON.stringify({ result: [] }));
    return super.generateCoverage(context);
  }
}

const provider: CoverageProviderModule = {
  getProvider: () => new ProviderPerWorker(),
  startCoverage() {
    if (measurement.session !== undefined) return;
    // Vitest takes the cache away, which would hide functions of this process. Nothing measures the programs that it starts.
    process.env["NODE_COMPILE_CACHE"] = COMPILED;
    delete process.env["NODE_DISABLE_COMPILE_CACHE"];
    const session = new Session();
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    measurement.session = session;
    // The parent process sends it after the last file, and waits for the answer of Vitest.
    process.on("message", (message: { readonly type?: string }) => {
      if (message.type === "stop") write();
    });
  },
  takeCoverage(options) {
    measurement.modules = options?.moduleExecutionInfo;
    measurement.file = path.join(options?.coverageFilesDirectory ?? "", `coverage-${String(process.pid)}.json`);
    return measurement.file;
  },
};
// oxlint-disable-next-line import/no-default-export -- Vitest reads the default export
export default provider;
