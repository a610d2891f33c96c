import { sql } from "kysely";
import type { LinkJoin } from "../../edm/model.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import { alike, linkEnds, tuple } from "./join-navigation.ts";
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
  const [own, linked] = columnsOf(links, related);
  return sql`${tuple(linked)} in (select ${sql.join(own)} from ${related.level.from(related.from)}${whereClause(wanted)})`;
}

/** Tests whether a link leads to a related entity. @param from the links */
export function isLinked(links: UnjoinedLinks, related: Relation, from: Sql): Sql {
  const [own, linked] = columnsOf(links, related);
  return sql`${tuple(own)} in (select ${sql.join(linked)} from ${from})`;
}

function columnsOf(
  { join, link, profile }: UnjoinedLinks,
  related: Relation,
): readonly [own: readonly Sql[], linked: readonly Sql[]] {
  const pairs = join.to.map((column) => {
    const [linked, own] = linkEnds(column, link, related, profile);
    return alike(own, linked);
  });
  return [pairs.map(([own]) => own), pairs.map(([, linked]) => linked)];
}
