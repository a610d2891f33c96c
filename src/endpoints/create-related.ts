import { chain, type Maybe } from "../base/maybe.ts";
import type { AuthorizationRequirement } from "../definition/rules/authorization.ts";
import { refusal } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { keyPairsOf } from "../edm/key-holder.ts";
import type { NavigationProperty } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { definitionIn } from "../execution/entities/reader.ts";
import { actionAlong, judgeEntity, requireRules, navigationRules } from "../execution/rules/judge-rules.ts";
import { runCreateRelated } from "../execution/writes/write-entity.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { entityContext } from "../payload/context-url.ts";
import { requireEntity, type AddressedEntity, loadParent } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { checkPreconditions, missingEntityError } from "./current-entity.ts";
import { entityResult } from "./entity-result.ts";
import { type Endpoint, routed, type Exchange } from "./exchange.ts";
import {
  navigationContext,
  bindParentKey,
  navigationOf,
  noParent,
  optionsOf,
  type AddressedNavigation,
} from "./read-navigation.ts";
import { readJsonFormat } from "./read-options.ts";
import { openBody } from "./request-body.ts";

/**
 * `POST /Set(key)/Nav`: creates a related entity in a collection. It has a URL where the navigation has a target set.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing parent; the error of
 * the handler
 * @see docs/reference/navigation.md
 */
export const createRelated: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const { entitySet, navigationProperty, runtime } = navigation;
  const { origin } = runtime;
  const create = routed(runtime.source.handlers.create, `POST ${entitySet.name}/${navigationProperty.name}`);
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const body = openBody(exchange, entitySet);
  const query = bindEntity(exchange, runtime.target, optionsOf(exchange).entity);
  return chain(
    body.read((json, ieee754Compatible) => runtime.readNew(json, ieee754Compatible, key)),
    (given) => {
      const missing = (): ODataError => missingEntityError(exchange, () => noParent(navigation));
      const parent = requireEntity(exchange, { entitySet, key, mustBeSeen: true }, missing);
      const state = chain(parent, (addressed) =>
        chain(authorizeCreationAlong(exchange, navigation, { key, given, parent: addressed }), () =>
          checkPreconditions(exchange, { entitySet, key, addressed }),
        ),
      );
      const saved = chain(state, ({ expected }) => {
        const writer = exchange.writer(expected);
        return chain(runCreateRelated(runtime.source, create, key, given, writer), (answer) => answeredValue(answer));
      });
      return chain(saved, (entity) => {
        if (entity === null || entity === undefined) throw noParent(navigation);
        return entityResult(exchange, format, {
          origin,
          query,
          outcome: "upserted",
          entity,
          handler: create,
          inserted: null,
          contextUrl: (contextSelect) => {
            if (origin.kind === "EntitySet") return entityContext(exchange.serviceRoot, origin, contextSelect);
            return navigationContext(exchange, navigation, key, false, contextSelect);
          },
        });
      });
    },
  );
};

/**
 * Checks the `create` rules of the target set for a new entity along a navigation.
 * @param given the argument of the create handler
 * @param parent the entity of the URL, as far as it is loaded
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of a handler or rule
 */
function authorizeCreationAlong(
  exchange: Exchange,
  { entitySet, navigationProperty }: AddressedNavigation,
  { key, given, parent }: { readonly key: unknown; readonly given: object; readonly parent: AddressedEntity },
): Maybe<undefined> {
  const { user, service } = exchange;
  if (!service.hasRules) return undefined;
  const set = definitionIn(service.definition, entitySet);
  const { name } = navigationProperty;
  const action = actionAlong("create", set, navigationProperty);
  const pending = requireRules(navigationRules(set, navigationProperty).target.create, user, {
    action,
    target: name,
  });
  if (pending.length === 0) return undefined;
  return judgeCreated(exchange, pending, given, {
    parent: () => parent?.entity ?? loadParent(exchange, { entitySet, key }),
    link: (entity) => linkedValues(set, navigationProperty, entity),
    refuse: () => refusal(user, action, name),
  });
}

interface Creation {
  readonly parent: () => Maybe<object | null>;
  /** Returns the values that a new entity takes from its parent. */
  readonly link: (parent: object) => object;
  readonly refuse: () => Error;
}

function judgeCreated(
  { context }: Exchange,
  rules: readonly AuthorizationRequirement[],
  given: object,
  { parent, link, refuse }: Creation,
): Maybe<undefined> {
  return chain(parent(), (owner) => {
    const entity = owner === null ? given : { ...given, ...link(owner) };
    return chain(judgeEntity(rules, context, entity), (passed): undefined => {
      if (!passed) throw refuse();
    });
  });
}

function linkedValues({ entitySet }: EntitySetDefinition, navigation: NavigationProperty, parent: object): object {
  const pairs = keyPairsOf(entitySet, navigation).flatMap(({ property, related }) => {
    const value = fieldOf(parent, property.field);
    return value === undefined ? [] : [[related.field, value] as const];
  });
  return Object.fromEntries(pairs);
}
