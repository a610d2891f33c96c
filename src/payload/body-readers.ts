import { once } from "../base/once.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { JsonValue } from "../json/json-value.ts";
import { keyFields } from "./body-key.ts";
import type { BodyObject, UnknownMembers } from "./body-members.ts";
import { type BodyPlace, bodyRoot } from "./body-place.ts";
import { nestedLinksOf } from "./nested-links.ts";
import { compileDeltaReader, compileReplacementReader, type DeltaBody, type ReplacementBody } from "./read-changes.ts";
import { compileNewEntityReader } from "./read-entity.ts";
import { ValueReaders } from "./read-value.ts";
import { refuseBindings } from "./refuse-binding.ts";

/** What governs the reading of bodies. */
export interface BodySettings {
  readonly unknownMembers: UnknownMembers;
  readonly allowDeepInsert: boolean;
  /** Whether nested entities are an error where they are not created; absent: false. */
  readonly refusesIgnoredNesting?: boolean | undefined;
  /** Whether key members in the bodies of PUT and PATCH are ignored; absent: false. */
  readonly ignoresBodyKeys?: boolean | undefined;
  /** All sets of the service, by name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/**
 * The readers of the bodies of one entity set, each compiled on first use. All of them throw ODataError `InvalidBody`
 * or `NullNotAllowed` with the path of the member as target, and `NotImplemented` for `@odata.bind` anywhere in the
 * body, whatever else is wrong with it.
 * @see decisions, Writing and Values on the wire
 */
export interface BodyReaders {
  /** Reads a new entity: the body of POST, which has the key where the server does not make it. */
  readonly readNew: (body: JsonValue, ieee754Compatible: boolean) => BodyObject;
  /** Reads what replaces the entity of a key in the application's form: the body of PUT. */
  readonly readReplacement: (body: JsonValue, ieee754Compatible: boolean, key: unknown) => ReplacementBody;
  /** Reads what changes an entity: the body of PATCH. */
  readonly readDelta: (body: JsonValue, ieee754Compatible: boolean) => DeltaBody;
}

/** Reads a new related entity, to which the key of the URL is given in the application's form. */
export type RelatedReader = (body: JsonValue, ieee754Compatible: boolean, key: unknown) => BodyObject;

/** Makes the readers of the bodies of an entity set. */
export function compileBodyReaders(entitySet: EntitySet, settings: BodySettings): BodyReaders {
  const { entityType } = entitySet;
  const values = new ValueReaders(settings.unknownMembers);
  const readNew = once(() => compileNewEntityReader({ entitySet, entityType }, { ...settings, values }));
  const readReplacement = once(() => compileReplacementReader(entityType, values, settings.ignoresBodyKeys === true));
  const readDelta = once(() => compileDeltaReader(entityType, values, settings.ignoresBodyKeys === true));
  return Object.freeze<BodyReaders>({
    readNew: (body, ieee754Compatible) => {
      return guarded(body, ieee754Compatible, (place) => readNew()(body, place, "", null));
    },
    readReplacement: (body, ieee754Compatible, key) => {
      return guarded(body, ieee754Compatible, (place) => readReplacement()(body, place, key));
    },
    readDelta: (body, ieee754Compatible) => {
      return guarded(body, ieee754Compatible, (place) => readDelta()(body, place));
    },
  });
}

/**
 * Makes the reader of the body of `POST /Set(key)/Nav`: a new related entity. What follows from the entity in the URL
 * need not be in the body; where its key tells the value, the body may not say another.
 * @param source the set of the entity in the URL
 * @param settings those that hold for the related entities
 * @returns a reader, to which the key of the URL is given in the application's form; errors as with `BodyReaders`
 * @see specification, Navigation routes, 7
 */
export function compileRelatedReader(
  source: EntitySet,
  navigation: NavigationProperty,
  settings: BodySettings,
): RelatedReader {
  const { entityType } = navigation;
  const bound = source.navigationPropertyBindings.get(navigation.name);
  const entitySet = bound === undefined ? null : (settings.entitySets.get(bound) ?? null);
  const { ofRelated } = nestedLinksOf(source, navigation);
  const values = new ValueReaders(settings.unknownMembers);
  const read = once(() => {
    return compileNewEntityReader({ entitySet, entityType }, { ...settings, values }, ofRelated);
  });
  return (body, ieee754Compatible, key) => {
    const owner = keyFields(source.entityType, key);
    return guarded(body, ieee754Compatible, (place) => read()(body, place, "", owner));
  };
}

/**
 * Reads a body. A fault in it does not hide that it asks for links.
 * @param read gets the place of the body
 */
export function guarded<Result>(
  body: JsonValue,
  ieee754Compatible: boolean,
  read: (place: BodyPlace) => Result,
): Result {
  const place = bodyRoot(ieee754Compatible);
  try {
    return read(place);
  } catch (error) {
    refuseBindings(body, place);
    throw error;
  }
}
