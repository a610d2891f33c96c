import type { JsonValue } from "../../base/json/write-json.ts";
import {
  annotationPlace,
  describedAt,
  type DescribedElement,
  fullDescription,
  type ModelAnnotations,
} from "../../edm/annotation.ts";
import { checkItemCount, facetCheck } from "../../edm/facet-check.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import { propertiesOfType, TYPE_FIELD } from "../../edm/hierarchy.ts";
import { bareMediaType } from "../../edm/media-type.ts";
import {
  type ComplexType,
  type EntityType,
  type EnumType,
  type MediaType,
  type NavigationProperty,
  type ModelProperty,
  type ReferentialConstraint,
  shownProperties,
  type StructuralProperty,
  type ValueType,
  type VirtualValues,
} from "../../edm/model.ts";
import { streamTraits } from "../../edm/stream-property.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import { describe, isObject } from "../option-table.ts";
import { declaredTypeOf, declaringType } from "../types/hierarchy.ts";
import type {
  ComplexTypeDeclaration,
  DeclaredValueType,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyDeclaration,
} from "../types/value-type.ts";
import { hierarchyViews, namesOfTypes } from "./build-hierarchy.ts";
import { isDeclaration } from "./declaration-kind.ts";
import {
  type DeclaredNavigation,
  type DeclaredProperty,
  type DeclaredService,
  fieldsSet,
  namesOf,
  propertiesOf,
  entriesOf,
  virtualOf,
} from "./declared-service.ts";
import { type DeclaredTypes, toEnumType } from "./declared-types.ts";
import { type EnumTexts, enumTextsOf } from "./enum-texts.ts";
import { resolveFacets } from "./resolve-facets.ts";

/** A type under construction: navigation properties form cycles, so they are added after all types exist. */
type Draft<T> = { -readonly [Member in keyof T]: T[Member] };

/** Builds the types of one model from checked declarations, each type once. */
export class TypeBuilder {
  readonly entityTypes: Map<EntityTypeDeclaration, Draft<EntityType>> = new Map();
  readonly complexTypes: Map<ComplexTypeDeclaration, ComplexType> = new Map();
  readonly #enumTypes: Map<EnumTypeDeclaration, EnumType> = new Map();
  /** The enumerations that are published as texts. */
  readonly #textTypes: Map<EnumTypeDeclaration, EnumType> = new Map();
  readonly annotations: ModelAnnotations;
  readonly enumTexts: EnumTexts;
  readonly #service: DeclaredService;
  readonly #namespace: string;

  constructor(service: DeclaredService, types: DeclaredTypes, namespace: string, annotations: ModelAnnotations) {
    this.annotations = annotations;
    this.enumTexts = enumTextsOf(service, types);
    this.#service = service;
    this.#namespace = namespace;
    for (const type of types.entityTypes) this.#makeEntityType(type);
    this.#addNavigations();
  }

