import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { COMMANDS } from "../../../src/tools/cli/commands.ts";
import { runCommand } from "../../../src/tools/cli/run-command.ts";

/** The output of a run of the program, and its exit code. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The surroundings of a run. */
export interface RunSettings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly signal?: AbortSignal;
  /** The standard input. */
  readonly input?: string;
  /** Receives each line of the standard output. */
  readonly onLine?: (line: string) => void;
  /** Receives each line of the standard error. */
  readonly onReport?: (line: string) => void;
}

/** Runs the program in this process. */
export async function runProgram(given: readonly string[], settings: RunSettings = {}): Promise<Run> {
  let [out, err] = ["", ""];
  const environment: Record<string, string> = { ...settings.environment };
  const code = await runCommand(given, COMMANDS, {
    environment,
    setVariable: (name, value) => {
      environment[name] = value;
    },
    folder: settings.folder ?? tmpdir(),
    readInput: () => Promise.resolve(settings.input ?? ""),
    signal: settings.signal ?? new AbortController().signal,
    terminal: {
      print: (line) => {
        out += `${line}\n`;
        settings.onLine?.(line);
      },
      report: (line) => {
        err += `${line}\n`;
        settings.onReport?.(line);
      },
      progress: () => undefined,
      hasColour: false,
      columns: 100,
    },
  });
  return { code, out, err };
}

/** Makes a folder for one test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-cli-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The tables of the tests. */
export const SHOP = `create table customers (id integer primary key, name text not null, password_hash text);
create table orders (id integer primary key, customer_id integer not null references customers, note text, at datetime);
create table order_log (at text, what text);
create view big_orders as select id, note from orders;
insert into customers values (1, 'Ada', 'geheim'), (2, 'Grace', 'secret');
insert into orders values (1, 1, null, '2024-02-29 12:00:00'), (2, 1, 'fast', null);`;

/** Writes a SQLite file. @returns its path */
export function writeDatabase(folder: string, script: string = SHOP, name = "shop.db"): string {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec(script);
  database.close();
  return file;
}
