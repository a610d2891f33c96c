import { sql } from "kysely";
import { isODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import { BoundedCache } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { EntitySet, NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import type { FilterClause, SelectedProperty } from "../../language/query/clauses.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { JsonMembers, KeyedJoins, SourceQuery, SourcesBySet } from "../../language/query/source.ts";
import type { JsonSyntax } from "../columns/json-syntax.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { Database } from "../forms/database.ts";
import type { Placement } from "../placement/placement.ts";
import type { Execution } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { aliases, type Rows, type RowsUse, type StatementState, unnoted } from "../translate/relation.ts";
import { StatementNotes } from "../translate/statement-notes.ts";
import { applyBranch, bothFilters, type AppliedRows } from "../translate/translate-apply.ts";
import { type JsonForm, translateJsonPage } from "../translate/translate-json.ts";
import { translateKeysFirst, translatePage } from "../translate/translate-page.ts";
import {
  translateByKey,
  type PageClauses,
  translateTest,
  translateTotal,
  unlessImplied,
} from "../translate/translate-query.ts";
import { needUtc } from "../translate/utc-session.ts";
import { type JsonStatement, type RowStatement, type Statement, StatementCompiler } from "./compile-statement.ts";
import { namedBy, type KeepStatement, type NamedRows } from "./kept-statements.ts";
import { isKeysFirst } from "./keys-first.ts";
import { meeting, narrowed, relatedBy, type RowCondition } from "./narrowed-rows.ts";
import { clausesOf, partsOf } from "./page-parts.ts";
import { PastingCompiler, unguarded } from "./pasting-compiler.ts";
import type { StatementTarget } from "./proven-columns.ts";
import { RelatedStatements } from "./related-statements.ts";
import { readerOfSource } from "./row-source.ts";
import type { SqlRows } from "./sql-rows.ts";

/** The JSON of a page. */
interface WantedJson {
  readonly json: JsonMembers;
  readonly form: JsonForm;
  readonly query: SourceQuery;
}

/** The keys of a statement that tests several rows: a fixed number, so that the statement is kept. */
export const MANY_KEYS = 64;

/** The maximum number of conditions of one table or base query whose rows are kept. */
const CONDITIONS_KEPT = 200;

const NOTHING_JOINED: readonly never[] = Object.freeze([]);

/** Makes the statements of one table or base query, and keeps them by everything that they depend on. */
export class StatementCache {
  readonly #target: StatementTarget;
  readonly #compiler: StatementCompiler;
  readonly #narrowed = new BoundedCache<string, StatementCache>(CONDITIONS_KEPT);
  #related: RelatedStatements | undefined;
  /** The shared name that the facts of the catalogue belong to. */
  #shared: NamedRows | undefined;
  #plans: PlansByField | undefined;
  #needsUtc: boolean | undefined;
  /** Whether the table has row ids, since a number of changes of the tables. */
  #rowIds: { readonly since: number; readonly areThere: boolean } | undefined;

  /** Whether statements belong to no single execution. */
  readonly #keeps: boolean;

  constructor(target: StatementTarget, pasting?: StatementCompiler) {
    this.#target = target;
    this.#compiler = pasting ?? new StatementCompiler(target);
    this.#keeps = pasting === undefined;
  }

  /** Returns the statements of the same rows as people run them, with the values of one execution. They are not kept. */
  pasted(execution: Execution): StatementCache {
    const target = { ...this.#target, profile: unguarded(this.#target.profile) };
    return new StatementCache(target, new PastingCompiler(target, execution));
  }

  /**
   * Returns the cache of the statements, and the name of their rows in it. Databases with the same schema share both. What their
   * statements read of the catalogue is read together with the schema: a table may change before the first statement is made.
   */
  readonly named = (): NamedRows => {
    const named = this.#target.named();
    if (named.isShared === true && named !== this.#shared) {
      this.#shared = named;
      this.#readCatalogue();
    }
    return named;
  };

  #readCatalogue(): void {
    this.#plans = undefined;
    this.#needsUtc = undefined;
    this.#rowIds = undefined;
    try {
      this.#plans = this.#compiler.ofTable(this.#target.findPlans);
      this.#findRowIds();
    } catch {
      // A query may mention a table without reading it. A statement that reads it fails in the same way.
    }
  }

  /** Returns a statement of these rows, made on first use. */
  readonly keep: KeepStatement = (parts, sources, make) => {
    if (!this.#keeps) return make();
    const { kept, name } = this.named();
    return kept.get(name, parts, sources, make);
  };

  /** Reads the facts that the statements of a page depend on, before they are made. */
  prepare(query: SourceQuery, rows: SqlRows): Maybe<undefined> {
    return this.#target.proven.prepare(query, rows, () => this.rowsFor(null).plans);
  }

  /**
   * Returns the statement of a page.
   * @param hasTotal whether the last cell of each row is the total
   * @throws ODataError `UnsupportedQueryOption` for a query that SQL cannot express, `InvalidQueryOption` for too many literals
   */
  page(query: SourceQuery, hasTotal = false): RowStatement {
    const { shape, filter, selected, joined = NOTHING_JOINED, sources } = query;
    const clauses = { ...clausesOf(query), selected, joined };
    return this.keep(["page", hasTotal, shape.apply, selected, joined, ...partsOf(query)], sources, () => {
      return this.#compiler.choose((profile) => {
        return this.#translate(profile, sources, (statement) => {
          const total = hasTotal ? this.#totalOf(query, statement) : undefined;
          const { rows, filter: test } = this.#applied(query, statement, { ...clauses, filter });
          const page = translatePage(rows, statement, { ...clauses, filter: test, total });
          return this.#compiler.compileRows(page, statement);
        });
      });
    });
  }

  /** Returns whether a statement evaluates the steps of `$apply` and the computed values of a query. */
  applies(query: SourceQuery): boolean {
    const { shape, selected, sources } = query;
    const first = this.keep(["applied", shape.apply, selected, ...partsOf(query)], sources, () => {
      try {
        return this.page(query);
      } catch (error) {
        if (isODataError(error)) return null;
        throw error;
      }
    });
    return first !== null;
  }

  /**
   * Returns the statement of a page that reads the keys before their rows, whose last cell is the number of keys.
   * @returns null if the statement of `page` is as fast
   * @throws ODataError as for `page`
   */
  keysFirst(query: SourceQuery): RowStatement | null {
    if (query.shape.apply !== undefined || !isKeysFirst(query, this.#target)) return null;
    const { selected, sources } = query;
    return this.keep(["keysFirst", selected, ...partsOf(query)], sources, () =>
      this.#translate(this.#target.profile, sources, (statement) => {
        const clauses = { ...clausesOf(query), selected, hasTop: true };
        const page = translateKeysFirst(this.rowsFor(null, statement), statement, clauses);
        return this.#compiler.compileRows(page, statement);
      }),
    );
  }

  /**
   * Returns the statement of a page as JSON.
   * @param json the members of each object
   * @param form the page with its total or without
   * @returns null if the database cannot write it, or needs the rows to find related entities
   * @throws ODataError as for `page`, without expansions
   */
  json(query: SourceQuery, json: JsonMembers, form: JsonForm = "page"): JsonStatement | null {
    const { profile } = this.#target;
    const { json: syntax } = profile.syntax;
    const isPlain = json.expanded.length === 0;
    if (query.shape.apply !== undefined || syntax === undefined || (isPlain && !syntax.isForPlainPages)) return null;
    return this.keep(["json", form, json, ...partsOf(query)], query.sources, () => {
      const clauses = clausesOf(query);
      const make = (each: Database): JsonStatement | null =>
        this.#makeJson(each, syntax, clauses, { json, form, query });
      if (isPlain) return this.#compiler.choose(make);
      try {
        const made = make(profile);
        return made === null || this.#compiler.scans(made) ? null : made;
      } catch (error) {
        // The rows may need no related entities.
        if (isODataError(error)) return null;
        throw error;
      }
    });
  }

  #makeJson(
    profile: Database,
    syntax: JsonSyntax,
    clauses: Omit<PageClauses, "selected" | "joined">,
    { json, form, query }: WantedJson,
  ): JsonStatement | null {
    const writesDoubles = (): boolean => syntax.writesDoubles(this.#target.local);
    const isPlain = json.expanded.length === 0;
    return this.#translate(profile, query.sources, (statement) => {
      const total = form === "counted" ? this.#totalInJson(query, statement) : undefined;
      const writing = { syntax, writesDoubles, statement, isPlain, form };
      const made = translateJsonPage(this.rowsFor(null, statement), writing, { ...clauses, total }, json);
      if (made === null) return null;
      const { members, width, marks } = made;
      const compiled = this.#compiler.compile(made.query, statement, { width, besides: 0 });
      return Object.freeze({ ...compiled, members, width, marks });
    });
  }

  /** Returns the rows after the steps of `$apply`, and the condition of the wanted rows, of a page or of all. */
  #applied({ shape, filter }: SourceQuery, statement: StatementState, page?: PageClauses): AppliedRows {
    const rows = this.rowsFor(null, statement);
    const branch = shape.apply?.branches[0];
    if (branch === undefined) return { rows, filter };
    const applied = applyBranch(rows, statement, branch, shape.roundingMode, page);
    return { rows: applied.rows, filter: bothFilters(applied.filter, filter) };
  }

  #totalOf(query: SourceQuery, statement: StatementState): Sql {
    const { rows, filter } = this.#applied(query, statement);
    return translateTotal(rows, statement, filter, query.shape.roundingMode);
  }

  #totalInJson(query: SourceQuery, statement: StatementState): Sql {
    const total = this.#totalOf(query, statement);
    return query.after === undefined ? unlessImplied(total, query.top !== undefined) : sql`(${total})`;
  }

  /** Returns the statement that counts the rows after the filter. @throws ODataError as for `page` */
  total(query: SourceQuery): Statement {
    const { shape, filter, sources } = query;
    return this.keep(["total", shape.apply, filter, shape.roundingMode], sources, () => {
      return this.#compiler.choose((profile) => {
        return this.#translate(profile, sources, (statement) => {
          return this.#compiler.compile(this.#totalOf(query, statement), statement);
        });
      });
    });
  }

  /**
   * Returns the statement of one entity by the key of its type.
   * @throws ODataError as for `page`
   */
  byKey(selected: readonly SelectedProperty[], joins?: KeyedJoins): RowStatement {
    return this.keep(["key", selected, joins?.joined], joins?.sources, () => {
      const clauses = { key: this.#target.key, selected, joined: joins?.joined ?? NOTHING_JOINED };
      return this.#compiler.choose((profile) =>
        this.#translate(profile, joins?.sources, (statement) => {
          const rows = this.rowsFor(null, { ...statement, isLookup: true });
          return this.#compiler.compileRows(translateByKey(rows, statement, clauses), statement);
        }),
      );
    });
  }

  /** The statements of the related entities of keys. */
  get related(): RelatedStatements {
    this.#related ??= new RelatedStatements({
      keep: this.keep,
      compiler: this.#compiler,
      bindsKeys: this.#target.profile.capabilities.bindsKeys,
      rows: (statement) => this.rowsFor(null, statement),
      translate: (profile, sources, make) => this.#translate(profile, sources, make),
    });
    return this.#related;
  }

  /**
   * Returns the statements of the rows that meet a condition. The only value of their base query is the execution of the
   * condition, so that they serve all its values.
   * @param sources the sources of the sets that the condition navigates to
   */
  narrowed(filter: FilterClause, sources?: SourcesBySet): StatementCache {
    return this.#narrowedBy(filter, meeting(filter, sources));
  }

  /** Returns the statements of the rows that are related to one parent, whose join values are the key of the execution. */
  relatedTo(join: NavigationJoin): StatementCache {
    return this.#narrowedBy(join, relatedBy(join));
  }

  /** @param by determines the condition, together with the statements that it mentions */
  #narrowedBy(by: FilterClause | NavigationJoin, condition: RowCondition): StatementCache {
    const { structures } = this.#target;
    const mentioned = [...condition.mentioned.values()];
    const key = [by, ...condition.mentioned.keys(), ...mentioned].map((each) => structures.of(each)).join();
    return this.#narrowed.getOrMake(key, () => {
      const from = narrowed(this, this.#target, condition);
      const findPlans = (): PlansByField => this.rowsFor(null).plans;
      const facts = (): readonly unknown[] => [this.named(), ...mentioned.map((each) => each.named())];
      const named = namedBy(facts, () => {
        const { kept, name, isShared } = this.named();
        return {
          kept,
          isShared,
          name: `${name}/${String(kept.structures.of(by))}${kept.mentioned(condition.mentioned)}`,
        };
      });
      return new StatementCache({ ...this.#target, from, findPlans, named });
    });
  }

  /** Returns the statement that selects rows by one key and the values of `by`, or by `MANY_KEYS`, that meet a condition. @param sources as for `narrowed` */
  test(filter: FilterClause, sources: SourcesBySet, hasMany: boolean, by: readonly StructuralProperty[]): RowStatement {
    return this.keep(["test", filter, hasMany, by], sources, () => {
      const { key, profile } = this.#target;
      return this.#translate(profile, sources, (statement) => {
        const scope = { ...statement, isLookup: true };
        const rows = this.rowsFor(null, scope);
        const query = sql`${translateTest(rows, scope, [...key, ...by], filter.expression, hasMany ? MANY_KEYS : 1)}${profile.writes.currentRow}`;
        return this.#compiler.compileRows({ query, rowShape: NO_COLUMNS, width: 1 }, scope);
      });
    });
  }

  /** Leaves ignored properties and members without a column out of the statements that select every property. */
  readonly omit = (paths: Iterable<string>): void => {
    for (const path of paths) this.#target.absent.add(path);
  };

  readonly placement = (): Placement => this.#target.placement();

  /**
   * Returns the rows for a statement: of a set that it mentions, or of the queried source (null).
   * @param use by default, a page of the rows is read
   */
  rowsFor(entitySet: EntitySet | null, use: RowsUse = unnoted(this.#target.profile)): Rows {
    const { from, key, findPlans, placement, absent, proven, comparisons } = this.#target;
    this.#plans ??= this.#compiler.ofTable(findPlans);
    this.#needsUtc ??= needUtc(this.#plans);
    const { seen, needsFence } = from;
    return {
      from: (alias, isFenced = false) => {
        if (this.#needsUtc === true) use.notes.inUtc = true;
        return from.as(alias, entitySet, { ...use, isFenced });
      },
      plans: this.#plans,
      hasRowIds: this.#findRowIds(),
      quoted: from.quoted,
      absent,
      isProven: (column) => proven.has(column),
      labelsOf: (column) => proven.labelsOf(column),
      isExact: (column, asNumber) => proven.isExact(column, asNumber),
      key,
      seen,
      needsFence,
      comparisonOf: (part) => comparisons.of(part),
      placement: needsFence === true ? placement().gathered : placement(),
    };
  }

  /** Looks for row ids once, and again after a change of the tables. A table that does not exist yet has none. */
  #findRowIds(): boolean | undefined {
    const { db, from, profile, local, changes } = this.#target;
    if (profile.session.alive === undefined || from.isAlive === true) return undefined;
    if (local === null || from.quoted === undefined || from.isDerived === true) return false;
    if (this.#rowIds?.since !== changes.count) {
      const areThere = profile.session.alive.hasRowIds(from.quoted.compile(db).sql, local);
      this.#rowIds = { since: changes.count, areThere };
    }
    return this.#rowIds.areThere;
  }

  /** Translates again where an outer join changes the conditions next to it. */
  #translate<T>(profile: Database, sources: SourcesBySet | undefined, make: (statement: StatementState) => T): T {
    const scope = this.#scope(profile, sources);
    let isJoined = false;
    const made = make({ ...scope, onOuterJoin: () => (isJoined = true) });
    if (!isJoined || profile.syntax.unfolded === undefined) return made;
    return make({ ...this.#scope(profile, sources), isBesideOuterJoin: true });
  }

  #scope(profile: Database, sources: SourcesBySet | undefined): StatementState {
    const notes = new StatementNotes();
    const use = { profile, isLookup: false, notes };
    return {
      ...use,
      isRelational: sources !== undefined && sources.size > 0,
      rowsOf: (entitySet) => {
        const source = required(sources?.get(entitySet), `The query has no source for ${entitySet.name}.`);
        return readerOfSource(source).statements.rowsFor(entitySet, use);
      },
      nextAlias: aliases(notes),
      isBesideOuterJoin: false,
      onOuterJoin: () => {},
    };
  }
}

const NO_COLUMNS: RowShape = Object.freeze({ columns: new Map() });
