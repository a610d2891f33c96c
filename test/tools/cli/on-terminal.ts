import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { BUILT_MAIN } from "./built-program.ts";

/** Whether `script` of util-linux can give programs a terminal. That of macOS has other options. */
export const HAS_TERMINAL: boolean = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

/** The output of a program on its terminal, and its exit code. */
export interface TerminalRun {
  readonly code: number | null;
  readonly text: string;
}

/** The surroundings of a run on a terminal. */
export interface TerminalSettings {
  readonly folder: string;
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** The input to type as soon as a text appears. */
  readonly typed?: Readonly<Record<string, string>>;
}

/** Runs a command line of a shell on a terminal; `odatakit` is the built program. */
export async function runOnTerminal(
  line: string,
  { folder, columns = 80, environment, typed = {} }: TerminalSettings,
): Promise<TerminalRun> {
  // In CI, programs show no progress.
  const { CI: _ci, NO_COLOR: _noColor, ...inherited } = process.env;
  const program = line.replaceAll("odatakit ", `"${process.execPath}" "${BUILT_MAIN}" `);
  const child = spawn("script", ["-qefc", `stty cols ${String(columns)} rows 40; ${program}`, "/dev/null"], {
    cwd: folder,
    env: { ...inherited, TERM: "xterm", SHELL: "/bin/sh", ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  const waiting = new Map(Object.entries(typed));
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    for (const [shown, answer] of waiting) {
      if (!text.includes(shown)) continue;
      waiting.delete(shown);
      child.stdin.write(answer);
    }
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text: text.replaceAll("\r\n", "\n") };
}

/** Returns a text with escape sequences that people can read. */
export function readable(text: string): string {
  return text.replaceAll("\u001B", "␛").replaceAll("\r", "␍");
}
