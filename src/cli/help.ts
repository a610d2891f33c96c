import type { Command, CommandOption } from "./command.ts";
import type { ListedCommand } from "./commands.ts";

const INDENT = "  ";

/** Returns the text of `odatakit --help`. */
export function programHelp(commands: readonly ListedCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    "Usage: odatakit <command> [<options>]",
    "",
    "Serves an existing SQLite, PostgreSQL or MariaDB database as OData.",
    "",
    "Commands:",
    ...commands.map(({ name, summary }) => `${INDENT}${name.padEnd(width)}${summary}`),
    "",
    "`odatakit <command> --help` describes a command; `odatakit --version` prints the version.",
  ].join("\n");
}

/** Returns the text of `odatakit <command> --help`. */
export function commandHelp({ name, summary, positionals, options, examples }: Command): string {
  const rows = Object.entries(options).map(
    ([option, settings]) => [flagOf(option, settings), textOf(settings)] as const,
  );
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2;
  return [
    `Usage: odatakit ${name} ${positionals} [<options>]`,
    "",
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    "",
    "Options:",
    ...rows.map(([flag, text]) => `${INDENT}${flag.padEnd(width)}${text}`),
    "",
    "Examples:",
    ...examples.flatMap(([line, purpose]) => [`${INDENT}${line}`, `${INDENT}${INDENT}${purpose}`]),
  ].join("\n");
}

function flagOf(name: string, { value, isValueOptional }: CommandOption): string {
  if (value === null) return `--${name}`;
  return isValueOptional === true ? `--${name}[=${value}]` : `--${name} ${value}`;
}

function textOf({ summary, default: usual, type }: CommandOption): string {
  const repeated = type === "list" ? "; may be repeated" : "";
  return `${summary}${repeated}${usual === null ? "" : ` (default ${usual})`}`;
}
