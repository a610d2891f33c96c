import process from "node:process";
import { COMMANDS } from "./commands.ts";
import { openTerminal, readInput } from "./process-terminal.ts";
import { runCommand } from "./run-command.ts";

/**
 * Runs the command of this process, and ends the process.
 * @see docs/reference/command-line.md, Exit codes
 */
export async function runProcess(): Promise<void> {
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  // A reader such as `head` may stop reading.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => ended.abort());
  process.exitCode = await runCommand(process.argv.slice(2), COMMANDS, {
    environment: process.env,
    setVariable: (name, value) => {
      process.env[name] = value;
    },
    folder: process.cwd(),
    readInput: (prompt) => readInput(process, prompt),
    terminal: openTerminal(process),
    signal: ended.signal,
  });
  // The module of an application that `check` imports may keep connections open. Wait for the output, not for them.
  process.stdout.write("", () => setTimeout(() => process.exit(), 100).unref());
}
