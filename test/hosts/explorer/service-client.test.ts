import { afterEach, describe, expect, test, vi } from "vitest";
import { readAbout } from "../../../explorer/src/client/about.ts";
import { rowsIn, ServiceClient } from "../../../explorer/src/client/service-client.ts";
import { NetworkError, ServiceError, messageOf } from "../../../explorer/src/client/service-error.ts";
import { type Credential, readSignIn, toCredential } from "../../../explorer/src/client/sign-in.ts";
import { placeOfFault } from "../../../explorer/src/query/check-query.ts";

const ROOT = "http://localhost/shop/odata/";
const NOBODY = () => ({});

/** Answers every request of a test, and keeps the last one. */
function answer(body: string | null, init: ResponseInit) {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, init));
  vi.stubGlobal("fetch", fetch);
  return () => ({ url: fetch.mock.lastCall?.[0], ...fetch.mock.lastCall?.[1] });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const JSON_HEADERS = { "Content-Type": "application/json;odata.metadata=minimal", "OData-Version": "4.0" };

test("a read asks for exact numbers, and reports id and stages", async () => {
  const sent = answer('{"value":[]}', {
    headers: { ...JSON_HEADERS, "X-Request-Id": "r1", "Server-Timing": 'bind;dur=0.5, db;desc="database";dur=12' },
  });
  const client = new ServiceClient(ROOT, NOBODY);
  const { body, requestId, stages, status } = await client.get("Orders?$top=1");
  expect({ body, requestId, stages, status }).toEqual({
    body: { value: [] },
    requestId: "r1",
    stages: [
      { name: "bind", milliseconds: 0.5 },
      { name: "database", milliseconds: 12 },
    ],
    status: 200,
  });
  expect(sent()).toMatchObject({
    url: `${ROOT}Orders?$top=1`,
    method: "GET",
    headers: { Accept: "application/json;odata.metadata=minimal;IEEE754Compatible=true" },
    credentials: "same-origin",
  });
});

test("a write sends JSON with exact numbers and the headers of the caller; no body is null", async () => {
  const sent = answer(null, { status: 204 });
  const client = new ServiceClient(ROOT, NOBODY);
  const written = await client.send("PATCH", "Orders(1)", { Total: "1.10" }, { headers: { "If-Match": '"1"' } });
  expect(written.body).toBeNull();
  expect(sent()).toMatchObject({
    method: "PATCH",
    body: '{"Total":"1.10"}',
    headers: { "Content-Type": "application/json;IEEE754Compatible=true", "If-Match": '"1"' },
  });
});

test("an error has the code, target, details and position that the service states", async () => {
  answer(
    JSON.stringify({
      error: {
        code: "InvalidQueryOption",
        message: "$filter at position 14: the string does not end.",
        target: "$filter",
        details: [{ message: "too long", target: "Name" }],
      },
    }),
    { status: 400, headers: { ...JSON_HEADERS, "X-Request-Id": "r2" } },
  );
  const error = await new ServiceClient(ROOT, NOBODY).get("Orders").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({
    status: 400,
    code: "InvalidQueryOption",
    message: "$filter at position 14: the string does not end.",
    target: "$filter",
    requestId: "r2",
    details: [{ message: "too long", target: "Name" }],
  });
  expect(placeOfFault(messageOf(error))).toMatchObject({ option: "$filter", position: 14 });
});

test("an answer of a proxy that is not an OData error keeps its status", async () => {
  answer("<html>Bad gateway</html>", { status: 502, headers: { "Content-Type": "text/html" } });
  await expect(new ServiceClient(ROOT, NOBODY).get("Orders")).rejects.toMatchObject({
    status: 502,
    code: "502",
    message: "The service answered with the status 502.",
  });
});

test.each([
  ["a page", "<html>Sign in</html>", { "Content-Type": "text/html" }, /text\/html with the status 200/u],
  ["nothing", "", JSON_HEADERS, /nothing with the status 200/u],
  ["an empty page", "", {}, /nothing with the status 200/u],
  ["JSON of another program", '{"login":true}', { "Content-Type": "application/json" }, /application\/json with/u],
  ["a text", "3", { "Content-Type": "text/plain" }, /text\/plain with/u],
])("%s in place of the service is an error for reads and writes", async (_name, body, headers, message) => {
  answer(body, { headers });
  const client = new ServiceClient(ROOT, NOBODY);
  for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
    await expect(client.send(method, "Orders(1)", undefined)).rejects.toThrow(message);
    await expect(client.send(method, "Orders(1)", undefined)).rejects.toThrow(NetworkError);
  }
});

test("values of the service may be empty, and gateways may remove headers", async () => {
  const client = new ServiceClient(ROOT, NOBODY);
  answer("", { headers: { "Content-Type": "text/plain", "OData-Version": "4.0" } });
  expect((await client.get("Orders(1)/Note/$value")).body).toBeNull();
  answer('{"@odata.context":"$metadata#Orders","value":[]}', { headers: { "Content-Type": "application/json" } });
  expect(rowsIn((await client.get("Orders")).body)).toEqual([]);
  expect(() => rowsIn({ value: 1 })).toThrow(NetworkError);
  expect(() => rowsIn(null)).toThrow(NetworkError);
});

