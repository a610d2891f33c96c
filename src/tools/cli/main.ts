#!/usr/bin/env node
import nodeModule from "node:module";
import { isAbsolute } from "node:path";
import process from "node:process";

/**
 * Keeps the compiled code of the command, as npm does: the next start compiles nothing. A folder that cannot be written to
 * changes nothing, and `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` of Node.js win.
 * @see docs/reference/command-line.md, Compiled code
 */
function keepCompiledCode(): void {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const folders = [XDG_CACHE_HOME, LOCALAPPDATA, HOME && `${HOME}/.cache`];
  const folder = folders.find((each) => each !== undefined && isAbsolute(each));
  if (folder !== undefined) nodeModule.enableCompileCache(`${folder}/odatakit`);
}

/** The oldest version of Node.js that can run the command. */
const OLDEST = "22.18";
const { node } = process.versions;
if (node.localeCompare(OLDEST, "en", { numeric: true }) < 0) {
  process.stderr.write(`The command needs Node.js ${OLDEST} or later. This is ${node}.\n`);
  process.exit(1);
}
keepCompiledCode();
// Other modules are compiled before this one runs, unless it imports them itself.
const { runProcess } = await import("./run-process.ts");
await runProcess();
