import { sql } from "kysely";
import type { LinkColumn, LinkJoin } from "../../edm/model.ts";
import type { Database } from "../forms/database.ts";
import { isBare, type IsBare } from "../placement/placement.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { linkColumn } from "./join-navigation.ts";
import { columnOperand, type Relation } from "./relation.ts";

/** Whether each machine has the links of all its rows, and finds their related entities. */
export function areLinksLocal(join: LinkJoin, source: Relation, related: Relation, profile: Database): boolean {
  return source.placement.hasLinks(join, related.placement, bareIn(source, profile));
}

/** Whether each machine has the related entities of all its links, so that a statement joins both there. */
export function areLinkedLocal(join: LinkJoin, related: Relation, profile: Database): boolean {
  return related.placement.isLinked(join, bareIn(related, profile));
}

/**
 * Returns the tests by which the database finds the machine of links, for texts: it does so only by an equality of the bare
 * columns.
 */
export function bareLinkTests(
  join: LinkJoin,
  side: readonly LinkColumn[],
  link: string,
  relation: Relation,
  profile: Database,
): readonly Sql[] {
  const placed = relation.placement.linkOf(join, side, bareIn(relation, profile));
  if (placed === undefined) return [];
  const [linked, own] = operandsOf(placed, link, relation, profile);
  return own.form.indexed === undefined ? [] : [sql`${linked.sql} = ${own.sql}`];
}

function bareIn(relation: Relation, profile: Database): IsBare {
  return (column) => {
    const [linked, own] = operandsOf(column, "links", relation, profile);
    return linked.form === own.form && isBare(own.form);
  };
}

function operandsOf(
  column: LinkColumn,
  link: string,
  relation: Relation,
  profile: Database,
): readonly [linked: RowOperand, own: RowOperand] {
  const own = columnOperand(column.property, relation);
  return [linkColumn(column, link, profile, own.form), own];
}
