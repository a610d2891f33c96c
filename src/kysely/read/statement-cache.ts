import { sql } from "kysely";
import { keeper } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { EntitySet, StructuralProperty } from "../../edm/model.ts";
import { isODataError, protocolError } from "../../errors/odata-error.ts";
import type { FilterClause, SelectedProperty } from "../../query/clauses.ts";
import type { RowShape } from "../../query/row-shape.ts";
import type { KeyedJoins, RelatedQuery, SourceQuery, SourcesBySet } from "../../query/source.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import { ofTable } from "../dialects/database-fault.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { From } from "../translate/base-query.ts";
import { aliases, type Rows, type RowsUse, type StatementScope } from "../translate/relation.ts";
import { findWritable, type JsonQuery, translateJsonPage } from "../translate/translate-json.ts";
import {
  translateByKey,
  translatePage,
  translateTest,
  translateTotal,
  type RowQuery,
  narrowedFrom,
} from "../translate/translate-query.ts";
import { translateRelated, translateRelatedCounts } from "../translate/translate-related.ts";
import { compileStatement, utcMark } from "../translate/utc-session.ts";
import { identitiesOf, IdentityCache, variantOf } from "./identity-cache.ts";
import { readerOfSource, statementsOf } from "./row-source.ts";

/** A compiled statement: its text and its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly slots: readonly unknown[];
  /** The table of the set, for the log; absent for a query of the application. */
  readonly table?: string | undefined;
}

/** A statement that returns rows. */
export interface RowStatement extends Statement {
  readonly rowShape: RowShape;
  /** The number of cells in a row. */
  readonly width: number;
}

/** A statement that returns one row: a page as JSON. */
export interface JsonStatement extends Statement, Omit<JsonQuery, "query"> {}

/** The table or base query of the statements. */
export interface StatementTarget {
  readonly db: AnyKysely;
  readonly profile: DialectProfile;
  readonly from: From;
  /** The key of the type. */
  readonly key: readonly StructuralProperty[];
  /** Finds the columns. Called for the first statement, since tables may be created after the declarations. */
  readonly findPlans: () => PlansByField;
  /** The synchronous reader, which can explain a statement before it runs; null without one. */
  readonly local: SynchronousReader | null;
}

/** Cache keys for no filter and for no joins. */
const NO_FILTER: object = Object.freeze({});
const NOTHING_JOINED: readonly never[] = Object.freeze([]);

/**
 * The compiled statements of one table or base query: one per shape, order, selection, presence of skip and top, and base
 * queries of the mentioned sets. They live as long as their shapes, whose number the service limits.
 */
export class StatementCache {
  readonly #target: StatementTarget;
  readonly #pages = new IdentityCache<Map<number, RowStatement>>();
  readonly #json = new IdentityCache<Map<number, JsonStatement | null>>();
  readonly #totals = new IdentityCache<Statement>();
  readonly #keyed = new IdentityCache<RowStatement>();
  readonly #related = new IdentityCache<Map<number, RowStatement>>();
  readonly #relatedCounts = new IdentityCache<RowStatement>();
  readonly #narrowed = new IdentityCache<StatementCache>();
  readonly #tests = new IdentityCache<RowStatement>();
  #plans: PlansByField | undefined;
  #mark: Sql | undefined;

  constructor(target: StatementTarget) {
    this.#target = target;
  }

