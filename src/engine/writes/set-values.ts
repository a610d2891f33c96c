import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { type FactsSource, type SetCause, valuesToSet, WriteFacts } from "../../definition/model/set-values.ts";
import { ALONE, entitiesWithin, nestedItems } from "../../definition/sets/judge-references.ts";
import { noteServerSet } from "../../definition/sets/merge-delta.ts";
import { keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair } from "../../edm/model.ts";
import { oneByOne } from "../entities/concurrency.ts";
import { definitionOf, type Reader, serviceOf, targetDefinition } from "../entities/reader.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { errorOfHook } from "./hook-error.ts";
import { reportFaults } from "./validate.ts";
import { storedEntity } from "./whole-write.ts";

/** An entity that contains a new entity, and the values that the new one repeats. */
interface Parent {
  readonly pairs: readonly JoinPair[];
  readonly values: object;
}

/** Whether `async` functions set values of a new entity, or of an entity that is nested in it. */
export function suppliesLater(set: EntitySetDefinition, entity: object, { context }: Reader): boolean {
  if (!suppliesAnyLater(serviceOf(context))) return false;
  const all = entitiesWithin({ set, entity, ...ALONE }, (from, name) =>
    targetDefinition(from.entitySet, name, context),
  );
  return all.some((each) => each.set.setValues?.isAsync.create === true);
}

const suppliesAnyLater = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ setValues }) => setValues?.isAsync.create === true),
);

/**
 * Returns a new entity, and the entities that are nested in it, with the values that the server sets. Values of the entity
 * stay: a trusted call gave them. Values that follow from the enclosing entity are those of that entity. Functions run one
 * after another, those of an entity before those of its nested entities.
 * @param parent the entity that the new one belongs to; undefined without one
 * @throws ODataError of a function of `set`, `Unauthorized` if it reads the user of an anonymous request; Error for a wrong value
 * @see docs/reference/writing.md
 */
export function withCreatedValues(
  entitySet: EntitySet,
  entity: object,
  reader: Reader,
  parent?: Parent,
): Maybe<object> {
  if (!setsValues(serviceOf(reader.context))) return entity;
  return created(definitionOf(entitySet, reader.context), entity, reader, parent);
}

const setsValues = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ setValues }) => setValues !== null),
);

function created(set: EntitySetDefinition, entity: object, reader: Reader, parent?: Parent): Maybe<object> {
  const { entitySet, setValues } = set;
  const { context } = reader;
  const linked = setValues === null || parent === undefined ? {} : linkedValues(entity, parent);
  const given = { ...entity, ...linked };
  return chain(ownValues(set, "create", given, { input: entity }, reader), (own) => {
    const whole = { ...given, ...own };
    const nested: Array<readonly [string, unknown]> = [];
    const nest = oneByOne(entitySet.navigationProperties.values(), (navigation) => {
      const target = targetDefinition(entitySet, navigation.name, context);
      const items = nestedItems(entity, navigation);
      if (target === undefined || items.length === 0) return undefined;
      const isOwner = keyHolderOf(entitySet, navigation) !== "parent";
      const within = isOwner ? { pairs: reversedPairs(keyPairsOf(entitySet, navigation)), values: whole } : undefined;
      const made: object[] = [];
      const add = (item: object): Maybe<unknown> =>
        chain(created(target, item, reader, within), (each) => made.push(each));
      return chain(oneByOne(items, add), () =>
        nested.push([navigation.field, navigation.isCollection ? made : made[0]]),
      );
    });
    return chain(nest, () =>
      setValues === null && nested.length === 0 ? entity : { ...whole, ...Object.fromEntries(nested) },
    );
  });
}

/** Returns the values that follow from the enclosing entity, of properties that no body contains. */
function linkedValues(entity: object, { pairs, values }: Parent): object {
  const known = pairs.flatMap(({ property, related }) => {
    const value =
      property.serverSet === true && !Object.hasOwn(entity, property.field) ? fieldOf(values, related.field) : null;
    return value === undefined || value === null ? [] : [[property.field, value] as const];
  });
  return Object.fromEntries(known);
}

/** A replacement or change of a stored entity. */
interface StoredChange {
  readonly write: "replace" | "patch";
  readonly key: unknown;
  readonly values: object;
}

/** Returns the entity of a replacement with the values that the server sets. @throws as for withCreatedValues */
export function withReplacedValues(
  set: EntitySetDefinition,
  cause: SetCause,
  change: StoredChange,
  reader: Reader,
): Maybe<object> {
  const { values } = change;
  if (set.setValues === null) return values;
  const own =
    cause === "create"
      ? ownValues(set, "create", values, { input: values }, reader)
      : changedValues(set, change, reader);
  return chain(own, (supplied) => ({ ...values, ...supplied }));
}

/**
 * Returns a delta with the values that the server sets in each change. A delta without members changes nothing.
 * @throws as for withCreatedValues
 */
export function withChangedValues(set: EntitySetDefinition, change: StoredChange, reader: Reader): Maybe<object> {
  const { values } = change;
  if (Object.keys(values).length === 0) return values;
  const fields = unsentFields(set);
  if (set.setValues === null && ![...fields].some((field) => Object.hasOwn(values, field))) return values;
  return chain(changedValues(set, change, reader), (supplied) => noteServerSet({ ...values, ...supplied }, fields));
}

/** Returns the fields that no delta of a client has: hooks, trusted code and `set` give them. */
const unsentFields = keptPer(({ entitySet, setValues }: EntitySetDefinition): ReadonlySet<string> => {
  const computed = entitySet.entityType.properties.filter((each) => each.computed);
  const named = (setValues?.properties ?? []).map(({ property }) => property);
  return new Set([...computed, ...named].map(({ field }) => field));
});

function changedValues(set: EntitySetDefinition, change: StoredChange, reader: Reader): Maybe<object> {
  const { key, values } = change;
  const stored = storedEntity(set, change, reader, "set");
  const supplied = ownValues(set, "update", values, { input: values, key, current: stored.load }, reader);
  return chain(supplied, (own) => {
    stored.checkFound();
    return own;
  });
}

/**
 * Returns the values that the server sets for one entity. No function that is `async` gets values that facets forbid, and another
 * function that fails may not expect them.
 * @throws the facet faults of the body in both cases; otherwise as for withCreatedValues
 */
function ownValues(
  { setValues, entitySet }: EntitySetDefinition,
  cause: SetCause,
  given: object,
  source: Omit<FactsSource, "context" | "ofHandlers">,
  reader: Reader,
): Maybe<object> {
  if (setValues === null) return {};
  // The rows that an `async` function writes may remain.
  if (setValues.isAsync[cause]) reportFaults(reader);
  const { context } = reader;
  const facts = new WriteFacts({ ...source, context, ofHandlers: () => ServiceContext.ofSet(entitySet, context) });
  const run = (name: string, supply: () => unknown): Maybe<unknown> =>
    recover(
      () => ServiceContext.naming(context, name, supply),
      (error) => {
        throw errorOfHook(context, error);
      },
    );
  const supplied = (): Maybe<object> => valuesToSet(setValues, { cause, given, facts, run });
  return recover(supplied, (error) => {
    reportFaults(reader);
    throw error;
  });
}
