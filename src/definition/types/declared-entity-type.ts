import type { EntityType } from "../../edm/model.ts";
import { buildModel } from "../build-model.ts";
import { collectDeclarations } from "../declared-service.ts";
import { entitySet } from "../sets/entity-set.ts";
import { collectTypes } from "./declared-types.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

const known = new WeakMap<EntityTypeDeclaration, EntityType>();

/**
 * Returns the entity type of a declaration, in a model of its own. It exists before any service does, and is built once.
 * Its wire names follow the default naming policy; a service may use other names for the same keys.
 * @throws Error when the declaration has faults, which every service that registers the type reports
 * @see docs/model.md
 */
export function declaredEntityType(declaration: EntityTypeDeclaration): EntityType {
  const made = known.get(declaration);
  if (made !== undefined) return made;
  const service = collectDeclarations({ entitySets: [entitySet(declaration, {})] });
  const { model } = buildModel(service, collectTypes(service));
  const type = model.entityTypes.get(declaration.name);
  if (type === undefined) throw new Error(`The entity type ${declaration.name} has no model.`);
  known.set(declaration, type);
  return type;
}
