import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { EntityType, EnumType, LinkColumn, LinkJoin, StructuralProperty } from "../../edm/model.ts";
import { linkStorage } from "../columns/check-link-storage.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import { storageKey, storageName, type StorageForm } from "../columns/storage-option.ts";
import {
  everyMember,
  holdsAnyCaseGuids,
  type ColumnPlan,
  type PlansByField,
  type ScalarPlan,
} from "../columns/table-columns.ts";
import type { StoredTypeRow, StoredTypeTable } from "../forms/dialect-session.ts";
import type {
  ColumnSource,
  ExpectedColumn,
  ExpectedExpression,
  ExpectedLabels,
  ExpectedLookup,
  ExpectedPlacement,
  ExpectedTable,
  StoredTypes,
} from "../introspect/expected-table.ts";
import { adviseKey } from "../placement/advise-key.ts";
import { accessOf, isCreated, limitsOf, NOTHING, resourceRulesReadIgnored, sourceOf } from "./column-use.ts";
import { readByRowRules, type RowRulesRead } from "./compared-properties.ts";
import {
  type CheckedSet,
  type CheckScope,
  type JoinEnd,
  type JoinEnds,
  joinEnds,
  joinsOf,
  plainColumn,
  plainColumns,
  referencesOf,
} from "./table-rows.ts";

/** Returns the tables that the declarations of a service describe: the tables of its sets, and their link tables. */
export function expectedTables(scope: CheckScope): readonly ExpectedTable[] {
  const uses = { ends: joinEnds(scope.service), isJudged: readByRowRules(scope.service) };
  const byName = new Map(scope.sets.map((checked) => [checked.set.entitySet.name, checked]));
  const tables = scope.sets.map((checked) => ({
    ...setTable(checked, uses, scope),
    references: referencesOf(checked, byName, scope),
  }));
  const links = scope.sets.flatMap((checked) => linkTables(checked, scope));
  // Two opposite navigations name the same link table.
  const distinct = new Map(links.map((table) => [JSON.stringify([table.text, table.key.toSorted()]), table]));
  return [...tables, ...distinct.values()];
}

/** The navigations and row rules that read the properties of a service. */
interface PropertyUses {
  readonly ends: JoinEnds;
  readonly isJudged: RowRulesRead;
}

function setTable(checked: CheckedSet, { ends, isJudged }: PropertyUses, scope: CheckScope): ExpectedTable {
  const { set, rows } = checked;
  const { entityType, name } = set.entitySet;
  const lookups = (ends.get(name) ?? []).flatMap(({ navigation, properties }): readonly ExpectedLookup[] => {
    const columns = plainColumns(rows, properties, scope);
    return columns.length === 0 ? [] : [{ navigation, columns }];
  });
  const joined = new Set(lookups.flatMap(({ columns }) => columns));
  const ignored = new Map(entityType.ignoredProperties.map((property) => [property.field, property]));
  const isOptional = !resourceRulesReadIgnored(set);
  const fields = new Map(entityType.properties.map((property) => [property.field, property]));
  const columns = Array.from(rows.plans, ([field, plan]) => {
    const hidden = ignored.get(field);
    const property = fields.get(field) ?? (hidden?.serverSet === true ? hidden : undefined);
    const source = sourceOf(set, property, rows.rowVersion);
    const access = accessOf(set, fields.get(field));
    const use = { scope, owner: property, access, isWritten: isWritten(set), source, isOptional };
    if (hidden === undefined || hidden.serverSet === true) return columnsOf(plan, field, use);
    const isUnread = isOptional && !isJudged(set, hidden);
    return columnsOf(plan, field, use).map((column) =>
      // Nothing but the application writes an ignored property that no navigation joins by and `set` does not name.
      joined.has(column.name) ? column : { ...column, source: "nobody" as const, isOptional: isUnread },
    );
  });
  const placement = rows.placement();
  const placedBy = placement.decidedBy;
  const isInKey = entityType.key.some(({ field }) => field === placedBy);
  const beyondKey = entityType.ignoredProperties.filter(({ field }) => field === placedBy);
  const ruledColumns = set.rows === null ? [] : plainColumns(rows, beyondKey, scope);
  const unpaired = set.rows === null || beyondKey.length === 0 ? [] : unpairedOf(entityType, beyondKey, ends.get(name));
  return {
    ...wantedTable(rows.table, scope.db),
    set: name,
    declaredBy: "table",
    columns: columns.flat(),
    expressions: Array.from(rows.plans, ([field, plan]) => expressionsAt(field, plan)).flat(),
    key: plainColumns(rows, entityType.key, scope),
    keySeverity: "error",
    placement: placement.inCatalogue((field) => plainColumn(rows, field, scope)[0]),
    ruledColumns,
    unpaired,
    adviseKey:
      isInKey || placedBy === undefined
        ? undefined
        : (statement) => adviseKey({ field: placedBy, ruledColumns, unpaired }, statement),
    isCreated: isCreated(set),
    forgives: rows.forgives,
    lookups,
    description: entityType.description,
  };
}

