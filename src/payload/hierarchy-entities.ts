import { required } from "../base/required.ts";
import { asDeclared } from "../edm/hierarchy.ts";
import type { EntityType } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import type { SelectExpandClause } from "../language/query/clauses.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { compileRequiredReader, requireObject, requireRow } from "./property-reader.ts";

/**
 * Makes the function that finds the type of an entity of a hierarchy.
 * @param entityType the type as which its set shows it
 * @returns a function that throws Error for an entity without the name of its type, or with that of another type
 */
export function compileTypeFinder(
  entityType: EntityType,
  rowShape: RowShape | undefined,
): (entity: unknown) => EntityType {
  const { qualifiedName } = entityType;
  const { discriminator, types } = required(entityType.hierarchy, `${qualifiedName} has no hierarchy.`);
  const read = compileRequiredReader(entityType, discriminator, rowShape);
  return (entity) => {
    const source = rowShape === undefined ? requireObject(entity, qualifiedName) : requireRow(entity, qualifiedName);
    const name = read(source);
    const type = types.get(String(name));
    if (type !== undefined && type.hierarchy?.isAbstract !== true) return type;
    const problem = type === undefined ? "is not derived from it" : "is abstract";
    throw new Error(`${qualifiedName}: an entity has the type ${describeValue(name)}, which ${problem}.`);
  };
}

/** Returns the part of a clause that entities of one type have: their properties, as that type declares them. */
export function clauseOfType(clause: SelectExpandClause, { hierarchy }: EntityType): SelectExpandClause {
  const own = new Set(hierarchy?.properties);
  const selected = clause.selected
    .filter(({ property, computed }) => computed !== undefined || own.has(property))
    .map((item) => ({ ...item, property: asDeclared(item.property) }));
  return Object.freeze({ ...clause, selected });
}

/** Returns the columns of rows by the properties as their types declare them. */
export function columnsOfType({ hierarchy }: EntityType, columns: RowShape["columns"]): RowShape["columns"] {
  if (hierarchy === undefined) return columns;
  return new Map(Array.from(columns, ([property, column]) => [asDeclared(property), column] as const));
}

/** Writes the control information of an entity. */
type ControlWriter = (entity: unknown, serviceRoot: string, members?: string) => string;

/**
 * Adds the name of the type of entities, unless clients know it from the context.
 * @see OData JSON Format 4.0, section 4.5.3
 */
export function withType(
  {
    entityType,
    declared = entityType,
  }: { readonly entityType: EntityType; readonly declared?: EntityType | undefined },
  { metadata }: PayloadFormat,
  control: ControlWriter,
): ControlWriter {
  if (metadata !== "minimal" || entityType === declared) return control;
  const type = `"@odata.type":${JSON.stringify(`#${entityType.qualifiedName}`)},`;
  return (...given) => type + control(...given);
}
