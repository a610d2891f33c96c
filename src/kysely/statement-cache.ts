import type { StructuralProperty } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { SourceQuery } from "../query/source.ts";
import type { DialectProfile } from "./dialect-profile.ts";
import { IdentityCache } from "./identity-cache.ts";
import type { Sql } from "./sql-form.ts";
import type { AnyKysely } from "./synchronous-reader.ts";
import type { PlansByField } from "./table-columns.ts";
import { translateByKey, translatePage, translateTotal, type RowQuery, type Rows } from "./translate-query.ts";

/** A compiled statement: its text, and what is bound in it. */
export interface Statement {
  readonly sql: string;
  readonly slots: readonly unknown[];
}

/** A statement that answers rows. */
export interface RowStatement extends Statement {
  readonly rowShape: RowShape;
  /** Cells of a row. */
  readonly width: number;
}

/** What is queried. */
export interface StatementTarget {
  readonly db: AnyKysely;
  readonly profile: DialectProfile;
  /** What stands behind `from`. */
  readonly from: Sql;
  /** Where the properties stand: asked for with the first statement, for the tables may be made after the declarations. */
  readonly findPlans: () => PlansByField;
}

/** Stands for no filter. */
const NO_FILTER: object = Object.freeze({});

/**
 * The compiled statements of one table or base query: one per shape, order, selection and presence of skip and top. They
 * are kept as long as the shapes they belong to, whose number the service bounds.
 */
export class StatementCache {
  readonly #target: StatementTarget;
  readonly #pages = new IdentityCache<(RowStatement | undefined)[]>();
  readonly #totals = new IdentityCache<Statement>();
  readonly #keyed = new IdentityCache<RowStatement>();

  #rows: Rows | undefined;

  constructor(target: StatementTarget) {
    this.#target = target;
  }

  /**
   * The statement of a page.
   * @throws ODataError `UnsupportedQueryOption` for what has no form in SQL, `InvalidQueryOption` for too many literals
   */
  page(query: SourceQuery): RowStatement {
    const { shape, filter, orderBy, selected } = query;
    const hasTop = query.top !== undefined;
    const hasSkip = query.skip > 0;
    const variants = this.#pages.get([shape, filter ?? NO_FILTER, orderBy, selected], () => []);
    const variant = (hasTop ? 1 : 0) + (hasSkip ? 2 : 0);
    const known = variants[variant];
    if (known !== undefined) return known;
    const { roundingMode } = shape;
    const clauses = { filter, orderBy, selected, roundingMode, hasTop, hasSkip };
    const made = this.#compileRows(translatePage(this.#rowsOf(), clauses));
    variants[variant] = made;
    return made;
  }

  /** The statement of the number of rows after the filter. @throws ODataError as for `page` */
  total({ shape, filter }: SourceQuery): Statement {
    return this.#totals.get([shape, filter ?? NO_FILTER], () =>
      this.#compile(translateTotal(this.#rowsOf(), filter, shape.roundingMode)),
    );
  }

  /** The statement of one entity by the key of its type. */
  byKey(key: readonly StructuralProperty[], selected: readonly SelectedProperty[]): RowStatement {
    return this.#keyed.get([selected], () => this.#compileRows(translateByKey(this.#rowsOf(), key, selected)));
  }

  #rowsOf(): Rows {
    const { from, profile, findPlans } = this.#target;
    this.#rows ??= { from, profile, plans: findPlans() };
    return this.#rows;
  }

  #compileRows({ query, columns }: RowQuery): RowStatement {
    const { rowShape, expressions } = columns;
    return Object.freeze({ ...this.#compile(query), rowShape, width: expressions.length });
  }

  #compile(query: Sql): Statement {
    const { db, profile } = this.#target;
    const compiled = query.compile(db);
    if (compiled.parameters.length > profile.maxParameters) {
      throw protocolError(
        "InvalidQueryOption",
        `The query has more values than the ${String(profile.maxParameters)} that one SQL statement takes: ask for less at once.`,
      );
    }
    if (!profile.hasOwnFunctions) refuseOwnFunctions(compiled.sql);
    return Object.freeze({ sql: compiled.sql, slots: Object.freeze([...compiled.parameters]) });
  }
}

/** What the functions of `sqliteDialect` are for, by how their names begin. */
const PURPOSES: ReadonlyArray<readonly [prefix: string, purpose: string]> = [
  ["odata_lower", "'tolower'"],
  ["odata_upper", "'toupper'"],
  ["odata_decimal", "a Decimal that is stored as text, or computed"],
  ["odata_double", "rounding or dividing a Double"],
  ["odata_duration", "a Duration"],
  ["odata_spend", "'any' and 'all' within one another"],
  ["odata_", "a date or time that is computed, or stored in a form of its own"],
];

/** Another dialect for SQLite has no such functions: better said than tried. */
function refuseOwnFunctions(text: string): void {
  const name = /\bodata_\w+(?=\()/.exec(text)?.[0];
  const purpose = PURPOSES.find(([prefix]) => name?.startsWith(prefix) === true)?.[1];
  if (purpose === undefined) return;
  throw protocolError("UnsupportedQueryOption", `The database behind this set cannot evaluate ${purpose}.`);
}
