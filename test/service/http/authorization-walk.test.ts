import { authenticated, resource, role } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import {
  descriptionOf,
  type EntitySetRouteMethods,
  type RouteMethod,
  type ServiceDescription,
} from "../../../src/definition/model/service-definition.ts";
import { eachDoor, type Service } from "./doors.ts";
import {
  as,
  bodyHeaders,
  expectNavigationRefusal,
  expectRefusal,
  type Folder,
  type GuardedOptions,
  guardedService,
} from "./guarded-model.ts";

/** A request to one route in the description of a service. */
interface Walked {
  readonly method: RouteMethod;
  readonly path: string;
  readonly body?: string;
  /** Whether it belongs to the folders, or to the service itself. */
  readonly isOfFolders: boolean;
  /** Whether it addresses one folder. */
  readonly addresses: boolean;
}

const BODIES: Readonly<Record<string, string>> = {
  "POST entitySet": '{"Id":9,"Name":"New","OwnerId":"ann"}',
  "PUT entity": '{"Name":"Post","OwnerId":"ann"}',
  "PATCH entity": '{"Name":"Post"}',
  "PUT property": '{"value":"Post"}',
  "PATCH property": '{"value":"Post"}',
  "POST navigation": '{"Id":12,"FolderId":1,"Name":"New"}',
  "POST reference": '{"@odata.id":"Papers(10)"}',
  "PUT reference": '{"@odata.id":"People(101)"}',
};

/** A valid path to a route of each kind; a kind that is not here is new, and has to be added. */
function pathOf(kind: string, set: string, navigation: string): string {
  const paths: Readonly<Record<string, string>> = {
    entitySet: set,
    entitySetCount: `${set}/$count`,
    entity: `${set}(1)`,
    property: `${set}(1)/Name`,
    propertyValue: `${set}(1)/Name/$value`,
    navigation: `${set}(1)/${navigation}`,
    navigationCount: `${set}(1)/${navigation}/$count`,
    relatedEntity: `${set}(1)/${navigation}(10)`,
    reference: `${set}(1)/${navigation}/$ref`,
  };
  const path = paths[kind];
  if (path === undefined) throw new Error(`No request is known for routes of the kind ${kind}.`);
  return path;
}

function requestsOf(set: string, navigation: string, routes: Readonly<Record<string, unknown>>): Walked[] {
  return Object.entries(routes).flatMap(([kind, methods]) => {
    if (kind === "navigations") return [];
    if (!(methods instanceof Set)) throw new Error(`${kind} lists no methods.`);
    return [...(methods as ReadonlySet<RouteMethod>)].map((method): Walked => {
      const body = BODIES[`${method} ${kind}`];
      // A null is written to a nullable property, and a link of a collection has a name.
      const path = pathOf(kind, set, navigation).replace("/Name", method === "DELETE" ? "/Note" : "/Name");
      const query = method === "DELETE" && kind === "reference" && navigation === "Papers" ? "?$id=Papers(10)" : "";
      const isOfFolders = set === "Folders";
      const addresses = isOfFolders && path.includes("(1)");
      return { method, path: `/g/${path}${query}`, isOfFolders, addresses, ...(body === undefined ? {} : { body }) };
    });
  });
}

/** Every route in the description of a service. */
function walk({ definition, routes }: ServiceDescription): Walked[] {
  const ofSets = [...routes].flatMap(([set, table]: readonly [string, EntitySetRouteMethods]) => [
    ...requestsOf(set, "", { ...table }),
    ...[...table.navigations].flatMap(([navigation, methods]) => requestsOf(set, navigation, { ...methods })),
  ]);
  const bound = [...definition.entitySets].flatMap(([set, { operations }]) =>
    [...operations.values()].map(({ operation }): Walked => {
      const addresses = operation.binding?.isCollection === false;
      const path = `/g/${set}${addresses ? "(1)" : ""}/${operation.name}`;
      const isOfFolders = set === "Folders";
      if (operation.kind === "Function") return { method: "GET", path, isOfFolders, addresses };
      const body = operation.parameters.length === 0 ? {} : { body: '{"why":"war"}' };
      return { method: "POST", path, isOfFolders, addresses, ...body };
    }),
  );
  const unbound = [...definition.operations.values()].map(({ operation: { name, kind } }): Walked => {
    return { method: kind === "Function" ? "GET" : "POST", path: `/g/${name}`, isOfFolders: false, addresses: false };
  });
  const own = ["/g/", "/g/$metadata", "/g/openapi.json"].map((path): Walked => {
    return { method: "GET", path, isOfFolders: false, addresses: false };
  });
  return [...own, ...ofSets, ...bound, ...unbound];
}

function described(service: Service): ServiceDescription {
  const description = descriptionOf(service);
  if (description === undefined) throw new Error("The service has no description.");
  return description;
}

const WALK = walk(described(guardedService().service));

test("the walk meets routes of every kind, each of which answers a request that is allowed", () => {
  expect(WALK.length).toBeGreaterThan(40);
  expect(new Set(WALK.map(({ method }) => method))).toEqual(new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]));
});

