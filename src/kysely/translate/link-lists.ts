import { sql } from "kysely";
import type { LinkJoin } from "../../edm/model.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { endOfList, linkEnds, listed, tuple } from "./join-navigation.ts";
import { whereClause, type Relation } from "./relation.ts";

/** The links of a navigation, and its related entities, which a statement must not join. */
export interface UnjoinedLinks {
  readonly join: LinkJoin;
  /** The alias of the link table. */
  readonly link: string;
  readonly profile: DialectProfile;
}

/** Tests whether a link leads to a related entity that meets some conditions. */
export function leadsTo(links: UnjoinedLinks, related: Relation, wanted: readonly Sql[]): Sql {
  const pairs = columnsOf(links, related).map(([own, linked]) => listed(own, linked));
  return sql`${tuple(pairs.map(([, linked]) => linked))} in (select ${sql.join(pairs.map(([own]) => own))} from ${related.level.from(related.from)}${whereClause(wanted)}${endOfList(links.profile)})`;
}

/** Tests whether a link leads to a related entity. @param from the links */
export function isLinked(links: UnjoinedLinks, related: Relation, from: Sql): Sql {
  const pairs = columnsOf(links, related).map(([own, linked]) => listed(linked, own));
  return sql`${tuple(pairs.map(([, own]) => own))} in (select ${sql.join(pairs.map(([linked]) => linked))} from ${from}${endOfList(links.profile)})`;
}

function columnsOf(
  { join, link, profile }: UnjoinedLinks,
  related: Relation,
): ReadonlyArray<readonly [own: RowOperand, linked: RowOperand]> {
  return join.to.map((column) => {
    const [linked, own] = linkEnds(column, link, related, profile);
    return [own, linked];
  });
}