  entityType(declaration: EntityTypeDeclaration): EntityType {
    const type = this.entityTypes.get(this.#service.shown.get(declaration) ?? declaration);
    if (type === undefined) throw new Error(`The entity type ${declaration.name} was not collected.`);
    return type;
  }

  /** The enumerations by name. Clients may write literals also of enumerations that are published as texts alone. */
  enumTypes(): readonly EnumType[] {
    return [...new Map([...this.#textTypes, ...this.#enumTypes]).values()];
  }

  /** @param isText whether an enumeration is published as texts */
  valueType(type: DeclaredValueType, isText: boolean): ValueType {
    switch (type.kind) {
      case "PrimitiveType":
        return type;
      case "EnumTypeDeclaration":
        return this.#enumType(type, isText);
      case "ComplexTypeDeclaration":
        return this.#complexType(type);
    }
  }

  /** Returns a declared default in canonical form; undefined without a default. @param isText as for `valueType` */
  defaultValue(declared: PropertyDeclaration, isText: boolean): unknown {
    if (declared.defaultValue === undefined) return undefined;
    return toDefaultValue(declared, declared.defaultValue.value, (type) => this.#enumType(type, isText));
  }

  #enumType(declaration: EnumTypeDeclaration, isText: boolean): EnumType {
    const known = isText ? this.#textTypes : this.#enumTypes;
    const described = { ...this.#describedEnum(declaration), isText };
    const type = known.get(declaration) ?? toEnumType(declaration, this.#namespace, described);
    known.set(declaration, type);
    return type;
  }

  #describedEnum(declaration: EnumTypeDeclaration): DescribedElement & Pick<EnumType, "memberDescriptions"> {
    const texts = namesOf(declaration.members).flatMap((member) => {
      const text = fullDescription(this.#described(declaration, member));
      return text === undefined ? [] : [[member, text] as const];
    });
    const described = this.#described(declaration);
    return texts.length === 0 ? described : { ...described, memberDescriptions: frozenMap(texts) };
  }

  #complexType(declaration: ComplexTypeDeclaration): ComplexType {
    const known = this.complexTypes.get(declaration);
    if (known !== undefined) return known;
    const { name } = declaration;
    const properties = this.#structuralProperties(declaration);
    const qualifiedName = `${this.#namespace}.${name}`;
    const type: ComplexType = {
      kind: "ComplexType",
      name,
      qualifiedName,
      properties,
      ignoredProperties: this.#ignoredProperties(declaration),
      ...membersOf(properties),
      ...this.#described(declaration),
    };
    this.complexTypes.set(declaration, type);
    return type;
  }

  #makeEntityType(declaration: EntityTypeDeclaration): void {
    const { name } = declaration;
    const properties = this.#structuralProperties(declaration);
    const type: EntityType = {
      kind: "EntityType",
      name,
      qualifiedName: `${this.#namespace}.${name}`,
      properties,
      key: properties.filter(({ isKey }) => isKey),
      ignoredProperties: this.#ignoredProperties(declaration),
      ...this.#virtualProperties(declaration, properties.length),
      navigationProperties: [],
      ...membersOf(properties),
      ...this.#described(declaration),
    };
    this.entityTypes.set(declaration, type);
    for (const [shown, view] of hierarchyViews(declaration, type, this.#namespace)) {
      Object.assign(view, membersOf(propertiesOfType(view)), this.#described(declaredTypeOf(shown)));
      this.entityTypes.set(shown, view);
    }
  }

  #structuralProperties(type: EntityTypeDeclaration | ComplexTypeDeclaration): readonly StructuralProperty[] {
    const set = fieldsSet(this.#service, type);
    const shown = propertiesOf(type, this.#service.naming).filter(({ declared }) => !declared.ignored);
    const made = shown.map((property, index) =>
      this.#structuralProperty(type, property, index, set.has(property.field)),
    );
    for (const [index, { declared }] of shown.entries()) {
      const mediaType = toMediaType(declared, made);
      if (mediaType !== undefined) Object.assign(made[index] ?? {}, { mediaType });
    }
    return made;
  }

  #ignoredProperties(type: EntityTypeDeclaration | ComplexTypeDeclaration): readonly StructuralProperty[] {
    const set = fieldsSet(this.#service, type);
    return propertiesOf(type, this.#service.naming)
      .filter(({ declared }) => declared.ignored)
      .map((property, index) => this.#structuralProperty(type, property, index, set.has(property.field)));
  }

  /** @param count the number of properties of the entities */
  #virtualProperties(type: EntityTypeDeclaration, count: number): Pick<EntityType, "virtualProperties" | "media"> {
    const own = virtualOf(this.#service, type).flatMap(({ field, name, declared, isMedia = false }, index) => {
      if (declared === undefined) return [];
      const shown = { ...declared, computed: declared.stream === undefined };
      const property = this.#structuralProperty(type, { field, name, declared: shown }, count + index, false);
      return [{ property, isMedia }];
    });
    const shown = own.filter(({ isMedia }) => !isMedia).map(({ property }) => property);
    const media = own.find(({ isMedia }) => isMedia)?.property;
    return {
      ...(shown.length === 0 ? {} : { virtualProperties: shown }),
      ...(media === undefined ? {} : { media }),
    };
  }

  #virtualValues(owner: EntityTypeDeclaration | ComplexTypeDeclaration, field: string): VirtualValues | undefined {
    const found = virtualOf(this.#service, owner).find((each) => each.field === field);
    if (found === undefined) return undefined;
    const needs: unknown = found.options["needs"];
    return { needs: Array.isArray(needs) ? needs.filter(isText) : [], isMask: found.isMask };
  }

  #described({ name }: { readonly name: string }, ...members: readonly string[]): DescribedElement {
    return describedAt(this.annotations, annotationPlace("type", name, ...members));
  }

  #structuralProperty(
    owner: EntityTypeDeclaration | ComplexTypeDeclaration,
    { field, name, declared }: DeclaredProperty,
    index: number,
    serverSet: boolean,
  ): StructuralProperty {
    const isText = this.enumTexts.inType(owner);
    // The reference of a stream is stored in an ignored property of the same key.
    const virtual = declared.ignored ? undefined : this.#virtualValues(owner, field);
    const stream = declared.stream === undefined || declared.ignored ? null : streamTraits(field, declared.stream);
    return {
      kind: "StructuralProperty",
      name,
      field,
      type: field === TYPE_FIELD ? namesOfTypes(declared.type, this.#namespace) : this.valueType(declared.type, isText),
      isCollection: declared.item !== undefined,
      nullable: (declared.item ?? declared).nullable,
      isKey: declared.key,
      computed: declared.computed || serverSet,
      ...(serverSet ? { serverSet } : {}),
      immutable: declared.immutable,
      facets: stream === null ? resolveFacets(declared) : { maxLength: stream.maxBytes ?? undefined },
      databaseDefault: declared.databaseDefault,
      ...(declared.requiredByType === true ? { requiredByType: true } : {}),
      onlyIfSelected: declared.onlyIfSelected,
      defaultValue: this.defaultValue(declared, isText),
      description: declared.description,
      ...this.#described(declaringType(owner, field), name),
      index,
      ...(virtual === undefined ? {} : { virtual }),
      ...(stream === null ? {} : { stream }),
    };
  }

  /** Adds the union of the navigations of its sets to each type. */
  #addNavigations(): void {
    for (const [declaration, type] of this.entityTypes) {
      const { sets: own, casts } = this.#service;
      const sets = [...own, ...casts].filter(({ entityType }) => entityType === declaration);
      const byField = new Map<string, NavigationProperty>();
      for (const navigation of sets.flatMap(({ navigations }) => navigations)) {
        const known = byField.get(navigation.field);
        const made = this.#navigationProperty(declaration, navigation);
        byField.set(navigation.field, known === undefined ? made : joined(known, made));
      }
      type.navigationProperties = [...byField.values()];
      const shown = type.hierarchy?.properties ?? shownProperties(type);
      Object.assign(type, membersOf([...shown, ...type.navigationProperties]));
    }
  }

  #navigationProperty(source: EntityTypeDeclaration, navigation: DeclaredNavigation): NavigationProperty {
    const { field, name, target, declaration, options } = navigation;
    if (target === undefined) throw new Error(`The navigation ${field} leads to no entity type.`);
    const partner = this.#service.sets
      .filter(({ entityType }) => entityType === target)
      .flatMap(({ navigations }) => navigations)
      .find((each) => each.field === options["partner"]);
    const { cardinality } = declaration;
    return {
      kind: "NavigationProperty",
      name,
      field,
      entityType: this.entityType(target),
      isCollection: cardinality === "many",
      nullable: cardinality === "optional",
      partner: partner?.name,
      ...this.#described(source, name),
      referentialConstraints: cardinality === "many" ? [] : this.#constraints(source, target, options["on"]),
    };
  }

  /**
   * Returns the properties that repeat the key of the related entity. If `on` does not name the whole key, the related
   * type is the dependent one, and the constraint belongs there. Ignored properties are not part of the model.
   */
  #constraints(
    source: EntityTypeDeclaration,
    target: EntityTypeDeclaration,
    on: unknown,
  ): readonly ReferentialConstraint[] {
    if (typeof on !== "object" || on === null) return [];
    const related = this.entityType(target);
    const constraints = Object.entries(on).flatMap(([from, to]) => {
      const property = this.entityType(source).properties.find(({ field }) => field === from);
      const referencedProperty = related.key.find(({ field }) => field === to);
      return property === undefined || referencedProperty === undefined ? [] : [{ property, referencedProperty }];
    });
    const isWholeKey = constraints.length === Object.keys(on).length && constraints.length === related.key.length;
    return isWholeKey ? constraints : [];
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Joins the declarations of one navigation in two sets: each may state parts that the other omits. */
function joined(one: NavigationProperty, other: NavigationProperty): NavigationProperty {
  const { referentialConstraints } = one.referentialConstraints.length > 0 ? one : other;
  return { ...one, partner: one.partner ?? other.partner, referentialConstraints };
}

/** Returns the media type of a property. @param siblings the properties of the same type */
function toMediaType(
  { mediaType }: PropertyDeclaration,
  siblings: readonly StructuralProperty[],
): MediaType | undefined {
  if (mediaType === undefined) return undefined;
  if (typeof mediaType === "string") return { kind: "constant", type: mediaType };
  const property = siblings.find(({ field }) => field === mediaType.property);
  if (property === undefined) throw new Error(`No property \`${mediaType.property}\` contains a media type.`);
  return { kind: "stored", property, accepts: mediaType.accepts?.map(bareMediaType) ?? null };
}

function membersOf<Member extends ModelProperty>(
  properties: readonly Member[],
): { readonly members: ReadonlyMap<string, Member>; readonly membersIgnoringCase: ReadonlyMap<string, Member> } {
  return {
    members: frozenMap(properties.map((property) => [property.name, property])),
    membersIgnoringCase: frozenMap(properties.map((property) => [property.name.toLowerCase(), property])),
  };
}

/** Resolves a declared enumeration. */
type ResolveEnumType = (type: EnumTypeDeclaration) => EnumType;

/**
 * Returns a declared default in canonical form.
 * @throws InvalidValueError for an invalid value, or a value that violates a facet
 */
export function toDefaultValue(declared: PropertyDeclaration, value: unknown, resolve: ResolveEnumType): unknown {
  const { item, type, facets } = declared;
  if (item !== undefined) return collectionOf(declared, item, value, resolve);
  if (value === null) {
    if (declared.nullable) return null;
    throw new InvalidValueError("null is not a value of a property that is not nullable.");
  }
  if (type.kind === "ComplexTypeDeclaration") return complexOf(type, value, resolve);
  const codec = valueCodec(type.kind === "EnumTypeDeclaration" ? resolve(type) : type, isObject(facets) ? facets : {});
  const canonical = codec.fromHandler(value);
  // Facets limit the values that clients send: a default must be a value that a client could send.
  codec.fromJson(JSON.parse(codec.toJson(canonical, true)) as JsonValue, true);
  const problem = facetCheck(codec.type, resolveFacets(declared))?.(canonical)?.problem ?? null;
  if (problem !== null) throw new InvalidValueError(problem);
  return canonical;
}

function collectionOf(
  declared: PropertyDeclaration,
  item: PropertyDeclaration,
  value: unknown,
  resolve: ResolveEnumType,
): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidValueError(`${describe(value)} is not an array.`);
  const problem = checkItemCount(value.length, resolveFacets(declared))?.problem ?? null;
  if (problem !== null) throw new InvalidValueError(problem);
  return value.map((each: unknown) => toDefaultValue(item, each, resolve));
}

function complexOf(type: ComplexTypeDeclaration, value: unknown, resolve: ResolveEnumType): object {
  if (!isObject(value)) throw new InvalidValueError(`${describe(value)} is not an object of ${type.name}.`);
  const members = entriesOf(type.properties).flatMap(([field, property]) =>
    isDeclaration(property, "Property") ? [[field, memberOf(field, property.declared, value, resolve)] as const] : [],
  );
  const unknown = Object.keys(value).find((field) => !namesOf(type.properties).includes(field));
  if (unknown !== undefined) throw new InvalidValueError(`${type.name} has no property \`${unknown}\`.`);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Returns undefined for an absent ignored member. */
function memberOf(
  field: string,
  declared: PropertyDeclaration,
  value: Readonly<Record<string, unknown>>,
  resolve: ResolveEnumType,
): unknown {
  const given = Object.hasOwn(value, field) ? value[field] : declared.defaultValue?.value;
  if (given !== undefined) return toDefaultValue(declared, given, resolve);
  if (declared.ignored) return undefined;
  if (declared.nullable) return null;
  throw new InvalidValueError(`The property \`${field}\` is missing.`);
}
