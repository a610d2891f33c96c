import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { readAccess } from "../../../src/tools/cli/serve/access.ts";
import { openOidc } from "../../../src/tools/cli/serve/oidc.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";
import { serveShop } from "./serve-shop.ts";

/** A provider of tokens that runs until the test ends. */
interface Issuer {
  readonly url: string;
  /** The responses of the provider, by path; a status for an error. */
  readonly answers: Map<string, number | object | string>;
  /** The paths of its requests. */
  readonly asked: string[];
  readonly close: () => void;
  /** Makes a new key, and publishes only that. */
  readonly rotate: () => Promise<void>;
  readonly sign: (claims?: object, change?: (token: SignJWT) => SignJWT) => Promise<string>;
  /** Signs claims of any form. */
  readonly signRaw: (claims: object) => Promise<string>;
  readonly publicKey: () => CryptoKey;
}

async function startIssuer(): Promise<Issuer> {
  const answers: Issuer["answers"] = new Map();
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const found = answers.get(url) ?? 404;
    if (typeof found === "number") response.statusCode = found;
    response.end(typeof found === "object" ? JSON.stringify(found) : String(found));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  let keys = await generateKeyPair("ES256");
  let kid = 0;
  const rotate = async (): Promise<void> => {
    keys = await generateKeyPair("ES256");
    kid += 1;
    answers.set("/keys", { keys: [{ ...(await exportJWK(keys.publicKey)), kid: String(kid), alg: "ES256" }] });
  };
  await rotate();
  answers.set("/.well-known/openid-configuration", { issuer: url, jwks_uri: `${url}/keys` });
  const sign: Issuer["sign"] = (claims = {}, change = (token) => token.setExpirationTime("5m")) => {
    const token = new SignJWT({ sub: "ann", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: String(kid) })
      .setIssuer(url)
      .setAudience("shop");
    return change(token).sign(keys.privateKey);
  };
  const signRaw: Issuer["signRaw"] = (claims) => {
    const text = JSON.stringify({ iss: url, aud: "shop", exp: Math.floor(Date.now() / 1000) + 300, ...claims });
    return new CompactSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: "ES256", kid: String(kid) })
      .sign(keys.privateKey);
  };
  return { url, answers, asked, close, rotate, sign, signRaw, publicKey: () => keys.publicKey };
}

const flagsOf = ({ url }: Issuer): readonly string[] => ["--auth", "oidc", "--issuer", url, "--audience", "shop"];

async function ask(url: string, token: string | null, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  const response = await fetch(url, { ...init, headers });
  await response.text();
  return response;
}

