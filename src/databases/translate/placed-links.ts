import { sql } from "kysely";
import type { LinkColumn, LinkJoin, StructuralProperty } from "../../edm/model.ts";
import { tableNameText } from "../../edm/table-name.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { isBare } from "./co-location.ts";
import { linkColumn } from "./join-navigation.ts";
import { columnOperand, type Placement, type Relation } from "./relation.ts";

/** Whether each machine of a distributed database has the links of all its rows, and finds their related entities. */
export function areLinksLocal(join: LinkJoin, source: Relation, related: Relation, profile: DialectProfile): boolean {
  if (source.placement === undefined || join.distributed === undefined) return false;
  // Each machine has all links then, so entities of one machine that are found from there would be found by all.
  if (join.distributed.kind === "reference") return related.placement?.kind === "reference";
  return findPlaced(join, join.from, source, profile) !== undefined;
}

/** Whether each machine has the related entities of all its links, so that a statement joins both there. */
export function areLinkedLocal(join: LinkJoin, related: Relation, profile: DialectProfile): boolean {
  if (related.placement === undefined || join.distributed === undefined) return false;
  return related.placement.kind === "reference" || findPlaced(join, join.to, related, profile) !== undefined;
}

/**
 * Returns the tests of the columns that distribute the link table and the rows of one side of it, for texts: the database finds
 * the machine only by an equality of the bare columns.
 */
export function bareLinkTests(
  join: LinkJoin,
  side: readonly LinkColumn[],
  link: string,
  relation: Relation,
  profile: DialectProfile,
): readonly Sql[] {
  const placed = findPlaced(join, side, relation, profile);
  if (placed === undefined) return [];
  const [linked, own] = operandsOf(placed, link, relation, profile);
  return own.form.indexed === undefined ? [] : [sql`${linked.sql} = ${own.sql}`];
}

/** Returns the column of the link table that distributes it, if it contains the values of the column of the other table. */
function findPlaced(
  join: LinkJoin,
  side: readonly LinkColumn[],
  relation: Relation,
  profile: DialectProfile,
): LinkColumn | undefined {
  const { placement } = relation;
  if (placement?.kind !== "column" || !isInGroup(join, placement)) return undefined;
  return side.find((column) => {
    if (!isPlacedBy(join, column, placement, column.property)) return false;
    const [linked, own] = operandsOf(column, "links", relation, profile);
    return linked.form === own.form && isBare(own.form);
  });
}

function isInGroup(
  { table, distributed }: LinkJoin,
  { group, groupOf }: Extract<Placement, { kind: "column" }>,
): boolean {
  return distributed?.kind === "column" && groupOf(tableNameText(distributed.with ?? table)) === group;
}

function isPlacedBy(
  { distributed }: LinkJoin,
  { column }: LinkColumn,
  placement: Extract<Placement, { kind: "column" }>,
  { field }: StructuralProperty,
): boolean {
  return distributed?.kind === "column" && distributed.column === column && placement.field === field;
}

function operandsOf(
  column: LinkColumn,
  link: string,
  relation: Relation,
  profile: DialectProfile,
): readonly [linked: RowOperand, own: RowOperand] {
  const own = columnOperand(column.property, relation);
  return [linkColumn(column, link, profile, own.form), own];
}