test("an answer that breaks off, and a service that is away, are errors for people", async () => {
  answer('{"value":[{"Id":1', { headers: JSON_HEADERS });
  const client = new ServiceClient(ROOT, NOBODY);
  await expect(client.get("Orders")).rejects.toThrow(
    new NetworkError("The answer of the service broke off: an error came after its first bytes."),
  );
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(client.get("Orders")).rejects.toThrow(
    new NetworkError("The service did not answer: is it running, and is the network there? (Failed to fetch)"),
  );
});

describe("links", () => {
  const client = new ServiceClient("http://localhost/shop/odata", NOBODY);

  test.each([
    ["Orders", `${ROOT}Orders`],
    [`${ROOT}Orders?$skiptoken=1`, `${ROOT}Orders?$skiptoken=1`],
    ["explorer/about.json", `${ROOT}explorer/about.json`],
  ])("%s is below the root", (path, url) => {
    expect(client.urlOf(path)).toBe(url);
  });

  test.each([
    "https://else.example/Orders",
    "../admin",
    "/shop/other",
    "//else.example/x",
    "http://localhost:81/shop/odata/A",
  ])("%s is not followed", (path) => {
    expect(() => client.urlOf(path)).toThrow(/leads out of the service/u);
  });
});

test("links begin with the root that the service knows, and are followed below the root of the page", async () => {
  const context = "http://inner/odata/$metadata#Orders('%24metadata')";
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ "@odata.context": context })));
  const client = new ServiceClient(ROOT, NOBODY);
  expect(() => client.urlOf("http://inner/odata/Orders?$skip=5")).toThrow(/leads out of the service/u);
  await client.get("Orders");
  expect(client.urlOf("http://inner/odata/Orders?$skip=5")).toBe(`${ROOT}Orders?$skip=5`);
  for (const path of ["http://inner/admin", "http://inner/odata/../x", "http://inner/odata///else.example/x"]) {
    expect(() => client.urlOf(path)).toThrow(/leads out of the service/u);
  }
  vi.unstubAllGlobals();
});

test("credentials are headers; a refusal is told", async () => {
  let credential: Credential | null = null;
  const refusals: string[] = [];
  const ids: (string | null)[] = [];
  const client = new ServiceClient(ROOT, () => credential?.headers ?? {}, {
    withCookies: false,
    onUnauthorized: (message) => refusals.push(message),
  });
  const sent = answer("", { status: 401, headers: { "WWW-Authenticate": 'Basic realm="shop"' } });
  const send = async (kind: "key" | "basic" | "bearer", name: string, secret: string) => {
    const made = await toCredential({ kind, service: ROOT }, name, secret);
    credential = made;
    ids.push(made.id);
    await client.get("Orders").catch(() => null);
    return { headers: sent().headers, cookies: sent().credentials, user: made.user };
  };
  expect(await send("key", "", "k")).toMatchObject({ headers: { "X-Api-Key": "k" }, cookies: "omit", user: "API key" });
  expect(await send("basic", "zoë", "p:w")).toMatchObject({
    headers: { Authorization: "Basic em/DqzpwOnc=" },
    user: "zoë",
  });
  expect(await send("bearer", "", "t")).toMatchObject({
    headers: { Authorization: "Bearer t" },
    user: "Signed in",
  });
  expect(ids).toEqual([expect.stringMatching(/^[\w+/]{8}$/u), "zoë", expect.stringMatching(/^[\w+/]{8}$/u)]);
  expect(refusals).toEqual(Array(3).fill("The service answered with the status 401."));
});

test.each([
  [null, null],
  ['{"kind":"key"}', { kind: "key" }],
  [
    '{"kind":"oidc","issuer":"https://login.example","clientId":"c"}',
    { kind: "oidc", issuer: "https://login.example", clientId: "c", scope: "openid" },
  ],
  ['{"kind":"oidc"}', null],
])("the page says how users sign in: %s", (text, signIn) => {
  expect(readSignIn(text)).toEqual(signIn);
});

test("what the route of the page says has the rows of each set, and is no page of a proxy", async () => {
  const stated = { title: "Shop", warnings: [], traces: false, isAnonymous: true };
  answer(JSON.stringify({ ...stated, rows: { A: { count: 3, kind: "exact" } }, access: { A: { read: false } } }), {
    headers: JSON_HEADERS,
  });
  const client = new ServiceClient(ROOT, NOBODY);
  const { signal: never } = new AbortController();
  const about = await readAbout(client, never);
  expect(about).toEqual({
    ...stated,
    rows: new Map([["A", { count: 3, kind: "exact" }]]),
    access: new Map([["A", { read: false }]]),
  });
  answer("<html>Sign in</html>", { headers: { "Content-Type": "text/html" } });
  await expect(readAbout(client, never)).rejects.toThrow(NetworkError);
});
