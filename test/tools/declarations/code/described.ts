import type {
  DescribedNavigation,
  DescribedProperty,
  DescribedService,
  DescribedSet,
} from "../../../../src/tools/declarations/described-service.ts";

/** A property of a described set, from the parts that differ from a plain string column. */
export function property(field: string, given: Partial<DescribedProperty> = {}): DescribedProperty {
  return {
    type: "Edm.String",
    isCollection: false,
    facets: {},
    storage: null,
    sql: null,
    isReadOnly: false,
    name: `${field.charAt(0).toUpperCase()}${field.slice(1)}`,
    field,
    column: field,
    isKey: false,
    nullable: false,
    computed: false,
    defaultValue: undefined,
    databaseDefault: false,
    description: null,
    isIndexed: false,
    hasOrderedIndex: false,
    ...given,
  };
}

/** The key of a described set. */
export const ID: DescribedProperty = property("id", { type: "Edm.Int32", isKey: true, computed: true });

/** A navigation to many entities. */
export function navigation(
  field: string,
  target: string,
  given: Partial<DescribedNavigation> = {},
): DescribedNavigation {
  return {
    name: `${field.charAt(0).toUpperCase()}${field.slice(1)}`,
    field,
    cardinality: "many",
    target,
    targetSet: `${target}s`,
    partner: null,
    on: [["id", "id"]],
    through: null,
    description: null,
    ...given,
  };
}

/** A described set over a table. */
export function describedSet(typeName: string, given: Partial<DescribedSet> = {}): DescribedSet {
  return {
    typeName,
    setName: `${typeName}s`,
    table: { schema: "public", name: typeName.toLowerCase() },
    needsSchema: false,
    kind: "table",
    key: "primary key",
    excludesNulls: [],
    excludes: [],
    isKeyGuaranteed: true,
    leftOutRows: 0,
    unsuppliedColumns: [],
    description: null,
    properties: [ID],
    navigations: [],
    estimatedRows: null,
    ...given,
  };
}

/** A described service with these sets. */
export function describedService(
  sets: readonly DescribedSet[],
  enumTypes: DescribedService["enumTypes"] = [],
): DescribedService {
  return { kind: "postgres", enumTypes, sets, warnings: [] };
}
