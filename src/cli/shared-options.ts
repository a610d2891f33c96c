import type { CommandOption } from "./command.ts";

/** The options of all commands that use a database. */
export const SHARED_OPTIONS: Readonly<Record<string, CommandOption>> = {
  "env-file": {
    type: "string",
    value: "<file>",
    summary: "read variables of the environment that are not set from this file",
    default: null,
    inFile: false,
  },
  "no-install": {
    type: "boolean",
    value: null,
    summary: "do not let npm fetch a missing driver",
    default: null,
    inFile: false,
  },
};
