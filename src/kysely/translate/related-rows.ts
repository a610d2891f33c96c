import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import type { RoundingMode } from "../../query/clauses.ts";
import type { RelatedShape } from "../../query/source.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { bindKeys, type BoundKeys } from "./bound-keys.ts";
import { joinedRows } from "./gathered-relation.ts";
import { linkAlive, linkColumn, linkTable, linkTest } from "./join-navigation.ts";
import { isLinked } from "./link-lists.ts";
import { relationScope, type PathScope } from "./path-scope.ts";
import { areLinkedLocal, bareLinkTests } from "./placed-links.ts";
import {
  addRelation,
  compared,
  Level,
  pairOperand,
  whereClause,
  type Relation,
  type Rows,
  type StatementScope,
} from "./relation.ts";

/** The related entities within a statement, and the keys of their parents. */
export interface RelatedRows {
  readonly related: Relation;
  readonly keys: BoundKeys;
  /** The `from` of the related entities with their links, without and with the list of keys, if there is one. Call them last. */
  readonly from: () => Sql;
  readonly withKeys: () => Sql;
  /** The first conditions of the statement: see `Alive`. */
  readonly alive: readonly Sql[];
  /** The alias of the link table. */
  readonly link: string;
  readonly scope: PathScope;
  readonly roundingMode: RoundingMode;
}

/**
 * Adds the entities that are related to a list of keys.
 * @param hasOneKey whether the statement is only executed with one key
 */
export function relatedRows(
  rows: Rows,
  statement: StatementScope,
  shape: RelatedShape,
  hasOneKey: boolean,
): RelatedRows {
  const { join: ties, roundingMode } = shape;
  const { profile } = statement;
  const [alias, link] = [statement.nextAlias(), statement.nextAlias()];
  const level = new Level();
  const plain = addRelation(rows, level, alias);
  const keys = bindKeys(parentSide(ties, plain, link, profile), statement, hasOneKey);
  // The list comes first, since a database may overestimate few keys against many related entities.
  const join = profile.capabilities.topPerParent === "correlated" ? sql`cross join` : sql`inner join`;
  const withList = (from: Sql): Sql =>
    keys.list === null ? from : sql`${keys.list.from} ${join} ${from} on ${sql.join(keys.list.tie, sql` and `)}`;
  const made = (
    related: Relation,
  ): Pick<RelatedRows, "related" | "keys" | "link" | "alive" | "scope" | "roundingMode"> => {
    const alive = [...(ties.kind === "link" ? linkAlive(ties, link, statement) : []), ...related.alive(statement)];
    return { related, keys, link, alive, scope: relationScope(related, statement), roundingMode };
  };
  if (ties.kind === "direct") {
    return { ...made(plain), from: () => plain.from, withKeys: () => withList(plain.from) };
  }
  const links = linkTable(ties, link);
  const linked = withList(links);
  const where = (row: Relation): readonly Sql[] => [
    isLinked({ join: ties, link, profile }, row, sql`${linked}${whereClause(keys.conditions)}`),
  ];
  const isGathered = !profile.capabilities.joins && !areLinkedLocal(ties, plain, profile);
  const { related } = joinedRows({ rows, level, statement, alias, isGathered, where });
  const tests = [...bareLinkTests(ties, ties.to, link, related, profile), linkTest(ties, link, related, profile)];
  const toRelated = (): Sql => sql` ${join} ${related.from} on ${sql.join(tests, sql` and `)}`;
  return { ...made(related), from: () => sql`${links}${toRelated()}`, withKeys: () => sql`${linked}${toRelated()}` };
}

/** Returns the columns that contain the join values of the parents. */
function parentSide(
  join: NavigationJoin,
  related: Relation,
  link: string,
  profile: DialectProfile,
): readonly RowOperand[] {
  return join.kind === "direct"
    ? join.pairs.map((pair) => pairOperand(pair, "related", related))
    : join.from.map((column) => compared(linkColumn(column, link, profile), related.rows.comparisonOf(column)));
}

/** Returns the list of keys, which databases other than distributed ones always join. */
export function listOf({ keys }: RelatedRows): Sql {
  return required(keys.list, "The keys are not listed.").from;
}

/** Returns the conditions between the list of keys and the other relations. */
export function tieOf({ keys }: RelatedRows): readonly Sql[] {
  return required(keys.list, "The keys are not listed.").tie;
}
