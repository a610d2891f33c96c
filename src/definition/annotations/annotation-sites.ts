import { annotationPlace, overloadName } from "../../edm/annotation.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  fieldsSet,
  navigationPlace,
  operationPlace,
  propertiesOf,
  virtualOf,
} from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { HIERARCHY_PLACES, parentNavigation, qualifierOf } from "../model/hierarchy.ts";
import { type FaultPlace, isObject } from "../option-table.ts";
import { ownProperties, seenAs } from "../types/hierarchy.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration, EnumTypeDeclaration } from "../types/value-type.ts";

/** Where the paths of an annotation start. @see OData CSDL 4.0, section 14.5.12 */
export type AnnotationScope =
  | { readonly kind: "type"; readonly type: EntityTypeDeclaration | ComplexTypeDeclaration }
  | { readonly kind: "operation"; readonly set: DeclaredSet | undefined; readonly operation: DeclaredOperation }
  | { readonly kind: "container" }
  /** The start of an absolute path. */
  | { readonly kind: "root" }
  | { readonly kind: "none" };

/** An element with annotations. */
export interface AnnotationSite {
  /** Its place in the annotations of the model. */
  readonly place: string;
  readonly fault: FaultPlace & { readonly property?: string };
  /** Its name in messages. */
  readonly what: string;
  readonly scope: AnnotationScope;
  /** The text of `.describe()`; undefined without one, and for properties, whose description the model contains. */
  readonly description?: unknown;
  /** The annotations as declared; undefined if there are only those of the service. */
  readonly annotations: unknown;
  /** The terms that the service writes there itself, as far as paths may name them. */
  readonly derived: readonly string[];
}

/** Returns the annotated elements of a service. An element that several sets declare is listed for each of them. */
export function annotationSites(service: DeclaredService, types: DeclaredTypes): readonly AnnotationSite[] {
  const sites = [
    ...containerSite(service),
    ...[...types.enumTypes].flatMap(enumSites),
    ...[...types.complexTypes, ...types.entityTypes].flatMap((type) => hierarchySites(service, type)),
    ...service.sets.flatMap(setSites),
    ...service.sets.flatMap((set) => set.operations.flatMap((operation) => operationSites(set, operation))),
    ...service.operations.flatMap((operation) => operationSites(undefined, operation)),
  ];
  return sites.filter(
    ({ annotations, description, derived }) =>
      annotations !== undefined || description !== undefined || derived.length > 0,
  );
}

function containerSite({ options }: DeclaredService): readonly AnnotationSite[] {
  const { annotations } = options;
  return [{ ...plain(annotationPlace("container"), {}, "the service", annotations), scope: { kind: "container" } }];
}

function enumSites(type: EnumTypeDeclaration): readonly AnnotationSite[] {
  const { name, description, memberDescriptions } = type;
  const options = isObject(type.options) ? type.options : {};
  const annotated = new Map(entriesOf(options["memberAnnotations"]));
  const described = new Map(entriesOf(memberDescriptions));
  const members = new Set([...annotated.keys(), ...described.keys()]);
  return [
    {
      ...plain(annotationPlace("type", name), { set: name }, `the enumeration ${name}`, options["annotations"]),
      description,
    },
    ...[...members].map((member) => ({
      ...plain(
        annotationPlace("type", name, member),
        { set: name, property: member },
        `the member ${member} of ${name}`,
        annotated.get(member),
      ),
      description: described.get(member),
    })),
  ];
}

/** Returns the sites of a type, or of each type of a hierarchy with the properties that it adds. */
function hierarchySites(
  service: DeclaredService,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
): readonly AnnotationSite[] {
  if (type.kind === "ComplexTypeDeclaration" || type.hierarchy === undefined) return typeSites(service, type);
  return type.hierarchy.types.flatMap((each) => {
    const own = ownProperties(each);
    return typeSites(service, seenAs(type, each), (field) => Object.hasOwn(own, field));
  });
}

