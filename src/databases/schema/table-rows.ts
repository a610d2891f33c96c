import { once } from "../../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StoredDatabase, StoredHandler, StoredRows } from "../../definition/model/stored-database.ts";
import { ownProperties, relatedProperties } from "../../edm/key-holder.ts";
import type { NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import type { TableName } from "../../edm/table-name.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import { type PlansByField, expressionsOf } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { StoredTypeTable } from "../forms/dialect-session.ts";
import type { ExpectedReference } from "../introspect/expected-table.ts";
import type { Placement } from "../placement/placement.ts";

/** The table of the handlers of an entity set, for the schema check. */
export class TableRows implements StoredRows {
  readonly database: StoredDatabase;
  /** As the declaration names it. */
  readonly table: TableName;
  /** The property that counts the writes of a row. */
  readonly rowVersion: string | undefined;
  /** Whether cells that cannot be read are null in responses. */
  readonly forgives: boolean;
  /** Leaves ignored properties and members without a column out of statements, by their paths. */
  readonly omit: (paths: Iterable<string>) => void;
  readonly placement: () => Placement;
  readonly #plan: () => PlansByField;

  constructor(
    database: StoredDatabase,
    given: Pick<TableRows, "table" | "rowVersion" | "forgives" | "omit" | "placement">,
    plan: () => PlansByField,
  ) {
    this.database = database;
    this.table = given.table;
    this.rowVersion = given.rowVersion;
    this.forgives = given.forgives;
    this.omit = given.omit;
    this.placement = given.placement;
    this.#plan = plan;
  }

  /** Returns the same rows for one check, which needs the plans often. Services need them rarely, so they keep none. */
  forCheck(): TableRows {
    return new TableRows(this.database, this, once(this.#plan));
  }

  /** The columns of the properties, including ignored ones. Each access makes them. */
  get plans(): PlansByField {
    return this.#plan();
  }
}

/** Records on a handler which rows it reads or writes. */
export function noteRows(handler: object, stored: StoredRows): void {
  Object.assign(handler, { stored } satisfies StoredHandler);
}

/** Returns the column of a property with a single column. */
export function plainColumn(
  { plans }: TableRows,
  field: string,
  { db }: { readonly db: AnyKysely },
): readonly string[] {
  const plan = plans.get(field);
  return plan?.kind === "scalar" ? [columnName(plan.column, db)] : [];
}

/** A set over a table, for the schema check. */
export interface CheckedSet {
  readonly set: EntitySetDefinition;
  readonly rows: TableRows;
}

/** The declarations that the tables of a database are compared with. */
export interface CheckScope {
  readonly db: AnyKysely;
  readonly storedTypes: StoredTypeTable;
  readonly service: ServiceDefinition;
  readonly sets: readonly CheckedSet[];
}

/** Returns the navigations along columns to tables of other sets. */
export function referencesOf(
  { set, rows }: CheckedSet,
  byName: ReadonlyMap<string, CheckedSet>,
  scope: CheckScope,
): readonly ExpectedReference[] {
  const { navigationPropertyBindings: bindings } = set.entitySet;
  return joinsOf(set.entitySet).flatMap(({ name, field, join }): readonly ExpectedReference[] => {
    const target = byName.get(bindings.get(name) ?? "");
    if (join.kind === "link" || target === undefined) return [];
    const columns = plainColumns(rows, ownProperties(join), scope);
    const targetColumns = plainColumns(target.rows, relatedProperties(join), scope);
    if (columns.length === 0 || targetColumns.length !== columns.length) return [];
    return [{ navigation: field, columns, target: wantedTable(target.rows.table, scope.db), targetColumns }];
  });
}

/** Returns the columns of some properties; none if one of them is an expression, which no index contains. */
export function plainColumns(
  rows: TableRows,
  properties: readonly StructuralProperty[],
  scope: CheckScope,
): readonly string[] {
  const plans = properties.flatMap(({ field }) => rows.plans.get(field) ?? []);
  if (expressionsOf(plans).size > 0) return [];
  return properties.flatMap(({ field }) => plainColumn(rows, field, scope));
}

/** Returns the navigations of a set that have a join. */
export function joinsOf({ navigationProperties, navigationJoins }: EntitySetDefinition["entitySet"]): ReadonlyArray<{
  readonly name: string;
  readonly field: string;
  readonly join: NavigationJoin;
}> {
  return [...navigationProperties.values()].flatMap(({ name, field }) => {
    const join = navigationJoins.get(name);
    return join === undefined ? [] : [{ name, field, join }];
  });
}

/** The properties by which navigations of any set find the entities of a set, by its name. */
export type JoinEnds = ReadonlyMap<string, readonly JoinEnd[]>;

/** The properties by which a navigation finds the entities of a set. */
export interface JoinEnd {
  readonly navigation: string;
  readonly properties: readonly StructuralProperty[];
  /** Whether the values are to find one entity, as both ends of `through` do. */
  readonly isOne: boolean;
}

/** Returns the ends of all joins of a service. */
export function joinEnds({ entitySets }: ServiceDefinition): JoinEnds {
  const ends = new Map<string, JoinEnd[]>();
  for (const { entitySet } of entitySets.values()) {
    for (const { name, field, join } of joinsOf(entitySet)) {
      const navigation = `${entitySet.name}.${field}`;
      const target = entitySet.navigationPropertyBindings.get(name);
      const isSingle = entitySet.navigationProperties.get(name)?.isCollection === false;
      for (const [set, properties, isFound] of [
        [entitySet.name, ownProperties(join), false],
        [target, relatedProperties(join), isSingle],
      ] as const) {
        const end = { navigation, properties, isOne: isFound || join.kind === "link" };
        if (set !== undefined) ends.set(set, [...(ends.get(set) ?? []), end]);
      }
    }
  }
  return ends;
}
