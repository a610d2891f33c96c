import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { userLine } from "../../../src/tools/cli/serve/users-file.ts";
import { testFolder } from "./run-program.ts";
import { serveShop, type Serving } from "./serve-shop.ts";

/** A request of a client. */
interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const POWER_QUERY = {
  Accept:
    "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7",
  "OData-MaxVersion": "4.0",
  MaxDataServiceVersion: "3.0",
  "User-Agent": "Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)",
};
const UI5 = {
  Accept: "application/json;odata.metadata=minimal;IEEE754Compatible=true",
  "Accept-Language": "en",
  "Content-Type": "application/json;charset=UTF-8;IEEE754Compatible=true",
  "OData-Version": "4.0",
  "OData-MaxVersion": "4.0",
  "X-CSRF-Token": "Fetch",
  "X-Requested-With": "XMLHttpRequest",
};
const UI5_BATCH = [
  "--batch_id-1",
  "Content-Type:application/http",
  "Content-Transfer-Encoding:binary",
  "",
  "GET Orders?$count=true&$skip=0&$top=100 HTTP/1.1",
  "Accept:application/json;odata.metadata=minimal;IEEE754Compatible=true",
  "Content-Type:application/json;charset=UTF-8;IEEE754Compatible=true",
  "",
  "",
  "--batch_id-1--",
  "Group ID: $auto",
].join("\r\n");

const CLIENTS: Readonly<Record<string, readonly Sent[]>> = {
  "Power Query": [
    { path: "", headers: POWER_QUERY },
    { path: "/", headers: POWER_QUERY },
    { path: "/$metadata", headers: POWER_QUERY },
    { path: "/Orders", headers: POWER_QUERY },
    { path: "/Orders?$filter=CustomerId eq 1&$select=Id,Note&$orderby=Note&$top=1000", headers: POWER_QUERY },
    { path: "/Orders(1)/Customer", headers: POWER_QUERY },
  ],
  Excel: [
    { path: "/shop.odc", headers: { Accept: "*/*" } },
    { path: "/shop.odc", method: "HEAD", headers: { Accept: "*/*" } },
    { path: "/shop.pbids", headers: { Accept: "*/*" } },
  ],
  UI5: [
    { path: "/", method: "HEAD", headers: UI5 },
    { path: "/$metadata", headers: { ...UI5, Accept: "*/*" } },
    { path: "/Orders?$count=true&$select=Id,Note&$skip=0&$top=100", headers: UI5 },
    {
      path: "/$batch",
      method: "POST",
      headers: {
        ...UI5,
        Accept: "multipart/mixed",
        "Content-Type": "multipart/mixed; boundary=batch_id-1",
        "MIME-Version": "1.0",
      },
      body: UI5_BATCH,
    },
  ],
};

const KEY = "a-key-for-readers-of-tests";
const basic = (text: string): object => ({ Authorization: `Basic ${btoa(text)}` });

/** Right and wrong credentials by mode of authentication. */
const WAYS: Readonly<Record<string, { readonly right: readonly object[]; readonly wrong: readonly object[] }>> = {
  anonymous: { right: [{}, { Authorization: "Bearer" }], wrong: [] },
  key: {
    right: [{ "X-Api-Key": KEY }, { Authorization: `Bearer ${KEY}` }, basic(`:${KEY}`), basic(`any:${KEY}`)],
    wrong: [{}, { Authorization: "Bearer" }],
  },
  basic: { right: [basic("ada:a password")], wrong: [{}, { Authorization: "Bearer" }, { Authorization: "Basic" }] },
};

async function start(way: string): Promise<Serving> {
  if (way === "anonymous") return serveShop([]);
  if (way === "key") return serveShop(["--auth", "key"], { environment: { ODATAKIT_API_KEYS: KEY } });
  const users = join(testFolder(), "users");
  writeFileSync(users, `${await userLine("ada", "a password", "read")}\n`);
  return serveShop(["--auth", "basic"], { environment: { ODATAKIT_USERS_FILE: users } });
}

async function send(url: string, { path, method = "GET", headers, body }: Sent, credentials: object) {
  const init = { method, headers: { ...headers, ...credentials }, ...(body === undefined ? {} : { body }) };
  const response = await fetch(url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const CASES = Object.keys(CLIENTS).flatMap((client) => Object.keys(WAYS).map((way) => [client, way] as const));

describe("odatakit serve", () => {
  test.each(CASES)("answers the requests of %s with %s", async (client, way) => {
    const { url } = await start(way);
    const { right, wrong } = WAYS[way] ?? expect.fail();
    for (const sent of CLIENTS[client] ?? expect.fail()) {
      for (const credentials of wrong) {
        const { status, headers, text } = await send(url, sent, credentials);
        // Without this challenge, Excel and Power BI ask for no password.
        expect([sent.path, status, headers.get("WWW-Authenticate")]).toEqual([
          sent.path,
          401,
          'Basic realm="odatakit", charset="UTF-8"',
        ]);
        expect(text).not.toContain("Orders");
      }
      for (const credentials of right) {
        const { status, headers, text } = await send(url, sent, credentials);
        expect([sent.path, status, text.slice(0, 200)]).toEqual([sent.path, 200, text.slice(0, 200)]);
        if (client !== "Excel") expect([sent.path, headers.get("OData-Version")]).toEqual([sent.path, "4.0"]);
        expect(text).not.toContain("HTTP/1.1 4");
      }
    }
  });

  test.each(["key", "basic"])("probes without credentials do not lock an address (%s)", async (way) => {
    const { url } = await start(way);
    const orders = { path: "/Orders", headers: POWER_QUERY };
    for (let at = 0; at < 12; at += 1) {
      expect((await send(url, orders, { Authorization: "Bearer" })).status).toBe(401);
    }
    expect((await send(url, orders, WAYS[way]?.right[0] ?? {})).status).toBe(200);
  });

  test("the preflight of a page needs no credentials", async () => {
    const flags = ["--auth", "key", "--cors", "https://app.example"];
    const { url } = await serveShop(flags, { environment: { ODATAKIT_API_KEYS: KEY } });
    const origin = { Origin: "https://app.example" };
    const asked = { "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization" };
    const sent = { path: "/Orders", method: "OPTIONS", headers: { ...origin, ...asked } };
    const { status, headers } = await send(url, sent, {});
    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, "https://app.example"]);
    const refused = await send(url, { path: "/Orders", headers: { ...UI5, ...origin } }, {});
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([401, "https://app.example"]);
  });
});
