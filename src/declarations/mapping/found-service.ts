import { required } from "../../base/required.ts";
import type { DatabaseSchema, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribeOptions, DescribedWarning } from "../described-service.ts";
import { TakenNames, objectKey, type MemberName, type ObjectNames, type ServiceNames } from "../names/naming.ts";
import type { FoundLink, DraftRelation } from "./find-relations.ts";
import type { ForcedTypes } from "./read-map.ts";

/** Everything that is known when sets are described. */
export interface FoundService {
  readonly schema: DatabaseSchema;
  readonly options: DescribeOptions;
  readonly relations: readonly DraftRelation[];
  readonly links: readonly FoundLink[];
  readonly names: ServiceNames;
  readonly forced: ForcedTypes;
  /** Returns a free name for the enumeration type of a column. */
  readonly nameEnum: (object: SchemaObject, column: string) => string;
  readonly warn: (warning: DescribedWarning) => void;
}

/** Makes the function that names enumeration types after an entity type and a property. */
export function enumNamer(names: ServiceNames): FoundService["nameEnum"] {
  const taken = new TakenNames();
  for (const { typeName, setName, enumTypes } of names.objects.values()) {
    for (const name of [typeName, setName, ...enumTypes.values()]) taken.add(name);
  }
  for (const name of names.enumTypes.values()) taken.add(name);
  return (object, column) => {
    const name = `${namesOf(object, names).typeName}${memberOf(object, column, names).name}`;
    const free = taken.free([name, `${name}Type`]);
    taken.add(free);
    return free;
  };
}

/** Returns the names of a published object. */
export function namesOf(object: SchemaObject, names: ServiceNames): ObjectNames {
  return required(names.objects.get(objectKey(object)), `${object.name} has no name.`);
}

/** Returns the name of the property of a published column. */
export function memberOf(object: SchemaObject, column: string, names: ServiceNames): MemberName {
  return required(namesOf(object, names).properties.get(column), `${object.name}.${column} has no name.`);
}
