import { isPromiseLike } from "../../base/maybe.ts";
import { BoundedCache, keptPerForeign } from "../../base/memo.ts";
import { CATALOGUE_FACTS } from "../../connection/statement-facts.ts";
import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import { type RuleContext, ruleContextOf } from "../../definition/context.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import { isODataError, protocolError } from "../../errors/odata-error.ts";
import { columnName } from "../columns/column-name.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";
import { type Connected, type FunctionNumbers, isKysely } from "./connected.ts";
import { findDialectProfile } from "./find-dialect-profile.ts";
import { KeptStatements, UNCHANGED } from "./kept-statements.ts";
import type { ReadRows } from "./traced-read.ts";

/** The database of a tenant: the result of the function `db` of `sqlEntitySet` and `sqlSource`. */
export interface TenantDatabase {
  /** The stable name of the database. Next links are valid for it alone. */
  readonly id: string;
  /** The open database. All databases of a function have the same dialect. */
  readonly db: AnyKysely;
}

/**
 * Finds the database of a request. It may throw `odataError`.
 * @see docs/guides/tenants.md
 */
export type FindTenant = (context: RuleContext) => TenantDatabase;

/** A result, and the user whom it was found for. */
interface Found {
  readonly user: unknown;
  readonly tenant: TenantDatabase;
}

/** The most schemas with shared statements: databases that were made in different ways, or are not migrated yet. */
const SCHEMAS_KEPT = 20;
/** The maximum number of base queries per type and schema with shared statements. */
const QUERIES_KEPT = 200;

/** By base query and columns. */
type SharedStatements = WeakMap<EntityTypeDeclaration, BoundedCache<string, KeptStatements>>;

/** A database, as far as its schema is read. */
interface TenantSchema extends Pick<Connected, "rows" | "layout" | "profile"> {
  readonly db: AnyKysely;
}

/** Everything in a SQLite database that a statement may depend on. */
const SQLITE_SCHEMA: ReadRows = {
  sql: "select type, name, tbl_name, sql from sqlite_schema order by 1, 2",
  width: 4,
  isInternal: true,
  facts: CATALOGUE_FACTS,
};

/**
 * Returns a text that is equal for databases whose statements are equal: of a SQLite database in this process its schema, of
 * others the catalogue that the schema check has read. Undefined before that check, and without it.
 */
function schemaOf({ db, rows, layout: { text }, profile }: TenantSchema): string | undefined {
  // Plugins of Kysely may map names.
  const names = columnName("aColumn", db);
  if (rows.local === null) {
    return text === undefined ? undefined : JSON.stringify([profile.name, names, text]);
  }
  const found = rows.all(SQLITE_SCHEMA, []);
  return isPromiseLike(found) ? undefined : JSON.stringify([profile.name, names, found]);
}

/** The databases that one function of the application finds. */
export class Tenants {
  readonly #find: FindTenant;
  /** By request: all sets with the function read the same database. */
  readonly #found = new WeakMap<object, Found>();
  /** By the adapter that everything made of one instance shares, transactions included. */
  readonly #ids = new WeakMap<object, string>();
  #profile: DialectProfile | null = null;
  /** Numbers the conversion functions of all databases. */
  readonly functions: FunctionNumbers = { known: new WeakMap(), count: 0 };
  /** By schema. */
  readonly #shared = new BoundedCache<string, SharedStatements>(SCHEMAS_KEPT);
  readonly #schemas = new WeakMap<AnyKysely, string>();

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
   * Returns the statements of a table or base query for all databases with the same schema.
   * @param key the table or query with its columns, as the reader knows it
   * @returns undefined if the schema is not known
   */
  statementsOf(database: TenantSchema, type: EntityTypeDeclaration, key: string): KeptStatements | undefined {
    const schema = this.#schemas.get(database.db) ?? schemaOf(database);
    if (schema === undefined) return undefined;
    this.#schemas.set(database.db, schema);
    const shared = this.#shared.getOrMake(schema, () => new WeakMap());
    const ofType = shared.get(type) ?? new BoundedCache<string, KeptStatements>(QUERIES_KEPT);
    shared.set(type, ofType);
    return ofType.getOrMake(key, () => new KeptStatements(UNCHANGED));
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
    const { adapter } = db.getExecutor();
    const other = this.#ids.get(adapter);
    if (other !== undefined && other !== id) {
      throw wrong(`one database for "${other}" and "${id}"`, "Return the same `id` for a database each time.");
    }
    this.#ids.set(adapter, id);
    return { id, db };
  }

  #checkDialect(id: string, db: AnyKysely): void {
    const profile = findDialectProfile(db);
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
