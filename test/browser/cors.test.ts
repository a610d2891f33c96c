import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser, type Browser } from "./browser.ts";

type Cors = ServiceOptions["cors"];

const program = findBrowser();
const Note = entityType("Note", {
  id: edm.int32().key().computed(),
  text: edm.string(),
  version: edm.int32().computed(),
});

/** A service of notes, which knows the user of a cookie. */
function notesService(cors: Cors) {
  const notes = new Map([[1, { id: 1, text: "first", version: 1 }]]);
  return odataService({
    prefix: "/odata",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    cors,
    authenticate: ({ headers }) => (headers.get("cookie") === null ? null : { id: headers.get("cookie") ?? "" }),
    entitySets: [
      entitySet(Note, {
        etag: ["version"],
        getAll: ({ user }) => [...notes.values()].map((note) => ({ ...note, text: `${note.text}${user?.id ?? ""}` })),
        getByKey: (id) => notes.get(id) ?? null,
        create: ({ text }) => {
          const note = { id: notes.size + 1, text, version: 1 };
          notes.set(note.id, note);
          return note;
        },
        patch: (id, delta) => {
          const before = notes.get(id);
          if (before === undefined) return null;
          const after = { ...before, ...delta, version: before.version + 1 };
          notes.set(id, after);
          return after;
        },
        delete: (id) => notes.delete(id),
      }),
    ],
  });
}

const NAMES = ["ETag", "OData-Version", "X-Request-Id", "Location", "OData-EntityId", "Preference-Applied", "Vary"];

/** The functions of the page. */
const SCRIPT = `globalThis.ask = async (url, { method = "GET", headers, body, credentials = "omit" } = {}) => {
  try {
    const response = await fetch(url, { method, headers, body, credentials, cache: "no-store" });
    const seen = {};
    for (const name of ${JSON.stringify(NAMES)}) {
      if (response.headers.get(name) !== null) seen[name] = response.headers.get(name);
    }
    return { status: response.status, headers: seen, text: await response.text() };
  } catch (error) {
    return { refused: error.name };
  }
};`;

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: "include";
}
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly refused?: string;
}

const JSON_TYPE = { "Content-Type": "application/json" };

