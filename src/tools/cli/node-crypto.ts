import process from "node:process";

/**
 * Returns the module `node:crypto`. An `import` of it would also load its Web Cryptography at each start of the command.
 * @see docs/decisions/0037-fast-start.md
 */
export function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
