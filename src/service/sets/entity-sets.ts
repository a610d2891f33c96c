import type { DeclaredEntitySet } from "../../definition/context.ts";
import { isDeclaration } from "../../definition/model/declaration-kind.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { databasesOf, type TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import { rowConditions, type RowConditions } from "../../definition/types/row-conditions.ts";
import type { BodyReaders } from "../../payload/body-readers.ts";
import { RunningWork } from "./commit-unit.ts";
import { WriteTurns } from "./write-turns.ts";

/** An entity set with the readers of its bodies. */
interface WritableSet {
  readonly set: EntitySetDefinition;
  readonly bodies: BodyReaders;
}

/** An entity set that a handler has opened. */
export interface ReachedSet extends WritableSet {
  readonly conditions: RowConditions;
}

/** The entity sets of a service by their declarations. */
export class EntitySets {
  readonly definition: ServiceDefinition;
  /** The work of `ctx.afterCommit` that is running. */
  readonly work: RunningWork = new RunningWork();
  /** The turns of writes that no database locks. */
  readonly turns: WriteTurns = new WriteTurns();
  readonly #sets: ReadonlyMap<DeclaredEntitySet | undefined, WritableSet>;
  readonly #reached = new Map<WritableSet, ReachedSet>();

  constructor(definition: ServiceDefinition, sets: readonly WritableSet[]) {
    this.definition = definition;
    this.#sets = new Map(sets.map((each) => [definition.declarationOf(each.set.entitySet.name), each]));
  }

  /**
   * Finds a set by its declaration.
   * @throws Error for a set that is not part of the service; TypeError for a value that is not a set
   */
  find(declaration: DeclaredEntitySet, caller: string): ReachedSet {
    const found = this.#sets.get(declaration);
    if (found === undefined) throw stranger(declaration, caller);
    let reached = this.#reached.get(found);
    if (reached === undefined) this.#reached.set(found, (reached = this.#reach(found)));
    return reached;
  }

  /**
   * Finds the database of a transaction.
   * @param over a set of the database; undefined for the only database of the service
   * @throws Error for a service without a database, or if several are possible
   */
  databaseOf(over: DeclaredEntitySet | undefined): TransactionalDatabase {
    if (over !== undefined) {
      const { database, entitySet } = this.find(over, "`over` of ctx.inTransaction").set;
      if (database !== undefined) return database;
      throw new Error(
        `ctx.inTransaction: the service does not know the database of ${entitySet.name}. Pass a set made with sqlEntitySet.`,
      );
    }
    const [database, ...others] = databasesOf(this.definition.entitySets.values());
    if (database === undefined) {
      throw new Error("ctx.inTransaction needs a database: no set of this service was made with sqlEntitySet.");
    }
    if (others.length === 0) return database;
    throw new Error(
      `The sets of this service are in ${String(1 + others.length)} databases. Pass a set of one database: ctx.inTransaction(work, { over: orders }).`,
    );
  }

  #reach({ set, bodies }: WritableSet): ReachedSet {
    const { entitySet } = set;
    return {
      set,
      bodies,
      conditions: rowConditions(entitySet, this.definition.model.entityContainer.entitySets, {
        isOne: false,
        any: "A filter",
        noun: "filter",
        this: `The filter of ctx.sets(${entitySet.name}).query`,
        instead: "Await other values before the query.",
        example: 'row.status.eq("open")',
      }),
    };
  }
}

function stranger(declaration: unknown, caller: string): Error {
  if (!isDeclaration(declaration, "EntitySetDeclaration")) {
    return new TypeError(`${caller} takes an entity set: pass the result of entitySet or sqlEntitySet.`);
  }
  return new Error(
    `${caller}: this service has no such set of ${declaration.entityType.name}. Add the set to \`entitySets\`, or pass the declaration that \`entitySets\` contains.`,
  );
}
