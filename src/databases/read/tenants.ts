import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { isPromiseLike } from "../../base/maybe.ts";
import { BoundedCache, keptPerForeign } from "../../base/memo.ts";
import { type RuleContext, ruleContextOf } from "../../definition/context.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import { columnName, namesTables } from "../columns/column-name.ts";
import { CATALOGUE_FACTS } from "../connection/statement-facts.ts";
import { type AnyKysely, isKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { findDatabase } from "../kinds/find-database.ts";
import type { Connected } from "./connected.ts";
import { KeptStatements } from "./kept-statements.ts";
import type { ReadRows } from "./traced-read.ts";

/** The database of a tenant: the result of the function `db` of `sqlEntitySet` and `sqlSource`. */
export interface TenantDatabase<Db extends AnyKysely = AnyKysely> {
  /** The stable name of the database. Next links are valid for it alone. */
  readonly id: string;
  /** The open database. All databases of a function have the same dialect. */
  readonly db: Db;
}

/**
 * Finds the database of a request. It may throw `odataError`.
 * @see docs/guides/tenants.md
 */
export type FindTenant<Db extends AnyKysely = AnyKysely> = (context: RuleContext) => TenantDatabase<Db>;

/** A result, and the user whom it was found for. */
interface Found {
  readonly user: unknown;
  readonly tenant: TenantDatabase;
}

/** The most schemas with shared statements: databases that were made in different ways, or are not migrated yet. */
const SCHEMAS_KEPT = 20;
/** A database, as far as its schema is read. */
interface TenantSchema extends Pick<Connected, "db" | "rows" | "layout" | "profile"> {
  /** The quoted name of the table of the statements; undefined for a query. */
  readonly table: string | undefined;
}

/** Everything in a SQLite database that a statement may depend on, if no other database is attached and no table is temporary. */
const SQLITE_SCHEMA: ReadRows = {
  sql: "select type, name, tbl_name, sql from sqlite_schema union all select 'version', sqlite_version(), (select count(*) from pragma_database_list), null order by 1, 2",
  width: 4,
  isInternal: true,
  facts: CATALOGUE_FACTS,
};

/**
 * Returns a text that is equal for databases whose statements are equal: of a SQLite database in this process its schema, of
 * others the catalogue that the schema check has read. Undefined if it does not contain all that the statements depend on:
 * for a SQLite database with attached or temporary ones; in other databases for queries, and for tables that were not checked.
 */
function schemaIn({ rows, layout, table }: TenantSchema): string | undefined {
  if (rows.local === null) return table === undefined || !layout.has(table) ? undefined : layout.text;
  const found = rows.all(SQLITE_SCHEMA, []);
  if (isPromiseLike(found)) return undefined;
  const isAlone = found.some(([type, _version, count]) => type === "version" && count === 1);
  return isAlone ? JSON.stringify([found, layout.text]) : undefined;
}

/** The databases that one function of the application finds. */
export class Tenants {
  readonly #find: FindTenant;
  /** By request: all sets with the function read the same database. */
  readonly #found = new WeakMap<object, Found>();
  /** By the adapter that everything made of one instance shares, transactions included. */
  readonly #ids = new WeakMap<object, string>();
  #profile: Database | null = null;
  /** The statements of databases with a known schema. */
  readonly kept: KeptStatements = new KeptStatements();
  /** The numbers of schemas. */
  readonly #schemas = new BoundedCache<string, number>(SCHEMAS_KEPT);
  readonly #databases = new WeakSet<AnyKysely>();

  private constructor(find: FindTenant) {
    this.#find = find;
  }

  /** Returns the databases of a function: the same object for all sets with the function. */
  static readonly of: (find: FindTenant) => Tenants = keptPerForeign((find: FindTenant) => new Tenants(find));

  /**
   * Returns the database of a request.
   * @throws ODataError that the function threw or returned; TypeError for a wrong result
   */
  at(context: RuleContext | undefined): TenantDatabase {
    if (context === undefined) throw new TypeError("A database per tenant needs the context of a request.");
    const { user } = context;
    // A context of the application may have no request.
    const request = (context as Partial<RuleContext>).request ?? context;
    const known = this.#found.get(request);
    // A changed copy of a context may name another user.
    if (known !== undefined && known.user === user) return known.tenant;
    const tenant = this.#check(this.#find(ruleContextOf(context)));
    this.#found.set(request, { user, tenant });
    return tenant;
  }

  /** Whether the function has returned a database. */
  hasFound(db: AnyKysely): boolean {
    return this.#databases.has(db);
  }

  /**
   * Makes the error for a table that is not in the database of the open transaction.
   * @returns null if that database is not one of the function
   */
  refusal(transaction: AnyKysely, { db, name }: { readonly db: AnyKysely; readonly name: string }): Error | null {
    const [open, own] = [transaction, db].map((each) => this.#ids.get(each.getExecutor().adapter));
    if (open === undefined) return null;
    return open === own
      ? wrong(`two databases for "${open}"`, "Return one `db` until it is closed.")
      : severalTenants(name);
  }

  /**
   * Returns a name for the rows of a table or base query, which they have in all databases with the same schema and the same
   * plugins of Kysely: a plugin may change every name, and is known by its identity alone.
   * @param key the table or query with its type and columns, as the reader knows it
   * @returns null if the schema is not known
   */
  schemaOf(database: TenantSchema, key: string): string | null {
    const schema = schemaIn(database);
    if (schema === undefined) return null;
    const { db, profile, table } = database;
    const { structures } = this.kept;
    const plugins = db.getExecutor().plugins.map((plugin) => structures.ofDeclaration(plugin));
    // A dialect of the application may compile names in its own way.
    const names = [columnName("aColumn", db), table];
    const text = JSON.stringify([profile.name, plugins, schema]);
    const number = this.#schemas.getOrMake(text, () => structures.next());
    return `${String(number)}.${String(structures.ofText(JSON.stringify([names, key])))}`;
  }

  /** JavaScript callers may return anything. */
  #check(given: unknown): TenantDatabase {
    if (isODataError(given)) throw given;
    if (isPromiseLike(given)) {
      throw wrong("a promise", "Find the database of the user in `authenticate`, and open it without waiting.");
    }
    if (!isObject(given)) throw wrong(describe(given), "Return { id, db }.");
    const { id, db } = given;
    if (typeof id !== "string" || id === "") {
      throw wrong(`the \`id\` ${describe(id)}`, "Return the stable name of the tenant.");
    }
    if (!isKysely(db)) throw wrong(`no Kysely instance for "${id}"`, "Return { id, db: new Kysely({ dialect }) }.");
    if (db.isTransaction) throw wrong(`a transaction for "${id}"`, "Return the Kysely instance that began it.");
    this.#checkDialect(id, db);
    if (!this.#databases.has(db) && !namesTables(db)) {
      const what = `a Kysely instance for "${id}" whose plugins name tables in queries, but not in SQL fragments`;
      const fix =
        "`withSchema` is such a plugin: give each tenant a pool with its own `search_path`, or its own database.";
      throw wrong(what, fix);
    }
    const { adapter } = db.getExecutor();
    const other = this.#ids.get(adapter);
    if (other !== undefined && other !== id) {
      const fix =
        "Return the same `id` for a database each time. The results of `withPlugin` are the same database: make a Kysely instance with its own dialect for each tenant.";
      throw wrong(`one database for "${other}" and "${id}"`, fix);
    }
    this.#ids.set(adapter, id);
    this.#databases.add(db);
    return { id, db };
  }

  #checkDialect(id: string, db: AnyKysely): void {
    const profile = findDatabase(db);
    if (profile === null) throw wrong(`an unsupported database for "${id}"`, "Use SQLite, PostgreSQL or MariaDB.");
    this.#profile ??= profile;
    if (profile === this.#profile) return;
    const both = profile.name === this.#profile.name ? `${profile.name} with two dialects of Kysely` : profile.name;
    const before = profile.name === this.#profile.name ? "" : `, but ${this.#profile.name} before`;
    throw wrong(`${both} for "${id}"${before}`, "Give all databases of a function the same dialect.");
  }
}

function wrong(what: string, fix: string): TypeError {
  return new TypeError(`The function \`db\` of a set returned ${what}. ${fix}`);
}

/** Makes the error for a transaction over two databases. */
function severalTenants(name: string): Error {
  return protocolError(
    "NotImplemented",
    `The operations cannot be executed as one: ${name} is in the database of another tenant. Send them one by one.`,
  );
}
