import { keptPer } from "../../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { valuesToSet } from "../../definition/model/set-values.ts";
import { nestedItems } from "../../definition/sets/judge-references.ts";
import { noteServerSet } from "../../definition/sets/merge-delta.ts";
import { keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import type { EntitySet, JoinPair } from "../../edm/model.ts";
import { fieldOf } from "../../memory/compile-property.ts";
import { definitionOf, type Reader, serviceOf, targetDefinition } from "../entities/reader.ts";

/** An entity that contains a new entity, and the values that the new one repeats. */
interface Parent {
  readonly pairs: readonly JoinPair[];
  readonly values: object;
}

/**
 * Returns a new entity, and the entities that are nested in it, with the values that the server sets. Values of the entity
 * stay: a trusted call gave them. Values that follow from the enclosing entity are those of that entity.
 * @param parent the entity that the new one belongs to; undefined without one
 * @throws ODataError of a function of `set`, `Unauthorized` if it reads the user of an anonymous request; Error for a wrong value
 * @see docs/reference/writing.md
 */
export function withCreatedValues(entitySet: EntitySet, entity: object, reader: Reader, parent?: Parent): object {
  if (!setsValues(serviceOf(reader.context))) return entity;
  return created(definitionOf(entitySet, reader.context), entity, reader, parent);
}

const setsValues = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ setValues }) => setValues !== null),
);

function created(set: EntitySetDefinition, entity: object, reader: Reader, parent?: Parent): object {
  const { entitySet, setValues } = set;
  const { context } = reader;
  const linked = setValues === null || parent === undefined ? {} : linkedValues(entity, parent);
  const given = { ...entity, ...linked };
  const own = setValues === null ? {} : valuesToSet(setValues, "create", given, context);
  const whole = { ...given, ...own };
  const nested = [...entitySet.navigationProperties.values()].flatMap((navigation) => {
    const target = targetDefinition(entitySet, navigation.name, context);
    const items = nestedItems(entity, navigation);
    if (target === undefined || items.length === 0) return [];
    const isOwner = keyHolderOf(entitySet, navigation) !== "parent";
    const within = isOwner ? { pairs: reversedPairs(keyPairsOf(entitySet, navigation)), values: whole } : undefined;
    const made = items.map((item) => created(target, item, reader, within));
    return [[navigation.field, navigation.isCollection ? made : made[0]] as const];
  });
  return setValues === null && nested.length === 0 ? entity : { ...whole, ...Object.fromEntries(nested) };
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

/** Returns the entity of a replacement with the values that the server sets. @throws as for withCreatedValues */
export function withReplacedValues(
  { setValues }: EntitySetDefinition,
  cause: "create" | "update",
  entity: object,
  { context }: Reader,
): object {
  return setValues === null ? entity : { ...entity, ...valuesToSet(setValues, cause, entity, context) };
}

/**
 * Returns a delta with the values that the server sets in each change. A delta without members changes nothing.
 * @throws as for withCreatedValues
 */
export function withChangedValues({ setValues }: EntitySetDefinition, delta: object, { context }: Reader): object {
  if (setValues === null || Object.keys(delta).length === 0) return delta;
  const fields = setValues.properties.map(({ property }) => property.field);
  return noteServerSet({ ...delta, ...valuesToSet(setValues, "update", delta, context) }, new Set(fields));
}
