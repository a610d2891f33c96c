import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { required } from "../../../src/base/required.ts";
import { type Run, runProgram, type RunSettings, testFolder, writeDatabase } from "./run-program.ts";

/** A running service. */
export interface Serving {
  readonly url: string;
  readonly file: string;
  /** Ends it. */
  readonly end: () => Promise<Run>;
}

/** The surroundings of a service. */
export interface ShopSettings extends RunSettings {
  /** The tables, if not those of the shop. */
  readonly script?: string;
  /** The content of `odatakit.json`. */
  readonly file?: object;
}

/** Serves the shop until the test ends. */
export async function serveShop(
  flags: readonly string[],
  { script, file: content, ...settings }: ShopSettings = {},
): Promise<Serving> {
  const folder = testFolder();
  const file = writeDatabase(folder, script);
  if (content !== undefined) writeFileSync(join(folder, "odatakit.json"), JSON.stringify(content));
  const ending = new AbortController();
  let run: Promise<Run> | undefined;
  const line = await new Promise<string>((resolve, reject) => {
    run = runProgram(["serve", file, "--port", "0", "--json", ...flags], {
      folder,
      signal: ending.signal,
      onLine: resolve,
      ...settings,
    });
    void run.then(({ err }) => reject(new Error(err)));
  });
  const { url } = JSON.parse(line) as { url: string };
  const end = (): Promise<Run> => {
    ending.abort();
    return required(run, "The program runs.");
  };
  onTestFinished(async () => void (await end()));
  return { url, file, end };
}
