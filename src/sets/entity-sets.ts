import { keeper } from "../base/memo.ts";
import { rowConditions, type RowConditions } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { DeclaredEntitySet } from "../definition/sets/entity-set-access.ts";
import type { TransactionalDatabase } from "../definition/sets/transactional-database.ts";
import type { EntitySet } from "../edm/model.ts";
import type { BodyReaders } from "../payload/body-readers.ts";

/** An entity set as handlers reach it. */
export interface ReachedSet {
  readonly set: EntitySetDefinition;
  readonly bodies: BodyReaders;
  readonly conditions: RowConditions;
}

/** The entity sets of a service as handlers reach them: by their declarations. */
export class EntitySets {
  readonly definition: ServiceDefinition;
  readonly #bodiesOf: (entitySet: EntitySet) => BodyReaders | undefined;
  readonly #names: ReadonlyMap<DeclaredEntitySet | undefined, string>;
  readonly #reached = new Map<string, ReachedSet>();

  /** @param bodiesOf gives the readers of the bodies of a set */
  constructor(definition: ServiceDefinition, bodiesOf: (entitySet: EntitySet) => BodyReaders | undefined) {
    this.definition = definition;
    this.#bodiesOf = bodiesOf;
    this.#names = new Map(Array.from(definition.entitySets.keys(), (name) => [definition.declarationOf(name), name]));
  }

  /**
   * Finds a set by its declaration.
   * @throws Error for a set that is not part of the service; TypeError for what is no set
   */
  find(declaration: DeclaredEntitySet, caller: string): ReachedSet {
    const name = this.#names.get(declaration);
    if (name === undefined) throw this.#stranger(declaration, caller);
    let reached = this.#reached.get(name);
    if (reached === undefined) this.#reached.set(name, (reached = this.#reach(name)));
    return reached;
  }

  /**
   * Finds the database of a transaction.
   * @param over a set of it; undefined: the only database of the service
   * @throws Error where there is none, or more than one
   */
  databaseOf(over: DeclaredEntitySet | undefined): TransactionalDatabase {
    if (over !== undefined) {
      const { database, entitySet } = this.find(over, "`over` of ctx.inTransaction").set;
      if (database !== undefined) return database;
      throw new Error(`ctx.inTransaction: ${entitySet.name} is in no database that the service knows of.`);
    }
    const byInstance = new Map<object, TransactionalDatabase>();
    for (const { database } of this.definition.entitySets.values()) {
      if (database !== undefined) byInstance.set(database.instance, database);
    }
    const [database, ...others] = byInstance.values();
    if (database === undefined) {
      throw new Error("ctx.inTransaction needs a database: no set of this service was made by sqlEntitySet.");
    }
    if (others.length === 0) return database;
    throw new Error(
      `The sets of this service are in ${String(byInstance.size)} databases: name one by a set of it, ctx.inTransaction(work, { over: orders }).`,
    );
  }

  #reach(name: string): ReachedSet {
    const { definition } = this;
    const set = definition.entitySets.get(name);
    const bodies = set === undefined ? undefined : this.#bodiesOf(set.entitySet);
    if (set === undefined || bodies === undefined) throw new Error(`The entity set ${name} has no definition.`);
    const { entitySet } = set;
    return keeper<ReachedSet>({
      set,
      bodies,
      conditions: rowConditions(entitySet, definition.model.entityContainer.entitySets, {
        any: "A filter",
        noun: "filter",
        this: `The filter of ctx.sets(${name}).query`,
        instead: "Wait for what it needs before the query.",
        example: 'row.status.eq("open")',
      }),
    });
  }

  #stranger(declaration: unknown, caller: string): Error {
    if (typeof declaration !== "object" || declaration === null || !("entityType" in declaration)) {
      return new TypeError(`${caller} takes an entity set as declared: give what entitySet or sqlEntitySet returned.`);
    }
    const { entityType } = declaration as DeclaredEntitySet;
    return new Error(
      `${caller}: the set of ${entityType.name} that was given is not one of this service: add it to \`entitySets\`, or give the declaration that is there.`,
    );
  }
}
