import type { Fault } from "../base/errors/fault.ts";
import { nearestName } from "../base/errors/nearest-name.ts";
import { isODataError, MAX_FAULTS, type ODataError, protocolError } from "../base/errors/odata-error.ts";
import { type JsonObject, namesOf, isJsonObject, type JsonValue } from "../base/json/write-json.ts";
import { absentValue } from "../edm/absent-value.ts";
import { facetCheck } from "../edm/facet-check.ts";
import { BIND } from "../edm/key-holder.ts";
import { keyValues } from "../edm/literal.ts";
import type { EntitySet, StructuralProperty, EntityType } from "../edm/model.ts";
import { describeValue, type PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { LinkReading } from "./link-reading.ts";

/** An object that is read from a body, by the application's fields. */
export interface BodyObject {
  [field: string]: unknown;
}

/** The treatment of unknown members, which include ignored properties. */
export type UnknownMembers = "reject" | "ignore";

/**
 * Makes the check of the names in an object. It ignores annotations except `@odata.bind`, and also these in entities whose
 * links are read.
 * @param typeName qualified name of the type, for messages
 * @param names the known members
 * @param kind the kind of the members, for messages
 * @param entitySet the set of the entities, whose links may be read; absent: none
 * @returns a check that throws ODataError `InvalidBody` for an unknown member, `NotImplemented` for `@odata.bind`
 * @see docs/reference/writing.md
 */
export function compileNameCheck(
  typeName: string,
  names: Pick<ReadonlySet<string>, "has" | "keys">,
  unknownMembers: UnknownMembers,
  kind: "property" | "parameter" = "property",
  entitySet: EntitySet | null = null,
): (object: JsonObject, place: BodyPlace) => void {
  const problem = `${typeName} has no ${kind}`;
  return (object, place) => {
    const readsLinks = entitySet !== null && place.links?.accepts(entitySet) === true;
    for (const name of namesOf(object)) {
      if (names.has(name) || (readsLinks && name.endsWith(BIND))) continue;
      if (name.includes("@")) refuseBindingName(name, place);
      else if (unknownMembers === "reject") refuse(unknownMember(name, problem, names.keys(), place), place);
      refuseBindings(object[name] ?? null, placeWithin(place, name));
    }
  };
}

function unknownMember(name: string, problem: string, known: Iterable<string>, place: BodyPlace): ODataError {
  const near = nearestName(name, known);
  const advice = near === null ? "leave it out, or look up the names in $metadata" : `did you mean ${near}?`;
  const end = near === null ? "." : "";
  return invalidMember(`${problem} ${JSON.stringify(shorten(name))}: ${advice}${end}`, place, name);
}

/** Sets a field of an object. */
export type FieldWriter = (target: BodyObject, value: unknown) => void;

/**
 * Makes the writer of a field. It always sets an own property, also for names that objects inherit.
 * @param field key in the application's objects
 */
export function compileFieldWriter(field: string): FieldWriter {
  if (!(field in Object.prototype)) {
    return (target, value) => {
      target[field] = value;
    };
  }
  return (target, value) => {
    Object.defineProperty(target, field, { value, configurable: true, enumerable: true, writable: true });
  };
}

/**
 * Makes the function that returns the value of a missing member: its default, no items, or null.
 * @returns a function that throws ODataError `InvalidBody` for a required member
 * @see OData Protocol 4.0, section 11.4.2
 */
export function compileAbsentValue(
  property: Pick<StructuralProperty, "name" | "defaultValue" | "isCollection" | "nullable"> &
    Partial<Pick<StructuralProperty, "facets">>,
): (place: BodyPlace) => unknown {
  const shared = absentValue(property);
  if (typeof shared === "object" && shared !== null) return () => absentValue(property);
  if (shared !== undefined) return () => shared;
  return (place) => {
    throw missingMember(place, property.name);
  };
}

/** Makes the error of a missing required member. */
export function missingMember(place: BodyPlace, name: string): ODataError {
  const problem = "This member is required: it has no default and must not be null.";
  return invalidMember(problem, place, name, { code: "Required", parameters: {} });
}

/** The end of the annotation that links to existing entities; the short form belongs to OData 4.01. */
const BINDING = /.@(?:odata\.)?bind$/;

/** A structure whose members have not been checked yet. */
interface Pending {
  readonly value: JsonValue & object;
  readonly place: BodyPlace;
}

/**
 * Refuses an annotation that requests a link, which is not supported.
 * @param name of a member with `@` in it
 * @throws ODataError `NotImplemented`
 * @see docs/reference/writing.md
 */
function refuseBindingName(name: string, place: BodyPlace): void {
  if (!BINDING.test(name)) return;
  throw protocolError(
    "NotImplemented",
    "@odata.bind is unsupported on this route: link to existing entities through the $ref endpoints of the navigation property; or nest new ones in the body of a POST, where the entity set allows deep insert.",
    { target: pathWithin(place, name) },
  );
}

/**
 * Refuses such an annotation anywhere in an ignored value. It does not recurse, so the depth is not limited.
 * @throws ODataError `NotImplemented`
 */
export function refuseBindings(value: JsonValue, place: BodyPlace): void {
  if (!isStructure(value)) return;
  const pending: Pending[] = [{ value, place }];
  const add = (inner: JsonValue | undefined, outer: BodyPlace, segment: string | number): void => {
    if (isStructure(inner)) pending.push({ value: inner, place: placeWithin(outer, segment) });
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: structure, place: here } = next;
    if (isJsonObject(structure)) {
      for (const name of namesOf(structure)) {
        if (name.includes("@")) refuseBindingName(name, here);
        add(structure[name], here, name);
      }
    } else if (Array.isArray(structure)) {
      for (const [index, item] of (structure as readonly JsonValue[]).entries()) add(item, here, index);
    }
  }
}

