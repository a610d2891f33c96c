import { once } from "../base/memo.ts";
import { keyFields } from "../edm/key-values.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { JsonValue } from "../json/json-value.ts";
import { type BodyObject, type UnknownMembers, refuseBindings } from "./body-members.ts";
import { type BodyPlace, bodyRoot } from "./body-place.ts";
import { compileDeltaReader, compileReplacementReader, type DeltaBody, type ReplacementBody } from "./read-changes.ts";
import { nestedLinksOf, compileNewEntityReader } from "./read-entity.ts";
import { ValueReaders } from "./read-value.ts";

/** The settings for reading bodies. */
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
 * The readers of the bodies of one entity set, each compiled on first use. They throw ODataError `InvalidBody` or
 * `NullNotAllowed` with the path of the member as target, and `NotImplemented` for `@odata.bind` anywhere in the body,
 * which takes precedence over other faults.
 * @see docs/reference/writing.md
 */
export interface BodyReaders {
  /** Reads a new entity: the body of POST, which contains the key unless the server generates it. */
  readonly readNew: (body: JsonValue, ieee754Compatible: boolean) => BodyObject;
  /** Reads the replacement of an entity: the body of PUT. @param key the key of the URL, in the application's form */
  readonly readReplacement: (body: JsonValue, ieee754Compatible: boolean, key: unknown) => ReplacementBody;
  /** Reads the changes of an entity: the body of PATCH. */
  readonly readDelta: (body: JsonValue, ieee754Compatible: boolean) => DeltaBody;
}

/** Reads a new related entity. @param key the key of the URL, in the application's form */
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
 * Makes the reader of the body of `POST /Set(key)/Nav`: a new related entity. The body may omit values that depend on the
 * entity in the URL, and must not contradict its key.
 * @param source the set of the entity in the URL
 * @param settings the settings of the related entities
 * @returns a reader with the errors of `BodyReaders`
 * @see docs/reference/navigation.md
 */
export function compileRelatedReader(
  source: EntitySet,
  navigation: NavigationProperty,
  settings: BodySettings,
): RelatedReader {
  const { entityType } = navigation;
  const entitySet = settings.entitySets.get(source.navigationPropertyBindings.get(navigation.name) ?? "") ?? null;
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
 * Reads a body. If reading fails, an unsupported `@odata.bind` in the body is reported instead.
 * @param read takes the place of the body
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
