import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isTableName } from "../../edm/table-name.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  namesOf,
  propertyIn,
  navigationPlace,
} from "../model/declared-service.ts";
import { adviseName, describe, isObject } from "../option-table.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** A fault without its place. */
type Problem = Pick<ConfigurationFault, "message" | "fix">;

/** Checks that `through` names a link table between two tables, and maps its columns to properties. */
export function* checkLinks({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const { target, options, field } = navigation;
      const { through } = options;
      if (!isObject(through)) continue;
      const place = navigationPlace(set, navigation);
      const problems = [
        ...checkTable(set, sets, options, field),
        ...checkName(through["table"], field),
        ...checkFrom(through["from"], set.entityType, field),
        ...(target === undefined ? [] : checkTo(through["to"], target, field)),
        ...checkColumns(through, field),
      ];
      for (const problem of problems) yield { ...place, ...problem };
      if (options["on"] !== undefined) {
        const message = `\`${field}\` has both \`on\` and \`through\`.`;
        yield { ...place, message, fix: "Keep `through` for a link table, otherwise `on`." };
      }
    }
  }
}

function* checkTable(
  set: DeclaredSet,
  sets: readonly DeclaredSet[],
  { target: name }: Readonly<Record<string, unknown>>,
  field: string,
): Iterable<Problem> {
  const wrong = (where: string): Problem => ({
    message: `\`through\` of \`${field}\` names a link table, but ${where} has no table.`,
    fix: "Declare it with sqlEntitySet, or remove `through` and give `get` or `getBatch`.",
  });
  if (!isOverTable(set)) yield wrong(`the set ${set.name}`);
  const target = sets.find((each) => each.name === name);
  if (target !== undefined && target !== set && !isOverTable(target)) yield wrong(`its target ${target.name}`);
}

/** Returns whether a set is over a table. */
export function isOverTable({ options: { queryable } }: DeclaredSet): boolean {
  if (typeof queryable !== "function" || !("source" in queryable) || !isObject(queryable.source)) return false;
  return queryable.source["relational"] !== undefined;
}

function* checkName(table: unknown, field: string): Iterable<Problem> {
  if (isTableName(table)) return;
  const message = `\`table\` of \`through\` of \`${field}\` is ${describe(table)}.`;
  yield { message, fix: "Give the name of the link table." };
}

function* checkFrom(from: unknown, type: EntityTypeDeclaration, field: string): Iterable<Problem> {
  yield* checkSide(from, "from", field);
  for (const [property, column] of entriesOf(from)) {
    yield* checkProperty(property, type, "from", field);
    if (typeof column === "string" && column !== "") continue;
    const message = `\`from.${property}\` of \`through\` of \`${field}\` is ${describe(column)}.`;
    yield { message, fix: "Give the name of the column with the values of the property." };
  }
}

function* checkTo(to: unknown, type: EntityTypeDeclaration, field: string): Iterable<Problem> {
  yield* checkSide(to, "to", field);
  for (const [column, property] of entriesOf(to)) {
    if (typeof property === "string" && column !== "") yield* checkProperty(property, type, "to", field);
    else {
      const message = `\`to\` of \`through\` of \`${field}\` maps the column \`${column}\` to ${describe(property)}.`;
      yield { message, fix: 'Map each column to a key of the related type: { tag_id: "id" }.' };
    }
  }
}

function* checkSide(side: unknown, name: "from" | "to", field: string): Iterable<Problem> {
  if (entriesOf(side).length > 0) return;
  const example = name === "from" ? 'from: { id: "order_id" }' : 'to: { tag_id: "id" }';
  const message = `\`${name}\` of \`through\` of \`${field}\` maps no properties.`;
  yield { message, fix: `Map properties and columns of the link table: ${example}.` };
}

/** The maker of the set checks whether the database has the storage. */
function* checkColumns(
  { from, to, columns, distributed, ...others }: Readonly<Record<string, unknown>>,
  field: string,
): Iterable<Problem> {
  const where = `\`through\` of \`${field}\``;
  const options = ["table", "from", "to", "columns", "distributed"];
  for (const name of Object.keys(others)) {
    if (name === "table" || name === "anyCase") continue;
    yield { message: `${where} has no option \`${name}\`.`, fix: adviseName(name, options) };
  }
  if (columns !== undefined && !isObject(columns)) {
    const message = `\`columns\` of ${where} is ${describe(columns)}.`;
    yield { message, fix: 'Give the storage of columns: { tag_id: { storage: "text" } }.' };
  }
  const known = [...entriesOf(from).map(([, column]) => String(column)), ...namesOf(to)];
  if (distributed !== undefined) yield* checkDistributed(distributed, known, where);
  for (const [column, option] of entriesOf(columns)) {
    if (!known.includes(column)) {
      const message = `\`columns\` of ${where} names \`${column}\`, which is neither in \`from\` nor in \`to\`.`;
      yield { message, fix: adviseName(column, known) };
    }
    if (isObject(option) && namesOf(option).every((name) => name === "storage")) continue;
    const message = `\`columns.${column}\` of ${where} is ${isObject(option) ? "not only a storage" : describe(option)}.`;
    yield { message, fix: 'Give only its storage: { storage: "text" }.' };
  }
}

function* checkDistributed(given: unknown, known: readonly string[], where: string): Iterable<Problem> {
  if (given === true || given === "reference") return;
  const fix =
    'Give true, "reference" for a table that each machine has completely, or its column that distributes it: { by: "order_id", with: "orders" }.';
  if (!isObject(given)) {
    yield { message: `\`distributed\` of ${where} is ${describe(given)}.`, fix };
    return;
  }
  const { by, with: partner, ...others } = given;
  for (const name of Object.keys(others)) {
    yield { message: `\`distributed\` of ${where} has no option \`${name}\`.`, fix: adviseName(name, ["by", "with"]) };
  }
  if (typeof by !== "string") {
    yield { message: `\`distributed.by\` of ${where} is ${describe(by)}.`, fix };
  } else if (!known.includes(by)) {
    const message = `\`distributed.by\` of ${where} names \`${by}\`, which is neither in \`from\` nor in \`to\`.`;
    yield { message, fix: adviseName(by, known) };
  }
  if (partner === undefined || isTableName(partner)) return;
  const message = `\`distributed.with\` of ${where} is ${describe(partner)}.`;
  yield { message, fix: "Give the name of the table that the link table is co-located with, or omit it." };
}

function* checkProperty(
  name: string,
  type: EntityTypeDeclaration,
  side: "from" | "to",
  field: string,
): Iterable<Problem> {
  const property = propertyIn(type, name);
  const where = `\`${side}\` of \`through\` of \`${field}\` names \`${name}\``;
  if (property === undefined) {
    const message = `${where}, which ${type.name} does not have.`;
    yield { message, fix: adviseName(name, namesOf(type.properties)) };
  } else if (property.item !== undefined || isDeclaration(property.type, "ComplexTypeDeclaration")) {
    yield { message: `${where}, which is not a single value.`, fix: "Name properties of single values." };
  }
}
