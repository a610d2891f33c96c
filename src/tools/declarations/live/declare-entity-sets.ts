import { required } from "../../../base/required.ts";
import type { ColumnOptions } from "../../../databases/columns/column-option.ts";
import type { StorageForm } from "../../../databases/columns/storage-option.ts";
import type { AnyKysely } from "../../../databases/connection/synchronous-reader.ts";
import type { ObjectName, DatabaseKind } from "../../../databases/introspect/database-schema.ts";
import { quoteName } from "../../../databases/introspect/quote-name.ts";
import { catalogueOf } from "../../../databases/kinds/catalogues.ts";
import type { SqlOperation } from "../../../databases/kysely/sql-entity-set-options.ts";
import { sqlEntitySet } from "../../../databases/kysely/sql-entity-set.ts";
import { toWireName } from "../../../definition/names.ts";
import type { EntitySetDeclaration } from "../../../definition/sets/entity-set.ts";
import { hasMany, hasOptional, hasRequired } from "../../../definition/sets/navigation.ts";
import { edm, type Property } from "../../../definition/types/edm-builders.ts";
import { entityType, enumType } from "../../../definition/types/entity-type.ts";
import type { NavigationDeclaration } from "../../../definition/types/navigation-declaration.ts";
import type {
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyTrait,
  Shape,
} from "../../../definition/types/value-type.ts";
import type { TableName } from "../../../edm/table-name.ts";
import {
  type DescribedDistribution,
  type DescribedNavigation,
  type DescribedService,
  type DescribedSet,
  type DescribedProperty,
  navigationField,
} from "../described-service.ts";

/** The settings of `declareEntitySets`. */
export interface DeclareOptions {
  /** The Kysely instance of the database. */
  readonly db: AnyKysely;
  /** The operations of each set; `["read"]` without it. Views and sets that exclude rows can only be read. */
  readonly operations?: ((set: DescribedSet) => readonly SqlOperation[]) | undefined;
  /** Further options of each set, such as `maxTop` and `search`. Without `etag`, it is `"all"`. */
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
  // A link is a row of the link table, which may have more readers than writers.
  const isWritten = (table: ObjectName): boolean => {
    const set = service.sets.find(({ table: { schema, name } }) => schema === table.schema && name === table.name);
    const allowed = set === undefined ? [] : (chosen.get(set) ?? []);
    return allowed.includes("create") && allowed.includes("delete");
  };
  return service.sets.map((set) => {
    const declared = sqlEntitySet(types.entityType(set.typeName), {
      // No catalogue says that a column counts the changes of a row.
      etag: "all",
      ...settings(set),
      name: set.setName,
      db,
      ...(isPartial(set)
        ? { from: keyedRowsQuery(set, service.kind) }
        : { table: tableOf(set.table, set.needsSchema) }),
      ...distributedOf(set.distributed, set),
      operations: chosen.get(set) ?? ["read"],
      columns: columnsOf(set),
      navigation: navigationsOf(set, service, (name) => types.entityType(name), isWritten),
      unreadable: "null",
    });
    return declared;
  });
}

/** Whether a set can only be read. */
export function isReadOnly(set: DescribedSet): boolean {
  return set.kind !== "table" || isPartial(set) || set.isUnwritable === true;
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
            ...distributedOf(through.distributed),
          },
          ...(isWritten(through.table) ? {} : { addRef: undefined, removeRef: undefined }),
        };
  const back = partner === undefined ? {} : { partner: navigationField(partner) };
  const declared = BUILDERS[cardinality](() => typeOf(target), { ...how, target: targetSet, ...back });
  return description === null ? declared : declared.describe(description);
}

/** A property whose values the compiler does not know. */
type LooseProperty = Property<unknown, unknown, PropertyTrait>;

/** The declared types of a service. */
interface DeclaredTypes {
  /** @throws Error for an unknown name */
  readonly entityType: (name: string) => EntityTypeDeclaration;
}

/** Declares the types of a service. @param isWritten returns whether requests can write a set */
function declareTypes(service: DescribedService, isWritten: (set: DescribedSet) => boolean): DeclaredTypes {
  const enumTypes = new Map(
    service.enumTypes.map(({ name, members, description }) => {
      const declared = enumType(name, Object.fromEntries(members.map((member) => [member.name, member.value])));
      return [name, description === null ? declared : declared.describe(description)];
    }),
  );
  const entityTypes = new Map(
    service.sets.map((set): readonly [string, EntityTypeDeclaration] => {
      const written = isWritten(set);
      const properties = set.properties.map((property): readonly [string, LooseProperty] => [
        property.field,
        declareProperty(property, written, enumTypes),
      ]);
      const shape: Shape = Object.fromEntries(properties);
      const declared: EntityTypeDeclaration = entityType(set.typeName, shape);
      return [set.typeName, set.description === null ? declared : declared.describe(set.description)];
    }),
  );
  return {
    entityType: (name) => required(entityTypes.get(name), `Entity type ${name} is missing.`),
  };
}