function isStructure(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === "object" && value !== null;
}

/** The place of a value in a body: the path to it, and the form of its numbers. */
export interface BodyPlace {
  /** Null for the body itself. */
  readonly parent: BodyPlace | null;
  /** Name of a member, or index of an item. */
  readonly segment: string | number;
  readonly depth: number;
  /** Whether numbers may be strings. */
  readonly ieee754Compatible: boolean;
  /** Collects the faults of the body; null: the first fault ends the reading. */
  readonly faults: Pick<BodyFaults, "add" | "isFull"> | null;
  /** Reads the links to existing entities; null: the body may state none. */
  readonly links: LinkReading | null;
}

/** The faults of a body that is read a second time, to find all of them. */
export class BodyFaults {
  readonly found: ODataError[] = [];
  /** Whether all values could be read. */
  areFacets = true;

  /** @throws ODataError the fault itself, if a response lists no further faults */
  add(fault: ODataError, isFacet: boolean): void {
    this.found.push(fault);
    this.areFacets &&= isFacet;
    if (this.isFull) throw fault;
  }

  get isFull(): boolean {
    return this.found.length >= MAX_FAULTS;
  }
}

/**
 * Ends the reading with a fault, or notes the fault where all of them are collected.
 * @param isFacet whether the value could be read, but violates a facet
 * @throws ODataError the fault
 */
export function refuse(fault: ODataError, { faults }: BodyPlace, isFacet = false): void {
  if (faults === null) throw fault;
  faults.add(fault, isFacet);
}

/**
 * Notes the fault of a member where all faults are collected, so that the next member can be read. Unsupported bodies have no
 * further faults.
 * @throws the error otherwise
 */
export function goOn(error: unknown, { faults }: BodyPlace): undefined {
  if (faults === null || faults.isFull || !isODataError(error) || error.status !== 400) throw error;
  faults.add(error, false);
  return undefined;
}

/** Maximum nesting of structures, independent of the limit of the parser. */
const MAX_DEPTH = 500;
/** Maximum number of characters of a name or path in an error. */
const MAX_SHOWN = 128;