/**
 * Returns the navigations that find rows by a key without the property that decides on their machine: they lead to rows of other
 * users with the same key.
 */
function unpairedOf(
  { key }: EntityType,
  beyondKey: readonly StructuralProperty[],
  ends: readonly JoinEnd[] = [],
): readonly string[] {
  const unpaired = ends.filter(({ properties, isOne }) => {
    const has = ({ field }: StructuralProperty): boolean => properties.some((each) => each.field === field);
    return (isOne || key.every(has)) && !beyondKey.every(has);
  });
  return [...new Set(unpaired.map(({ navigation }) => navigation))];
}

function expressionsAt(field: string, plan: ColumnPlan): readonly ExpectedExpression[] {
  if (plan.kind === "complex") {
    return Array.from(everyMember(plan), ([member, each]) => expressionsAt(`${field}.${member}`, each)).flat();
  }
  return plan.expression === undefined ? [] : [{ property: field, sql: plan.expression }];
}

function linkTables(checked: CheckedSet, scope: CheckScope): readonly ExpectedTable[] {
  const { entitySet } = checked.set;
  return joinsOf(entitySet).flatMap(({ name, field, join }): readonly ExpectedTable[] => {
    const targetName = entitySet.navigationPropertyBindings.get(name);
    const target = scope.sets.find(({ set }) => set.entitySet.name === targetName);
    // Handlers of the application read related entities that are not in this database.
    if (join.kind !== "link" || target === undefined) return [];
    return [linkTable({ checked, target }, field, join, scope)];
  });
}

interface LinkedSets {
  readonly checked: CheckedSet;
  readonly target: CheckedSet;
}

function linkTable(
  { checked, target }: LinkedSets,
  navigation: string,
  join: LinkJoin,
  scope: CheckScope,
): ExpectedTable {
  const { table, from, to } = join;
  const set = checked.set.entitySet.name;
  const columns = [
    ...from.map((column) => ({ ...column, storage: storageOfLink(checked, column) })),
    ...to.map((column) => ({ ...column, storage: storageOfLink(target, column) })),
  ];
  const navigationName = `${set}.${navigation}`;
  const lookup = (side: readonly LinkColumn[]): ExpectedLookup => ({
    navigation: navigationName,
    columns: side.map(({ column }) => columnName(column, scope.db)),
  });
  return {
    ...wantedTable(table, scope.db),
    set,
    declaredBy: navigation,
    // A link with a NULL value relates nothing.
    columns: columns.map(({ property, column, storage }) => ({
      ...expectedColumn(property, storage, { scope, access: NOTHING, isWritten: false, source: "nobody" }),
      name: columnName(column, scope.db),
      property: navigation,
      nullable: true,
    })),
    key: columns.map(({ column }) => columnName(column, scope.db)),
    keySeverity: "warning",
    placement: linkPlacement(checked, join, scope),
    isCreated: false,
    lookups: [lookup(from), lookup(to)],
  };
}

function linkPlacement({ rows }: CheckedSet, join: LinkJoin, { db }: CheckScope): ExpectedPlacement | null {
  const placed = rows.placement().linksInCatalogue(join);
  return placed?.kind === "column" ? { ...placed, column: columnName(placed.column, db) } : placed;
}

/** Returns the storage of a column of a link table: Guids in any letter case if the column of the property stores them so. */
export function storageOfLink({ rows }: CheckedSet, column: LinkColumn): StorageForm | undefined {
  const { property } = column;
  const stated = linkStorage(column);
  if (stated !== undefined) return stated;
  return holdsAnyCaseGuids(rows.plans.get(property.field)) ? "text" : undefined;
}

interface ColumnScope {
  readonly scope: CheckScope;
  /** The property of the entity; undefined for a column of links. */
  readonly owner?: StructuralProperty | undefined;
  readonly access: ExpectedColumn["access"];
  readonly isWritten: boolean;
  readonly source: ColumnSource;
  /** Whether only `ctx.sets` reads ignored members; absent: rules do. */
  readonly isOptional?: boolean;
}

