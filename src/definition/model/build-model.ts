import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { annotationPlace, describedAt, type ModelAnnotations, overloadName } from "../../edm/annotation.ts";
import { deepFreeze, frozenMap, frozenSet } from "../../edm/frozen-map.ts";
import type {
  EntityContainer,
  EntitySet,
  EntityType,
  EtagDigest,
  EtagDigests,
  Model,
  Operation,
  OperationImport,
  OperationParameter,
  Singleton,
  ReturnType,
  LinkColumn,
  LinkPlacement,
  NavigationJoin,
  StructuralProperty,
} from "../../edm/model.ts";
import { isTableName } from "../../edm/table-name.ts";
import { isObject } from "../option-table.ts";
import { TypeBuilder } from "./build-types.ts";
import { isDeclaration } from "./declaration-kind.ts";
import {
  type DeclaredOperation,
  type DeclaredParameter,
  type DeclaredService,
  type DeclaredSet,
  type DeclaredNavigation,
  entriesOf,
  namespaceOf,
} from "./declared-service.ts";
import type { DeclaredTypes } from "./declared-types.ts";
import { toHierarchy } from "./hierarchy.ts";
import { resolveFacets } from "./resolve-facets.ts";

/** A model, and the operation of the model for each declared operation. */
export interface BuiltModel {
  readonly model: Model;
  readonly operations: ReadonlyMap<DeclaredOperation, Operation>;
}

/** The names of a schema. */
interface SchemaNames {
  readonly namespace: string;
  /** The unqualified name of the container. */
  readonly containerName: string;
}

/** The resolved annotations of a registration, and the faults of their declarations. */
interface BoundAnnotations {
  readonly annotations: ModelAnnotations;
  readonly faults: readonly ConfigurationFault[];
}

/** Resolves the annotations of a registration. */
export type AnnotationBinder = (service: DeclaredService, types: DeclaredTypes, names: SchemaNames) => BoundAnnotations;

const NO_ANNOTATIONS: ModelAnnotations = { byPlace: frozenMap([]), vocabularies: [], isExternal: false };

/** Returns the namespace of the schema, and the name of its container, which no other element has. */
export function schemaNames({ options, sets, operations }: DeclaredService, types: DeclaredTypes): SchemaNames {
  const neighbours = [
    ...types.entityTypes,
    ...types.complexTypes,
    ...types.enumTypes,
    ...operations,
    ...sets.flatMap((set) => set.operations),
  ];
  const isTaken = neighbours.some(({ name }) => name === "Container");
  return {
    namespace: namespaceOf(options),
    containerName: isTaken ? "DefaultContainer" : "Container",
  };
}

/**
 * Builds the frozen model of a registration from checked declarations, with every name resolved.
 * @param annotations undefined for a model without annotations, descriptions and vocabularies
 * @param digests make the ETags of all properties; absent: no request needs them
 */
export function buildModel(
  service: DeclaredService,
  types: DeclaredTypes,
  { namespace, containerName }: SchemaNames,
  annotations: ModelAnnotations = NO_ANNOTATIONS,
  digests?: EtagDigests,
): BuiltModel {
  const builder = new TypeBuilder(service, types, namespace, annotations);
  const operations = new Map<DeclaredOperation, Operation>();
  for (const set of service.sets) {
    for (const operation of set.operations) operations.set(operation, toOperation(operation, set, builder, namespace));
  }
  for (const operation of service.operations) {
    operations.set(operation, toOperation(operation, undefined, builder, namespace));
  }
  const entityContainer = toContainer(service, containerName, builder, { operations, digests });
  const model: Model = {
    kind: "Model",
    namespace,
    entityContainer,
    entityTypes: byName(builder.entityTypes.values()),
    // Types of ignored properties alone are not part of the model.
    complexTypes: byName(published(builder.complexTypes, types.complexTypes)),
    enumTypes: byName(builder.enumTypes()),
    operations: [...operations.values()],
    annotations: hasAnnotations(annotations) ? annotations : undefined,
  };
  return { model: deepFreeze(model), operations };
}

function hasAnnotations({ byPlace, vocabularies, isExternal }: ModelAnnotations): boolean {
  return byPlace.size > 0 || vocabularies.length > 0 || isExternal;
}

