import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import { methodsFor } from "../../language/query/aggregate-type.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";

/** Returns an example of `$apply` that the service accepts: the total of a number for each text. */
export function applyExample(type: EntityType, capabilities: Capabilities): string | undefined {
  const groupable = singleValues(type, capabilities.groupByProperties).filter(({ isKey }) => !isKey);
  const key =
    groupable.find(({ type: { kind } }) => kind === "EnumType") ??
    groupable.find(({ type: { name } }) => name === "Edm.String");
  const number = singleValues(type, capabilities.aggregateProperties).find(
    (each) => !isLink(type, each) && isSum(each),
  );
  if (key === undefined || number === undefined) return undefined;
  // A sum may replace the property that is summed, but no other one.
  const alias = freeName(type, ["Total", "Sum"]) ?? number.name;
  return `groupby((${key.name}),aggregate(${number.name} with sum as ${alias}))`;
}

/** Returns an example of `$compute` that the service accepts: the length of a text. */
export function computeExample(type: EntityType, { computeProperties }: Capabilities): string | undefined {
  const text = singleValues(type, computeProperties).find((each) => each.type.name === "Edm.String");
  const alias = freeName(type, ["Length", "TextLength"]);
  return text === undefined || alias === undefined ? undefined : `length(${text.name}) as ${alias}`;
}

function singleValues(
  { properties }: EntityType,
  allowed: ReadonlySet<string> | null | undefined,
): readonly StructuralProperty[] {
  return properties.filter(
    ({ name, type, isCollection }) =>
      !isCollection && type.kind !== "ComplexType" && (allowed ?? null)?.has(name) !== false,
  );
}

function isSum({ type }: StructuralProperty): boolean {
  return type.kind === "PrimitiveType" && type.name !== "Edm.Duration" && methodsFor(type).includes("sum");
}

/** Returns whether the sum of a property says nothing: it identifies an entity. */
function isLink({ navigationProperties }: EntityType, property: StructuralProperty): boolean {
  const links = navigationProperties.flatMap(({ referentialConstraints }) => referentialConstraints);
  return property.isKey || links.some((each) => each.property === property);
}

function freeName({ members, membersIgnoringCase }: EntityType, names: readonly string[]): string | undefined {
  return names.find((name) => !members.has(name) && !membersIgnoringCase.has(name.toLowerCase()));
}