function columnsOf(plan: ColumnPlan, path: string, use: ColumnScope): readonly ExpectedColumn[] {
  if (plan.kind === "complex") {
    const below = (members: PlansByField, each: ColumnScope): readonly ExpectedColumn[] =>
      Array.from(members, ([field, member]) => columnsOf(member, `${path}.${field}`, each)).flat();
    const { isOptional } = use;
    // Nothing but the application writes ignored members.
    const unused: ColumnScope = { ...use, access: NOTHING, isWritten: false, source: "nobody" };
    return [...below(plan.members, use), ...below(plan.ignored, unused).map((column) => ({ ...column, isOptional }))];
  }
  if (plan.expression !== undefined) return [];
  const { property, column, nullable } = plan;
  return [
    {
      ...expectedColumn(property, storageOf(plan), use),
      ...(plan.kind === "array" ? { storedTypes: arrayTypes(plan.item, use.scope.storedTypes) } : {}),
      ...(plan.kind === "scalar" ? { findsCell: (cell) => findsCell(plan, cell) } : {}),
      name: columnName(column, use.scope.db),
      property: path,
      // A conversion may return null.
      nullable: nullable || plan.kind === "converted",
    },
  ];
}

/** Whether filters for the value of a cell find this cell. */
function findsCell({ format }: ScalarPlan, cell: unknown): boolean {
  try {
    return format.form.floor(format.toValue(cell)) === cell;
  } catch {
    return false;
  }
}

/** Returns the storage of a column; undefined for the default of its type. */
export function storageOf(
  plan: Exclude<ColumnPlan, { readonly kind: "complex" }>,
): StorageForm | "convert" | undefined {
  switch (plan.kind) {
    case "scalar":
      return plan.storage;
    case "document":
      return "json";
    case "array":
      return "array";
    case "converted":
      return "convert";
  }
}

/** Items of an array are stored like single values in a column. Warnings of such columns do not apply to arrays. */
function arrayTypes(item: StructuralProperty, table: StoredTypeTable): StoredTypes | undefined {
  const row = table[storageKey(item, undefined)];
  if (row === undefined) return undefined;
  const warned = Object.entries(row.instead ?? {}).filter(([, { severity }]) => severity === "warning");
  return { types: [...row.types, ...warned.map(([type]) => type)].map((type) => `${type}[]`) };
}

function expectedColumn(
  property: StructuralProperty,
  storage: StorageForm | "convert" | undefined,
  { scope: { storedTypes }, owner, access, isWritten: writes, source }: ColumnScope,
): Omit<ExpectedColumn, "name" | "property" | "nullable"> {
  const row: StoredTypeRow | undefined = storage === "convert" ? undefined : storedTypes[storageKey(property, storage)];
  const { type, isCollection } = property;
  const named = isCollection ? `a collection of ${type.name}` : type.name;
  const served = row?.served ?? ["filter", "sort"];
  const isPlain = storage === undefined || storage === "convert" || isCollection;
  const isOfDatabase = property.computed && owner?.serverSet !== true;
  return {
    declaredType: isPlain ? named : `${named} with the storage ${storageName(storage)}`,
    storedTypes: row,
    limits: limitsOf(property, storage),
    source: isOfDatabase && (source === "create" || source === "write") ? "database" : source,
    databaseDefault: owner?.databaseDefault === true,
    hasDefault: owner !== undefined && (owner.isCollection || owner.defaultValue !== undefined),
    labels: labelsOf(property, storage, writes),
    findsCell: () => true,
    description: property.description,
    access: row === undefined ? NOTHING : new Set(served.filter((each) => access.has(each))),
    indexCollation: row?.indexCollation,
  };
}

/** Returns the labels that the database must know: those of mapped cells even for read-only sets, since filters use them. */
function labelsOf(
  { type }: StructuralProperty,
  storage: StorageForm | "convert" | undefined,
  writes: boolean,
): ExpectedLabels | undefined {
  if (storage === undefined) return type.kind === "EnumType" && !type.isFlags ? memberLabels(type, writes) : undefined;
  if (typeof storage === "string") return undefined;
  const cells = "values" in storage ? Object.values(storage.values) : [storage.true, storage.false];
  const known = cells.filter((cell) => typeof cell === "string");
  return known.length === 0 ? undefined : { known, written: known };
}

function memberLabels({ members }: EnumType, writes: boolean): ExpectedLabels {
  const known = [...members.keys()];
  // Of several members with the same value, the first is written.
  const written = known.filter((name) => known.find((other) => members.get(other) === members.get(name)) === name);
  return { known, written: writes ? written : [] };
}

/** Returns whether any handler writes entities of a set. */
function isWritten({ handlers }: EntitySetDefinition): boolean {
  return handlers.create !== undefined || handlers.replace !== undefined || handlers.patch !== undefined;
}