function toContainer(
  service: DeclaredService,
  name: string,
  builder: TypeBuilder,
  { operations, digests }: { readonly operations: BuiltModel["operations"]; readonly digests: EtagDigests | undefined },
): EntityContainer {
  const imports = service.operations.flatMap((declared): readonly OperationImport[] => {
    const operation = operations.get(declared);
    if (operation === undefined) return [];
    const kind = operation.kind === "Function" ? "FunctionImport" : "ActionImport";
    return [{ kind, name: operation.name, operation }];
  });
  const entitySets = byName([...service.sets, ...service.casts].map((set) => toEntitySet(set, builder, digests)));
  return {
    kind: "EntityContainer",
    name,
    entitySets,
    singletons: byName(
      service.singletons.flatMap(({ name: singleton, set }): readonly Singleton[] => {
        const entitySet = entitySets.get(set?.name ?? "");
        return entitySet === undefined ? [] : [{ kind: "Singleton", name: singleton, entitySet }];
      }),
    ),
    functionImports: byName(imports.filter(({ kind }) => kind === "FunctionImport")),
    actionImports: byName(imports.filter(({ kind }) => kind === "ActionImport")),
  };
}

function toEntitySet(set: DeclaredSet, builder: TypeBuilder, digests: EtagDigests | undefined): EntitySet {
  const entityType = builder.entityType(set.entityType);
  const own = new Set(set.navigations.map(({ field }) => field));
  const bindings = set.navigations.flatMap(({ name, options: { target } }) =>
    typeof target === "string" ? [[name, target] as const] : [],
  );
  const entitySet: EntitySet = {
    kind: "EntitySet",
    name: set.name,
    ...(set.isOfSingleton ? { isOfSingleton: true } : {}),
    ...(set.castFrom === undefined ? {} : { castFrom: set.castFrom.name }),
    entityType,
    navigationProperties: byName(entityType.navigationProperties.filter(({ field }) => own.has(field))),
    navigationPropertyBindings: frozenMap(bindings),
    navigationJoins: frozenMap(
      set.navigations.flatMap((navigation) => {
        const join = toNavigationJoin(navigation, entityType, builder);
        return join === null ? [] : [[navigation.name, join] as const];
      }),
    ),
    uncomparable: frozenSet(set.uncomparable),
    ...describedAt(builder.annotations, annotationPlace("set", set.name)),
    ...etagOf(set, entityType, digests),
  };
  const hierarchy = toHierarchy(set.options["hierarchy"], entitySet);
  return hierarchy === undefined ? entitySet : { ...entitySet, hierarchy };
}

/** Returns the properties that the ETags of a set are made of, and how. */
function etagOf(
  set: DeclaredSet,
  entityType: EntityType,
  digests: EtagDigests | undefined,
): Pick<EntitySet, "etag" | "digest" | "valuesDigest"> {
  if (set.options["etag"] === "all" && digests !== undefined && isChanged(set)) {
    return { etag: digestedProperties(entityType, set.unstored), digest: digestOf(set, digests) };
  }
  const etag = fieldsOf(set.options["etag"]).map((field) => propertyOf(entityType, field));
  return {
    etag,
    ...(etag.length > 0 && digests !== undefined ? { valuesDigest: digests.ofValues(entityType, etag) } : {}),
  };
}

/** Whether requests change entities of a set. */
function isChanged({ options }: DeclaredSet): boolean {
  return ["replace", "patch", "delete"].some((handler) => options[handler] !== undefined);
}

/**
 * Chooses the digest of a set. One that may hide values has a key: some values from some users, or all of them from users who only
 * write. Rules of writes alone hide nothing.
 */
function digestOf({ options, virtual }: DeclaredSet, digests: EtagDigests): EtagDigest {
  const isRead = READS.some((handler) => options[handler] !== undefined);
  const { authorization } = options;
  const hides = isObject(authorization) && HIDING.some((rule) => authorization[rule] !== undefined);
  if (!isRead || hides || virtual.some(({ isMask }) => isMask)) return digests.keyed;
  return authorization === undefined ? digests.plain : digests.seeded;
}

/** The rules that hide entities or properties from some users, who may be permitted to write them. */
const HIDING: readonly string[] = Object.freeze(["all", "read", "rows", "properties"]);

/** The handlers that read entities. */
const READS: readonly string[] = Object.freeze(["queryable", "getAll", "getByKey"]);

/** The greatest `maxLength` of properties that every read may load for an ETag. */
const MAX_DIGESTED = 65_536;

/**
 * Returns the properties of an ETag of all properties: those of the entity whoever may read them, except expressions, and values
 * that are too large to be read with each page.
 */
function digestedProperties({ properties }: EntityType, unstored: readonly string[]): readonly StructuralProperty[] {
  return properties.filter(({ field, type, onlyIfSelected, facets: { maxLength } }) => {
    if (onlyIfSelected === true || unstored.includes(field)) return false;
    const isLarge = typeof maxLength === "number" ? maxLength > MAX_DIGESTED : type.name === "Edm.Binary";
    return !isLarge;
  });
}

