import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { refusalOfUnseen } from "../../definition/sets/authorization.ts";
import { SuppliedValues } from "../../definition/sets/supplied-values.ts";
import { keyHolderOf } from "../../edm/key-holder.ts";
import { keyIn, keyOf, keyValues } from "../../edm/literal.ts";
import type { EntitySet, JoinPair } from "../../edm/model.ts";
import { identityOfKey } from "../entities/entity-key.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import { definitionIn, definitionOf, type Reader, serviceOf } from "../entities/reader.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { asEntity, Evaluation } from "../memory/evaluation.ts";
import type { PathStep } from "../plan/plan-related.ts";
import { loadReferred } from "../reads/load-relations.ts";
import { startLoads } from "../reads/load-run.ts";
import { findEntity } from "../reads/read-by-key.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { afterWrite, beforeChange, hasHooks } from "./run-hooks.ts";
import { withChangedValues } from "./set-values.ts";
import { inTransaction } from "./whole-write.ts";
import { linkedPart, linkOf, patchUnhooked } from "./write-entity.ts";

/** A link to write, and its handler. */
export interface HookedLink {
  readonly navigation: Pick<PathStep, "entitySet" | "navigationProperty">;
  readonly target: EntitySet;
  /** The key of the entity of the navigation. */
  readonly key: unknown;
  /** The key of the related entity; undefined for the current one of a single-valued navigation. */
  readonly related: unknown;
  readonly isAdded: boolean;
  readonly handler: object;
}

/** A row that a link changes, and the values that it gets. */
interface LinkedRow {
  readonly set: EntitySetDefinition;
  readonly key: unknown;
  readonly delta: Readonly<Record<string, unknown>>;
}

/** Returns the set whose rows contain the foreign key of a navigation; null for a table of links, and without a key. */
function holderOf({ navigation, target }: Pick<HookedLink, "navigation" | "target">): EntitySet | null {
  const holder = keyHolderOf(navigation.entitySet, navigation.navigationProperty);
  if (holder === "parent") return navigation.entitySet;
  return holder === "related" ? target : null;
}

/** Whether links along a navigation have hooks, so that the service resolves their references. */
export function hasLinkHooks(definition: ServiceDefinition, link: Pick<HookedLink, "navigation" | "target">): boolean {
  const holder = holderOf(link);
  if (holder === null) return false;
  const { hooks, setValues } = definitionIn(definition, holder);
  return setValues?.isAsync.update === true || (hooks?.before.patch ?? hooks?.after.patch) !== undefined;
}

/**
 * Writes a link, with the hooks of a patch of each row that it changes. A table of links changes no row.
 * @param write calls the handler of the link
 * @returns the entity that is missing; null if none is
 * @throws the errors of hooks and of `write`, after everything is undone
 * @see docs/reference/handlers.md, Hooks
 */
export async function linkHooked(
  link: HookedLink,
  reader: Reader,
  write: (context: Context) => Maybe<unknown>,
): Promise<LinkEnd | null> {
  const holder = holderOf(link);
  const written = holder === null ? null : definitionOf(holder, reader.context);
  if (written === null || !(hasHooks(written, "patch", reader) || suppliesLinks(written, link, reader))) {
    answeredValue(await write(reader.context));
    return null;
  }
  const { navigation, handler } = link;
  const supplied = new SuppliedValues();
  const by = { set: definitionOf(navigation.entitySet, reader.context), handler, supplied };
  const isOwn = keyHolderOf(navigation.entitySet, navigation.navigationProperty) === "parent";
  const found = await inTransaction(by, reader, true, (inner) => writeLinked(link, inner, { write, supplied }));
  if (found === WRITTEN) return null;
  // Without a result, the row with the foreign key is missing; otherwise the entity to which it refers.
  return (found === null) === isOwn ? "parent" : "related";
}

/** Whether `async` functions of `set` supply values of a row that a table changes for a link. */
function suppliesLinks({ setValues }: EntitySetDefinition, { handler }: HookedLink, { context }: Reader): boolean {
  return setValues?.isAsync.update === true && serviceOf(context).handlersCheckingRows.has(handler);
}

/** An entity of a link: the one of the navigation, or the one to which the link leads. */
export type LinkEnd = "parent" | "related";

/** The results of a link whose rows were found. */
const WRITTEN = "written";
const UNREFERRED = "unreferred";

/** Calls the handler of a link, which stores the values that `supplied` notes. */
interface LinkWriter {
  readonly write: (context: Context) => Maybe<unknown>;
  readonly supplied: SuppliedValues;
}

async function writeLinked(
  link: HookedLink,
  reader: Reader,
  { write, supplied }: LinkWriter,
): Promise<typeof WRITTEN | typeof UNREFERRED> {
  const rows = await changedRows(link, reader);
  if (rows === null) return UNREFERRED;
  const isTable = serviceOf(reader.context).handlersCheckingRows.has(link.handler);
  const set = definitionOf(linkOf(link).written.entitySet, reader.context);
  supplied.supply = (key, values) =>
    withChangedValues(set, { write: "patch", key: keyOf(set.entitySet.entityType, key), values }, reader);
  const further: object[] = [];
  for (const row of rows) further.push(await beforeLink(row, reader, isTable ? supplied : null));
  const { entitySet, navigationProperty } = link.navigation;
  const name = `the link write of ${entitySet.name}/${navigationProperty.name}`;
  answeredValue(await ServiceContext.naming(reader.context, name, () => write(reader.context)));
  // The handler has compared the expected values.
  const call = { database: null, isRepeatable: false, isFurther: true } as const;
  await ServiceContext.atomically(reader.context, call, async (context) => {
    const within = { ...reader, context };
    for (const [index, row] of rows.entries()) {
      const change = { write: "patch", key: row.key, values: further[index] ?? {} } as const;
      await afterLink(row, await withChangedValues(row.set, change, within), within);
    }
  });
  return WRITTEN;
}