/** @param isOwn whether the type declares a property */
function typeSites(
  service: DeclaredService,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
  isOwn: (field: string) => boolean = () => true,
): readonly AnnotationSite[] {
  const { naming } = service;
  const set = fieldsSet(service, type);
  const { name } = type;
  const options = isObject(type.options) ? type.options : {};
  const scope: AnnotationScope = { kind: "type", type };
  const zoneless = zonelessFields(service, type);
  return [
    {
      ...plain(
        annotationPlace("type", name),
        { set: name },
        `the type ${name}`,
        withHierarchies(options["annotations"], service, type),
      ),
      description: type.description,
      scope,
    },
    ...propertiesOf(type, naming)
      .filter(({ field, declared }) => !declared.ignored && isOwn(field))
      .map(({ field, name: wire, declared }) => ({
        ...plain(
          annotationPlace("type", name, wire),
          { set: name, property: field },
          `the property \`${field}\` of ${name}`,
          inZone(declared.annotations, zoneless.get(field)),
        ),
        scope,
        derived: [
          ...(declared.description === undefined ? [] : ["Core.Description"]),
          ...(declared.computed || set.has(field) ? ["Core.Computed"] : []),
          ...(declared.databaseDefault ? ["Core.ComputedDefaultValue"] : []),
          ...(declared.immutable ? ["Core.Immutable"] : []),
          ...LIMIT_TERMS.flatMap(([facet, term]) =>
            isObject(declared.facets) && declared.facets[facet] !== undefined ? [term] : [],
          ),
        ],
      })),
  ];
}

/**
 * States the hierarchies of the sets of a type, unless the application does.
 * @see Org.OData.Aggregation.V1.RecursiveHierarchy
 */
function withHierarchies(annotations: unknown, { sets, options }: DeclaredService, type: object): unknown {
  if (annotations !== undefined && !isObject(annotations)) return annotations;
  // The service may give the aliases to other vocabularies.
  const { vocabularies } = options;
  const isTaken = ["Aggregation", "Hierarchy"].some(
    (alias) => isObject(vocabularies) && Object.hasOwn(vocabularies, alias),
  );
  if (isTaken) return annotations;
  const stated = sets.flatMap((set) => (set.entityType === type ? hierarchyTerms(set) : []));
  return stated.length === 0 ? annotations : { ...Object.fromEntries(stated), ...annotations };
}

function hierarchyTerms(set: DeclaredSet): ReadonlyArray<readonly [string, unknown]> {
  const { hierarchy } = set.options;
  const parent = isObject(hierarchy) ? parentNavigation(set, hierarchy) : undefined;
  const key = entriesOf(set.entityType.properties).find(
    ([, property]) => isDeclaration(property, "Property") && property.declared.key,
  );
  if (!isObject(hierarchy) || parent === undefined || key === undefined) return [];
  const qualifier = qualifierOf(hierarchy, set.name);
  const nodes = {
    NodeProperty: { $PropertyPath: key[0] },
    ParentNavigationProperty: { $NavigationPropertyPath: parent.field },
  };
  const places = Object.fromEntries(
    [...HIERARCHY_PLACES]
      .filter(([, place]) => place !== "LimitedRank")
      .map(([field, place]) => [place, { $Path: field }]),
  );
  return [
    [`Aggregation.RecursiveHierarchy#${qualifier}`, nodes],
    [`Hierarchy.RecursiveHierarchy#${qualifier}`, places],
  ];
}

/** Returns the fields of a type whose columns have no time zone in some set, with the zone in which they are. */
function zonelessFields({ sets, naming, options }: DeclaredService, type: object): ReadonlyMap<string, string> {
  // The service may give the alias to another vocabulary.
  if (isObject(options["vocabularies"]) && Object.hasOwn(options["vocabularies"], "Common")) return new Map();
  const ownerOf = (owner: EntityTypeDeclaration | ComplexTypeDeclaration, path: readonly string[]): object | null => {
    const [field] = path;
    if (path.length < 2) return owner;
    const inner: unknown = propertiesOf(owner, naming).find((each) => each.field === field)?.declared.type;
    return isDeclaration(inner, "ComplexTypeDeclaration") ? ownerOf(inner, path.slice(1)) : null;
  };
  const paths = sets.flatMap(({ entityType, withoutZone }) =>
    withoutZone.filter(({ path }) => ownerOf(entityType, path) === type),
  );
  return new Map(paths.map(({ path, zone }) => [path.at(-1) ?? "", zone]));
}

