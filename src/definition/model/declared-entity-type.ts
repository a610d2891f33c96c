import { keptPer } from "../../base/memo.ts";
import type { EntityType } from "../../edm/model.ts";
import { collectDeclarations } from "../declared-service.ts";
import { entitySet } from "../sets/entity-set.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { buildModel } from "./build-model.ts";
import { collectTypes } from "./declared-types.ts";

/**
 * Returns the entity type of a declaration in its own model, which is built once and needs no service. Its wire names
 * follow the default naming policy; a service may use other names for the same keys.
 * @throws Error if the declaration has faults, which every service with the type reports
 * @see docs/reference/model.md
 */
export const declaredEntityType: (declaration: EntityTypeDeclaration) => EntityType = keptPer((declaration) => {
  const service = collectDeclarations({ entitySets: [entitySet(declaration, {})] });
  const { model } = buildModel(service, collectTypes(service));
  const type = model.entityTypes.get(declaration.name);
  if (type === undefined) throw new Error(`The entity type ${declaration.name} has no model.`);
  return type;
});