function declareProperty(
  described: DescribedProperty,
  isWritten: boolean,
  enumTypes: ReadonlyMap<string, EnumTypeDeclaration>,
): LooseProperty {
  const { name, field, type, isKey, nullable, databaseDefault, defaultValue, description, isCollection } = described;
  const item = itemOf(described, enumTypes);
  let property = isCollection ? (edm.collection(item.nullable()) as LooseProperty) : item;
  if (isKey) property = property.key();
  if (nullable && !isCollection) property = property.nullable();
  if (described.computed || (isWritten && described.isReadOnly)) property = property.computed();
  if (databaseDefault) property = property.databaseDefault();
  if (defaultValue !== undefined) {
    property = property.default(type === "Edm.Int64" ? BigInt(defaultValue) : defaultValue);
  }
  if (toWireName(field, "PascalCase") !== name) property = property.json(name);
  return description === null ? property : property.describe(description);
}

function itemOf(
  { type, facets }: DescribedProperty,
  enumTypes: ReadonlyMap<string, EnumTypeDeclaration>,
): LooseProperty {
  if (typeof type === "object") {
    return edm.enum(required(enumTypes.get(type.enumType), `Enumeration type ${type.enumType} is missing.`));
  }
  // All builders take facets, and ignore those of other types.
  const builder = type.slice("Edm.".length).replace(/^./, (letter) => letter.toLowerCase()) as "string";
  return edm[builder](facets);
}

/** Returns the option `table`: an object, because names may contain dots. */
function tableOf({ schema, name }: ObjectName, needsSchema: boolean): TableName {
  return needsSchema ? { schema, name } : { name };
}

/** Returns the option `distributed`. @param set absent for a link table */
function distributedOf(
  distributed: DescribedDistribution | undefined,
  set?: DescribedSet,
): { readonly distributed?: true | "reference" | { readonly by: string; readonly with?: TableName } } {
  if (distributed === undefined) return {};
  if (typeof distributed !== "object") return { distributed };
  const { by } = distributed;
  const partner = partnerOf(distributed, set);
  return { distributed: partner === null ? { by } : { by, with: tableOf(partner, partner.needsSchema) } };
}

/** Returns the table whose rows are on the same machines; for a query that of its rows. */
export function partnerOf(
  { partner }: Exclude<DescribedDistribution, true | "reference">,
  set: DescribedSet | undefined,
): (ObjectName & { readonly needsSchema: boolean }) | null {
  if (partner !== null || set === undefined || !isPartial(set)) return partner;
  return { ...set.table, needsSchema: set.needsSchema };
}

/** Returns the option `columns`. */
function columnsOf({ properties }: DescribedSet): ColumnOptions {
  return Object.fromEntries(
    properties.map(({ field, column, sql, storage }) => [
      field,
      { ...(sql === null ? { name: column } : { sql }), ...(storage === null ? {} : { storage }) },
    ]),
  );
}

/** Returns the option `columns` of a link table; nothing if all columns have the default storage. */
function linkColumnsOf(columns: Readonly<Record<string, StorageForm>>): {
  readonly columns?: Readonly<Record<string, { readonly storage: string | object }>>;
} {
  const entries = Object.entries(columns);
  if (entries.length === 0) return {};
  return { columns: Object.fromEntries(entries.map(([name, storage]) => [name, { storage }])) };
}

/**
 * Returns whether some rows of a set have no key, or rows of a table may share one later, so that its rows come from a query
 * and can only be read.
 */
export function isPartial({ kind, isKeyGuaranteed, excludesNulls, excludes }: DescribedSet): boolean {
  return excludesNulls.length > 0 || excludes.length > 0 || (kind === "table" && !isKeyGuaranteed);
}

/** Returns a query of the rows that have a key. */
export function keyedRowsQuery(
  set: DescribedSet,
  kind: DatabaseKind,
): { readonly sql: string; readonly parameters: readonly [] } {
  const { excludesNulls, excludes, properties } = set;
  const columns = properties.filter(({ field }) => excludesNulls.includes(field));
  const conditions = [
    ...columns.map(({ column }) => `${quoteName(column, catalogueOf(kind))} is not null`),
    ...excludes,
  ];
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return { sql: `select * from ${quotedTable(set, kind)}${where}`, parameters: [] };
}

/** Returns the name of a table in SQL. */
export function quotedTable({ table, needsSchema }: DescribedSet, kind: DatabaseKind): string {
  const name = quoteName(table.name, catalogueOf(kind));
  return needsSchema ? `${quoteName(table.schema, catalogueOf(kind))}.${name}` : name;
}