/** States the zone of timestamps, unless the application does. @see https://sap.github.io/odata-vocabularies/vocabularies/Common.html#Timezone */
function inZone(annotations: unknown, zone: string | undefined): unknown {
  if (zone === undefined) return annotations;
  if (annotations !== undefined && !isObject(annotations)) return annotations;
  const isStated = Object.keys(annotations ?? {}).some((term) => /(?:^|\.)Timezone$/u.test(term));
  return isStated ? annotations : { ...annotations, "Common.Timezone": zone };
}

/** The facets that the service writes as annotations. */
const LIMIT_TERMS = [
  ["minimum", "Validation.Minimum"],
  ["maximum", "Validation.Maximum"],
  ["pattern", "Validation.Pattern"],
  ["minItems", "Validation.MinItems"],
  ["maxItems", "Validation.MaxItems"],
] as const;

function setSites(set: DeclaredSet): readonly AnnotationSite[] {
  const { name, entityType } = set;
  const scope: AnnotationScope = { kind: "type", type: entityType };
  const { annotations } = set.options;
  return [
    {
      ...plain(annotationPlace("set", name), { set: name }, `the set ${name}`, annotations),
      description: set.declaration.description,
      scope,
    },
    ...set.navigations.map((navigation) => ({
      ...plain(
        annotationPlace("type", entityType.name, navigation.name),
        navigationPlace(set, navigation),
        `the navigation \`${navigation.field}\``,
        navigation.options["annotations"],
      ),
      description: navigation.declaration.description,
      scope,
    })),
  ];
}

function operationSites(set: DeclaredSet | undefined, operation: DeclaredOperation): readonly AnnotationSite[] {
  const { name, options, parameters, bound } = operation;
  const overload = overloadName(name, set?.entityType.name, bound === "collection");
  const fault = operationPlace(set, operation);
  const scope: AnnotationScope = { kind: "operation", set, operation };
  return [
    {
      ...plain(annotationPlace("operation", overload), fault, `the operation \`${name}\``, options["annotations"]),
      description: operation.declaration.description,
      scope,
    },
    ...parameters.map(({ name: parameter, declared }) => ({
      ...plain(
        annotationPlace("operation", overload, parameter),
        fault,
        `the parameter \`${parameter}\` of \`${name}\``,
        declared.annotations,
      ),
      description: declared.description,
      scope,
    })),
  ];
}

function plain(place: string, fault: AnnotationSite["fault"], what: string, annotations: unknown): AnnotationSite {
  return { place, fault, what, scope: { kind: "none" }, annotations, derived: [] };
}

/** Returns the wire names of the visible members of a type by their keys, navigations included. */
export function visibleMembers(
  { sets, naming }: DeclaredService,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
): readonly TypeMember[] {
  const navigations = sets.filter(({ entityType }) => entityType === type).flatMap((set) => set.navigations);
  const virtual = virtualOf({ sets }, type).flatMap(({ field, name, declared }) =>
    declared === undefined ? [] : { field, name, declared },
  );
  return [
    ...[...propertiesOf(type, naming), ...virtual]
      .filter(({ declared }) => !declared.ignored)
      .map(({ field, name, declared }): TypeMember => {
        const structured = isDeclaration(declared.type, "ComplexTypeDeclaration") ? declared.type : undefined;
        const isCollection = declared.item !== undefined;
        return { field, name, type: structured, isNavigation: false, isCollection };
      }),
    ...navigations.map(({ field, name, target }) => ({
      field,
      name,
      type: target,
      isNavigation: true,
      isCollection: false,
    })),
  ];
}

/** A property or navigation of a type. */
export interface TypeMember {
  readonly field: string;
  readonly name: string;
  /** The structured type of its values. */
  readonly type: EntityTypeDeclaration | ComplexTypeDeclaration | undefined;
  readonly isNavigation: boolean;
  /** Whether it is a structural property with a collection. */
  readonly isCollection: boolean;
}