/**
 * Calls the `before` hook of a row.
 * @param supplied notes the values of the server; null for the handler of an application, which writes the link alone
 * @returns the values that the hook adds to those of the link
 */
async function beforeLink(
  { set, key, delta }: LinkedRow,
  reader: Reader,
  supplied: SuppliedValues | null,
): Promise<object> {
  const { entitySet } = set;
  const change = { write: "patch", key, values: delta } as const;
  const sent = supplied === null ? delta : await withChangedValues(set, change, reader);
  supplied?.note(entitySet.name, keyValues(entitySet.entityType.key, key), sent);
  const values = (await beforeChange(set, { ...change, values: sent }, reader)) ?? sent;
  for (const [field, value] of Object.entries(delta)) {
    if (String(declaredFieldOf(values, field)) === String(value)) continue;
    throw new TypeError(
      `before.patch of ${entitySet.name} changed \`${field}\`, which a link writes. Return it as it is, or an odataError.`,
    );
  }
  const isAdding = Object.keys(values).some((field) => !Object.hasOwn(sent, field));
  if (!isAdding) return {};
  return Object.fromEntries(Object.entries(values).filter(([field]) => !Object.hasOwn(delta, field)));
}

/** Writes the values that a hook added, and calls the `after` hook with the row as stored. */
async function afterLink({ set, key }: LinkedRow, further: object, reader: Reader): Promise<void> {
  const { entitySet, hooks } = set;
  const isWritten = Object.keys(further).length > 0;
  if (!isWritten && hooks?.after.patch === undefined) return;
  // The link may have hidden the row from the user, as without hooks.
  const saved = isWritten
    ? answeredValue(await patchUnhooked(set, key, further, reader))
    : await findEntity(entitySet, key, { ...reader, gate: null });
  if (saved === null || saved === undefined) throw refusalOfUnseen(reader.context.user, entitySet);
  await afterWrite(set, "patch", asEntity(saved, entitySet.entityType), reader);
}

/** Returns the rows that a link changes; null if the entity to which they refer is missing. */
async function changedRows(link: HookedLink, reader: Reader): Promise<readonly LinkedRow[] | null> {
  const { navigation, target, related, isAdded } = link;
  const {
    written,
    from,
    link: { pairs: all },
  } = linkOf(link);
  const pairs = pairsOfLink(all);
  const set = definitionOf(written.entitySet, reader.context);
  const isOwn = keyHolderOf(navigation.entitySet, navigation.navigationProperty) === "parent";
  const cleared = (key: unknown): LinkedRow => ({ set, key, delta: nulls(pairs) });
  if (!isAdded && (isOwn || related !== undefined)) return [cleared(written.key)];
  const other = await linkedPart(from, all, reader);
  const values = pairs.map(
    ({ property, related: { field } }) => [property.field, declaredFieldOf(other, field)] as const,
  );
  if (values.some(([, value]) => value === undefined)) return null;
  const added = { set, key: written.key, delta: Object.fromEntries(values) };
  if (isOwn || navigation.navigationProperty.isCollection) return [added];
  const { entityType } = target;
  const kept = isAdded ? identityOfKey(entityType, related) : null;
  const before = (await currentRows(link, other, reader)).filter((key) => identityOfKey(entityType, key) !== kept);
  return isAdded ? [...before.map(cleared), added] : before.map(cleared);
}

/** Returns the keys of the visible entities to which a single-valued navigation leads, in whose rows its key is. */
async function currentRows(
  { navigation, target }: HookedLink,
  parent: object,
  reader: Reader,
): Promise<readonly unknown[]> {
  const { entitySet, navigationProperty } = navigation;
  // A table without a unique key may have several.
  const all = { ...navigationProperty, isCollection: true };
  const mention = { entitySet, navigationProperty: all, target, ignored: [], below: [] };
  const run = startLoads(new Evaluation([]), reader, `A link of ${entitySet.name}/${navigationProperty.name}`);
  const found = await loadReferred(mention, parent, run);
  const related: readonly unknown[] = Array.isArray(found) ? found : [];
  return related.map((each) => keyIn(target.entityType, asEntity(each, target.entityType)));
}

/** Returns the pairs that a link writes: those of the server, such as a tenant, are the same in both rows. */
function pairsOfLink(pairs: readonly JoinPair[]): readonly JoinPair[] {
  const ofClients = pairs.filter(({ property }) => property.serverSet !== true);
  return ofClients.length === 0 ? pairs : ofClients;
}

function nulls(pairs: readonly JoinPair[]): Readonly<Record<string, null>> {
  return Object.fromEntries(pairs.map(({ property }) => [property.field, null]));
}
