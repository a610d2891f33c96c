import type { Context } from "../../definition/context.ts";
import type { LinkHandler, NavigationHandlers, OfferedHandler } from "../../definition/handlers.ts";
import { isObject } from "../../definition/option-table.ts";
import { addRelated, clearRelated, createRelated, removeRelated, setRelated } from "./relate-rows.ts";
import type { AnyWriteContext, RelatedWrite } from "./relation-write.ts";
import { type DeclaredTable, noteTable, sharesDatabase, tableBehind, tableBehindSet, tableOf } from "./sql-table.ts";

/** The options of the target set, before there is a service. */
type Target = Readonly<Record<string, unknown>> | undefined;

interface LinkedNavigations {
  readonly navigations: unknown;
  /** The added handlers; all of them enforce row rules in the transaction of the write. */
  readonly handlers: readonly object[];
}

/**
 * Adds handlers to the navigations of a table, except where the application supplies its own: handlers for links if both the
 * table and the table with the values of the link allow `patch`, and a handler that creates related entities along `on` if
 * their set creates them in its table.
 * @param navigations as the application declares them
 * @param columns the column options of the set
 * @see docs/reference/navigation.md
 */
export function linkNavigations(
  table: DeclaredTable | null,
  isPatched: boolean,
  navigations: unknown,
  columns: unknown,
): LinkedNavigations {
  if (!isObject(navigations)) return { navigations, handlers: [] };
  const handlers: object[] = [];
  const linked = Object.fromEntries(
    Object.entries(navigations).map(([field, declaration]) => {
      if (!isObject(declaration) || !isObject(declaration["options"])) return [field, declaration];
      const { options } = declaration;
      const { cardinality } = declaration;
      const made = table === null ? {} : handlersOf(table, field, isPatched, { cardinality, options });
      for (const handler of Object.values(made)) handlers.push(handler as object);
      const through = isObject(options["through"]) ? { through: withLetterCase(options["through"], columns) } : {};
      return [field, Object.freeze({ ...declaration, options: Object.freeze({ ...made, ...options, ...through }) })];
    }),
  );
  return { navigations: linked, handlers };
}

/** Marks the columns of a link table that repeat Guids stored as text in any letter case. */
function withLetterCase(through: Readonly<Record<string, unknown>>, columns: unknown): object {
  const anyCase = Object.keys({ ...(through["from"] as object) }).filter((field) => {
    const option = isObject(columns) ? columns[field] : undefined;
    return isObject(option) && option["storage"] === "text";
  });
  return anyCase.length === 0 ? through : { ...through, anyCase };
}

function handlersOf(
  table: DeclaredTable,
  field: string,
  isPatched: boolean,
  { cardinality, options }: { readonly cardinality: unknown; readonly options: Readonly<Record<string, unknown>> },
): NavigationHandlers<Context> {
  const { on, through } = options;
  const isCollection = cardinality === "many";
  if (!isObject(on) && !isObject(through)) return {};
  const write: RelatedWrite = { table, field };
  const pairs = isObject(on) && !isObject(through) ? Object.values(on) : null;
  const links: NavigationHandlers<Context> = isPatched ? linkHandlers(write, isCollection, pairs) : {};
  const create = Object.assign(
    (key: unknown, entity: unknown, context: Context) => createRelated(write, key, entity as object, context),
    { isOffered: (target: Target) => isShared(table, tableOf(target?.["create"])) } satisfies OfferedHandler,
  );
  const handlers = isCollection && pairs !== null ? { ...links, create } : links;
  for (const handler of Object.values(handlers)) noteTable(handler as object, table);
  return handlers;
}

/** Makes the handlers of links. @param pairs the properties of the related entity in `on`; null for a link table */
function linkHandlers(
  write: RelatedWrite,
  isCollection: boolean,
  pairs: readonly unknown[] | null,
): NavigationHandlers<Context> {
  const { table } = write;
  const isInOther = (other: DeclaredTable): boolean => pairs !== null && (isCollection || !namesKey(pairs, other));
  const offer: OfferedHandler = {
    isOffered: (target) => {
      const other = tableBehindSet({ handlers: { ...target } });
      if (other === null || !isShared(table, other)) return false;
      if (!isInOther(other)) return true;
      // The other table contains the values of the link, so it must allow the write. A single link is also taken from the
      // entity that had it before, which the application may hide.
      return (isCollection ? tableBehind : tableOf)(target?.["patch"]) === other;
    },
  };
  if (isCollection) {
    return {
      addRef: Object.assign(
        byKeyOnly((key, related, context) => addRelated(write, key, related, context)),
        offer,
      ),
      removeRef: Object.assign(
        byKeyOnly((key, related, context) => removeRelated(write, key, related, context)),
        offer,
      ),
    };
  }
  return {
    setRef: Object.assign(
      byKeyOnly((key, related, context) => setRelated(write, key, related, context)),
      offer,
    ),
    removeRef: Object.assign(
      (...given: readonly unknown[]) => clearRelated(write, given[0], given[1] as AnyWriteContext),
      offer,
    ),
  };
}

/** Makes a handler that takes the key of the related entity. Only a service can resolve an `@odata.id`. */
function byKeyOnly(
  byKey: (key: unknown, related: unknown, context: AnyWriteContext) => Promise<void>,
): LinkHandler<Context> & NavigationHandlers<Context>["removeRef"] {
  const handler = (): never => {
    throw new Error("Links of a table are written by the key of the related entity.");
  };
  return Object.assign(handler, { byKey });
}

/** Whether properties include the whole key of a table. */
function namesKey(fields: readonly unknown[], { entityType }: DeclaredTable): boolean {
  return entityType.key.every(({ field }) => fields.includes(field));
}

function isShared(table: DeclaredTable, other: DeclaredTable | null): boolean {
  return other !== null && sharesDatabase(table, other);
}