/** The same path, written in other ways: by different clients, and by attackers. */
function spellingsOf(path: string): readonly string[] {
  const [address = "", query] = path.split("?");
  const rest = query === undefined ? "" : `?${query}`;
  const name = address.split("/").at(-1) ?? "";
  const encoded = address.replace(/[A-Za-z](?=[^/]*$)/u, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return [
    `${address}/${rest}`,
    `${encoded}${rest}`,
    address.replace("(1)", "(%31)") + rest,
    address.replace("(1)", "(Id=1)") + rest,
    address.replace("(1)", "(@k)") + (query === undefined ? "?@k=1" : `?${query}&@k=1`),
    `${address.replace(/[^/]*$/u, "")}Default.${name}${rest}`,
    `${address}()${rest}`,
    `${address.toLowerCase()}${rest}`,
    `/${address}${rest}`,
    `${address.replace("/g/", "/g//")}${rest}`,
    `${address.replace("/g/", "/g/./")}${rest}`,
    `${address.replace("/g/", "/g/x/../")}${rest}`,
    `${address}${rest}${rest === "" ? "?" : "&"}$format=json`,
  ];
}

const never = resource<typeof Folder>(() => false);

/** Services all of whose routes are closed to a user without the role. */
const GUARDS: Readonly<Record<string, { readonly options: GuardedOptions; readonly user: string }>> = {
  "the registration": { options: { registration: role("member") }, user: "ann" },
  "each set": {
    options: {
      registration: authenticated(),
      folders: { all: role("member") },
      people: { all: role("member") },
      papers: { all: role("member") },
      unbound: role("member"),
    },
    user: "ann",
  },
};

eachDoor((door) => {
  describe.each(Object.entries(GUARDS))("rules of %s", (name, { options, user }) => {
    const { service, calls } = guardedService(options);
    const send = door.to(service);
    beforeEach(() => {
      calls.length = 0;
    });

    test.each(WALK)("anonymous: $method $path", async ({ method, path, body }) => {
      expectRefusal(await send(path, bodyHeaders(body), method, body), 401);
      expect(calls).toEqual([]);
    });

    test.each(WALK)("anonymous, in any spelling: $method $path", async ({ method, path, body }) => {
      const headers = { ...bodyHeaders(body), "X-HTTP-Method-Override": "GET", "X-Original-URL": "/g/" };
      const statuses: number[] = [];
      for (const spelling of spellingsOf(path)) {
        const answer = await send(spelling, headers, method, body);
        // Either it is that resource, or none.
        expect([401, 404, 405], spelling).toContain(answer.status);
        if (answer.status === 401) expectRefusal(answer, 401);
        expect(calls, spelling).toEqual([]);
        statuses.push(answer.status);
      }
      // Clients may write the path in most of these ways.
      expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(2);
    });

    const closed =
      name === "each set" ? WALK.filter(({ path }) => !/\/(?:\$metadata|openapi\.json)?$/u.test(path)) : WALK;
    test.each(closed)("without the role: $method $path", async ({ method, path, body }) => {
      expectRefusal(await send(path, { ...as(user), ...bodyHeaders(body) }, method, body), 403);
      expect(calls).toEqual([]);
    });

    test.each(WALK)("with the role: $method $path", async ({ method, path, body, isOfFolders }) => {
      const { status } = await send(path, { ...as("ann:member"), ...bodyHeaders(body) }, method, body);
      // The other sets have no entity with this key.
      const isThere = isOfFolders || !path.includes("(1)");
      if (isThere) expect([200, 201, 204]).toContain(status);
      else expect(status).toBe(404);
    });
  });

  describe("rules of the target sets of navigations alone", () => {
    const { service, calls } = guardedService({
      people: { all: role("member") },
      papers: { all: role("member") },
      unbound: [],
    });
    const send = door.to(service);
    const along = WALK.flatMap((walked) => {
      const [, navigation] = /^\/g\/Folders\(1\)\/(Papers|Keeper)/u.exec(walked.path) ?? [];
      return navigation === undefined ? [] : [{ ...walked, navigation }];
    });

    test.each(along)("close $method $path", async ({ method, path, body, navigation }) => {
      calls.length = 0;
      expectNavigationRefusal(await send(path, bodyHeaders(body), method, body), 401, navigation);
      const headers = { ...as("ann"), ...bodyHeaders(body) };
      expectNavigationRefusal(await send(path, headers, method, body), 403, navigation);
      for (const spelling of spellingsOf(path)) {
        const { status } = await send(spelling, headers, method, body);
        expect([403, 404, 405], spelling).toContain(status);
      }
      expect(calls).toEqual([]);
    });

    test.each(WALK.filter(({ path, isOfFolders }) => isOfFolders && !along.some((each) => each.path === path)))(
      "leave $method $path open",
      async ({ method, path, body }) => {
        expect((await send(path, bodyHeaders(body), method, body)).status).toBeLessThan(300);
      },
    );
  });

  describe("a check of the entity", () => {
    const { service, calls } = guardedService({
      folders: { all: [authenticated(), never], invoke: never, rows: (_user, folder) => folder.id.ge(0) },
      unbound: [],
      isBoundToEntities: true,
    });
    const send = door.to(service);
    const addressing = WALK.filter(({ addresses }) => addresses);

    test.each(addressing)("anonymous: $method $path", async ({ method, path, body }) => {
      calls.length = 0;
      expectRefusal(await send(path, bodyHeaders(body), method, body), 401);
      expect(calls).toEqual([]);
    });

    test.each(addressing)("not for this user: $method $path", async ({ method, path, body }) => {
      calls.length = 0;
      expectRefusal(await send(path, { ...as("ann"), ...bodyHeaders(body) }, method, body), 403);
      expect(calls).toEqual(["getByKey"]);
    });
  });
});
