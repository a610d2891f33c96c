import type { Command, CommandOption } from "./command.ts";
import type { ListedCommand } from "./commands.ts";

const INDENT = "  ";
/** Texts are not narrower; they begin below their flag instead. */
const LEAST_TEXT = 30;

/** Returns the text of `odatakit --help`. @param columns the width of the terminal */
export function programHelp(commands: readonly ListedCommand[], columns: number): string {
  return [
    "Usage: odatakit <command> [<options>]",
    "",
    "Serves an existing SQLite, PostgreSQL or MariaDB database as OData.",
    "",
    "Commands:",
    ...table(
      commands.map(({ name, summary }) => [name, summary] as const),
      columns,
    ),
    "",
    "`odatakit <command> --help` describes a command; `odatakit --version` prints the version.",
  ].join("\n");
}

/** Returns the text of `odatakit <command> --help`. @param columns the width of the terminal */
export function commandHelp({ name, summary, positionals, options, examples }: Command, columns: number): string {
  const rows = Object.entries(options).map(
    ([option, settings]) => [flagOf(option, settings), textOf(settings)] as const,
  );
  return [
    `Usage: odatakit ${name} ${positionals} [<options>]`,
    "",
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    "",
    "Options:",
    ...table(rows, columns),
    "",
    "Examples:",
    ...examples.flatMap(([line, purpose]) => [`${INDENT}${line}`, `${INDENT}${INDENT}${purpose}`]),
  ].join("\n");
}

/** Returns lines of two columns, of which the second wraps. */
function table(rows: ReadonlyArray<readonly [head: string, text: string]>, columns: number): readonly string[] {
  const width = Math.max(...rows.map(([head]) => head.length)) + 2;
  const isNarrow = columns - INDENT.length - width < LEAST_TEXT;
  const indent = isNarrow ? INDENT.repeat(2) : " ".repeat(INDENT.length + width);
  return rows.flatMap(([head, text]) => {
    const [first = "", ...more] = wrapped(text, columns - indent.length);
    const rest = more.map((line) => `${indent}${line}`);
    return isNarrow
      ? [`${INDENT}${head}`, `${indent}${first}`, ...rest]
      : [`${INDENT}${head.padEnd(width)}${first}`, ...rest];
  });
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function flagOf(name: string, { value, isValueOptional }: CommandOption): string {
  if (value === null) return `--${name}`;
  return isValueOptional === true ? `--${name}[=${value}]` : `--${name} ${value}`;
}

function textOf({ summary, default: usual, type }: CommandOption): string {
  const repeated = type === "list" ? "; may be repeated" : "";
  return `${summary}${repeated}${usual === null ? "" : ` (default ${usual})`}`;
}
