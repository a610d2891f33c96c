import type { CommandOption } from "./command.ts";

/** The option of all commands that use a database. */
export const NO_INSTALL: Readonly<Record<string, CommandOption>> = {
  "no-install": {
    type: "boolean",
    value: null,
    summary: "do not let npm fetch a missing driver",
    default: null,
    inFile: false,
  },
};