  /**
   * Returns the statement of a page.
   * @throws ODataError `UnsupportedQueryOption` for a query that SQL cannot express, `InvalidQueryOption` for too many literals
   */
  page(query: SourceQuery): RowStatement {
    const { shape, filter, orderBy, selected, joined = NOTHING_JOINED } = query;
    const clauses = { filter, orderBy, selected, joined, roundingMode: shape.roundingMode };
    const hasTop = query.top !== undefined;
    const hasSkip = query.skip > 0;
    const variants = this.#pages.get(
      [shape, filter ?? NO_FILTER, orderBy, selected, joined, ...identitiesOf(query.sources)],
      () => new Map(),
    );
    return variantOf(variants, [hasTop, hasSkip], () => {
      return this.#choose((profile) => {
        const statement = this.#scope(profile, query.sources);
        return this.#compileRows(translatePage(this.rowsFor(null), statement, { ...clauses, hasTop, hasSkip }));
      });
    });
  }

  /**
   * Returns the statement of a page as JSON.
   * @param selected the members of each object
   * @returns null if the database cannot write it
   * @throws ODataError as for `page`
   */
  json(query: SourceQuery, selected: readonly SelectedProperty[]): JsonStatement | null {
    const { profile, local } = this.#target;
    const { json: syntax } = profile;
    if (syntax === undefined || local === null) return null;
    const { shape, filter, orderBy, sources } = query;
    const limits = { hasTop: query.top !== undefined, hasSkip: query.skip > 0 };
    const identities = [shape, filter ?? NO_FILTER, orderBy, selected, ...identitiesOf(sources)];
    return variantOf(
      this.#json.get(identities, () => new Map()),
      Object.values(limits),
      () => {
        const rows = this.rowsFor(null);
        const writable = findWritable(selected, rows.plans, syntax, () => syntax.writesDoubles(local));
        if (writable === null) return null;
        const clauses = { filter, orderBy, roundingMode: shape.roundingMode, ...limits };
        return this.#choose((each) => {
          const made = translateJsonPage(rows, this.#scope(each, sources), clauses, writable, syntax);
          return Object.freeze({ ...this.#compile(made.query), members: made.members, width: made.width });
        });
      },
    );
  }

  /** Returns the statement that counts the rows after the filter. @throws ODataError as for `page` */
  total({ shape, filter, sources }: SourceQuery): Statement {
    return this.#totals.get([shape, filter ?? NO_FILTER, ...identitiesOf(sources)], () => {
      return this.#choose((profile) => {
        const statement = this.#scope(profile, sources);
        return this.#compile(translateTotal(this.rowsFor(null), statement, filter, shape.roundingMode));
      });
    });
  }

  /**
   * Returns the statement of one entity by the key of its type.
   * @throws ODataError as for `page`
   */
  byKey(key: readonly StructuralProperty[], selected: readonly SelectedProperty[], joins?: KeyedJoins): RowStatement {
    const identities = joins === undefined ? [selected] : [selected, joins.joined, ...identitiesOf(joins.sources)];
    return this.#keyed.get(identities, () => {
      const clauses = { key, selected, joined: joins?.joined ?? NOTHING_JOINED };
      return this.#choose((profile) =>
        this.#compileRows(
          translateByKey(
            this.rowsFor(null, { profile, isLookup: true }),
            this.#scope(profile, joins?.sources),
            clauses,
          ),
        ),
      );
    });
  }

  /**
   * Returns the statement of related entities. Each row starts with the position of its key.
   * @throws ODataError as for `page`
   */
  related({ shape, top, skip, maxRows, sources }: RelatedQuery): RowStatement {
    const variant = { hasTop: top !== undefined, hasSkip: skip > 0, hasMaxRows: maxRows !== undefined };
    const variants = this.#related.get([shape, ...identitiesOf(sources)], () => new Map());
    return variantOf(variants, [variant.hasTop, variant.hasSkip, variant.hasMaxRows], () =>
      this.#choose((profile) =>
        this.#compileRows(translateRelated(this.rowsFor(null), this.#scope(profile, sources), shape, variant)),
      ),
    );
  }

  /** Returns the statement that counts the related entities per key. @throws ODataError as for `page` */
  relatedCounts({ shape, sources }: RelatedQuery): RowStatement {
    return this.#relatedCounts.get([shape, ...identitiesOf(sources)], () =>
      this.#choose((profile) => {
        const query = translateRelatedCounts(this.rowsFor(null), this.#scope(profile, sources), shape);
        return this.#compileRows({ query, rowShape: NO_COLUMNS, width: 2 });
      }),
    );
  }

  /**
   * Returns the statements of the rows that meet a condition. The only value of their base query is the execution of the
   * condition, so that they serve all its values.
   * @param sources the sources of the sets that the condition navigates to
   */
  narrowed(filter: FilterClause, sources?: SourcesBySet): StatementCache {
    return this.#narrowed.get([filter, ...identitiesOf(sources)], () => {
      const { db, profile, from: all } = this.#target;
      const seen = profile.syntax.marksRows ? `${all.seen ?? "odata"}_seen` : undefined;
      const mentioned = statementsOf(sources);
      const condition = filter.expression;
      const from = { ...narrowedFrom({ db, base: this, condition, mentioned, seen }), table: all.table };
      const findPlans = (): PlansByField => this.rowsFor(null).plans;
      return new StatementCache({ ...this.#target, from, findPlans });
    });
  }

  /**
   * Returns the statement that selects a row if the row of a key meets a condition.
   * @param sources as for `narrowed`
   */
  test(filter: FilterClause, sources: SourcesBySet): RowStatement {
    return this.#tests.get([filter, ...identitiesOf(sources)], () => {
      const { key, profile } = this.#target;
      const scope = { ...this.#scope(profile, sources), isLookup: true };
      const rows = this.rowsFor(null, scope);
      const query = sql`${translateTest(rows, scope, key, filter.expression)}${profile.writes.currentRow}`;
      return this.#compileRows({ query, rowShape: NO_COLUMNS, width: 1 });
    });
  }

  /**
   * Returns the rows for a statement: of a set that it mentions, or of the queried source (null).
   * @param use by default, a page of the rows is read
   */
  rowsFor(entitySet: EntitySet | null, use: RowsUse = { profile: this.#target.profile, isLookup: false }): Rows {
    const { from, key, findPlans } = this.#target;
    this.#plans ??= this.#ofTable(findPlans);
    this.#mark ??= utcMark(this.#plans);
    const mark = this.#mark;
    return { from: (alias) => sql`${from.as(alias, entitySet, use)}${mark}`, plans: this.#plans, key, seen: from.seen };
  }

  #scope(profile: DialectProfile, sources: SourcesBySet | undefined): StatementScope {
    const use: RowsUse = { profile, isLookup: false };
    return {
      ...use,
      isRelational: sources !== undefined && sources.size > 0,
      rowsOf: (entitySet) => {
        const source = required(sources?.get(entitySet), `The query has no source for ${entitySet.name}.`);
        return readerOfSource(source).statements.rowsFor(entitySet, use);
      },
      nextAlias: aliases(),
    };
  }

  /**
   * Compiles a statement in its usual form or, if no index serves that, in a form whose time does not grow with the product of
   * the row counts. A query that this second form cannot express keeps the usual form.
   */
  #choose<S extends Statement>(make: (profile: DialectProfile) => S): S {
    const { profile, local } = this.#target;
    const usual = make(profile);
    const { whenScanning } = profile;
    if (whenScanning === undefined) return usual;
    const { length } = usual.slots;
    if (local !== null && !this.#ofTable(() => whenScanning.isNeeded(usual.sql, length, local))) return usual;
    try {
      return make(whenScanning.profile);
    } catch (error) {
      if (isODataError(error)) return usual;
      throw error;
    }
  }

  /** Runs a query about a statement; its errors name the table. */
  #ofTable<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw ofTable(error, this.#target.from.table);
    }
  }

  #compileRows({ query, rowShape, width }: RowQuery): RowStatement {
    return Object.freeze({ ...this.#compile(query), rowShape, width });
  }

  #compile(query: Sql): Statement {
    const { db, profile } = this.#target;
    const compiled = compileStatement(query, db, profile);
    if (compiled.parameters.length > profile.maxParameters) {
      throw protocolError(
        "InvalidQueryOption",
        `The query needs more than the ${String(profile.maxParameters)} values that one SQL statement may have: shorten it.`,
      );
    }
    profile.checkStatement?.(compiled.sql);
    return Object.freeze({
      sql: compiled.sql,
      slots: Object.freeze([...compiled.parameters]),
      table: this.#target.from.table,
    });
  }
}

const NO_COLUMNS: RowShape = Object.freeze(keeper({ columns: new Map() }));