describe.skipIf(program === undefined)("a page of another origin in a browser", () => {
  let pages: Server;
  let origin: string;
  let browser: Browser;
  const servers: RunningServer[] = [];

  beforeAll(async () => {
    pages = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<!doctype html><link rel="icon" href="data:,"><script>${SCRIPT}</script>`);
    });
    pages.listen(0, "127.0.0.1");
    await once(pages, "listening");
    origin = `http://127.0.0.1:${String((pages.address() as AddressInfo).port)}`;
    browser = await openBrowser(program ?? "");
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  afterAll(async () => {
    await browser.close();
    pages.closeAllConnections();
    pages.close();
  });

  /** Opens a page, and a service at another origin. @returns a function that sends requests from the page */
  async function openPage(cors: Cors) {
    const server = await serve(notesService(cors), { port: 0, host: "127.0.0.1" });
    servers.push(server);
    const page = await browser.newPage();
    await page.goto(`${origin}/`);
    return async (path: string, sent: Sent = {}): Promise<Reply> => {
      const call = `ask(${JSON.stringify(`${server.url}/odata/${path}`)}, ${JSON.stringify(sent)})`;
      return (await page.evaluate(call)) as Reply;
    };
  }

  const EXPOSED = { "OData-Version": "4.0", "X-Request-Id": expect.stringMatching(/\S/u) as unknown };

  test("reads, creates, changes and deletes with preflights, and reads the headers of OData", async () => {
    const ask = await openPage({ origins: [origin] });
    const list = await ask("Notes?$count=true", { headers: { "OData-MaxVersion": "4.0", Prefer: "maxpagesize=5" } });
    expect(list).toMatchObject({ status: 200, headers: { ...EXPOSED, "Preference-Applied": "maxpagesize=5" } });
    expect(JSON.parse(list.text)).toMatchObject({ "@odata.count": 1, value: [{ Id: 1, Text: "first" }] });

    const created = await ask("Notes", { method: "POST", headers: JSON_TYPE, body: '{"Text":"second"}' });
    expect(created).toMatchObject({
      status: 201,
      headers: { ...EXPOSED, Location: expect.stringMatching(/Notes\(2\)$/u) as unknown },
    });
    const { ETag: etag = "" } = created.headers;
    expect(etag).toMatch(/^"[^"]+"$/u);

    const change = {
      method: "PATCH",
      headers: { ...JSON_TYPE, "If-Match": etag, Prefer: "return=minimal" },
      body: '{"Text":"2nd"}',
    };
    const changed = await ask("Notes(2)", change);
    expect(changed).toMatchObject({ status: 204, text: "", headers: { "Preference-Applied": "return=minimal" } });
    expect(changed.headers["ETag"]).not.toBe(etag);
    // An error of the service is a response that the page can read.
    const late = await ask("Notes(2)", change);
    expect([late.status, JSON.parse(late.text).error.code, late.headers["OData-Version"]]).toEqual([
      412,
      "PreconditionFailed",
      "4.0",
    ]);
    const removed = await ask("Notes(2)", { method: "DELETE", headers: { "If-Match": changed.headers["ETag"] ?? "" } });
    expect(removed.status).toBe(204);
    expect(await ask("Notes(2)")).toMatchObject({ status: 404, headers: EXPOSED });
    expect((await ask("$metadata")).text).toContain('Name="Note"');
  });

  test("sends batches, and long queries", async () => {
    const ask = await openPage({ origins: [origin] });
    const part = "--b\r\nContent-Type: application/http\r\n\r\n";
    const body = `${part}GET Notes(1) HTTP/1.1\r\n\r\n\r\n${part}GET Notes(9) HTTP/1.1\r\n\r\n\r\n--b--`;
    const batch = await ask("$batch", {
      method: "POST",
      headers: { "Content-Type": "multipart/mixed;boundary=b" },
      body,
    });
    expect(batch).toMatchObject({ status: 200, headers: EXPOSED });
    expect(batch.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
    const query = { method: "POST", headers: { "Content-Type": "text/plain" }, body: "$select=Text" };
    expect(JSON.parse((await ask("Notes/$query", query)).text).value).toEqual([
      expect.objectContaining({ Text: "first" }),
    ]);
  });

  test("sends the headers of UI5 with `$metadata` and `$batch`", async () => {
    const ask = await openPage({ origins: [origin] });
    const metadata = await ask("$metadata", {
      headers: { "Accept-Language": "en-US", "X-SAP-Security-Session": "disabled" },
    });
    expect(metadata).toMatchObject({ status: 200, headers: EXPOSED });
    const batch = await ask("$batch", {
      method: "POST",
      headers: {
        Accept: "multipart/mixed",
        "Content-Type": "multipart/mixed; boundary=b",
        "MIME-Version": "1.0",
        "OData-MaxVersion": "4.0",
        "OData-Version": "4.0",
        "X-CSRF-Token": "Fetch",
      },
      body: "--b\r\nContent-Type:application/http\r\n\r\nGET Notes(1) HTTP/1.1\r\n\r\n\r\n--b--",
    });
    expect(batch).toMatchObject({ status: 200, headers: EXPOSED });
    expect(batch.text).toContain("HTTP/1.1 200");
  });

  test("sends no header that the service does not allow, and reads none that it does not expose", async () => {
    const ask = await openPage({ origins: [origin] });
    const key = { headers: { "X-Api-Key": "k" } };
    expect(await ask("Notes", key)).toEqual({ refused: "TypeError" });
    const allowed = await openPage({ origins: [origin], headers: ["X-Api-Key"] });
    const list = await allowed("Notes", key);
    expect([list.status, Object.keys(list.headers)]).toEqual([200, ["OData-Version", "X-Request-Id"]]);
  });

  test("sends cookies only to a service that allows credentials", async () => {
    const ask = await openPage({ origins: [origin] });
    expect(await ask("Notes", { credentials: "include" })).toEqual({ refused: "TypeError" });
    const allowed = await openPage({ origins: [origin], credentials: true });
    const list = await allowed("Notes", { credentials: "include" });
    expect([list.status, JSON.parse(list.text).value.length]).toEqual([200, 1]);
    const body = '{"Text":"second"}';
    const created = await allowed("Notes", { method: "POST", headers: JSON_TYPE, body, credentials: "include" });
    expect(created.status).toBe(201);
  });

  test("of any origin may read and write with origins *, and no page without `cors` or from elsewhere", async () => {
    const any = await openPage({ origins: "*" });
    expect(await any("Notes")).toMatchObject({ status: 200, headers: EXPOSED });
    expect((await any("Notes", { method: "POST", headers: JSON_TYPE, body: '{"Text":"a"}' })).status).toBe(201);
    expect(await any("Notes", { credentials: "include" })).toEqual({ refused: "TypeError" });
    for (const cors of [undefined, { origins: ["https://app.example.com"] }]) {
      const refused = await openPage(cors);
      expect(await refused("Notes")).toEqual({ refused: "TypeError" });
      const post = { method: "POST", headers: JSON_TYPE, body: '{"Text":"a"}' };
      expect(await refused("Notes", post)).toEqual({ refused: "TypeError" });
    }
  });
});
