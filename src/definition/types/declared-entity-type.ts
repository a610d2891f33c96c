import { keptPer } from "../../base/memo.ts";
import type { EntityType } from "../../edm/model.ts";
import { buildModel } from "../build-model.ts";
import { collectDeclarations } from "../declared-service.ts";
import { entitySet } from "../sets/entity-set.ts";
import { collectTypes } from "./declared-types.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

/**
 * Returns the entity type of a declaration, in a model of its own. It exists before any service does, and is built once.
 * Its wire names follow the default naming policy; a service may use other names for the same keys.
 * @throws Error when the declaration has faults, which every service that registers the type reports
 * @see docs/reference/model.md
 */
export const declaredEntityType: (declaration: EntityTypeDeclaration) => EntityType = keptPer((declaration) => {
  const service = collectDeclarations({ entitySets: [entitySet(declaration, {})] });
  const { model } = buildModel(service, collectTypes(service));
  const type = model.entityTypes.get(declaration.name);
  if (type === undefined) throw new Error(`The entity type ${declaration.name} has no model.`);
  return type;
});
