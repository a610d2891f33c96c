import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { StoredHandler } from "../../definition/model/stored-database.ts";
import { CATEGORIES, needsResource } from "../../definition/sets/authorization.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { StorageForm } from "../columns/storage-option.ts";
import type { ColumnSource, ExpectedColumn, ExpectedLimits } from "../introspect/expected-table.ts";

type Access = ExpectedColumn["access"];

/** Allows no use of a column. */
export const NOTHING: Access = new Set();

/** Returns the uses of a property that an index can serve. */
export function accessOf({ capabilities }: EntitySetDefinition, property: StructuralProperty | undefined): Access {
  const { filterEnabled, filterProperties, orderByEnabled, orderByProperties } = capabilities;
  if (property === undefined) return NOTHING;
  const isFiltered = filterEnabled && (filterProperties?.has(property.name) ?? true);
  const isSorted = orderByEnabled && (orderByProperties?.has(property.name) ?? true);
  return new Set([...(isFiltered ? (["filter"] as const) : []), ...(isSorted ? (["sort"] as const) : [])]);
}

/** Returns whether `resource` rules read ignored properties and members of a set: they receive all of them. */
export function resourceRulesReadIgnored({ authorization }: EntitySetDefinition): boolean {
  return CATEGORIES.some((category) => authorization[category].some(needsResource));
}

/** Returns whether the framework inserts the rows of a set. */
export function isCreated({ handlers }: EntitySetDefinition): boolean {
  return isOfTable(handlers.create);
}

function isOfTable(handler: unknown): boolean {
  const { stored, storedBy }: StoredHandler = (handler as StoredHandler | undefined) ?? {};
  return (stored ?? storedBy) !== undefined;
}

/**
 * Returns who supplies the values of a property.
 * @param rowVersion the property that counts the writes of a row
 */
export function sourceOf(
  set: EntitySetDefinition,
  property: StructuralProperty | undefined,
  rowVersion: string | undefined,
): ColumnSource {
  const creates = isCreated(set);
  const changes = isOfTable(set.handlers.replace) || isOfTable(set.handlers.patch);
  if (!creates && !changes) return "nobody";
  // Navigations and deep inserts supply the values of ignored foreign keys.
  if (property === undefined) return "service";
  if (property.field === rowVersion) return "version";
  if (property.serverSet === true) return sourceOfSet(set, property, changes);
  // A hook may give each new entity a value that the database does not have.
  if (property.computed) return creates && set.hooks?.before.create !== undefined ? "nobody" : "database";
  if (changes && !property.isKey && !property.immutable) return "write";
  return creates ? "create" : "nobody";
}

/** Returns when the service supplies the values of a property that `set` names. */
function sourceOfSet(set: EntitySetDefinition, property: StructuralProperty, changes: boolean): ColumnSource {
  const found = set.setValues?.properties.find((each) => each.property.field === property.field);
  if (changes && (found?.update ?? null) !== null) return "write";
  return isCreated(set) && (found?.create ?? null) !== null ? "create" : "nobody";
}

const UNITS: Readonly<Record<string, ExpectedLimits["unit"]>> = {
  "Edm.String": "characters",
  "Edm.Binary": "octets",
  "Edm.Decimal": "digits",
  "Edm.TimeOfDay": "fractions",
  "Edm.DateTimeOffset": "fractions",
};

/** Returns the facets of a property that bound its cells as they bound its values. */
export function limitsOf(
  { type, isCollection, facets }: StructuralProperty,
  storage: StorageForm | "convert" | undefined,
): ExpectedLimits {
  const isPlain = !isCollection && (storage === undefined || storage === "utc");
  const { maxLength, precision, scale } = facets;
  return {
    unit: isPlain ? UNITS[type.name] : undefined,
    maxLength,
    precision,
    scale: scale === "variable" ? undefined : scale,
  };
}
