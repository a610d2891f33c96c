import { protocolError } from "../base/errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json/write-json.ts";
import { keptPer } from "../base/memo.ts";
import { asDeclared, propertiesOfType, TYPE_FIELD } from "../edm/hierarchy.ts";
import { keyHolderOf } from "../edm/key-holder.ts";
import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { describeValue, type PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import {
  type BodyObject,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  type FieldWriter,
  refuseBindings,
  type BodyPlace,
  enter,
  goOn,
  invalidMember,
  nullNotAllowed,
  pathWithin,
  placeWithin,
} from "./body-members.ts";
import { newType } from "./named-type.ts";
import { compileFieldReader, type FieldGetter } from "./property-reader.ts";
import { compileLinkReader, type LinkReader } from "./read-links.ts";
import type { JsonConversion, ValueReaders } from "./read-value.ts";

/** Two properties with equal values in related entities. */
interface NestedLink {
  /** The property whose value depends on the other. */
  readonly dependent: StructuralProperty;
  /** The property that determines the value. */
  readonly principal: StructuralProperty;
}

/** The values that a nested entity and its owner share. */
interface NestedLinks {
  /** Values of the related entity that depend on its owner, such as the order of a line. */
  readonly ofRelated: readonly NestedLink[];
  /** Values of the owner that depend on the nested entity, such as the customer of an order. */
  readonly ofOwner: readonly NestedLink[];
}

/**
 * Finds the values that a body may omit because of nesting. The code that creates both entities sets them.
 * @param source the set of the navigation, which may declare a join; null if it is unknown
 * @see OData Protocol 4.0, section 11.4.2.2
 */
export function nestedLinksOf(source: EntitySet | null, navigation: NavigationProperty): NestedLinks {
  const { entityType: related, referentialConstraints: constraints, isCollection, name } = navigation;
  if (!isCollection && constraints.length > 0) {
    const ofOwner = constraints.map(({ property, referencedProperty }) => ({
      dependent: property,
      principal: referencedProperty,
    }));
    return { ofRelated: [], ofOwner };
  }
  const join = source?.navigationJoins.get(name);
  if (join?.kind === "direct") {
    if (source !== null && keyHolderOf(source, navigation) === "parent") {
      const ofOwner = join.pairs.map(({ property, related: principal }) => ({ dependent: property, principal }));
      return { ofRelated: [], ofOwner };
    }
    const ofRelated = join.pairs.map((pair) => ({ dependent: pair.related, principal: pair.property }));
    return { ofRelated, ofOwner: [] };
  }
  const partner = related.navigationProperties.find((each) => each.name === navigation.partner);
  const ofRelated = (partner?.referentialConstraints ?? []).map(({ property, referencedProperty }) => ({
    dependent: property,
    principal: referencedProperty,
  }));
  return { ofRelated, ofOwner: [] };
}

/** The set and type of the entities of a body. */
interface EntityTarget {
  /** Null if no set is declared. */
  readonly entitySet: EntitySet | null;
  readonly entityType: EntityType;
}

/** The settings for reading new entities. */
interface EntityReading {
  readonly values: ValueReaders;
  /** Whether nested values of navigation properties are read; otherwise they become null. */
  readonly allowDeepInsert: boolean;
  /** Whether ignored nested values are an error; absent: false. */
  readonly refusesIgnoredNesting?: boolean | undefined;
  /** By name, for the joins of nested entities. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/**
 * Reads one new entity.
 * @param owner the owner of a nested entity, or its known fields; null without an owner
 * @throws ODataError `InvalidBody`, `NullNotAllowed` or `NotImplemented`, with the path as target
 */
type NewEntityReader = (
  value: JsonValue,
  place: BodyPlace,
  segment: string | number,
  owner: object | null,
) => BodyObject;

type MemberStep = (body: JsonObject, place: BodyPlace, entity: BodyObject, owner: object | null) => void;

/**
 * Makes the reader of new entities, which returns members in canonical form by the application's fields, in order of
 * declaration. Computed members are ignored; missing members become their default, null or no items, but remain missing
 * where the database knows the default.
 * @param links the values that depend on the owner of the entity
 * @see docs/reference/writing.md
 */
export function compileNewEntityReader(
  target: EntityTarget,
  reading: EntityReading,
  links: readonly NestedLink[] = [],
): NewEntityReader {
  if (target.entityType.hierarchy === undefined) return compileTypeReader(target, reading, links);
  const readerOf = keptPer((entityType: EntityType) => compileTypeReader({ ...target, entityType }, reading, links));
  return (value, place, segment, owner) => {
    const type = newType(target.entityType, value, place, segment);
    return { ...readerOf(type)(value, place, segment, owner), [TYPE_FIELD]: type.name };
  };
}

/** Makes the reader of new entities of one type. */
function compileTypeReader(
  { entitySet, entityType }: EntityTarget,
  reading: EntityReading,
  links: readonly NestedLink[],
): NewEntityReader {
  const { qualifiedName, navigationProperties, members } = entityType;
  const properties = propertiesOfType(entityType);
  const checkNames = compileNameCheck(qualifiedName, members, reading.values.unknownMembers, "property", entitySet);
  const bound = compileLinkReader(
    entitySet,
    entityType,
    links.map(({ dependent }) => dependent),
  );
  const nested = navigationProperties.map((navigation) => {
    return { navigation, links: nestedLinksOf(entitySet, navigation) };
  });
  const steps: readonly MemberStep[] = [
    ...properties.map((property) => {
      if (property.computed) return skipMember(property.name);
      const link = links.find(({ dependent }) => dependent === property);
      const read = reading.values.ofProperty(asDeclared(property));
      if (link !== undefined) return linkedMember(property, link.principal, read);
      const stated = nested.filter(({ links: { ofOwner } }) => ofOwner.some(({ dependent }) => dependent === property));
      const namedBy = reading.allowDeepInsert ? stated.map(({ navigation }) => navigation.name) : [];
      return plainMember(property, read, namedBy, bound);
    }),
    ...nested.map((each) => {
      return reading.allowDeepInsert
        ? nestedMember(each.navigation, each.links, nestedReader(entitySet, each.navigation, each.links, reading))
        : nullMember(each.navigation, reading.refusesIgnoredNesting === true);
    }),
  ];
  return (value, place, segment, owner) => {
    if (!isJsonObject(value)) throw notAnEntity(value, qualifiedName, place, segment);
    const here = place.parent === null && segment === "" ? place : enter(place, segment);
    checkNames(value, here);
    const entity: BodyObject = {};
    for (const step of steps) {
      try {
        step(value, here, entity, owner);
      } catch (error) {
        goOn(error, here);
      }
    }
    bound.read(value, here, entity);
    return entity;
  };
}

/** Makes the error of a value that is not an entity. */
export function notAnEntity(value: JsonValue, typeName: string, place: BodyPlace, segment: string | number): Error {
  const problem = `${describeValue(value)} is not a ${typeName}: send a JSON object with its properties.`;
  return invalidMember(problem, place, segment);
}

/** Ignores a member, but refuses links in it, which would be silently lost. */
function skipMember(name: string): MemberStep {
  return (body, place) => refuseBindings(body[name] ?? null, placeWithin(place, name));
}

/**
 * @param namedBy the navigations whose nested entity determines the value
 * @param bound the links that determine it
 */
function plainMember(
  property: StructuralProperty,
  read: JsonConversion,
  namedBy: readonly string[],
  bound: LinkReader,
): MemberStep {
  const { name } = property;
  const put = compileFieldWriter(property.field);
  if (property.databaseDefault === true) {
    return (body, place, entity) => {
      const value = body[name];
      if (value !== undefined) put(entity, read(value, place, name));
    };
  }
  const absent = compileAbsentValue(asDeclared(property));
  return (body, place, entity) => {
    const value = body[name];
    const isNamed = namedBy.some((navigation) => isJsonObject(body[navigation]));
    if (value !== undefined) put(entity, read(value, place, name));
    else if (!isNamed && !bound.determines(property, body, place)) put(entity, absent(place));
  };
}

/** Reads a member whose value the owner determines. If the owner has no value yet, the code that creates both sets it. */
function linkedMember(property: StructuralProperty, principal: StructuralProperty, read: JsonConversion): MemberStep {
  const { name } = property;
  const put = compileFieldWriter(property.field);
  const readPrincipal = compileFieldReader(principal.field);
  return (body, place, entity, owner) => {
    const given = owner === null ? undefined : readPrincipal(owner);
    const value = body[name];
    if (value === undefined) {
      if (given !== undefined) put(entity, given);
      return;
    }
    const own = read(value, place, name);
    checkEqual(property, own, given, place);
    put(entity, own);
  };
}

/** Returns whether the value of a navigation property in a body contains related entities: not null or an empty collection. */
function containsEntities(value: JsonValue | undefined): boolean {
  return isJsonObject(value) || (Array.isArray(value) && value.length > 0);
}

const NONE: readonly string[] = Object.freeze([]);

/** The ends of the annotations with the changes of a collection. @see OData JSON Format 4.01, section 8.6 */
export const DELTAS: readonly string[] = Object.freeze(["@odata.delta", "@delta"]);

/**
 * Returns the function that finds the navigation properties with related entities in a body. A list of them may be an
 * error; one entity never is, because a client may send back the result of an expansion.
 * @throws from the function: ODataError `NotImplemented` for a list, if lists are refused
 */
export function relatedFinder(
  { navigationProperties }: EntityType,
  refusesLists: boolean,
): (body: JsonObject, place: BodyPlace) => readonly string[] {
  // The members that may contain entities, each with its navigation property.
  const members = navigationProperties.flatMap(({ name }) =>
    ["", ...DELTAS].map((end) => ({ name, member: name + end })),
  );
  return (body, place) => {
    const found = members.filter(({ member }) => containsEntities(body[member]));
    const list = refusesLists ? found.find(({ member }) => Array.isArray(body[member])) : undefined;
    if (list !== undefined) {
      const problem = `PUT and PATCH do not change the entities of '${list.name}': change them with separate requests.`;
      throw protocolError("NotImplemented", problem, { target: pathWithin(place, list.member) });
    }
    return found.length === 0 ? NONE : found.map(({ name }) => name);
  };
}

/** @param isRefused whether nested entities are an error; null and an empty collection never are */
function nullMember({ name, field }: NavigationProperty, isRefused: boolean): MemberStep {
  const put = compileFieldWriter(field);
  return (body, place, entity) => {
    const value = body[name];
    if (value === undefined) return;
    refuseBindings(value, placeWithin(place, name));
    if (isRefused && containsEntities(value)) {
      const problem = `This entity set does not create nested entities: create the entities of '${name}' with separate requests.`;
      throw protocolError("NotImplemented", problem, { target: pathWithin(place, name) });
    }
    put(entity, null);
  };
}

/** Makes the nested reader on first use, so that a type may navigate to itself. */
function nestedReader(
  source: EntitySet | null,
  navigation: NavigationProperty,
  links: NestedLinks,
  reading: EntityReading,
): () => NewEntityReader {
  let made: NewEntityReader | undefined;
  const entitySet = reading.entitySets.get(source?.navigationPropertyBindings.get(navigation.name) ?? "") ?? null;
  return () => {
    made ??= compileNewEntityReader({ entitySet, entityType: navigation.entityType }, reading, links.ofRelated);
    return made;
  };
}

function nestedMember(
  { name, field, isCollection, nullable, entityType }: NavigationProperty,
  { ofOwner }: NestedLinks,
  reader: () => NewEntityReader,
): MemberStep {
  const put = compileFieldWriter(field);
  const fillings = ofOwner.map(compileFilling);
  return (body, place, entity) => {
    const value = body[name];
    if (value === undefined) return;
    if (value === null) {
      const advice = isCollection ? "write [] for no related entities" : "nest an entity, or leave it out";
      if (isCollection || !nullable) throw nullNotAllowed(place, name, advice);
      put(entity, null);
    } else if (isCollection) {
      if (!Array.isArray(value)) {
        const problem = `${describeValue(value)} is not a collection of ${entityType.qualifiedName}: write an array.`;
        throw invalidMember(problem, place, name);
      }
      const items: readonly JsonValue[] = value;
      const here = enter(place, name);
      const related = items.map((item, index) => {
        try {
          return reader()(item, here, index, entity);
        } catch (error) {
          return goOn(error, here);
        }
      });
      put(entity, related);
    } else {
      const related = reader()(value, place, name, entity);
      for (const fill of fillings) fill(entity, related, place);
      put(entity, related);
    }
  };
}

/** Makes the step that sets a value of an entity from its nested entity. */
function compileFilling({
  dependent,
  principal,
}: NestedLink): (entity: BodyObject, related: BodyObject, place: BodyPlace) => void {
  const readOwn: FieldGetter = compileFieldReader(dependent.field);
  const readRelated = compileFieldReader(principal.field);
  const put: FieldWriter = compileFieldWriter(dependent.field);
  return (entity, related, place) => {
    const given = readRelated(related);
    if (given === undefined) return;
    checkEqual(dependent, readOwn(entity), given, place);
    put(entity, given);
  };
}

/** @throws ODataError `InvalidBody` if both values are given and differ */
function checkEqual(property: StructuralProperty, own: unknown, given: unknown, place: BodyPlace): void {
  if (own === undefined || own === null || given === undefined || given === null) return;
  if (property.type.kind === "ComplexType") return;
  const codec = codecOf(property);
  // The codecs of two properties of one type have read both.
  const [left, right] = [own as PrimitiveValue, given as PrimitiveValue];
  if (codec.compare(left, right) === 0) return;
  const problem = `${describeValue(codec.toText(left))} differs from the value of the related entity, ${describeValue(codec.toText(right))}: omit it, or use that value.`;
  throw invalidMember(problem, place, property.name);
}
