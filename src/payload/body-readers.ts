import { isODataError, joinFaults, type ODataError } from "../base/errors/odata-error.ts";
import { type JsonValue, isJsonObject, type JsonObject } from "../base/json/write-json.ts";
import { once } from "../base/memo.ts";
import { absentValue } from "../edm/absent-value.ts";
import { asDeclared, propertiesOfType, TYPE_FIELD } from "../edm/hierarchy.ts";
import { keyFields, keyValues } from "../edm/literal.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import {
  BodyFaults,
  type BodyObject,
  type UnknownMembers,
  refuseBindings,
  type BodyPlace,
  bodyRoot,
  type BodyKey,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  goOn,
  missingMember,
  placeWithin,
} from "./body-members.ts";
import type { LinkReading } from "./link-reading.ts";
import { nestedLinksOf, compileNewEntityReader, notAnEntity, relatedFinder } from "./read-entity.ts";
import { compileKeyReader, noKey } from "./read-key.ts";
import { compileLinkReader, type LinkReader } from "./read-links.ts";
import { givenBackReader, ValueReaders } from "./read-value.ts";

/** How bodies are read. */
export interface BodySettings {
  readonly unknownMembers: UnknownMembers;
  readonly allowDeepInsert: boolean;
  /** Whether nested entities are an error where they are not created; absent: false. */
  readonly refusesIgnoredNesting?: boolean | undefined;
  /** Whether key members in the bodies of PUT and PATCH are ignored; absent: false. */
  readonly ignoresBodyKeys?: boolean | undefined;
  /** Whether an error lists all faults of the body; absent: false. */
  readonly findsEveryFault?: boolean | undefined;
  /** Whether timestamps at 00:00 UTC are Dates, and dates are DateTimeOffsets; absent: false. */
  readonly takesScriptDates?: boolean | undefined;
  /** Whether PUT and PATCH may give back the null of a cell that cannot be read; absent: false. */
  readonly keepsUnreadable?: Readonly<Partial<Record<"replace" | "patch", boolean>>> | undefined;
  /** All sets of the service, by name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/**
 * The readers of the bodies of one entity set, each compiled on first use. They throw ODataError `InvalidBody` or
 * `NullNotAllowed` with the path of the member as target, and `NotImplemented` for `@odata.bind` that nothing reads,
 * which takes precedence over other faults where nothing reads any. If the values could be read and only violate facets, a given list receives the
 * faults instead, for the rules that judge the values next.
 * @see docs/reference/writing.md
 */
export interface BodyReaders {
  /** Reads a new entity: the body of POST, which contains the key unless the server generates it. */
  readonly readNew: (
    body: JsonValue,
    ieee754Compatible: boolean,
    faults?: FacetFaults,
    links?: LinkReading | null,
  ) => BodyObject;
  /** Reads the replacement of an entity: the body of PUT. @param key the key of the URL, in the application's form */
  readonly readReplacement: (
    body: JsonValue,
    ieee754Compatible: boolean,
    key: unknown,
    reading?: ReplacementReading,
  ) => ReplacementBody;
  /** Reads the changes of an entity: the body of PATCH. */
  readonly readDelta: (
    body: JsonValue,
    ieee754Compatible: boolean,
    faults?: FacetFaults,
    links?: LinkReading | null,
  ) => DeltaBody;
  /** Reads the key of an entity that is nested in another body; undefined for values that the body lacks. */
  readonly readKey: (body: JsonObject, ieee754Compatible: boolean) => BodyKey;
}

/** How the body of a PUT is read. */
interface ReplacementReading {
  /** The properties that keep their stored values if the body omits them; absent: none. */
  readonly kept?: ReadonlySet<StructuralProperty>;
  readonly faults?: FacetFaults;
  /** Reads the links; absent: the body may state none. */
  readonly links?: LinkReading | null;
}

/** A list that receives the faults of values that violate facets; undefined: they end the reading like other faults. */
export type FacetFaults = ODataError[] | undefined;

/** Reads a new related entity. @param key the key of the URL, in the application's form */
export type RelatedBodyConversion = (
  body: JsonValue,
  ieee754Compatible: boolean,
  key: unknown,
  faults?: FacetFaults,
  links?: LinkReading | null,
) => BodyObject;

/** Makes the readers of the bodies of an entity set. */
export function compileBodyReaders(entitySet: EntitySet, settings: BodySettings): BodyReaders {
  const { entityType } = entitySet;
  const { findsEveryFault } = settings;
  const values = new ValueReaders(settings.unknownMembers, settings.takesScriptDates);
  const readNew = once(() => compileNewEntityReader({ entitySet, entityType }, { ...settings, values }));
  const readReplacement = once(() => compileReplacementReader(entitySet, values, settings));
  const readDelta = once(() => compileDeltaReader(entitySet, values, settings));
  const readKey = once(() => compileKeyReader(entityType, values));
  return Object.freeze<BodyReaders>({
    readNew: (body, ieee754Compatible, faults, links) => {
      const read = (place: BodyPlace): BodyObject => readNew()(body, place, "", null);
      return guarded(body, ieee754Compatible, read, { findsEveryFault, faults, links });
    },
    readReplacement: (body, ieee754Compatible, key, { kept = NO_PROPERTIES, ...reporting } = {}) => {
      const read = (place: BodyPlace): ReplacementBody => readReplacement()(body, place, { key, kept });
      return guarded(body, ieee754Compatible, read, { findsEveryFault, ...reporting });
    },
    readKey: (body, ieee754Compatible) => readKey()(body, bodyRoot(ieee754Compatible)),
    readDelta: (body, ieee754Compatible, faults, links) => {
      return guarded(body, ieee754Compatible, (place) => readDelta()(body, place), { findsEveryFault, faults, links });
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
): RelatedBodyConversion {
  const { entityType } = navigation;
  const { findsEveryFault } = settings;
  const entitySet = settings.entitySets.get(source.navigationPropertyBindings.get(navigation.name) ?? "") ?? null;
  const { ofRelated } = nestedLinksOf(source, navigation);
  const values = new ValueReaders(settings.unknownMembers, settings.takesScriptDates);
  const read = once(() => {
    return compileNewEntityReader({ entitySet, entityType }, { ...settings, values }, ofRelated);
  });
  return (body, ieee754Compatible, key, faults, links) => {
    const owner = keyFields(source.entityType, key);
    const reporting = { findsEveryFault, faults, links };
    return guarded(body, ieee754Compatible, (place) => read()(body, place, "", owner), reporting);
  };
}

/** How bodies other than those of entities are read. */
export type BodyReading = Pick<
  BodySettings,
  "findsEveryFault" | "takesScriptDates" | "unknownMembers" | "keepsUnreadable"
>;

/** How the faults of a body are reported. */
interface FaultReporting extends Pick<BodySettings, "findsEveryFault"> {
  readonly faults?: FacetFaults;
  readonly links?: LinkReading | null | undefined;
}

/**
 * Reads a body. If reading fails, an unsupported `@odata.bind` in the body is reported instead, or all faults of the body,
 * which is then read again: valid bodies are read once.
 * @param read takes the place of the body
 */
export function guarded<Result>(
  body: JsonValue,
  ieee754Compatible: boolean,
  read: (place: BodyPlace) => Result,
  { findsEveryFault = false, faults, links = null }: FaultReporting = {},
): Result {
  const place = bodyRoot(ieee754Compatible, null, links);
  try {
    return read(place);
  } catch (error) {
    if (links === null) refuseBindings(body, place);
    if (!findsEveryFault || !isODataError(error) || error.status !== 400) throw error;
    links?.found.splice(0);
    return readWithFaults(ieee754Compatible, read, faults, links);
  }
}

/**
 * Reads a faulty body to its end.
 * @param passedOn receives the faults if all of them are violated facets
 * @returns the result for a body whose faults are passed on
 * @throws ODataError with all faults
 */
function readWithFaults<Result>(
  ieee754Compatible: boolean,
  read: (place: BodyPlace) => Result,
  passedOn: FacetFaults,
  links: LinkReading | null,
): Result {
  const faults = new BodyFaults();
  const place = bodyRoot(ieee754Compatible, faults, links);
  try {
    const result = read(place);
    if (passedOn !== undefined && faults.areFacets) {
      passedOn.push(...faults.found);
      return result;
    }
  } catch (error) {
    if (!faults.isFull) goOn(error, place);
  }
  throw joinFaults(faults.found);
}

/** The content of the body of a PUT. */
export interface ReplacementBody {
  /** All members that a client may send, with the key of the URL. */
  readonly entity: BodyObject;
  readonly key: BodyKey;
  /**
   * The first missing immutable member that a new entity requires. An existing entity keeps its value. Null: none.
   */
  readonly missing: string | null;
  /** The missing properties that keep their stored values; absent: none. A new entity gets their defaults. */
  readonly absent?: readonly StructuralProperty[];
  /** The navigation properties with related entities in the body, which are ignored. */
  readonly ignored: readonly string[];
}

/** The content of the body of a PATCH. */
export interface DeltaBody {
  /** The given members by field, except the key and members that clients cannot change. */
  readonly delta: BodyObject;
  readonly key: BodyKey;
  /** The navigation properties with related entities in the body, which are ignored. */
  readonly ignored: readonly string[];
}

type MemberStep = (body: JsonObject, place: BodyPlace, made: BodyObject) => void;

/** The entity that a body replaces. */
interface ReplacedEntity {
  /** In the application's form. */
  readonly key: unknown;
  readonly kept: ReadonlySet<StructuralProperty>;
}

const NO_PROPERTIES: ReadonlySet<StructuralProperty> = new Set();

function runSteps(steps: readonly MemberStep[], body: JsonObject, place: BodyPlace, made: BodyObject): void {
  for (const step of steps) {
    try {
      step(body, place, made);
    } catch (error) {
      goOn(error, place);
    }
  }
}

/**
 * Makes the reader of bodies that replace an entity. Missing members become their default, null or no items, but remain
 * missing where the database knows the default; nested values of navigation properties are ignored.
 * @returns a reader that takes the key of the URL in the application's form
 * @see docs/reference/writing.md
 */
function compileReplacementReader(
  entitySet: EntitySet,
  values: ValueReaders,
  settings: BodySettings,
): (body: JsonValue, place: BodyPlace, replaced: ReplacedEntity) => ReplacementBody {
  const { entityType } = entitySet;
  const checkBody = compileBodyCheck(entitySet, values);
  const bound = compileLinkReader(entitySet, entityType);
  const { ignoresBodyKeys, keepsUnreadable } = settings;
  const readKey = ignoresBodyKeys === true ? noKey : compileKeyReader(entityType, values);
  const fillKey = entityType.key.map(({ field, computed }) => (computed ? null : compileFieldWriter(field)));
  const own = propertiesOfType(entityType).filter(({ isKey, computed }) => !isKey && !computed);
  const steps = own.map((property) => ({
    property,
    step: replacedMember(property, values, bound, keepsUnreadable?.replace),
  }));
  const all = steps.map(({ step }) => step);
  const needed = own.filter(isNeeded);
  const ignoredIn = relatedFinder(entityType, settings.refusesIgnoredNesting === true);
  return (body, place, { key, kept }) => {
    const object = checkBody(body, place);
    const bodyKey = readKey(object, place);
    const entity: BodyObject = entityType.hierarchy === undefined ? {} : { [TYPE_FIELD]: entityType.name };
    for (const [index, value] of keyValues(entityType.key, key).entries()) fillKey[index]?.(entity, value);
    const isKept = (property: StructuralProperty): boolean => kept.has(property) && object[property.name] === undefined;
    const wanted = kept.size === 0 ? all : steps.filter(({ property }) => !isKept(property)).map(({ step }) => step);
    runSteps(wanted, object, place, entity);
    bound.read(object, place, entity);
    const isMissing = (property: StructuralProperty): boolean =>
      object[property.name] === undefined && !bound.determines(property, object, place);
    const missing = needed.find(isMissing)?.name ?? null;
    const replacement = { entity, key: bodyKey, missing, ignored: ignoredIn(object, place) };
    return kept.size === 0 ? replacement : { ...replacement, absent: own.filter(isKept) };
  };
}

/**
 * Returns the entity of a PUT that creates an entity.
 * @throws ODataError `InvalidBody` for a missing member that is required
 */
export function newEntityOf(body: ReplacementBody): BodyObject {
  const entity = requireWhole(body);
  for (const property of body.absent ?? []) {
    if (property.databaseDefault === true) continue;
    compileFieldWriter(property.field)(entity, compileAbsentValue(property)(bodyRoot(false)));
  }
  return entity;
}

/** Returns the entity of a PUT whose current values are unknown. @throws ODataError `InvalidBody` for a missing immutable member */
export function requireWhole({ entity, missing }: ReplacementBody): BodyObject {
  if (missing === null) return entity;
  throw missingMember(bodyRoot(false), missing);
}

/**
 * Makes the reader of bodies that change an entity. Missing members remain missing, at every depth of complex values. Null
 * is a value, and a collection is replaced as a whole.
 * @see OData Protocol 4.0, section 11.4.3
 */
function compileDeltaReader(
  entitySet: EntitySet,
  values: ValueReaders,
  settings: BodySettings,
): (body: JsonValue, place: BodyPlace) => DeltaBody {
  const { entityType } = entitySet;
  const checkBody = compileBodyCheck(entitySet, values);
  const bound = compileLinkReader(entitySet, entityType);
  const { ignoresBodyKeys, keepsUnreadable } = settings;
  const readKey = ignoresBodyKeys === true ? noKey : compileKeyReader(entityType, values);
  const steps = propertiesOfType(entityType)
    .filter(({ isKey, computed, immutable }) => !isKey && !computed && !immutable)
    .map((property): MemberStep => {
      const { name } = property;
      const read = givenBackReader(values.ofChange(asDeclared(property)), property, keepsUnreadable?.patch);
      const put = compileFieldWriter(property.field);
      return (body, place, delta) => {
        const value = body[name];
        if (value !== undefined) put(delta, read(value, place, name));
      };
    });
  const ignoredIn = relatedFinder(entityType, settings.refusesIgnoredNesting === true);
  return (body, place) => {
    const object = checkBody(body, place);
    const key = readKey(object, place);
    const delta: BodyObject = {};
    runSteps(steps, object, place, delta);
    bound.read(object, place, delta);
    return { delta, key, ignored: ignoredIn(object, place) };
  };
}

function replacedMember(
  property: StructuralProperty,
  values: ValueReaders,
  bound: LinkReader,
  keepsUnreadable: boolean | undefined,
): MemberStep {
  const { name } = property;
  const read = givenBackReader(values.ofProperty(asDeclared(property)), property, keepsUnreadable);
  const put = compileFieldWriter(property.field);
  // The stored value stays where the database knows the default.
  const isKept = property.databaseDefault === true || isNeeded(property);
  const absent = isKept ? null : compileAbsentValue(asDeclared(property));
  return (body, place, entity) => {
    const value = body[name];
    if (value !== undefined) put(entity, read(value, place, name));
    else if (absent !== null && !bound.determines(property, body, place)) put(entity, absent(place));
  };
}

/** Returns whether a new entity requires an immutable member, which an update may omit. */
function isNeeded(property: StructuralProperty): boolean {
  const { immutable, databaseDefault } = property;
  return immutable && databaseDefault !== true && absentValue(property) === undefined;
}

/** Makes the check that a body is an object with known names. Links in ignored members are refused, not silently lost. */
function compileBodyCheck(
  entitySet: EntitySet,
  values: ValueReaders,
): (body: JsonValue, place: BodyPlace) => JsonObject {
  const { qualifiedName, members, navigationProperties } = entitySet.entityType;
  const properties = propertiesOfType(entitySet.entityType);
  const checkNames = compileNameCheck(qualifiedName, members, values.unknownMembers, "property", entitySet);
  const passedOver = [
    ...properties.filter(({ computed, immutable, isKey }) => !isKey && (computed || immutable)),
    ...navigationProperties,
  ].map(({ name }) => name);
  return (body, place) => {
    if (!isJsonObject(body)) throw notAnEntity(body, qualifiedName, place, "");
    checkNames(body, place);
    for (const name of passedOver) refuseBindings(body[name] ?? null, placeWithin(place, name));
    return body;
  };
}
