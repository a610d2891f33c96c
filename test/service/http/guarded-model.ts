import {
  type Authorization,
  type AuthorizationRules,
  action,
  applyDelta,
  edm,
  entitySet,
  entityType,
  type EntityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type EntityOf,
} from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { type Answer, expectError, type HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";

export const Person = entityType("Person", { id: edm.int32().key(), name: edm.string() });
export const Paper = entityType("Paper", { id: edm.int32().key(), folderId: edm.int32(), name: edm.string() });
export const Folder = entityType("Folder", {
  id: edm.int32().key(),
  name: edm.string(),
  ownerId: edm.string(),
  note: edm.string().nullable(),
  version: edm.int32().computed(),
  secret: edm.string().ignored(),
});

export type FolderRow = EntityOf<typeof Folder>;
export type FolderRules = Authorization<typeof Folder>;

/** The parts of a service of folders. */
export interface GuardedOptions {
  readonly folders?: FolderRules;
  readonly people?: Authorization<typeof Person>;
  readonly papers?: Authorization<typeof Paper>;
  readonly registration?: AuthorizationRules<EntityType>;
  readonly unbound?: AuthorizationRules<EntityType>;
  /** Whether no operation is bound to the collection of folders: no check of an entity can guard it. */
  readonly isBoundToEntities?: boolean;
}

const ROWS: readonly FolderRow[] = [
  { id: 1, name: "Letters", ownerId: "ann", note: null, version: 1, secret: "s1" },
  { id: 2, name: "Bills", ownerId: "bob", note: "due", version: 1, secret: "s2" },
  { id: 3, name: "Recipes", ownerId: "ann", note: null, version: 1, secret: "s3" },
];
const PAPERS = [
  { id: 10, folderId: 1, name: "To Bob" },
  { id: 11, folderId: 1, name: "To Eve" },
];
const PEOPLE = [
  { id: 100, name: "Ann" },
  { id: 101, name: "Bob" },
];

/** Returns the user of a request: `ann` or `ann:reader,editor` after `Bearer`. */
export function authenticate({ headers }: { readonly headers: Headers }) {
  const [, id, roles] = /^Bearer (\w+)(?::(.*))?$/u.exec(headers.get("authorization") ?? "") ?? [];
  return id === undefined ? null : { id, roles: roles?.split(",") ?? [] };
}

/** The headers of a request of a user; none for an anonymous user. */
export function as(user: string | null): HeaderTable {
  return user === null ? {} : { Authorization: `Bearer ${user}` };
}

/** The name of the one handler that a call went to, for each call. */
export type Calls = string[];

/** A service with a handler for every kind of route, each of which notes that it was called. */
export function guardedService(options: GuardedOptions = {}) {
  const calls: Calls = [];
  const note = <T>(name: string, value: T): T => {
    calls.push(name);
    return value;
  };
  const find = (key: number): FolderRow | null => ROWS.find(({ id }) => id === key) ?? null;
  const stamp = (row: object) => ({ ...row, version: 2, secret: "s" });
  const ofCollection = {
    functions: {
      newest: fn(Folder, { bound: "collection", returns: Folder, handler: () => note("newest", ROWS[2] ?? null) }),
      mine: fn(Folder, {
        bound: "collection",
        composable: true,
        returns: edm.collection(Folder),
        handler: () => note("mine", ROWS),
      }),
    },
    actions: { sweep: action(Folder, { bound: "collection", handler: () => note("sweep", undefined) }) },
  };
  const folders = entitySet(Folder, {
    name: "Folders",
    etag: ["version"],
    allowUpsert: true,
    getAll: () => note("getAll", ROWS),
    getByKey: (key) => note("getByKey", find(key)),
    create: (folder) => note("create", { ...folder, ...stamp(folder) }),
    replace: (key, folder) => note("replace", find(key) === null ? null : { ...folder, ...stamp(folder) }),
    patch: (key, delta) => note("patch", patched(find(key), delta)),
    delete: (key) => note("delete", find(key) !== null),
    search: () => note("search", ROWS),
    navigation: {
      papers: hasMany(Paper, {
        target: "Papers",
        get: (key) => note("papers.get", find(key) === null ? null : PAPERS.filter(({ folderId }) => folderId === key)),
        create: (key, paper) => note("papers.create", { ...paper, folderId: key }),
        addRef: () => note("papers.addRef", undefined),
        removeRef: () => note("papers.removeRef", undefined),
      }),
      keeper: hasOptional(Person, {
        target: "People",
        get: (key) => note("keeper.get", key === 3 ? null : (PEOPLE[0] ?? null)),
        setRef: () => note("keeper.setRef", undefined),
        removeRef: () => note("keeper.removeRef", undefined),
      }),
    },
    functions: {
      weight: fn({ bound: "entity", returns: edm.int32(), handler: (key, _given) => note("weight", key * 10) }),
      ...(options.isBoundToEntities === true ? {} : ofCollection.functions),
    },
    actions: {
      lock: action({ bound: "entity", params: { why: edm.string() }, handler: (_key) => note("lock", undefined) }),
      ...(options.isBoundToEntities === true ? {} : ofCollection.actions),
    },
    ...(options.folders === undefined ? {} : { authorization: options.folders }),
  });
  const people = entitySet(Person, {
    name: "People",
    getAll: () => note("people.getAll", PEOPLE),
    getByKey: (key) => note("people.getByKey", PEOPLE.find(({ id }) => id === key) ?? null),
    ...(options.people === undefined ? {} : { authorization: options.people }),
  });
  const papers = entitySet(Paper, {
    name: "Papers",
    getAll: () => note("papers.getAll", PAPERS),
    getByKey: (key) => note("papers.getByKey", PAPERS.find(({ id }) => id === key) ?? null),
    ...(options.papers === undefined ? {} : { authorization: options.papers }),
  });
  const own = options.unbound === undefined ? {} : { authorization: options.unbound };
  const service = odataService({
    prefix: "/g",
    entitySets: [folders, people, papers],
    functions: {
      greet: fn({ returns: edm.string(), handler: () => note("greet", "hi"), ...own }),
      oldest: fn({ returns: Folder, handler: () => note("oldest", ROWS[0] ?? null), ...own }),
      recent: fn({ returns: edm.collection(Folder), handler: () => note("recent", ROWS), ...own }),
      found: fn({ composable: true, returns: edm.collection(Folder), handler: () => note("found", ROWS), ...own }),
    },
    actions: {
      reset: action({ handler: () => note("reset", undefined), ...own }),
      file: action({ returns: edm.collection(Folder), handler: () => note("file", new Set(ROWS)), ...own }),
    },
    authenticate,
    challenge: 'Bearer realm="folders"',
    routes: [openApiRoute()],
    logger: noFailures,
    ...(options.registration === undefined ? {} : { authorization: options.registration }),
  });
  return { service, calls };
}

function patched(row: FolderRow | null, delta: Parameters<typeof applyDelta<typeof Folder>>[2]): FolderRow | null {
  return row === null ? null : applyDelta(Folder, row, delta);
}

/** The action that a request needs: a category of its set, an unbound operation, or the service as a whole. */
export type Action = "read" | "create" | "update" | "delete" | "invoke" | "unbound" | "service";

/** One valid request. */
export interface GuardedRequest {
  readonly name: string;
  readonly action: Action;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Whether it addresses the folder 1, whose owner is ann. */
  readonly addresses: boolean;
}

const NEW_FOLDER = JSON.stringify({ Id: 9, Name: "New", OwnerId: "ann" });
const FOLDER = JSON.stringify({ Name: "Post", OwnerId: "ann" });
const REFERENCE = JSON.stringify({ "@odata.id": "Papers(10)" });
const KEEPER = JSON.stringify({ "@odata.id": "People(100)" });

/** A request for each kind of route. */
export const REQUESTS: readonly GuardedRequest[] = (
  [
    ["service", "GET", "/"],
    ["service", "GET", "/$metadata"],
    ["service", "GET", "/openapi.json"],
    ["read", "GET", "/Folders"],
    ["read", "GET", "/Folders?$filter=Id gt 1&$search=x"],
    ["read", "GET", "/Folders/$count"],
    ["create", "POST", "/Folders", NEW_FOLDER],
    ["read", "GET", "/Folders(1)"],
    ["read", "GET", "/Folders(1)?$expand=Papers,Keeper"],
    ["update", "PUT", "/Folders(1)", FOLDER],
    ["update", "PATCH", "/Folders(1)", FOLDER],
    ["delete", "DELETE", "/Folders(1)"],
    ["read", "GET", "/Folders(1)/Name"],
    ["read", "GET", "/Folders(1)/Note"],
    ["read", "GET", "/Folders(1)/Name/$value"],
    ["update", "PUT", "/Folders(1)/Name", JSON.stringify({ value: "Post" })],
    ["update", "PATCH", "/Folders(1)/Name", JSON.stringify({ value: "Post" })],
    ["update", "DELETE", "/Folders(1)/Note"],
    ["read", "GET", "/Folders(1)/Papers"],
    ["read", "GET", "/Folders(1)/Papers?$top=1"],
    ["read", "GET", "/Folders(1)/Papers/$count"],
    ["read", "GET", "/Folders(1)/Papers(10)"],
    ["create", "POST", "/Folders(1)/Papers", JSON.stringify({ Id: 12, FolderId: 1, Name: "New" })],
    ["read", "GET", "/Folders(1)/Papers/$ref"],
    ["create", "POST", "/Folders(1)/Papers/$ref", REFERENCE],
    ["update", "DELETE", "/Folders(1)/Papers/$ref?$id=Papers(10)"],
    ["read", "GET", "/Folders(1)/Keeper"],
    ["read", "GET", "/Folders(1)/Keeper/$ref"],
    ["update", "PUT", "/Folders(1)/Keeper/$ref", KEEPER],
    ["update", "DELETE", "/Folders(1)/Keeper/$ref"],
    ["invoke", "GET", "/Folders(1)/weight"],
    ["invoke", "GET", "/Folders/newest"],
    ["invoke", "GET", "/Folders/mine?$top=1"],
    ["invoke", "POST", "/Folders(1)/lock", JSON.stringify({ why: "war" })],
    ["invoke", "POST", "/Folders/sweep"],
    ["unbound", "GET", "/greet"],
    ["unbound", "GET", "/oldest"],
    ["unbound", "GET", "/recent"],
    ["unbound", "GET", "/found?$top=1"],
    ["unbound", "POST", "/reset"],
    ["unbound", "POST", "/file"],
  ] as ReadonlyArray<readonly [Action, string, string, string?]>
).map(([act, method, path, body]) => ({
  name: `${method} ${path}`,
  action: act,
  method,
  path: `/g${path.replaceAll(" ", "%20")}`,
  addresses: path.startsWith("/Folders(1)"),
  ...(body === undefined ? {} : { body }),
}));

/** The headers that a body needs. */
export function bodyHeaders(body: string | undefined): HeaderTable {
  return body === undefined ? {} : { "Content-Type": "application/json" };
}

/** The header that names the authentication scheme. */
export const CHALLENGE: HeaderTable = { "www-authenticate": 'Bearer realm="folders"' };

/** Asserts a refusal whole: 401 without a user, 403 with one. */
export function expectRefusal(answer: Answer, status: 401 | 403): void {
  if (status === 401) {
    expectError(answer, { status, code: "Unauthorized", message: /credentials/u, headers: CHALLENGE });
  } else {
    expectError(answer, { status, code: "Forbidden", message: /^The user of this request may not /u });
  }
}

/** Asserts that the rules of a target set refuse a request: the error names the navigation. */
export function expectNavigationRefusal(answer: Answer, status: 401 | 403, navigation: string): void {
  const code = status === 401 ? "Unauthorized" : "Forbidden";
  const message = new RegExp(`'${navigation}'`, "u");
  expectError(answer, { status, code, message, target: navigation, ...(status === 401 && { headers: CHALLENGE }) });
}
