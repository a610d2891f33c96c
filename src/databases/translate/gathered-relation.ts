import { sql } from "kysely";
import type { Placement } from "../placement/placement.ts";
import type { Sql } from "../statement/sql-form.ts";
import { Level, Relation, whereClause, type Rows, type StatementState } from "./relation.ts";

/** A relation that a statement joins. */
interface JoinedRows {
  /** With its row, for the conditions of the join. */
  readonly related: Relation;
  /** Returns the same relation for the result of an outer join. */
  readonly optional: () => Relation;
}

interface JoinedOptions {
  readonly rows: Rows;
  readonly level: Level;
  readonly statement: StatementState;
  /** By default, an unused one. */
  readonly alias?: string;
  /** Whether the statement reads the rows first; by default, if the database cannot join them where they are. */
  readonly isGathered?: boolean;
  /** Makes conditions on the rows, which the database tests before it gathers them. */
  readonly where?: (related: Relation) => readonly Sql[];
}

/**
 * Makes a relation to join. A database on several machines joins only rows that are together. Of others it reads the used columns
 * first, and sends them to all machines: a subquery with an offset has this effect.
 */
export function joinedRows({
  rows,
  level,
  statement,
  alias = statement.nextAlias(),
  isGathered = !statement.profile.capabilities.joins,
  where = () => [],
}: JoinedOptions): JoinedRows {
  const used = new Set<string>();
  const foundBy = new Set<string>();
  const { syntax } = statement.profile;
  const first = (row: Relation): readonly Sql[] => [...row.alive(statement), ...where(row)];
  const gathering: Gathering = { used, foundBy, where: first, offset: syntax.limit(null, sql`0`) };
  const make = (isOptional: boolean): Relation => {
    const options = { alias, rows, level, isOptional, isQualified: true, foundBy };
    return isGathered ? new GatheredRelation(options, gathering) : new Relation(options);
  };
  return { related: make(false), optional: () => make(true) };
}

/** The state that the relations of one join share. */
interface Gathering {
  readonly used: Set<string>;
  readonly foundBy: Set<string>;
  readonly where: (related: Relation) => readonly Sql[];
  readonly offset: Sql;
}

class GatheredRelation extends Relation {
  readonly #gathering: Gathering;

  constructor(options: ConstructorParameters<typeof Relation>[0], gathering: Gathering) {
    super(options);
    this.#gathering = gathering;
  }

  override get placement(): Placement {
    return this.rows.placement.gathered;
  }

  /** The gathered rows are already tested. */
  override alive(): readonly Sql[] {
    return [];
  }

  override column(name: string): Sql {
    this.#gathering.used.add(name);
    return super.column(name);
  }

  /** Call it after all other parts of the statement are translated, since they may use further columns. */
  override get from(): Sql {
    const { alias, rows } = this;
    const { used, foundBy, where, offset } = this.#gathering;
    const row = new Relation({ alias, rows, level: new Level(), isOptional: false, isQualified: true, foundBy });
    const conditions = whereClause(where(row));
    const columns = sql.join(Array.from(used, (name) => row.column(name)));
    return sql`(select ${columns} from ${row.from}${conditions}${offset}) as ${sql.id(alias)}`;
  }
}