describe("--auth oidc", () => {
  test("a token of the issuer reads everything, and without one everything is 401", async () => {
    const issuer = await startIssuer();
    const { url } = await serveShop(flagsOf(issuer));
    const token = await issuer.sign();
    for (const path of ["Orders", "$metadata", "", "openapi.json", "shop.odc", "shop.pbids"]) {
      expect([path, (await ask(`${url}/${path}`, token)).status]).toEqual([path, 200]);
      const refused = await ask(`${url}/${path}`, null);
      expect([path, refused.status, refused.headers.get("WWW-Authenticate")]).toEqual([
        path,
        401,
        'Bearer realm="odatakit"',
      ]);
    }
  });

  test("other tokens are refused", async () => {
    const issuer = await startIssuer();
    const { url } = await serveShop(flagsOf(issuer));
    const stranger = await startIssuer();
    const secret = new TextEncoder().encode(await exportSPKI(issuer.publicKey()));
    const hs256 = await new SignJWT({ sub: "ann" })
      .setProtectedHeader({ alg: "HS256", kid: "1" })
      .setIssuer(issuer.url)
      .setAudience("shop")
      .setExpirationTime("5m")
      .sign(secret);
    const unsigned = new UnsecuredJWT({ sub: "ann" })
      .setIssuer(issuer.url)
      .setAudience("shop")
      .setExpirationTime("5m")
      .encode();
    const tokens = [
      await issuer.sign({}, (token) => token.setAudience("other").setExpirationTime("5m")),
      await issuer.sign({}, (token) => token.setIssuer("https://other.example").setExpirationTime("5m")),
      await issuer.sign({}, (token) => token.setExpirationTime("-5m")),
      await issuer.sign({}, (token) => token.setNotBefore("5m").setExpirationTime("10m")),
      await issuer.sign({}, (token) => token),
      await stranger.sign({}, (token) => token.setIssuer(issuer.url).setExpirationTime("5m")),
      hs256,
      unsigned,
      "nonsense",
    ];
    const statuses: number[] = [];
    for (const token of tokens) statuses.push((await ask(`${url}/Orders`, token)).status);
    expect(statuses).toEqual(tokens.map(() => 401));
  });

  test.each<readonly [string, object, number]>([
    ["no subject", { sub: undefined }, 401],
    ["an empty subject", { sub: "" }, 401],
    ["a number as subject", { sub: 7 }, 401],
    ["null as subject", { sub: null }, 401],
    ["a list as subject", { sub: ["ann"] }, 401],
    ["an object as subject", { sub: { id: "ann" }, client_id: "robot" }, 401],
    ["a number as client", { sub: undefined, client_id: 7 }, 401],
    ["an empty client", { sub: undefined, client_id: "" }, 401],
    ["a client without a subject", { sub: undefined, client_id: "robot" }, 200],
    ["a text as expiry", { exp: "tomorrow" }, 401],
    ["a text as start", { nbf: "today" }, 401],
    ["an object as audience", { aud: { shop: true } }, 401],
    ["a list as issuer", { iss: [] }, 401],
  ])("a token with %s is %s", async (_name, claims, status) => {
    const issuer = await startIssuer();
    const { url } = await serveShop(flagsOf(issuer));
    const isOwn = ["exp", "aud", "iss"].some((name) => Object.hasOwn(claims, name));
    const token = await (isOwn ? issuer.signRaw({ sub: "ann", ...claims }) : issuer.sign(claims));
    // A page of one row has a link with a token of its user.
    expect((await ask(`${url}/Orders?$top=2`, token, { headers: { Prefer: "maxpagesize=1" } })).status).toBe(status);
    expect((await ask(`${url}/$metadata`, token)).status).toBe(status);
  });

  test("ten wrong tokens in a minute are 429, but expired ones do not count", async () => {
    const issuer = await startIssuer();
    const { url } = await serveShop(flagsOf(issuer));
    const old = await issuer.sign({}, (token) => token.setExpirationTime("-5m"));
    for (let at = 0; at < 12; at += 1) expect((await ask(`${url}/Orders`, old)).status).toBe(401);
    for (let at = 0; at < 10; at += 1) expect((await ask(`${url}/Orders`, "wrong")).status).toBe(401);
    expect((await ask(`${url}/Orders`, "wrong")).status).toBe(429);
  });

  test.each<readonly [string, object, number, number]>([
    ["roles", { roles: ["read"] }, 200, 403],
    ["roles", { roles: ["write"] }, 200, 200],
    ["roles", { roles: "openid read write" }, 200, 200],
    ["roles", { roles: [] }, 403, 403],
    ["roles", {}, 403, 403],
    ["realm_access.roles", { realm_access: { roles: ["write"] } }, 200, 200],
    ["https://shop.example/roles", { "https://shop.example/roles": ["read"] }, 200, 403],
    ["realm_access.roles", { realm_access: "write" }, 403, 403],
  ])("--roles-claim %s with %j: reads %i, writes %i", async (claim, claims, read, write) => {
    const issuer = await startIssuer();
    const { url } = await serveShop([...flagsOf(issuer), "--roles-claim", claim, "--write"]);
    const token = await issuer.sign(claims);
    expect((await ask(`${url}/Orders`, token)).status).toBe(read);
    const change = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"Note":"x"}' };
    expect((await ask(`${url}/Orders(1)`, token, change)).status).toBe(write);
  });

  test("without --roles-claim, writes are 403", async () => {
    const issuer = await startIssuer();
    const { url } = await serveShop([...flagsOf(issuer), "--write"]);
    const change = { method: "DELETE" };
    expect((await ask(`${url}/Orders(1)`, await issuer.sign({ roles: ["write"] }), change)).status).toBe(403);
  });

  test.each<readonly [readonly string[], string]>([
    [["--auth", "oidc"], "`--auth oidc` needs `--issuer`."],
    [["--auth", "oidc"], "`--auth oidc` needs `--audience`."],
    [
      ["--auth", "oidc", "--issuer", "http://login.example", "--audience", "a"],
      '`--issuer` is "http://login.example".',
    ],
    [["--auth", "oidc", "--issuer", "login", "--audience", "a"], '`--issuer` is "login".'],
    [["--issuer", "https://login.example"], "`--issuer` needs `--auth oidc`."],
    [["--auth", "key", "--roles-claim", "roles"], "`--roles-claim` needs `--auth oidc`."],
  ])("%j is refused", async (flags, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", ...flags], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("the issuer", () => {
  test("a new key is read when a token names it", async () => {
    const issuer = await startIssuer();
    const verify = await openOidc({ issuer: issuer.url, audience: "shop", rolesClaim: null }, 0);
    if (isProblem(verify)) return expect.fail(verify.message);
    expect(await verify(await issuer.sign())).toEqual({ id: "ann", roles: ["read"] });
    expect(await verify(await issuer.sign({ sub: undefined, client_id: "robot" }))).toEqual({
      id: "robot",
      roles: ["read"],
    });
    await issuer.rotate();
    expect(await verify(await issuer.sign({ sub: "bob" }))).toEqual({ id: "bob", roles: ["read"] });
    expect(issuer.asked.filter((path) => path === "/keys")).toHaveLength(2);
    return undefined;
  });

  test("that cannot be reached later is 503", async () => {
    const issuer = await startIssuer();
    const verify = await openOidc({ issuer: issuer.url, audience: "shop", rolesClaim: null }, 0);
    if (isProblem(verify)) return expect.fail(verify.message);
    const token = await issuer.sign();
    issuer.answers.set("/keys", 500);
    await expect(verify(token)).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
    issuer.close();
    await expect(verify(token)).rejects.toMatchObject({ status: 503 });
    return undefined;
  });

  test.each<readonly [string, number | object | string, string]>([
    ["an error", 500, "answers 500"],
    ["no JSON", "<html>", "is no JSON."],
    ["no object", "null", "is no JSON object."],
    [
      "another issuer",
      { issuer: "https://other.example", jwks_uri: "https://other.example/keys" },
      "describes the issuer",
    ],
    ["keys without https", { jwks_uri: "http://keys.example/" }, "names no `jwks_uri` with https"],
    ["no keys", {}, "names no `jwks_uri` with https"],
  ])("with %s ends the command with 3", async (_name, answer, message) => {
    const issuer = await startIssuer();
    const described = typeof answer === "object" ? { issuer: issuer.url, ...answer } : answer;
    issuer.answers.set("/.well-known/openid-configuration", described);
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", ...flagsOf(issuer)], { folder });
    expect([code, err]).toEqual([3, expect.stringContaining(message)]);
  });

  test("that does not listen ends the command with 3", async () => {
    const issuer = await startIssuer();
    issuer.close();
    const settings = { issuer: `${issuer.url}/`, audience: "shop", rolesClaim: null };
    const access = await readAccess(
      { auth: "oidc", oidc: settings, trustsProxy: false },
      { environment: {}, folder: ".", terminal: { report: () => undefined } as never },
    );
    expect(access).toMatchObject({
      reason: "unavailable",
      message: expect.stringContaining("cannot be reached") as unknown,
    });
  });
});
