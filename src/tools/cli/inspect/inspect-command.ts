import type { DescribedProperty, DescribedService, DescribedSet, DescribedWarning } from "odatakit/introspect";
import type { Command, Invocation, ExitReason } from "../command.ts";
import { DATABASE_OPTIONS, SHARED_OPTIONS } from "../database-options.ts";
import { isNotLoaded, loadDatabase, publishedBy } from "../load-database.ts";
import { INSPECT_STYLES, paint } from "../paint.ts";
import { reportProblems } from "../problem.ts";
import { printable } from "../redact.ts";
import { groupWarnings, type WarningGroup } from "../warning-groups.ts";

const TIMEOUT = 10_000;

/** `odatakit inspect`: a dry run of `serve`. */
export const inspectCommand: Command = {
  name: "inspect",
  summary: "print what a service over a database publishes, with every warning",
  positionals: "<db>",
  maxPositionals: 1,
  options: {
    ...DATABASE_OPTIONS,
    json: { type: "boolean", value: null, summary: "print JSON", default: null, inFile: false },
    ...SHARED_OPTIONS,
  },
  examples: [
    ["odatakit inspect ./shop.db", "the entity sets over a SQLite file"],
    ["odatakit inspect postgres://app@db/shop --schema sales --json", "those of one schema, for a program"],
  ],
  run: inspect,
};

async function inspect(invocation: Invocation): Promise<ExitReason> {
  const { terminal, options } = invocation;
  const loaded = await loadDatabase(invocation, { timeout: TIMEOUT, pool: 1, mayWrite: false });
  if (isNotLoaded(loaded)) return reportProblems(loaded, terminal);
  const { described, schema } = await publishedBy(loaded);
  if (options["json"] === true) {
    terminal.print(JSON.stringify({ product: schema.product, ...described }, null, 2));
  } else {
    terminal.print(`${schema.product} · ${loaded.opened.shown}`);
    for (const line of describedLines(described)) terminal.print(paint(line, INSPECT_STYLES, terminal));
  }
  if (described.sets.length > 0) return "success";
  terminal.report(
    "odatakit: The database contains nothing to publish. See the warnings, or give other `--include` globs.",
  );
  return "nothing";
}

/** Returns the lines for a described service: its sets, then its warnings. */
function describedLines({ sets, warnings }: DescribedService): readonly string[] {
  const count = (items: readonly unknown[], one: string, many = `${one}s`): string =>
    `${String(items.length)} ${items.length === 1 ? one : many}`;
  return [
    "",
    count(sets, "entity set"),
    ...sets.flatMap((set) => setLines(set)),
    "",
    count(warnings, "warning"),
    ...groupWarnings(warnings).flatMap(groupLines),
  ];
}

/** Several warnings with one cause have a heading with their number. */
function groupLines({ title, warnings }: WarningGroup): readonly string[] {
  const lines = warnings.map((warning) => `  ${warningText(warning)}`);
  return lines.length === 1 ? lines : [`  ${title}: ${String(lines.length)}`, ...lines.map((line) => `  ${line}`)];
}

/** Returns a warning on one line. */
function warningText({ place, message, flag }: DescribedWarning): string {
  return printable(`${place}  ${message}${flag === null ? "" : `  → ${flag}`}`);
}

function leftOutText(rows: number | null): string {
  if (rows === 0) return "";
  return rows === null ? ", rows left out" : `, ${String(rows)} ${rows === 1 ? "row" : "rows"} left out`;
}

/** Returns the type of a property, such as `Int32` or `many String`. */
function typeText({ type, isCollection }: DescribedProperty): string {
  const name = typeof type === "string" ? type.slice("Edm.".length) : type.enumType;
  return isCollection ? `many ${name}` : name;
}

function setLines(set: DescribedSet): readonly string[] {
  const { setName, table, kind, key, properties, navigations, leftOutRows } = set;
  const keys = properties.filter(({ isKey }) => isKey).map(({ name }) => name);
  const head = `  ${setName}  ${kind} ${table.schema}.${table.name}, key ${keys.join(", ")} (${key})${leftOutText(leftOutRows)}`;
  return [
    printable(head),
    `    ${properties.map((property) => `${property.name} ${typeText(property)}`).join(", ")}`,
    ...(navigations.length === 0 ? [] : [printable(`    → ${navigations.map(navigationText).join(", ")}`)]),
  ];
}

/** Returns a navigation with its target. One of a view names the table whose foreign key it follows. */
function navigationText({ name, targetSet, cardinality, base }: DescribedSet["navigations"][number]): string {
  const origin = base === undefined ? "" : `, by the foreign key of ${base.schema}.${base.name}`;
  return `${name} (${cardinality === "many" ? "many " : ""}${targetSet}${origin})`;
}
