import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { type EntityPlace, pathOf } from "./entity-set-paths.ts";
import { referenceExample } from "./examples.ts";
import { queryParameters, PREFER_PAGE_SIZE, REFERENCES_OPTIONS } from "./parameters.ts";
import { errorResponses, jsonResponse } from "./responses.ts";
import { accessOf, collectionAccessOf, type ServiceScope } from "./service-scope.ts";
import { envelope, referenceSchema } from "./value-schemas.ts";

/** Describes the read of references to the entities of a set. @see docs/reference/navigation.md */
export function addSetReferences(scope: ServiceScope, set: EntitySetDefinition): void {
  if (!scope.routesOf(set).entitySetReferences.has("GET")) return;
  const { entitySet, capabilities } = set;
  const { name, entityType } = entitySet;
  const many = envelope({ value: { type: "array", items: referenceSchema(scope.schemas) } });
  scope.add({
    method: "GET",
    path: `${pathOf(set)}/$ref`,
    id: `${name}.readRefs`,
    tag: name,
    summary: `Read references of ${name}`,
    access: collectionAccessOf(set),
    parameters: [...queryParameters(entityType, capabilities, REFERENCES_OPTIONS), PREFER_PAGE_SIZE],
    responses: { 200: jsonResponse("A page of references.", many), ...errorResponses({}) },
  });
}

/** Describes the read of the reference to an entity. @see docs/reference/navigation.md */
export function addEntityReference(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  if (!scope.routesOf(set).entityReference.has("GET")) return;
  const { name, path, key: parameters } = place;
  scope.add({
    method: "GET",
    path: `${path}/$ref`,
    id: `${name}.readRef`,
    tag: name,
    summary: `Read the reference of ${place.singleton === null ? `an entity of ${name}` : name}`,
    access: accessOf(set, "read"),
    parameters,
    responses: {
      200: jsonResponse("The reference.", referenceSchema(scope.schemas)),
      ...errorResponses({ isAddressed: true }),
    },
  });
}

/** Describes the read of an entity by its `@odata.id`, if the service has it. @see docs/reference/navigation.md */
export function addEntityById(scope: ServiceScope, tag: string): void {
  const { profile, entitySets } = scope.definition;
  const [first] = [...entitySets.values()].filter((set) => scope.routesOf(set).entity.has("GET"));
  if (profile.pathReach !== "further" || first === undefined) return;
  const id = {
    name: "$id",
    in: "query",
    required: true,
    description: "The @odata.id of the entity, or a URL relative to the service.",
    schema: { type: "string", examples: [referenceExample(first.entitySet)] },
  };
  scope.add({
    method: "GET",
    path: "/$entity",
    id: "service.entity",
    tag,
    summary: "Read the entity with an @odata.id",
    text: "The response, its rules and the further query options are those of the URL in `$id`.",
    access: { rules: [] },
    parameters: [id],
    responses: {
      200: jsonResponse("The entity.", { type: "object" }),
      ...errorResponses({ isAddressed: true }),
    },
  });
}
