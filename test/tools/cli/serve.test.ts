import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { userLine } from "../../../src/tools/cli/serve/users-file.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";
import { serveShop } from "./serve-shop.ts";

const KEY = "a-key-for-readers-of-tests";
const WRITE_KEY = "a-key-for-writers-of-tests";

const statusOf = async (url: string, init: RequestInit = {}): Promise<number> => {
  const response = await fetch(url, init);
  await response.text();
  return response.status;
};

describe("odatakit serve", () => {
  test("serves tables read-only, changes no file, and ends with 0", async () => {
    const { url, file, end } = await serveShop([]);
    const digest = (): string => createHash("sha256").update(readFileSync(file)).digest("hex");
    const before = digest();
    const response = await fetch(`${url}/Orders?$expand=Customer&$orderby=Id desc&$top=1`);
    expect(await response.json()).toMatchObject({ value: [{ Id: 2, Note: "fast", Customer: { Name: "Ada" } }] });
    const created = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
    expect(await statusOf(`${url}/Orders`, created)).toBe(405);
    expect(await statusOf(`${url}/Orders(1)`, { method: "DELETE" })).toBe(405);
    expect(await (await fetch(`${url}/$metadata`)).text()).not.toContain("PasswordHash");
    expect(await statusOf(`${url}/openapi.json`)).toBe(200);
    expect(await (await fetch(`${url}/shop.odc`)).text()).toContain("<title>shop</title>");
    const { code, out, err } = await end();
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toContain("geheim");
    expect(digest()).toBe(before);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("answers for localhost only", async () => {
    const { url } = await serveShop([]);
    const { port } = new URL(url);
    const send = async (host: string, path = "/odata/Orders"): Promise<number> => {
      const { request } = await import("node:http");
      const sent = request({ port, host: "127.0.0.1", path, headers: { Host: host } }).end();
      const [answer] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
      answer.resume();
      return answer.statusCode;
    };
    expect(await send(`127.0.0.1:${port}`)).toBe(200);
    expect(await send("LOCALHOST")).toBe(200);
    expect(await send("evil.example")).toBe(421);
    expect(await send("localhost.evil.example")).toBe(421);
    // The authority of the target replaces the header.
    expect(await send("localhost", "http://evil.example/odata/Orders")).toBe(421);
    expect(await send("localhost", "HTTPS://evil.example:80/odata/Orders")).toBe(421);
    expect(await send("localhost", "http://localhost@evil.example/odata/Orders")).toBe(400);
    expect(await send("evil.example", "http://localhost/odata/Orders")).toBe(200);
  });

  test("prints a banner", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const ending = new AbortController();
    const { out } = await runProgram(["serve", "shop.db", "--port", "0"], {
      folder,
      signal: ending.signal,
      onLine: (line) => {
        if (line.includes("Ctrl+C")) ending.abort();
      },
    });
    const shown = out
      .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
      .replace(/SQLite \S+/, "SQLite 3")
      .replace(/\d+ ms/, "9 ms")
      .replace(/odatakit \S+/, "odatakit 1")
      .replace(/\(\d+ kB/, "(1 kB");
    expect(shown).toBe(`  odatakit 1 · SQLite 3 · shop.db (1 kB, read-only) · ready in 9 ms
  Explorer  http://HOST/odata/explorer
  Service   http://HOST/odata
  Excel     http://HOST/odata/shop.odc
  Power BI  http://HOST/odata/shop.pbids
  OpenAPI   http://HOST/odata/openapi.json
  3 entity sets, 9 properties, 2 navigations. Anonymous read access from this machine; 1000 rows a page, 10 s a query.
  Next links end with this process, unless ODATAKIT_SECRET is set.
  3 warnings
    big_orders  view without a key, omitted  → --keys unique
    order_log  has no key but the rowid, which VACUUM may renumber, published as Rowid  → --key "order_log=<column>"
    customers.password_hash  omitted because of its name  → --include-column "customers.password_hash"
  Try    curl "http://HOST/odata/Orders?\\$top=3&\\$expand=Customer"
  Eject  npx odatakit pull shop.db --out src/model
  Stop   Ctrl+C
`);
  });

  test("settings reach the service", async () => {
    const flags = [
      "--max-top",
      "1",
      "--prefix",
      "/api",
      "--cors",
      "https://app.example",
      "--no-openapi",
      "--paging",
      "offset",
    ];
    const { url } = await serveShop(flags);
    expect(url).toMatch(/\/api$/);
    const response = await fetch(`${url}/Customers`, { headers: { Origin: "https://app.example" } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
    const page = (await response.json()) as { value: unknown[]; "@odata.nextLink": string };
    expect(page.value.length).toBe(1);
    expect(page["@odata.nextLink"]).toContain("$skiptoken=");
    expect(await statusOf(`${url}/openapi.json`)).toBe(404);
  });

  test("--auth key closes everything, and accepts three forms of a key", async () => {
    const environment = { ODATAKIT_API_KEYS: `${KEY},${WRITE_KEY}:write` };
    const { url } = await serveShop(["--auth", "key"], { environment });
    const refusals = new Set<string>();
    for (const path of ["", "/$metadata", "/Orders", "/openapi.json", "/Order", "/Orders(1)/Nam", "/$batch"]) {
      for (const method of ["GET", "POST", "PURGE"]) {
        const response = await fetch(`${url}${path}`, { method });
        const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
        refusals.add(JSON.stringify([response.status, headers, await response.text()]));
      }
      const options = await fetch(`${url}${path}`, { method: "OPTIONS" });
      expect([options.status, options.headers.get("Allow")]).toEqual([204, null]);
    }
    expect([...refusals].map((refusal) => refusal.slice(0, 5))).toEqual(["[401,"]);
    const forms = [
      { "X-Api-Key": KEY },
      { Authorization: `Bearer ${KEY}` },
      { Authorization: `Basic ${btoa(`any:${KEY}`)}` },
    ];
    for (const headers of forms) expect(await statusOf(`${url}/Orders`, { headers })).toBe(200);
    expect(await statusOf(`${url}/Orders`, { headers: { Authorization: "Basic !!" } })).toBe(401);
  });

  test("ten wrong keys lock an address", async () => {
    const { url } = await serveShop(["--auth", "key"], { environment: { ODATAKIT_API_KEYS: KEY } });
    const headers = { "X-Api-Key": "wrong" };
    for (let at = 0; at < 10; at += 1) expect(await statusOf(`${url}/Orders`, { headers })).toBe(401);
    expect(await statusOf(`${url}/Orders`, { headers: { "X-Api-Key": KEY } })).toBe(429);
  });

  test("--write lets users with that right change rows", async () => {
    const environment = { ODATAKIT_API_KEYS: `${KEY}:read,${WRITE_KEY}:write` };
    const { url } = await serveShop(["--auth", "key", "--write=Orders"], { environment });
    const send = (set: string, key: string): Promise<number> =>
      statusOf(`${url}/${set}`, {
        method: "POST",
        headers: { "X-Api-Key": key, "Content-Type": "application/json" },
        body: set === "Orders" ? '{"CustomerId":2,"Note":"new"}' : '{"Name":"Eve"}',
      });
    expect(await send("Orders", KEY)).toBe(403);
    expect(await send("Orders", WRITE_KEY)).toBe(201);
    expect(await send("Customers", WRITE_KEY)).toBe(405);
  });

  test("a write with the ETag of a row that was changed meanwhile is 412", async () => {
    const environment = { ODATAKIT_API_KEYS: `${WRITE_KEY}:write` };
    const { url } = await serveShop(["--auth", "key", "--write"], { environment });
    const headers = { "X-Api-Key": WRITE_KEY, "Content-Type": "application/json" };
    const orders = await fetch(`${url}/Orders?$select=Id`, { headers });
    const { value } = (await orders.json()) as { readonly value: ReadonlyArray<Readonly<Record<string, unknown>>> };
    const etag = String(value[0]?.["@odata.etag"]);
    expect((await fetch(`${url}/Orders(1)`, { headers })).headers.get("ETag")).toBe(etag);
    const patch = (condition: Readonly<Record<string, string>>, note: string): Promise<number> =>
      statusOf(`${url}/Orders(1)`, {
        method: "PATCH",
        headers: { ...headers, ...condition },
        body: JSON.stringify({ Note: note }),
      });
    expect(await patch({}, "a")).toBe(200);
    expect(await patch({ "If-Match": etag }, "b")).toBe(412);
    expect(await patch({ "If-Match": "*" }, "c")).toBe(200);
    const metadata = await (await fetch(`${url}/$metadata`, { headers })).text();
    expect(metadata.match(/OptimisticConcurrency/gu)).toHaveLength(2);
    const [view] = /<EntitySet Name="BigOrders".*?<\/EntitySet>/su.exec(metadata) ?? [];
    expect(view ?? "").not.toContain("OptimisticConcurrency");
  });

  test.each([
    [[], {}, 1_048_576],
    [["--max-body", "2kB"], {}, 2000],
    [[], { "max-body": 3000 }, 3000],
  ] as const)("a body above the limit of %j and %j is 413, and names the option", async (flags, file, limit) => {
    const environment = { ODATAKIT_API_KEYS: `${WRITE_KEY}:write` };
    const { url } = await serveShop(["--auth", "key", "--write", ...flags], { environment, file });
    const send = async (length: number) => {
      const body = JSON.stringify({ CustomerId: 2, Note: "" });
      const response = await fetch(`${url}/Orders`, {
        method: "POST",
        headers: { "X-Api-Key": WRITE_KEY, "Content-Type": "application/json" },
        body: body.replace('""', JSON.stringify("x".repeat(length - body.length))),
      });
      return [response.status, await response.json()];
    };
    expect((await send(limit))[0]).toBe(201);
    expect(await send(limit + 1)).toEqual([
      413,
      {
        error: {
          code: "PayloadTooLarge",
          message: `The body is larger than the limit of ${String(limit)} bytes. Send less at once. The option --max-body of the server sets the limit.`,
        },
      },
    ]);
  });

  test.each([
    [["--max-response", "10"], {}],
    [[], { "max-response": 10 }],
  ] as const)("a page ends by the size of %j and %j", async (flags, file) => {
    const { url } = await serveShop(flags, { file });
    const response = await fetch(`${url}/Customers?$select=Id`);
    const body = (await response.json()) as { readonly value: readonly object[]; readonly "@odata.nextLink"?: string };
    expect([response.status, body.value.length, body["@odata.nextLink"]]).toEqual([200, 1, expect.any(String)]);
  });

  test("responses hold no more than --max-held together", async () => {
    const { url } = await serveShop(["--max-held", "10"]);
    expect((await fetch(`${(await serveShop(["--max-held", "8000MB"])).url}/Customers`)).status).toBe(200);
    const response = await fetch(`${url}/Customers?$select=Id`);
    const body = (await response.json()) as { readonly value: readonly object[]; readonly "@odata.nextLink"?: string };
    expect([response.status, body["@odata.nextLink"]]).toEqual([200, expect.any(String)]);
  });

  test.each(
    ["0", "1GB", "x", "600MB"].flatMap((size) => [
      ["--max-body", size] as const,
      ["--max-response", size] as const,
      ["--max-held", size === "600MB" ? "600000MB" : size] as const,
    ]),
  )("%s %s is refused", async (option, size) => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", option, size], { folder });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        option === "--max-held" ? /Write a size up to 500000MB, such as/ : /Write a size up to 500MB, such as 65536/,
      ),
    ]);
  });

  test("a cell that cannot be read is null, and has a warning", async () => {
    const { url, end } = await serveShop(["--map", "Customers.Name=boolean(no,yes)"]);
    const { value } = (await (await fetch(`${url}/Customers?$select=Name&$top=1`)).json()) as { value: unknown };
    expect(value).toEqual([{ "@odata.id": expect.stringMatching(/\/Customers\(1\)$/u), Name: null }]);
    expect((await end()).err).toMatch(
      /^warning: A cell of the column name of customers cannot be read.* key: \["1"\]/m,
    );
  });

  test.each([
    ["a link table that --write does not name", "Orders,Tags", 405],
    ["a link table that --write names", "Orders,Tags,OrderTags", 204],
  ])("%s", async (_title, written, status) => {
    const script = `create table orders (id integer primary key);
create table tags (id integer primary key);
create table order_tags (order_id int not null references orders, tag_id int not null references tags, primary key (order_id, tag_id));
insert into orders values (1); insert into tags values (1), (2); insert into order_tags values (1, 2);`;
    const environment = { ODATAKIT_API_KEYS: `${KEY}:read,${WRITE_KEY}:write` };
    const { url } = await serveShop(["--auth", "key", `--write=${written}`], { environment, script });
    const links = `${url}/Orders(1)/Tags/$ref`;
    const post = { method: "POST", body: '{"@odata.id":"Tags(1)"}' };
    const headersOf = (key: string): Record<string, string> => ({
      "X-Api-Key": key,
      "Content-Type": "application/json",
    });
    expect(await statusOf(links, { ...post, headers: headersOf(KEY) })).toBe(status === 204 ? 403 : 405);
    expect(await statusOf(links, { ...post, headers: headersOf(WRITE_KEY) })).toBe(status);
    const removed = await statusOf(`${links}?$id=Tags(2)`, { method: "DELETE", headers: headersOf(WRITE_KEY) });
    expect(removed).toBe(status);
    const left = await fetch(`${url}/OrderTags/$count`, { headers: headersOf(KEY) });
    expect(await left.text()).toBe("1");
  });

  test("odatakit.json holds settings of serve", async () => {
    const folder = testFolder();
    writeFileSync(
      join(folder, "odatakit.json"),
      JSON.stringify({ write: true, auth: "key", anonymous: false, cors: ["*"], "max-top": 1, paging: "offset" }),
    );
    const { url } = await serveShop([], { folder, environment: { ODATAKIT_API_KEYS: `${WRITE_KEY}:write` } });
    const headers = { "X-Api-Key": WRITE_KEY, Origin: "https://a.example" };
    const response = await fetch(`${url}/Customers`, { headers });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(((await response.json()) as { value: unknown[] }).value.length).toBe(1);
    expect(await statusOf(`${url}/Customers(2)`, { method: "DELETE", headers })).toBe(204);
  });

  test("--quiet prints nothing", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const ending = new AbortController();
    ending.abort();
    const given = ["serve", "shop.db", "--port", "0", "--quiet"];
    expect(await runProgram(given, { folder, signal: ending.signal })).toEqual({ code: 0, out: "", err: "" });
  });

  test("takes the next free port if none is given", async () => {
    const taken = createServer().listen(3000, "127.0.0.1");
    await Promise.race([once(taken, "listening"), once(taken, "error")]);
    const folder = testFolder();
    writeDatabase(folder);
    const ending = new AbortController();
    const { code, out } = await runProgram(["serve", "shop.db", "--json"], {
      folder,
      signal: ending.signal,
      onLine: () => ending.abort(),
    });
    taken.close();
    expect([code, out]).toEqual([0, expect.stringMatching(/127\.0\.0\.1:30\d\d\/odata/)]);
    expect(out).not.toContain(":3000/");
  });

  test("an address of another machine is refused", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", "--host", "192.0.2.1", "--anonymous"], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining("This machine has no address 192.0.2.1.")]);
  });

  test("--auth basic checks names and passwords", async () => {
    const folder = testFolder();
    const users = join(folder, "users");
    writeFileSync(users, `# users\n${await userLine("ada", "pässword", "read")}\n`);
    const { url } = await serveShop(["--auth", "basic"], { environment: { ODATAKIT_USERS_FILE: users } });
    const sent = (text: string): RequestInit => {
      const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
      return { headers: { Authorization: `Basic ${encoded}` } };
    };
    expect(await statusOf(`${url}/Orders`, sent("ada:pässword"))).toBe(200);
    expect(await statusOf(`${url}/Orders`, sent("ada:pässword"))).toBe(200);
    expect(await statusOf(`${url}/Orders`, sent("ada:wrong"))).toBe(401);
    expect(await statusOf(`${url}/Orders`, sent("eve:pässword"))).toBe(401);
    expect(await statusOf(`${url}/Orders`, sent("ada"))).toBe(401);
  });

  test("120 parallel guesses do not reveal the right password, and parallel logins succeed", async () => {
    const folder = testFolder();
    const users = join(folder, "users");
    writeFileSync(users, `${await userLine("ada", "right", "read")}\n${await userLine("bob", "correct", "read")}\n`);
    const { url, end } = await serveShop(["--auth", "basic"], { environment: { ODATAKIT_USERS_FILE: users } });
    const send = async (name: string, password: string) => {
      const headers = { Authorization: `Basic ${btoa(`${name}:${password}`)}` };
      const response = await fetch(`${url}/Orders/$count`, { headers });
      return [response.status, await response.text()] as const;
    };
    const logins = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0 ? send("ada", "right") : send("bob", "correct"),
    );
    expect(new Set((await Promise.all(logins)).map(([status]) => status))).toEqual(new Set([200]));
    const guesses = Array.from({ length: 119 }, (_, at) => send("ada", `guess ${String(at)}`));
    // All guesses have been sent before the first response, and most of them wait.
    const [first] = await Promise.race(guesses);
    expect([401, 429]).toContain(first);
    const answers = await Promise.all([...guesses, send("ada", "right")]);
    const counted = [401, 429].map((status) => answers.filter(([each]) => each === status).length);
    expect(counted).toEqual([10, 110]);
    expect(answers.at(-1)?.[0]).toBe(429);
    expect(new Set(answers.flatMap(([status, body]) => (status === 401 ? [body] : []))).size).toBe(1);
    const { err } = await end();
    expect(err).toBe(
      "warning: Wrong credentials led to 429, and all requests so far came from the address 127.0.0.1. " +
        "If a proxy forwards them, start with `--trust-proxy`; otherwise one client locks out all the others.\n",
    );
  });

  test.each<readonly [readonly string[], string]>([
    [["--host", "0.0.0.0"], "Everybody who reaches 0.0.0.0 could read the database."],
    [["--write"], "`--write` lets everybody change the database."],
    [["--auth", "basic", "--host", "0.0.0.0"], "would send passwords without encryption"],
    [["--auth", "key", "--anonymous"], "exclude each other"],
    [["--auth", "key"], "`ODATAKIT_API_KEYS` is not set."],
    [["--auth", "basic"], "needs `ODATAKIT_USERS_FILE`"],
    [["--auth", "token"], '`--auth` is "token". Write key or basic or oidc.'],
    [["--port", "x"], '`--port` is "x". Write a whole number from 0 to 65535.'],
    [["--timeout", "9999999m"], '`--timeout` is "9999999m". Write a time of at most 2147483647ms.'],
    [["--timeout", "10"], '`--timeout` is "10". Write a time such as 500ms, 10s or 2m.'],
    [["--prefix", "odata"], "Write a path such as `/odata`."],
    [["--host", "ftp://a:b@c"], '`--host` is "ftp://a:***@c". Write a name or address of this machine.'],
    [["--cors", "ftp://a:b@c"], '`--cors` is "ftp://a:***@c". Write an origin such as `https://app.example`.'],
    [["postgres://a:b@c"], '"postgres://a:***@c" is one argument too many.'],
    [["--max-top", "0"], "Write a whole number from 1 to 100000."],
    [["--paging", "none"], "Write keyset or offset."],
  ])("refuses %j", async (flags, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", ...flags], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    [{ ODATAKIT_API_KEYS: "short" }, "is too short"],
    [{ ODATAKIT_API_KEYS: " , " }, "There is no API key."],
    [{ ODATAKIT_API_KEYS_FILE: "missing" }, "cannot be read (ENOENT)"],
  ])("refuses the keys %j", async (environment, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", "--auth", "key"], { folder, environment });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ["", "The users file is empty."],
    ["ada:password", "Line 1 of the users file is invalid."],
  ])("refuses the users file %j", async (text, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "users"), text);
    const environment = { ODATAKIT_USERS_FILE: "users" };
    const { code, err } = await runProgram(["serve", "shop.db", "--auth", "basic"], { folder, environment });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ["Nope", "Nope is no entity set"],
    ["OrderLogs", "has no primary key, or is a view"],
  ])("refuses --write=%s", async (name, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    const environment = { ODATAKIT_API_KEYS: KEY };
    const given = ["serve", "shop.db", "--auth", "key", `--write=${name}`];
    const { code, err } = await runProgram(given, { folder, environment });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("a secret must be long, an empty database has nothing to publish, a port may be taken", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const environment = { ODATAKIT_SECRET: "short" };
    expect(await runProgram(["serve", "shop.db"], { folder, environment })).toMatchObject({ code: 2 });
    writeDatabase(folder, "create view v as select 1 as x", "empty.db");
    expect(await runProgram(["serve", "empty.db"], { folder })).toMatchObject({ code: 4 });
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const run = await runProgram(["serve", "shop.db", "--port", String(port)], { folder });
    taken.close();
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("is in use")]);
  });
});

test("a written set whose rows cannot be created accepts changes only", async () => {
  const script = `create table users (id integer primary key, name text, password_hash text not null);
create table parts (id integer primary key, name text);
insert into users values (1, 'Ada', 'x');`;
  const { url, end } = await serveShop(["--auth", "key", "--write"], {
    script,
    environment: { ODATAKIT_API_KEYS: `${WRITE_KEY}:write` },
  });
  const send = async (method: string, path: string): Promise<number> =>
    statusOf(`${url}/${path}`, {
      method,
      headers: { "X-Api-Key": WRITE_KEY, "Content-Type": "application/json" },
      body: '{"Name":"Bob"}',
    });
  expect([await send("POST", "Users"), await send("PATCH", "Users(1)"), await send("POST", "Parts")]).toEqual([
    405, 200, 201,
  ]);
  expect((await end()).err).toContain(
    "warning: Users accepts no new entities, because password_hash needs a value that no property supplies.",
  );
});
