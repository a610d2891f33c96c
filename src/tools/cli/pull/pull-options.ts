import type { CommandOption } from "../command.ts";

/** The options of `odatakit pull`, except options that choose the published parts. */
export const PULL_OPTIONS: Readonly<Record<string, CommandOption>> = {
  out: {
    type: "string",
    value: "<folder>",
    summary: "the folder of the modules, such as src/model",
    default: null,
    inFile: true,
  },
  check: flag("write nothing, and exit with 1 if a file would change"),
  "dry-run": flag("write nothing, and print the differences"),
  "keep-mine": flag("settle conflicts in favour of your text"),
  tables: {
    type: "list",
    value: "<names>",
    summary: "the tables to add, such as orders,sales.*; those that were pulled before stay",
    default: "all",
    inFile: true,
  },
};

function flag(summary: string): CommandOption {
  return { type: "boolean", value: null, summary, default: null, inFile: false };
}
