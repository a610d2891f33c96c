import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { pathOf } from "./entity-set-paths.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { keyTemplate } from "./parameters.ts";
import type { OperationDescription, ServiceScope } from "./service-scope.ts";

/** A property of the entities of a set, with the common parts of its routes. */
export interface MemberScope<Member extends { readonly name: string }> {
  readonly scope: ServiceScope;
  readonly set: EntitySetDefinition;
  readonly member: Member;
  /** The path below the prefix. */
  readonly path: string;
  /** The parameters of the key of the entity. */
  readonly key: readonly DocumentObject[];
}

/** The path of an entity, with the path of its properties below it. */
export function memberScopes<Member extends { readonly name: string }>(
  scope: ServiceScope,
  set: EntitySetDefinition,
  members: Iterable<Member>,
): ReadonlyArray<MemberScope<Member>> {
  const { predicate, parameters: key } = keyTemplate(set.entitySet.entityType, scope.schemas);
  const owner = `${pathOf(set)}${predicate}`;
  return Array.from(members, (member) => {
    return { scope, set, member, path: `${owner}/${encodeURIComponent(member.name)}`, key };
  });
}

/**
 * Adds an operation with the common parts of a property.
 * @param below the rest of the path after the name of the property
 */
export function addMemberOperation(
  { scope, set, member, path, key }: MemberScope<{ readonly name: string }>,
  operation: Omit<OperationDescription, "path" | "tag">,
  below = "",
): void {
  const { name } = set.entitySet;
  scope.add({
    ...operation,
    path: path + below,
    id: `${name}.${member.name}.${operation.id}`,
    tag: name,
    parameters: [...key, ...(operation.parameters ?? [])],
  });
}
