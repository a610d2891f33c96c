import { chain } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { countOf } from "../../payload/read-links.ts";
import { AuthorizedRequest, openBody, type OwnBody } from "./authorized-request.ts";
import { type EntityWrite, type SavedPayload, savesEntity, type WantedEntity } from "./entity-result.ts";
import { asWrite, bindNested, type NestedNavigation } from "./nested-entities.ts";
import { patching } from "./patch-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { replacing } from "./replace-entity.ts";
import { runtimeOf } from "./service-runtime.ts";
import { determinedBy, type SplitBody, splitBody } from "./split-body.ts";
import type { Endpoint } from "./stages.ts";
import { saveWithNested } from "./write-nested.ts";

/**
 * `PATCH /Set(key)`: changes the properties in the body, and, where the set allows deep update, the entities that are nested in it.
 * @throws ODataError as `patching`; as the writes of nested entities, with their paths as targets
 * @see OData Protocol 4.01, section 11.4.3.1; docs/reference/deep-update.md
 */
export const patchEntity: Endpoint = withNested(patching, "PATCH");

/**
 * `PUT /Set(key)`: replaces an entity, and, where the set allows deep update, the entities that are nested in its body.
 * @throws ODataError as `replacing`; as the writes of nested entities, with their paths as targets
 * @see OData Protocol 4.01, section 11.4.3.1; docs/reference/deep-update.md
 */
export const replaceEntity: Endpoint = withNested(replacing, "PUT");

const NO_NESTED: readonly NestedNavigation[] = Object.freeze([]);

/** Makes the endpoint of a change whose body may contain nested entities. */
function withNested<
  Bound extends WantedEntity & SavedPayload & { readonly key: unknown; readonly links: readonly BoundLink[] },
>(write: EntityWrite<Bound>, method: "PATCH" | "PUT"): Endpoint {
  return savesEntity<Bound & { readonly nested: readonly NestedNavigation[]; readonly request: AuthorizedRequest }>({
    bind: (request) => {
      const { entitySet, key: keyText } = entityPathOf(request.path);
      if (!runtimeOf(request.service, entitySet).settings.deepUpdateEnabled) {
        return chain(write.bind(request), (bound) => ({ ...bound, request, nested: NO_NESTED }));
      }
      const { own, split } = splitting(request, entitySet);
      const { service, arrival, access, path } = request;
      return chain(write.bind(new AuthorizedRequest(service, arrival, access, path, own)), (bound) => {
        const { members, ieee754Compatible } = split();
        const key = bindEntityKey(keyText, entitySet.entityType, request.options.options.aliases, entitySet.name);
        const count = { total: (arrival.batch?.named.total ?? 0) + countOf(bound.links) };
        const nested = bindNested({ request, source: entitySet, key }, members, { ieee754Compatible, method, count });
        return { ...bound, request, nested };
      });
    },
    save: (bound, execution) => {
      const { nested, request } = bound;
      if (nested.length === 0) return write.save(bound, execution);
      return saveWithNested(
        { request, key: bound.key, method, nested, write: asWrite(write, bound, request) },
        execution,
      );
    },
  });
}

/** A body that is split when it is read. */
interface Splitting {
  readonly own: OwnBody;
  readonly split: () => SplitBody & { readonly ieee754Compatible: boolean };
}

function splitting(request: AuthorizedRequest, entitySet: EntitySet): Splitting {
  let found: ReturnType<Splitting["split"]> = { own: null, members: [], ieee754Compatible: false };
  const open: OwnBody["open"] = () => {
    const body = openBody(request, entitySet);
    return {
      read: (bind) =>
        body.read((json, ieee754Compatible) => {
          found = { ...splitBody(entitySet, json), ieee754Compatible };
          return bind(found.own, ieee754Compatible);
        }),
    };
  };
  return { own: { open, nested: () => determinedBy(entitySet, found) }, split: () => found };
}