/**
 * Returns the place of a body.
 * @param faults collects the faults; null: the first one ends the reading
 * @param links reads the links; null: the body may state none
 */
export function bodyRoot(
  ieee754Compatible: boolean,
  faults: BodyPlace["faults"] = null,
  links: BodyPlace["links"] = null,
): BodyPlace {
  return { parent: null, segment: "", depth: 0, ieee754Compatible, faults, links };
}

/** Returns the place of a member or item. */
export function placeWithin(parent: BodyPlace, segment: string | number): BodyPlace {
  const { depth, ieee754Compatible, faults, links } = parent;
  return { parent, segment, depth: depth + 1, ieee754Compatible, faults, links };
}

/**
 * Returns the place of a member or item whose members are read next.
 * @throws ODataError `InvalidBody` if the body is nested too deeply
 */
export function enter(parent: BodyPlace, segment: string | number): BodyPlace {
  if (parent.depth < MAX_DEPTH) return placeWithin(parent, segment);
  throw protocolError("InvalidBody", `The body is nested deeper than ${String(MAX_DEPTH)} levels.`);
}

/** Returns the path of a member or item, such as `Lines/2/Quantity`; empty for the body itself. */
export function pathWithin(place: BodyPlace, segment: string | number): string {
  const segments = [segment];
  for (let at: BodyPlace | null = place; at !== null && at.parent !== null; at = at.parent) segments.push(at.segment);
  return shorten(segments.toReversed().join("/"));
}

/**
 * Makes the error of an invalid member or item, with the path as target.
 * @param problem the fault and its correction, as a sentence
 * @param fault the kind of the fault, for texts in other languages
 */
export function invalidMember(problem: string, place: BodyPlace, segment: string | number, fault?: Fault): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("InvalidBody", path === "" ? problem : `${path}: ${problem}`, {
    target: path === "" ? undefined : path,
    fault,
  });
}

/**
 * Makes the error of a null that the model does not allow, with the path as target.
 * @param advice the correction, as the rest of a sentence
 */
export function nullNotAllowed(place: BodyPlace, segment: string | number, advice: string): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("NullNotAllowed", `${path} must not be null: ${advice}.`, { target: path });
}

/** Shortens a client's text for an error. */
function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** The key values of a body, in the order of the type's key; undefined for missing values. */
export type BodyKey = ReadonlyArray<PrimitiveValue | undefined>;

/**
 * Checks that the key of a body, if any, equals the key of the URL. It compares values, not texts.
 * @param key the key of the URL, in the application's form
 * @throws ODataError `KeyMismatch`, target `key`
 * @see docs/reference/writing.md
 */
export function checkKeyMatch(entityType: EntityType, bodyKey: BodyKey, key: unknown): void {
  for (const [index, expected] of keyValues(entityType.key, key).entries()) {
    const [property, own] = [entityType.key[index], bodyKey[index]];
    if (own === undefined || property === undefined) continue;
    const codec = codecOf(property);
    if (codec.compare(own, expected) === 0) continue;
    const [ownText, expectedText] = [describeValue(codec.toText(own)), describeValue(codec.toText(expected))];
    throw protocolError(
      "KeyMismatch",
      `${property.name} is ${ownText} in the body and ${expectedText} in the URL: leave it out of the body, or write the key of the URL.`,
      { target: "key" },
    );
  }
}

/**
 * Checks that a write may create an entity with the key of the URL, which a body need not repeat.
 * @throws ODataError `InvalidKey`, target `key`, for a key that violates a facet
 */
export function checkNewKey({ key: properties }: EntityType, key: unknown): void {
  for (const [index, value] of keyValues(properties, key).entries()) {
    const { name, type, facets } = properties[index] ?? {};
    if (type === undefined || facets === undefined || type.kind === "ComplexType") continue;
    const violated = facetCheck(type, facets)?.(value) ?? null;
    if (violated === null) continue;
    const { problem, fault } = violated;
    throw protocolError("InvalidKey", `${String(name)}: ${problem}`, { target: "key", fault });
  }
}
