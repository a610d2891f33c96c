import type { EntitySetDeclaration } from "../../definition/sets/entity-set.ts";
import { hasMany, hasOptional, hasRequired } from "../../definition/sets/navigation.ts";
import type { NavigationDeclaration } from "../../definition/types/navigation-declaration.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ObjectName } from "../../introspect/database-schema.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { SqlOperation } from "../../kysely/sql-entity-set-options.ts";
import { sqlEntitySet } from "../../kysely/sql-entity-set.ts";
import type { DescribedNavigation, DescribedService, DescribedSet } from "../described-service.ts";
import { navigationField } from "../navigation-field.ts";
import { declareTypes } from "./declare-types.ts";
import { columnsOf, isPartial, keyedRowsQuery, linkColumnsOf, tableOf } from "./table-options.ts";

/** The settings of `declareEntitySets`. */
export interface DeclareOptions {
  /** The Kysely instance of the database. */
  readonly db: AnyKysely;
  /** The operations of each set; `["read"]` without it. Views and sets that exclude rows can only be read. */
  readonly operations?: ((set: DescribedSet) => readonly SqlOperation[]) | undefined;
  /** Further options of each set, such as `maxTop` and `search`. */
  readonly settings?: ((set: DescribedSet) => Readonly<Record<string, unknown>>) | undefined;
}

/**
 * Declares the entity sets of a described service, for `odataService`. Cells that a property cannot have are null.
 * @see docs/guides/existing-databases.md
 */
export function declareEntitySets(
  service: DescribedService,
  { db, operations = () => ["read"], settings = () => ({}) }: DeclareOptions,
): readonly EntitySetDeclaration[] {
  const chosen = new Map(
    service.sets.map((set) => [set, isReadOnly(set) ? (["read"] as const) : operations(set)] as const),
  );
  const types = declareTypes(service, (set) => (chosen.get(set) ?? []).some((operation) => operation !== "read"));
  // A link is a row of its own table, which may have more readers than writers.
  const isWritten = (table: ObjectName): boolean => {
    const set = service.sets.find(({ table: { schema, name } }) => schema === table.schema && name === table.name);
    const allowed = set === undefined ? [] : (chosen.get(set) ?? []);
    return allowed.includes("create") && allowed.includes("delete");
  };
  return service.sets.map((set) => {
    const declared = sqlEntitySet(types.entityType(set.typeName), {
      ...settings(set),
      name: set.setName,
      db,
      ...(isPartial(set)
        ? { from: keyedRowsQuery(set, service.kind) }
        : { table: tableOf(set.table, set.needsSchema) }),
      operations: chosen.get(set) ?? ["read"],
      columns: columnsOf(set),
      navigation: navigationsOf(set, service, (name) => types.entityType(name), isWritten),
      unreadable: "null",
    });
    return declared;
  });
}

function isReadOnly(set: DescribedSet): boolean {
  return set.kind !== "table" || isPartial(set);
}

const BUILDERS = { many: hasMany, optional: hasOptional, required: hasRequired } as const;

function navigationsOf(
  { navigations }: DescribedSet,
  service: DescribedService,
  typeOf: (name: string) => EntityTypeDeclaration,
  isWritten: (table: ObjectName) => boolean,
): Readonly<Record<string, NavigationDeclaration>> {
  return Object.fromEntries(
    navigations.map((navigation) => [
      navigationField(navigation),
      navigationOf(navigation, service, typeOf, isWritten),
    ]),
  );
}

function navigationOf(
  navigation: DescribedNavigation,
  { sets }: DescribedService,
  typeOf: (name: string) => EntityTypeDeclaration,
  isWritten: (table: ObjectName) => boolean,
): NavigationDeclaration {
  const { cardinality, target, targetSet, on, through, description } = navigation;
  const partner = sets
    .find(({ typeName }) => typeName === target)
    ?.navigations.find(({ field }) => field === navigation.partner);
  const how =
    through === null
      ? { on: Object.fromEntries(on) }
      : {
          through: {
            table: tableOf(through.table, through.needsSchema),
            from: Object.fromEntries(through.from),
            to: Object.fromEntries(through.to),
            ...linkColumnsOf(through.columns),
          },
          ...(isWritten(through.table) ? {} : { addRef: undefined, removeRef: undefined }),
        };
  const back = partner === undefined ? {} : { partner: navigationField(partner) };
  const declared = BUILDERS[cardinality](() => typeOf(target), { ...how, target: targetSet, ...back });
  return description === null ? declared : declared.describe(description);
}
