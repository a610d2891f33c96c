import { spawn } from "node:child_process";
import type { Terminal } from "./command.ts";

const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // `start` takes a first argument in quotes as the title of a window.
  win32: ["cmd", "/c", "start", '""'],
};

/** Opens an address in the browser of the user. A failure is only a hint. */
export function openBrowser(url: string, platform: NodeJS.Platform, { report }: Pick<Terminal, "report">): void {
  const [command = "", ...before] = COMMANDS[platform] ?? ["xdg-open"];
  const child = spawn(command, [...before, url], { stdio: "ignore", detached: true });
  child.once("error", () => report(`odatakit: No browser could be opened. Open ${url}`));
  child.unref();
}