function toOperation(
  declared: DeclaredOperation,
  set: DeclaredSet | undefined,
  builder: TypeBuilder,
  namespace: string,
): Operation {
  const { name, kind, bound, options } = declared;
  const isText = builder.enumTexts.inOperation(set);
  const overload = overloadName(name, set?.entityType.name, bound === "collection");
  return {
    kind,
    name,
    qualifiedName: `${namespace}.${name}`,
    binding:
      set === undefined
        ? undefined
        : {
            entityType: builder.entityType(set.entityType),
            isCollection: bound === "collection",
            entitySet: set.name,
          },
    parameters: declared.parameters.map((parameter) => ({
      ...toParameter(parameter, builder, isText),
      ...describedAt(builder.annotations, annotationPlace("operation", overload, parameter.name)),
    })),
    returnType: toReturnType(options["returns"], builder, isText),
    isComposable: options["composable"] === true,
    ...describedAt(builder.annotations, annotationPlace("operation", overload)),
  };
}

function toParameter({ name, declared }: DeclaredParameter, builder: TypeBuilder, isText: boolean): OperationParameter {
  return {
    name,
    type: builder.valueType(declared.type, isText),
    isCollection: declared.item !== undefined,
    nullable: (declared.item ?? declared).nullable,
    facets: resolveFacets(declared),
    defaultValue: builder.defaultValue(declared, isText),
  };
}

function toReturnType(returns: unknown, builder: TypeBuilder, isText: boolean): ReturnType | undefined {
  if (isDeclaration(returns, "Property")) {
    const { type, item, nullable } = returns.declared;
    return {
      type: builder.valueType(type, isText),
      isCollection: item !== undefined,
      nullable: item === undefined ? nullable : item.nullable,
      facets: resolveFacets(returns.declared),
    };
  }
  if (isDeclaration(returns, "EntityCollection")) {
    return { type: builder.entityType(returns.of), isCollection: true, nullable: false, facets: {} };
  }
  if (!isDeclaration(returns, "EntityTypeDeclaration")) return undefined;
  // A handler may always return null for one entity: the service then responds with 204.
  return { type: builder.entityType(returns), isCollection: false, nullable: true, facets: {} };
}

function fieldsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((field) => typeof field === "string") : [];
}

function byName<Element extends { readonly name: string }>(elements: Iterable<Element>): ReadonlyMap<string, Element> {
  return frozenMap(Array.from(elements, (element) => [element.name, element] as const));
}

/**
 * Resolves `on` or `through` of a checked navigation.
 * @param source the entity type that declares the navigation
 * @returns null if the navigation has neither
 */
function toNavigationJoin(
  { target, options }: Pick<DeclaredNavigation, "target" | "options">,
  source: EntityType,
  builder: TypeBuilder,
): NavigationJoin | null {
  if (target === undefined) return null;
  const related = builder.entityType(target);
  const { on, through } = options;
  if (isObject(through)) {
    const { anyCase } = through;
    const stored = isObject(through["columns"]) ? through["columns"] : {};
    const from = entriesOf(through["from"]).map(([field, column]): LinkColumn => {
      const found = toColumn(source, field, column, stored);
      return Array.isArray(anyCase) && anyCase.includes(field) ? { ...found, isAnyCase: true } : found;
    });
    const to = entriesOf(through["to"]).map(([column, field]) => toColumn(related, String(field), column, stored));
    const table = isTableName(through["table"]) ? through["table"] : String(through["table"]);
    return {
      kind: "link",
      table,
      from,
      to,
      placement: toPlacement(through["distributed"]),
    };
  }
  const pairs = entriesOf(on).map(([field, other]) => ({
    property: propertyOf(source, field),
    related: propertyOf(related, String(other)),
  }));
  return pairs.length === 0 ? null : { kind: "direct", pairs };
}

function toPlacement(given: unknown): LinkPlacement | undefined {
  if (given === "reference") return { kind: "reference" };
  if (!isObject(given)) return undefined;
  const { by, with: partner } = given;
  return { kind: "column", column: String(by), with: isTableName(partner) ? partner : undefined };
}

function toColumn(
  type: EntityType,
  field: string,
  column: unknown,
  stored: Readonly<Record<string, unknown>>,
): LinkColumn {
  const found = { property: propertyOf(type, field), column: String(column) };
  const option = Object.hasOwn(stored, found.column) ? stored[found.column] : undefined;
  const storage = isObject(option) ? option["storage"] : undefined;
  return storage === undefined ? found : { ...found, storage };
}

function propertyOf(type: EntityType, field: string): StructuralProperty {
  const found = [...type.properties, ...type.ignoredProperties].find((property) => property.field === field);
  if (found === undefined) throw new Error(`${type.name} has no property ${field}.`);
  return found;
}

function published<Declaration, Type>(
  built: ReadonlyMap<Declaration, Type>,
  declared: ReadonlySet<Declaration>,
): readonly Type[] {
  return Array.from(built).flatMap(([declaration, type]) => (declared.has(declaration) ? [type] : []));
}
