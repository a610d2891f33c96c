import type { SchemaFinding } from "../../../base/errors/schema-finding.ts";
import type { ExpectedPlacement, ExpectedTable } from "../../introspect/expected-table.ts";
import type { CheckedSchema, TablePlacement, TableSchema } from "../../introspect/schema.ts";

/** A declared table that the catalogue of a distributed database lists. */
interface Compared {
  readonly expected: ExpectedTable;
  readonly stored: TablePlacement;
}

/**
 * Compares how the declarations say that a distributed database stores its tables with its catalogue. A database on one machine
 * may have any declarations.
 */
export function comparePlacements(
  expected: readonly ExpectedTable[],
  { tables }: Pick<CheckedSchema, "tables">,
): readonly SchemaFinding[] {
  const compared = expected.flatMap((each): readonly Compared[] => {
    const stored = placementOf(tables.get(each.text));
    return stored === undefined ? [] : [{ expected: each, stored }];
  });
  const differing = compared.flatMap((each) => difference(each));
  return differing.length > 0 ? differing : [...compareGroups(compared)];
}

/** The catalogue says nothing about the rows of a view. */
function placementOf(table: TableSchema | undefined): TablePlacement | undefined {
  return table?.kind === "view" ? undefined : table?.placement;
}

function difference({ expected, stored }: Compared): readonly SchemaFinding[] {
  const { placement: declared } = expected;
  if (declared?.kind === "unknown") return [];
  if (declared === null && stored.kind !== "column") return [];
  const isSame = declared?.kind === stored.kind && (stored.kind !== "column" || columnOf(declared) === stored.column);
  if (isSame) return [];
  const message = `The table \`${expected.names.join(".")}\` is ${describeStored(stored)}, but its declaration says that it is ${describeDeclared(declared)}.`;
  return [
    finding(
      expected,
      "error",
      message,
      `Declare ${declarationOf(expected, stored)}, or distribute the table as declared.`,
    ),
  ];
}

function columnOf(distribution: ExpectedPlacement | null): string | undefined {
  return distribution?.kind === "column" ? distribution.column : undefined;
}

function describeDeclared(distribution: ExpectedPlacement | null): string {
  if (distribution === null) return "in a database on one machine";
  return distribution.kind === "column" ? `distributed by \`${distribution.column}\`` : "a reference table";
}

function describeStored(stored: TablePlacement): string {
  if (stored.kind === "column") return `distributed by \`${stored.column}\``;
  return stored.kind === "reference" ? "a reference table" : "on the coordinator alone";
}

/** Returns the option for how a table is stored. */
function declarationOf({ columns, declaredBy }: ExpectedTable, stored: TablePlacement): string {
  if (stored.kind === "reference") return '`distributed: "reference"`';
  if (stored.kind !== "column") return "`distributed: true`";
  if (declaredBy !== "table") return `\`distributed: { by: "${stored.column}" }\``;
  const property = columns.find(({ name }) => name === stored.column)?.property;
  return property === undefined
    ? `an ignored property with the column \`${stored.column}\`, and name it in \`distributed: { by: "…" }\``
    : `\`distributed: { by: "${property}" }\``;
}

/** Finds tables that are declared as co-located, and are not; and those along a navigation that are, undeclared. */
function* compareGroups(compared: readonly Compared[]): Iterable<SchemaFinding> {
  const firsts = new Map<string, Compared>();
  // The opposite navigation would say the same.
  const pairs = new Set<string>();
  const byText = new Map(compared.map((each) => [each.expected.text, each]));
  for (const each of compared) {
    const { expected } = each;
    const { placement: stated, references = [] } = expected;
    if (stated?.kind !== "column") continue;
    const first = firsts.get(stated.group) ?? each;
    firsts.set(stated.group, first);
    if (!isTogether(first, each)) {
      yield apart(expected, first.expected.names.join("."));
      continue;
    }
    for (const { target, columns, targetColumns } of references) {
      const other = byText.get(target.text);
      const declared = other?.expected.placement;
      if (other === undefined || declared?.kind !== "column" || declared.group === stated.group) continue;
      const isAlong = columns.some((name, at) => name === stated.column && targetColumns[at] === declared.column);
      const pair = [expected.text, target.text].toSorted().join();
      if (!isAlong || pairs.has(pair) || !isTogether(other, each)) continue;
      pairs.add(pair);
      yield together(expected, other.expected.names.join("."));
    }
  }
}

function apart(expected: ExpectedTable, other: string): SchemaFinding {
  const table = expected.names.join(".");
  const message = `The table \`${table}\` is declared as co-located with \`${other}\`, and is not: the database refuses statements that join both on each machine.`;
  const fix = `Correct \`with\` of \`distributed\`, or co-locate the table: select alter_distributed_table('${table}', colocate_with => '${other}').`;
  return finding(expected, "error", message, fix);
}

function together(expected: ExpectedTable, other: string): SchemaFinding {
  const message = `The table \`${expected.names.join(".")}\` is co-located with \`${other}\`, but no \`with\` says so: a navigation between them sends lists of rows to all machines.`;
  return finding(expected, "warning", message, `Declare \`with: "${other}"\` in \`distributed\`.`);
}

function isTogether({ stored: one }: Compared, { stored: other }: Compared): boolean {
  if (one.kind !== "column" || other.kind !== "column") return false;
  return one.first.schema === other.first.schema && one.first.name === other.first.name;
}

function finding(
  { set, names, declaredBy }: ExpectedTable,
  severity: SchemaFinding["severity"],
  message: string,
  fix: string,
): SchemaFinding {
  const property = declaredBy === "table" ? {} : { property: declaredBy };
  return { set, table: names.join("."), ...property, code: "C18", severity, message, fix };
}
