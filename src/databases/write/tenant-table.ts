import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer, keptPerForeign } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { CreateHandler, EntitySetHandlers, GetByKeyHandler, QueryableHandler } from "../../definition/handlers.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StoredDatabase, StoredHandler, StoredRows, StoredSet } from "../../definition/model/stored-database.ts";
import type { EntityType } from "../../edm/model.ts";
import type { QueryableSource } from "../../language/query/source.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import type { Tenants } from "../read/tenants.ts";
import { UNOPENED } from "../read/unopened-source.ts";
import { type DeclaredTable, findService, type SqlTable } from "./sql-table.ts";

/** The handlers of a table. */
export type TableHandlers = Partial<
  Pick<EntitySetHandlers<Context>, "queryable" | "getByKey" | "create" | "replace" | "patch" | "delete">
>;

type Search = NonNullable<EntitySetHandlers<Context>["search"]>;

/** The table of a declaration in one database. */
export interface TableSide {
  readonly table: SqlTable;
  readonly reader: SqlReader;
  readonly handlers: TableHandlers;
  /** The rows, for the schema check. */
  readonly stored: StoredRows;
}

/** The table of a declaration with a database per tenant. The part for a database is released with it. */
export class TenantTable implements DeclaredTable {
  readonly name: string;
  readonly entityType: EntityType;
  readonly tenants: Tenants;
  readonly #sideOf: (db: AnyKysely) => TableSide;

  /** @param make makes the table in a database. @throws Error for declarations that its dialect does not allow */
  constructor(
    { name, entityType, tenants }: Pick<TenantTable, "name" | "entityType" | "tenants">,
    make: (db: AnyKysely, declared: TenantTable) => TableSide,
  ) {
    this.name = name;
    this.entityType = entityType;
    this.tenants = tenants;
    this.#sideOf = keptPerForeign((db: AnyKysely) => make(db, this));
  }

  get home(): object {
    return this.tenants;
  }

  over(db: AnyKysely): SqlTable {
    return this.#sideOf(db).table;
  }

  open(context: Context): Maybe<SqlTable> {
    return chain(this.enter(context), ({ table }) => table);
  }

  /** Returns the rows of a database, for the schema check. */
  storedIn(db: AnyKysely): StoredRows {
    return this.#sideOf(db).stored;
  }

  /** Finds the database of a request, and waits for its schema check. @throws errors of the function, of the check */
  enter(context: Context): Maybe<TableSide> {
    const { id, db } = this.tenants.at(context);
    const side = this.#sideOf(db);
    const service = findService(context);
    if (service === null) return side;
    const { database } = side.stored;
    const stored = (): readonly StoredSet[] => storedSets(service, database, db);
    const sets = (): readonly string[] => [...new Set(stored().map(({ set }) => set.entitySet.name))];
    const run = (): Maybe<readonly SchemaFinding[]> => database.findDifferences(stored(), service);
    return chain(service.admit({ id, database, home: this.home, sets, run }, context), () => side);
  }

  /**
   * Makes the handlers that call those of the database of each request.
   * @param names the operations that the declaration allows
   */
  handlers(names: ReadonlyArray<keyof TableHandlers>): TableHandlers {
    const all: Required<TableHandlers> = {
      queryable: Object.assign(this.#queryable(), { source: UNOPENED }),
      getByKey: this.#getByKey(),
      create: this.#create(),
      replace: (key, entity, context) => this.#call(context, ({ replace }) => replace?.(key, entity, context)),
      patch: (key, delta, context) => this.#call(context, ({ patch }) => patch?.(key, delta, context)),
      delete: (key, context) => this.#call(context, ({ delete: remove }) => remove?.(key, context) ?? false),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => names.some((each) => each === name)));
  }

  /** Makes a search that runs in the database of each request. @param searchIn makes the search in a database */
  search(searchIn: (side: TableSide) => Search): Search {
    const searchOf = keptPer(searchIn);
    return (clause, context) => chain(this.enter(context), (side) => searchOf(side)(clause, context));
  }

  #call<T>(context: Context, call: (handlers: TableHandlers) => Maybe<T>): Maybe<T> {
    return chain(this.enter(context), ({ handlers }) => call(handlers));
  }

  #queryable(): QueryableHandler<Context> {
    return (context) => chain(this.enter(context), ({ handlers: { queryable } }) => queryable?.(context) ?? UNOPENED);
  }

  #create(): CreateHandler<Context> {
    const many: NonNullable<CreateHandler<Context>["many"]> = (entities, context) =>
      this.#call(context, ({ create }) => create?.many?.(entities, context) ?? []);
    const one: CreateHandler<Context> = (entity, context) =>
      this.#call(context, ({ create }) => create?.(entity, context));
    return Object.assign(one, { many });
  }

  #getByKey(): GetByKeyHandler<Context> {
    const readRow: NonNullable<GetByKeyHandler<Context>["readRow"]> = (key, selected, context, joins, bytes) =>
      this.#call(context, ({ getByKey }) => getByKey?.readRow?.(key, selected, context, joins, bytes) ?? null);
    const sourceIn = (context: Context): Maybe<QueryableSource> =>
      chain(this.enter(context), ({ handlers: { getByKey } }) => getByKey?.source ?? UNOPENED);
    const byKey = (key: unknown, context: Context): Maybe<unknown> =>
      this.#call(context, ({ getByKey }) => getByKey?.(key, context));
    return Object.assign(byKey, { readRow, sourceIn });
  }
}

/**
 * Returns the sets of a service whose rows are in a database, as far as known: those whose function has returned it, and those
 * that have it without a function. Joins between them are compared together.
 */
function storedSets({ entitySets }: ServiceDefinition, database: StoredDatabase, db: AnyKysely): readonly StoredSet[] {
  return [...entitySets.values()].flatMap((set): readonly StoredSet[] => {
    const handlers: readonly unknown[] = Object.values(set.handlers);
    const rows = handlers.flatMap((handler): readonly StoredRows[] => {
      const { stored, storedBy }: StoredHandler = (handler as StoredHandler | undefined) ?? {};
      const found = storedBy instanceof TenantTable && storedBy.tenants.hasFound(db) ? storedBy.storedIn(db) : stored;
      return found?.database === database ? [found] : [];
    });
    return [...new Set(rows)].map((each) => ({ set, rows: each }));
  });
}
