import { buildModel } from "../../definition/build-model.ts";
import { collectDeclarations } from "../../definition/declared-service.ts";
import { collectTypes } from "../../definition/declared-types.ts";
import { entitySet } from "../../definition/entity-set.ts";
import type { EntityTypeDeclaration } from "../../definition/value-type.ts";
import type { EntityType } from "../../edm/model.ts";

const known = new WeakMap<EntityTypeDeclaration, EntityType>();

/**
 * The entity type of a declaration, in a model of its own: what a table is planned by before any service is there, and
 * once for all of them. Columns are known by the application's keys, so the wire names of that model do not matter.
 * @throws Error when the declaration has faults, which every service that registers the type reports
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
