import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedWarning } from "../described-service.ts";
import { objectKey, type MemberName, type ObjectNames, type ServiceNames } from "../names/naming.ts";
import type { FoundLink } from "./find-links.ts";
import type { FoundRelation } from "./find-relations.ts";
import type { ForcedTypes } from "./read-map.ts";

/** Everything that is known when sets are described. */
export interface FoundService {
  readonly schema: DatabaseSchema;
  readonly options: DescribeOptions;
  readonly relations: readonly FoundRelation[];
  readonly links: readonly FoundLink[];
  readonly names: ServiceNames;
  readonly forced: ForcedTypes;
  readonly warn: (warning: DescribedWarning) => void;
}

/** Returns the names of a published object. */
export function namesOf(object: SchemaObject, names: ServiceNames): ObjectNames {
  const found = names.objects.get(objectKey(object));
  if (found === undefined) throw new Error(`${object.name} has no name.`);
  return found;
}

/** Returns the name of the property of a published column. */
export function memberOf(object: SchemaObject, column: string, names: ServiceNames): MemberName {
  const found = namesOf(object, names).properties.get(column);
  if (found === undefined) throw new Error(`${object.name}.${column} has no name.`);
  return found;
}
