import {
  type Authorization,
  type AuthorizationRules,
  action,
  applyDelta,
  arraySource,
  edm,
  entitySet,
  entityType,
  type EntityOf,
  type EntityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import type { OpenApiDocument } from "odatakit/openapi";
import { operationsOf } from "./walk.ts";

export const Desk = entityType("Desk", {
  id: edm.int32().key(),
  name: edm.string(),
  owner: edm.string().nullable(),
});
export const Pen = entityType("Pen", { id: edm.int32().key(), deskId: edm.int32(), color: edm.string() });

/** The parts of a service of desks. */
export interface DeskOptions {
  readonly desks?: Authorization<typeof Desk>;
  readonly pens?: Authorization<typeof Pen>;
  readonly unbound?: AuthorizationRules<EntityType>;
  readonly service?: Partial<ServiceOptions>;
}

const DESKS: ReadonlyArray<EntityOf<typeof Desk>> = [
  { id: 1, name: "Oak", owner: "ann" },
  { id: 2, name: "Elm", owner: "bob" },
];
const PENS: ReadonlyArray<EntityOf<typeof Pen>> = [{ id: 1, deskId: 1, color: "red" }];

/** Returns the user of a request: `ann` or `ann:reader,editor` after `Bearer`. */
export function authenticate({ headers }: { readonly headers: Headers }) {
  const [, id, roles] = /^Bearer (\w+)(?::(.*))?$/u.exec(headers.get("authorization") ?? "") ?? [];
  return id === undefined ? null : { id, roles: roles?.split(",") ?? [] };
}

/** A service with a route of every kind. */
export function deskService({ desks, pens, unbound, service = {} }: DeskOptions = {}): ODataService {
  const find = (key: number) => DESKS.find(({ id }) => id === key) ?? null;
  const done = (): undefined => undefined;
  const deskSet = entitySet(Desk, {
    name: "Desks",
    propertyRouteDocsEnabled: true,
    allowUpsert: true,
    allowDeepInsert: true,
    queryable: () => arraySource(Desk, DESKS),
    getByKey: find,
    create: (desk) => ({ ...desk }),
    replace: (key, desk) => (find(key) === null ? null : { ...desk }),
    patch: (key, delta) => {
      const desk = find(key);
      return desk === null ? null : applyDelta(Desk, desk, delta);
    },
    delete: (key) => find(key) !== null,
    navigation: {
      pens: hasMany(Pen, {
        target: "Pens",
        get: (key) => PENS.filter(({ deskId }) => deskId === key),
        create: (key, pen) => ({ ...pen, deskId: key }),
        addRef: done,
        removeRef: done,
      }),
      best: hasOptional(Pen, { target: "Pens", get: () => PENS[0] ?? null, setRef: done, removeRef: done }),
    },
    functions: {
      weight: fn({ bound: "entity", returns: edm.int32(), handler: (_key: number, _given: object) => 1 }),
      all: fn({ bound: "collection", composable: true, returns: edm.collection(Desk), handler: () => DESKS }),
    },
    actions: {
      lock: action({ bound: "entity", params: { why: edm.string() }, handler: (_key: number) => undefined }),
      sweep: action({ bound: "collection", handler: done }),
    },
    ...(desks === undefined ? {} : { authorization: desks }),
  });
  const penSet = entitySet(Pen, {
    name: "Pens",
    queryable: () => arraySource(Pen, PENS),
    getByKey: (key) => PENS.find(({ id }) => id === key) ?? null,
    ...(pens === undefined ? {} : { authorization: pens }),
  });
  const own = unbound === undefined ? {} : { authorization: unbound };
  return odataService({
    prefix: "/d",
    entitySets: [deskSet, penSet],
    functions: { greet: fn({ returns: edm.string(), handler: () => "hi", ...own }) },
    actions: { reset: action({ handler: done, ...own }) },
    authenticate,
    ...service,
  });
}

/** A request to a described operation. */
export interface Trial {
  /** The operation, as `GET /path`. */
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
}

/** Bodies by the end of the path. */
const BODIES: ReadonlyArray<readonly [RegExp, object]> = [
  [/^PUT .*\$ref$|^POST .*\$ref$/, { "@odata.id": "Pens(1)" }],
  [/^(?:PUT|PATCH) .*\)\/\w+$/, { value: "x" }],
  [/^POST .*\/lock$/, { why: "x" }],
  [/^POST .*\/Pens$/, { Id: 9, DeskId: 1, Color: "blue" }],
  [/^POST .*\/Desks$/, { Id: 9, Name: "New", Owner: "bob" }],
  [/^PUT .*\)$/, { Name: "New", Owner: "bob" }],
  [/^PATCH .*\)$/, { Owner: "bob" }],
];

/** Returns a valid request to each operation of a document, for desk 1 of ann and pen 1. */
export function trialsOf(document: OpenApiDocument): readonly Trial[] {
  return operationsOf(document).map((name) => {
    const [method = "", template = ""] = name.split(" ");
    const path = template.replaceAll(/\{\w+\}/g, "1");
    const query = method === "DELETE" && path.endsWith("/Pens/$ref") ? "?$id=Pens(1)" : "";
    const [, body] = BODIES.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? [];
    return { name, method, url: `http://x${path}${query}`, body: body === undefined ? null : JSON.stringify(body) };
  });
}

/**
 * Sends a request as a user.
 * @param user null for an anonymous request
 * @param site the `Sec-Fetch-Site` of the request
 */
export function tryAs(
  service: ODataService,
  user: string | null,
  { method, url, body }: Trial,
  site?: string,
): Promise<Response> {
  const headers = {
    ...(user === null ? {} : { Authorization: `Bearer ${user}` }),
    ...(body === null ? {} : { "Content-Type": "application/json" }),
    ...(site === undefined ? {} : { "Sec-Fetch-Site": site }),
  };
  return service.fetch(new Request(url, { method, headers, ...(body === null ? {} : { body }) }));
}
