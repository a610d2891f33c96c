import { describeValue } from "../edm/invalid-value.ts";
import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { protocolError } from "../errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import {
  type BodyObject,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  type FieldWriter,
} from "./body-members.ts";
import { type BodyPlace, enter, invalidMember, nullNotAllowed, pathWithin, placeWithin } from "./body-place.ts";
import { type NestedLink, type NestedLinks, nestedLinksOf } from "./nested-links.ts";
import { compileFieldReader, type FieldReader } from "./property-reader.ts";
import type { ValueReader, ValueReaders } from "./read-value.ts";
import { refuseBindings } from "./refuse-binding.ts";

/** What the entities of a body belong to. */
export interface EntityTarget {
  /** Null where no set is declared that they belong to. */
  readonly entitySet: EntitySet | null;
  readonly entityType: EntityType;
}

/** How the bodies of new entities are read. */
export interface EntityReading {
  readonly values: ValueReaders;
  /** Whether nested values of navigation properties are read; if not, they are null. */
  readonly allowDeepInsert: boolean;
  /** Whether nested values that are not read are an error; absent: false. */
  readonly refusesIgnoredNesting?: boolean | undefined;
  /** By name: where nested entities find how their own navigations are joined. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/**
 * Reads one new entity.
 * @param owner the entity around it, or what is known of one; null without one
 * @throws ODataError `InvalidBody`, `NullNotAllowed` or `NotImplemented`, with the path as target
 */
export type NewEntityReader = (
  value: JsonValue,
  place: BodyPlace,
  segment: string | number,
  owner: object | null,
) => BodyObject;

/** Reads one member into the entity that is made. */
type MemberStep = (body: JsonObject, place: BodyPlace, entity: BodyObject, owner: object | null) => void;

/**
 * Makes the reader of new entities: members in canonical form by the application's fields, in order of declaration.
 * Computed members of the body are passed over, absent ones become their default, null or no items.
 * @param links what follows from the entity that the new one is nested in
 * @see specification, Read by key, create, replace, patch, delete; Deep insert and `@odata.bind`
 */
export function compileNewEntityReader(
  { entitySet, entityType }: EntityTarget,
  reading: EntityReading,
  links: readonly NestedLink[] = [],
): NewEntityReader {
  const { qualifiedName, properties, navigationProperties, members } = entityType;
  const checkNames = compileNameCheck(qualifiedName, members, reading.values.unknownMembers);
  const nested = navigationProperties.map((navigation) => {
    return { navigation, links: nestedLinksOf(entitySet, navigation) };
  });
  const steps: readonly MemberStep[] = [
    ...properties.map((property) => {
      if (property.computed) return skipMember(property.name);
      const link = links.find(({ dependent }) => dependent === property);
      const read = reading.values.ofProperty(property);
      if (link !== undefined) return linkedMember(property, link.principal, read);
      const stated = nested.filter(({ links: { ofOwner } }) => ofOwner.some(({ dependent }) => dependent === property));
      const namedBy = reading.allowDeepInsert ? stated.map(({ navigation }) => navigation.name) : [];
      return plainMember(property, read, namedBy);
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
    for (const step of steps) step(value, here, entity, owner);
    return entity;
  };
}

/** Makes the error of a value that stands where an entity should. */
export function notAnEntity(value: JsonValue, typeName: string, place: BodyPlace, segment: string | number): Error {
  const problem = `${describeValue(value)} is not a ${typeName}: send a JSON object with its properties.`;
  return invalidMember(problem, place, segment);
}

/** A member whose value nobody asks for; a link in it would be lost without a word. */
function skipMember(name: string): MemberStep {
  return (body, place) => refuseBindings(body[name] ?? null, placeWithin(place, name));
}

/** @param namedBy the navigations whose nested entity gives the value, where it is there */
function plainMember(property: StructuralProperty, read: ValueReader, namedBy: readonly string[]): MemberStep {
  const { name } = property;
  const put = compileFieldWriter(property.field);
  const absent = compileAbsentValue(property);
  return (body, place, entity) => {
    const value = body[name];
    if (value !== undefined) put(entity, read(value, place, name));
    else if (!namedBy.some((navigation) => isJsonObject(body[navigation]))) put(entity, absent(place));
  };
}

/** A member whose value the entity around it gives; where that does not know it yet, whoever creates both will. */
function linkedMember(property: StructuralProperty, principal: StructuralProperty, read: ValueReader): MemberStep {
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

/** @param isRefused whether a nested entity is an error; null and an empty collection never are */
function nullMember({ name, field }: NavigationProperty, isRefused: boolean): MemberStep {
  const put = compileFieldWriter(field);
  return (body, place, entity) => {
    const value = body[name];
    if (value === undefined) return;
    refuseBindings(value, placeWithin(place, name));
    if (isRefused && (isJsonObject(value) || (Array.isArray(value) && value.length > 0))) {
      const problem = `This entity set does not create nested entities: create those of '${name}' with requests of their own.`;
      throw protocolError("NotImplemented", problem, { target: pathWithin(place, name) });
    }
    put(entity, null);
  };
}

/** Made when a nested value is there, so that a type may lead to itself. */
function nestedReader(
  source: EntitySet | null,
  navigation: NavigationProperty,
  links: NestedLinks,
  reading: EntityReading,
): () => NewEntityReader {
  let made: NewEntityReader | undefined;
  const bound = source?.navigationPropertyBindings.get(navigation.name);
  const entitySet = bound === undefined ? null : (reading.entitySets.get(bound) ?? null);
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
      put(
        entity,
        items.map((item, index) => reader()(item, here, index, entity)),
      );
    } else {
      const related = reader()(value, place, name, entity);
      for (const fill of fillings) fill(entity, related, place);
      put(entity, related);
    }
  };
}

/** Gives an entity the value that the one nested in it decides. */
function compileFilling({
  dependent,
  principal,
}: NestedLink): (entity: BodyObject, related: BodyObject, place: BodyPlace) => void {
  const readOwn: FieldReader = compileFieldReader(dependent.field);
  const readRelated = compileFieldReader(principal.field);
  const put: FieldWriter = compileFieldWriter(dependent.field);
  return (entity, related, place) => {
    const given = readRelated(related);
    if (given === undefined) return;
    checkEqual(dependent, readOwn(entity), given, place);
    put(entity, given);
  };
}

/** @throws ODataError `InvalidBody` when both values are known and differ */
function checkEqual(property: StructuralProperty, own: unknown, given: unknown, place: BodyPlace): void {
  if (own === undefined || own === null || given === undefined || given === null) return;
  if (property.type.kind === "ComplexType") return;
  const codec = codecOf(property);
  // Both were read by the codecs of two properties of one type.
  const [left, right] = [own as PrimitiveValue, given as PrimitiveValue];
  if (codec.compare(left, right) === 0) return;
  const problem = `${describeValue(codec.toText(left))} is not the value that the related entity has, ${describeValue(codec.toText(right))}: leave it out, or write that one.`;
  throw invalidMember(problem, place, property.name);
}
