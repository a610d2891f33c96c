import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { explorerRoute } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "../browser.ts";
import { explorerFolder } from "./made-once.ts";
import { notesService } from "./notes-service.ts";
import { openExplorer } from "./open-explorer.ts";

const program = findBrowser();
const CODE = "the-code";

/** The requests to a provider, and its responses. */
interface Provider {
  readonly server: Server;
  readonly issuer: string;
  readonly asked: URLSearchParams[];
  /** Parameters of its answer, in place of a code. */
  answer: Readonly<Record<string, string>> | null;
  /** The issuer that it says it is. */
  claims: string | null;
}

/** Starts an OpenID Connect provider, which signs everybody in at once. */
async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    void respond(provider, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const provider: Provider = { server, issuer, asked: [], answer: null, claims: null };
  return provider;
}

async function respond(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { issuer, asked } = provider;
  const url = new URL(request.url ?? "", issuer);
  const send = (status: number, body: object): void => {
    response.writeHead(status, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" });
    response.end(JSON.stringify(body));
  };
  if (url.pathname === "/.well-known/openid-configuration") {
    send(200, {
      issuer: provider.claims ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ["S256"],
    });
  } else if (url.pathname === "/authorize") {
    asked.push(url.searchParams);
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    const answer = { state: url.searchParams.get("state") ?? "", ...(provider.answer ?? { code: CODE, iss: issuer }) };
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    response.writeHead(302, { Location: back.href }).end();
  } else {
    const form = new URLSearchParams(await text(request));
    asked.push(form);
    const hash = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = form.get("code") === CODE && hash === asked[0]?.get("code_challenge");
    const claims = Buffer.from(JSON.stringify({ sub: "z-1", name: "Zoë" })).toString("base64url");
    send(
      isRight ? 200 : 400,
      isRight ? { access_token: "right", id_token: `e30.${claims}.` } : { error: "invalid_grant" },
    );
  }
}

describe.skipIf(program === undefined)("the explorer signs in at a provider", () => {
  let browser: Browser;
  let provider: Provider;
  let server: RunningServer;

  beforeAll(async () => {
    browser = await openBrowser(program ?? "");
    provider = await startProvider();
    const signIn = { kind: "oidc", issuer: provider.issuer, clientId: "explorer" } as const;
    const routes = [explorerRoute({ folder: await explorerFolder(), signIn })];
    server = await serve(notesService({ routes, challenge: "Bearer" }, "bearer").service, { port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    provider.server.close();
  });
  beforeEach(() => {
    provider.asked.length = 0;
    provider.answer = null;
    provider.claims = null;
  });

  const signIn = async () => {
    const explorer = await openExplorer(browser, `${server.url}/notes`, "#/record/Notes(1)");
    await explorer.page.locator("text=Sign in at").first().click();
    return explorer;
  };

  test("in a window of its own, with PKCE, and shows the view that was asked for", async () => {
    const { page, settle } = await signIn();
    await page.locator("h1:has-text('first')").waitFor();
    await settle();
    const [asked, exchanged] = provider.asked;
    expect(Object.fromEntries(asked ?? [])).toEqual({
      response_type: "code",
      client_id: "explorer",
      redirect_uri: `${server.url}/notes/explorer`,
      scope: "openid",
      state: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge_method: "S256",
    });
    expect(Object.fromEntries(exchanged ?? [])).toEqual({
      grant_type: "authorization_code",
      code: CODE,
      redirect_uri: `${server.url}/notes/explorer`,
      client_id: "explorer",
      code_verifier: expect.stringMatching(/^[\w-]{43}$/u),
    });
    expect(await page.locator("header").innerText()).toContain("Zoë");
    // The views alone are kept, by service and user: no token, and no name.
    const views = { recent: [{ name: "Notes(1)", fragment: "#/record/Notes(1)" }], saved: [] };
    const user = createHash("sha256")
      .update(`${server.url}/notes/ oidc z-1`)
      .digest()
      .subarray(0, 6)
      .toString("base64");
    const kept = { [`odatakit explorer ${server.url}/notes/ ${user}`]: JSON.stringify(views) };
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")).toBe(
      JSON.stringify([kept, {}, ""]),
    );
    await page.close();
  });

  test.for([
    [{ error: "access_denied", error_description: "You may not." }, null, "The provider refused: You may not."],
    [{ code: CODE, iss: "https://other.example" }, null, "The provider refused: https://other.example"],
    [{ code: "another" }, null, "The provider refused: invalid_grant"],
    [null, "https://other.example", "does not describe itself as OpenID Connect with PKCE asks for."],
  ] as const)("and says why that failed: %j %s", async ([answer, claims, message]) => {
    provider.answer = answer;
    provider.claims = claims;
    const { page } = await signIn();
    const alert = page.locator("[role=alert]").first();
    await alert.waitFor();
    expect(await alert.innerText()).toContain(message);
    await page.close();
  });
});
