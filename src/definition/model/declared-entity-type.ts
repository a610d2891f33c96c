import { keptPer } from "../../base/memo.ts";
import type { EntityType } from "../../edm/model.ts";
import { entitySet } from "../sets/entity-set.ts";
import { edm } from "../types/edm-builders.ts";
import { entityType } from "../types/entity-type.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { buildModel, schemaNames } from "./build-model.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { collectDeclarations } from "./declared-service.ts";
import { collectTypes } from "./declared-types.ts";

/** Returns a complex type as the type of rows without a key. */
function rowType(complex: ComplexTypeDeclaration): EntityType {
  const holder = entityType(`${complex.name}_rows`, {
    key: edm.int32().key(),
    rows: edm.collection(edm.complex(complex)),
  });
  const property = declaredEntityType(holder).properties.find(({ field }) => field === "rows");
  if (property?.type.kind !== "ComplexType") throw new Error(`The complex type ${complex.name} has no model.`);
  const others = { kind: "EntityType", key: [], ignoredProperties: [], navigationProperties: [] } as const;
  return Object.freeze<EntityType>({ ...property.type, ...others });
}

/**
 * Returns the entity type of a declaration in its own model, which is built once and needs no service. Its wire names
 * follow the default naming policy; a service may use other names for the same keys. It has no annotations and descriptions.
 * @throws Error if the declaration has faults, which every service with the type reports
 * @see docs/reference/model.md
 */
export const declaredEntityType: (declaration: EntityTypeDeclaration) => EntityType = keptPer((declaration) => {
  const complex: object = declaration;
  if (isDeclaration(complex, "ComplexTypeDeclaration")) return rowType(complex);
  const service = collectDeclarations({ entitySets: [entitySet(declaration, {})] });
  const types = collectTypes(service);
  const { model } = buildModel(service, types, schemaNames(service, types));
  const type = model.entityTypes.get(declaration.name);
  if (type === undefined) throw new Error(`The entity type ${declaration.name} has no model.`);
  return type;
});
