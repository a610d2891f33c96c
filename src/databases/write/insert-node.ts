import { ofPosition } from "../../base/errors/at-position.ts";
import { protocolError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { missingReference } from "../../definition/sets/judge-references.ts";
import { keyHolderOf, ownProperties, relatedProperties, reversedPairs } from "../../edm/key-holder.ts";
import type {
  DirectJoin,
  EntitySet,
  JoinPair,
  NavigationJoin,
  NavigationProperty,
  StructuralProperty,
} from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { databaseFault } from "../kinds/database-fault.ts";
import { checkReferredRows, type StatedIn, type StatedRow } from "./guarded-references.ts";
import { addLink } from "./link-rows.ts";
import type { Stored } from "./new-row.ts";
import type { Restrictions } from "./placed-rows.ts";
import { placeBeyondKey, mayShareKeys } from "./shared-keys.ts";
import { tableOf, type SqlTable, sharesDatabase, targetSet } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { type WriteTask, writerOf } from "./table-writer.ts";
import { areVisible, checkVisible, type SetRow } from "./visible-rows.ts";

/** The entities that are nested under one navigation property. */
interface Nested {
  /** The set of the enclosing entity. */
  readonly from: EntitySet;
  readonly navigation: NavigationProperty;
  readonly join: NavigationJoin;
  readonly set: EntitySetDefinition;
  readonly table: SqlTable;
  readonly entities: readonly Values[];
}

/** An entity to add, with its nested entities. */
interface Node {
  readonly table: SqlTable;
  readonly set: EntitySetDefinition | null;
  readonly values: Values;
}

/** Whether an entity has nested entities. */
export function hasNested({ entitySet }: EntitySetDefinition, values: Values): boolean {
  return [...entitySet.navigationProperties.values()].some(({ field }) => !isNothing(values, field));
}

/** Reads added rows again: triggers of rows that were added later may have changed them. @param entity the row, with nested ones */
export async function readAgain(task: InsertTask, node: Node, entity: Values): Promise<Values> {
  const { table, set } = node;
  const writer = writerOf(table);
  const left = await writer.read(task, writer.keyOf(entity), table.returnedTo(task.context));
  const again: Record<string, unknown> = { ...entity, ...left };
  for (const nested of set === null ? [] : nestedIn(task, { ...node, set })) {
    const { navigation, entities } = nested;
    const items: Values[] = [];
    for (const [index, item] of ([entity[navigation.field]].flat() as readonly Values[]).entries()) {
      const values = entities[index];
      if (values === undefined) continue;
      items.push(await readAgain(task, { table: nested.table, set: nested.set, values }, item));
    }
    again[navigation.field] = navigation.isCollection ? items : items[0];
  }
  return again;
}

/** An added row. */
interface WrittenRow extends Pick<Node, "table" | "set">, Pick<SetRow, "place"> {
  readonly entity: Values;
  readonly position?: number | undefined;
}

/** A write of several rows, one after another. */
export interface InsertTask extends WriteTask {
  /** Collects the added rows. */
  readonly written: WrittenRow[];
  /** The position of the entity, if the write adds several. */
  readonly position?: number | undefined;
  /** The row rules for the user, of the written sets and of the sets that they refer to. */
  readonly restrictions: Restrictions;
  readonly stated: StatedIn;
}

/** Checks all rows after all are added. @throws ODataError `Forbidden` if the user does not see one of them */
export async function checkWritten(task: InsertTask): Promise<void> {
  const { restrictions } = task;
  if (restrictions.size === 0) return;
  const tables = new Map<SqlTable, InsertTask["written"]>();
  for (const row of task.written) {
    const rows = tables.get(row.table) ?? [];
    tables.set(row.table, rows);
    rows.push(row);
  }
  for (const [table, rows] of tables) {
    const keys = rows.map(({ entity, place }) => ({ key: writerOf(table).keyOf(entity), place }));
    const set = required(rows[0]?.set ?? undefined, "Row rules require a service.");
    const isOfOne = rows.length > 1 && !mayShareKeys(table) && rows.every((row) => row.set === set);
    if (isOfOne && (await areVisible(task, restrictions, { set, table, rows: keys }))) continue;
    for (const [index, row] of rows.entries()) {
      const seen = { set: required(row.set, "Row rules require a service."), table, ...(keys[index] ?? { key: [] }) };
      await ofPosition(row.position, () => checkVisible(task, restrictions, seen));
    }
  }
}

/**
 * Adds one entity, after the entities that it refers to and before its dependents.
 * @param linked values that follow from the enclosing entity
 * @param beside ignored properties that the enclosing entity needs
 */
export async function insertNode(
  task: InsertTask,
  { table, set, values }: Node,
  linked: Values,
  beside: readonly StructuralProperty[],
): Promise<Stored> {
  const all = set === null ? [] : nestedIn(task, { table, set, values });
  const before = all.filter((nested) => isPrincipal(nested));
  const behind = all.filter((nested) => !isPrincipal(nested));
  const shown: Record<string, unknown> = {};
  const known: Record<string, unknown> = { ...linked };
  for (const nested of before) {
    const asked = relatedProperties(nested.join).filter((property) => !isOf(nested.table, property));
    const [related] = await insertAll(task, nested, () => ({}), asked);
    const principal = required(related, `No entity is nested in ${nested.navigation.name}.`);
    Object.assign(known, linksFrom(task, principal, nested));
    shown[nested.navigation.field] = principal.entity;
  }
  const place = placeToCheck(task, table);
  const needed = [
    ...beside,
    ...place,
    ...behind.flatMap(({ join }) => ownProperties(join).filter((property) => !isOf(table, property))),
  ];
  const stated = task.stated.get(values) ?? [];
  const supplied = stated.filter((each) => isSupplied(each, { ...values, ...known }));
  await checkReferred(task, stated, { table, entity: { ...values, ...known } });
  needed.push(
    ...supplied.flatMap(({ reference }) =>
      reference.pairs.flatMap(({ property }) => (isOf(table, property) ? [] : [property])),
    ),
  );
  const stored = await insertRow(supplied, () => writerOf(table).insert(task, values, known, distinct(needed)));
  await checkReferred(task, supplied, { table, entity: { ...stored.entity, ...stored.beside } });
  task.written.push({ set, table, entity: stored.entity, place: placeIn(place, stored), position: task.position });
  for (const nested of behind) {
    const { join, navigation } = nested;
    const asked =
      join.kind === "link" ? relatedProperties(join).filter((property) => !isOf(nested.table, property)) : [];
    const related = await insertAll(task, nested, () => linksTo(task, stored, nested), asked);
    for (const each of join.kind === "link" ? related : []) {
      await addLink(
        placeOf(task, navigation),
        { own: table, other: nested.table },
        join as Extract<NavigationJoin, { kind: "link" }>,
        [
          ...ownProperties(join).map((property) => valueOf(stored, property)),
          ...relatedProperties(join).map((property) => valueOf(each, property)),
        ] as PrimitiveValue[],
      );
    }
    const entities = related.map(({ entity }) => entity);
    shown[navigation.field] = navigation.isCollection ? entities : entities[0];
  }
  return { entity: { ...stored.entity, ...shown }, beside: stored.beside };
}

/**
 * Returns the property without which the key of an added row may find another row, if a row rule may have to check it: what is
 * to be stored is not known before.
 */
export function placeToCheck({ restrictions }: InsertTask, table: SqlTable): readonly StructuralProperty[] {
  const property = restrictions.size === 0 ? null : placeBeyondKey(table);
  return property === null ? [] : [property];
}

/** Returns the stored value of the property of `placeToCheck`; undefined if there is none. */
export function placeIn([property]: readonly StructuralProperty[], stored: Stored): unknown {
  return property === undefined ? undefined : valueOf(stored, property);
}

/** Whether the database supplies a part of a foreign key whose other parts the client states. */
export function isSupplied({ reference }: StatedRow, given: Values): boolean {
  return reference.pairs.some(({ property: { field } }) => given[field] === undefined);
}

/** Checks foreign keys of the client. @param entity the row as far as it is known */
async function checkReferred(
  task: InsertTask,
  stated: readonly StatedRow[],
  row: { readonly table: SqlTable; readonly entity: Values },
): Promise<void> {
  if (stated.length > 0) await checkReferredRows(task, task.restrictions, stated, row);
}

/** Adds a row. A missing row that its foreign key refers to looks like a hidden one, which is found after the insert. */
async function insertRow([supplied]: readonly StatedRow[], insert: () => Promise<Stored>): Promise<Stored> {
  try {
    return await insert();
  } catch (error) {
    if (supplied === undefined || databaseFault(error)?.kind !== "foreignKey") throw error;
    throw missingReference(supplied.name, "", error);
  }
}

async function insertAll(
  task: InsertTask,
  nested: Nested,
  linked: () => Values,
  beside: readonly StructuralProperty[],
): Promise<readonly Stored[]> {
  const { set, table, entities } = nested;
  const stored: Stored[] = [];
  for (const [index, values] of entities.entries()) {
    stored.push(await insertNode(itemOf(task, nested, index), { table, set, values }, linked(), beside));
  }
  return stored;
}

/** Returns the values that an entity receives from the enclosing entity, which is already stored. */
function linksTo(task: WriteTask, stored: Stored, { join, navigation }: Nested): Values {
  return join.kind === "link" ? {} : linkedValues(task, stored, navigation, join.pairs);
}

/** Returns the values that an entity receives from a nested entity that it refers to. */
function linksFrom(
  task: WriteTask,
  stored: Stored,
  { join, navigation }: Nested & { readonly join: DirectJoin },
): Values {
  return linkedValues(task, stored, navigation, reversedPairs(join.pairs));
}

function linkedValues(
  task: WriteTask,
  stored: Stored,
  navigation: NavigationProperty,
  pairs: readonly JoinPair[],
): Values {
  const links = pairs.map(({ property, related }) => {
    const value = valueOf(stored, property);
    if (value !== null) return [related.field, value] as const;
    const target = task.place + navigation.name;
    throw protocolError("InvalidBody", "The entity cannot be related: one of the values that the link needs is null.", {
      target,
    });
  });
  return Object.fromEntries(links);
}

function nestedIn(
  task: WriteTask,
  { table, set, values }: Node & { readonly set: EntitySetDefinition },
): readonly Nested[] {
  return [...set.entitySet.navigationProperties.values()].flatMap((navigation): readonly Nested[] => {
    const { field, name, isCollection } = navigation;
    if (isNothing(values, field)) return [];
    const given = values[field];
    const entities = (isCollection ? given : [given]) as readonly Values[];
    const join = set.entitySet.navigationJoins.get(name);
    const target = targetSet(task.context, set, name);
    const other = tableOf(target?.handlers.create);
    if (join !== undefined && target !== null && other !== null && sharesDatabase(table, other)) {
      return [{ from: set.entitySet, navigation, join, set: target, table: other.over(table.db), entities }];
    }
    throw protocolError("InvalidBody", "Nested entities cannot be created here: omit them.", {
      target: task.place + name,
    });
  });
}

/** Whether the entity refers to its nested entity, and is added after it. */
function isPrincipal(nested: Nested): nested is Nested & { readonly join: DirectJoin } {
  return keyHolderOf(nested.from, nested.navigation) === "parent" && nested.join.kind === "direct";
}

function isNothing(values: Values, field: string): boolean {
  return !Object.hasOwn(values, field) || values[field] === null || values[field] === undefined;
}

function isOf({ entityType }: SqlTable, { field }: StructuralProperty): boolean {
  return entityType.properties.some((property) => property.field === field);
}

function distinct(properties: readonly StructuralProperty[]): readonly StructuralProperty[] {
  return [...new Map(properties.map((property) => [property.field, property])).values()];
}

function valueOf({ entity, beside }: Stored, { field }: StructuralProperty): unknown {
  return entity[field] ?? beside[field] ?? null;
}

function placeOf<Task extends WriteTask>(task: Task, { name }: NavigationProperty): Task {
  return { ...task, place: `${task.place}${name}/` };
}

/** Returns the task for one of the entities that are nested under a navigation property. */
function itemOf<Task extends WriteTask>(task: Task, { navigation }: Nested, index: number): Task {
  const nested = placeOf(task, navigation);
  return navigation.isCollection ? { ...nested, place: `${nested.place}${String(index)}/` } : nested;
}
