import {
  edm,
  entitySet,
  entityType,
  ConfigurationError,
  odataService,
  resource,
  role,
  type ServiceOptions,
} from "odatakit";
import { explorerRoute, type ExplorerRouteOptions } from "odatakit/explorer";
import { describe, expect, test } from "vitest";
import { eachDoor, type Service } from "../../service/http/doors.ts";
import { TINY, tinyFolder } from "./tiny-files.ts";

const Thing = entityType("Thing", { id: edm.int32().key() });
const folder = tinyFolder();

function things(options: Partial<ServiceOptions> = {}, explorer: ExplorerRouteOptions = {}): Service {
  return odataService({
    prefix: "/shop",
    entitySets: [entitySet(Thing, { name: "Things", getAll: () => [{ id: 1 }], getByKey: (id) => ({ id }) })],
    routes: [explorerRoute({ folder, ...explorer })],
    ...options,
  });
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";
const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

function pageWith(title: string, to: string, root: string, signIn = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${to}icon.svg">
<link rel="stylesheet" href="${to}${TINY.style}">
<link rel="modulepreload" href="${to}${TINY.preloads[0]}">
<script type="module" src="${to}${TINY.script}"></script>
</head>
<body>
<div id="explorer" data-root="${root}"${signIn}></div>
<noscript>The explorer needs JavaScript.</noscript>
</body>
</html>
`;
}

eachDoor((door) => {
  const send = door.to(things());

  describe("{prefix}/explorer", () => {
    test.each([
      ["/shop/explorer", "explorer/", "./"],
      ["/shop/explorer/", "", "../"],
    ])("is a page without inline code: %s", async (path, to, root) => {
      const { status, headers, text } = await send(path, BROWSER);
      expect([status, text]).toEqual([200, pageWith("Explorer", to, root)]);
      expect(headers).toEqual({
        "cache-control": "no-cache",
        "content-security-policy": POLICY,
        "content-type": "text/html;charset=utf-8",
        etag: headers["etag"],
        "odata-version": "4.0",
        "referrer-policy": "no-referrer",
        vary: VARY,
      });
      const page = new URL(path, "http://h");
      for (const [, file = ""] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        expect((await send(new URL(file, page).pathname)).status, file).toBe(200);
      }
      expect(new URL(root, page).pathname).toBe("/shop/");
      const again = await send(path, { ...BROWSER, "If-None-Match": headers["etag"] ?? "" });
      expect([again.status, again.text, again.headers]).toEqual([
        304,
        "",
        { "cache-control": "no-cache", etag: headers["etag"], "odata-version": "4.0", vary: VARY },
      ]);
    });

    test.each([
      [TINY.script, "text/javascript;charset=utf-8", "export {};\n"],
      [TINY.preloads[0], "text/javascript;charset=utf-8", "export {};\n"],
      [TINY.chunks[0], "text/javascript;charset=utf-8", "export {};\n"],
      [TINY.style, "text/css;charset=utf-8", "body { margin: 0 }\n"],
    ])("%s is a file that browsers keep", async (name, type, body) => {
      const { status, headers, text } = await send(`/shop/explorer/${name}`);
      expect([status, text]).toEqual([200, body]);
      expect(headers).toEqual({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": type,
        etag: headers["etag"],
        "odata-version": "4.0",
        "referrer-policy": "no-referrer",
        vary: VARY,
      });
      expect((await send(`/shop/explorer/${name}`, {}, "HEAD")).status).toBe(200);
      expect((await send(`/shop/explorer/${name}`, {}, "POST")).status).toBe(405);
    });

    test("contains no name and no text of the model", async () => {
      const payload = `"><img src=x onerror=alert(1)>'</script>`;
      const Hostile = entityType("Hostile", { id: edm.int32().key().describe(payload) });
      const entitySets = [entitySet(Hostile, { name: "Hostiles", getAll: () => [] })];
      const hostile = door.to(things({ entitySets, namespace: "Evil", connectionFiles: "evil" }));
      expect((await hostile("/shop/explorer")).text).toBe((await send("/shop/explorer")).text);
      const named = await door.to(things({ name: payload, entitySets }))("/shop/explorer");
      expect(named.text).toBe(
        pageWith("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&lt;/script&gt;", "explorer/", "./"),
      );
    });

    test("has no other files", async () => {
      for (const name of ["manifest.json", "main.js", "..%2fmanifest.json", "*", "trace", "trace/*/x", "about.json/"]) {
        expect((await send(`/shop/explorer/${name}`)).status, name).toBe(404);
      }
    });

    test("needs no credentials, unless it is not public", async () => {
      const guarded = { authenticate: () => null, authorization: role("member") } as const;
      const open = door.to(things({ ...guarded, name: "Shop <1>" }, { signIn: { kind: "key" } }));
      const page = await open("/shop/explorer", BROWSER);
      const signIn = ` data-sign-in="{&quot;kind&quot;:&quot;key&quot;}"`;
      expect([page.status, page.text]).toEqual([200, pageWith("Shop &lt;1&gt;", "explorer/", "./", signIn)]);
      expect((await open(`/shop/explorer/${TINY.script}`)).status).toBe(200);
      for (const path of ["about.json", "trace/a", "trace/"]) {
        expect((await open(`/shop/explorer/${path}`)).status, path).toBe(401);
      }
      const closed = door.to(things(guarded, { public: false }));
      for (const path of [
        "",
        "/",
        `/${TINY.script}`,
        `/${TINY.chunks[0]}`,
        `/${TINY.style}`,
        "/icon.svg",
        "/about.json",
      ]) {
        expect((await closed(`/shop/explorer${path}`)).status, path).toBe(401);
      }
      const known = door.to(
        things(
          { authenticate: () => ({ id: "a", roles: ["member"] }), authorization: role("member") },
          { public: false },
        ),
      );
      const file = await known(`/shop/explorer/${TINY.script}`);
      expect([file.status, file.headers["cache-control"]]).toEqual([200, "private, max-age=31536000, immutable"]);
    });

    test("allows requests to the issuer of tokens, and to nobody else", async () => {
      const signIn = {
        kind: "oidc",
        issuer: "https://login.example:8443/realms/a",
        clientId: "x",
        scope: "openid b",
      } as const;
      const { headers, text } = await door.to(things({}, { signIn }))("/shop/explorer");
      expect(headers["content-security-policy"]).toBe(
        POLICY.replace("connect-src 'self'", "connect-src 'self' https://login.example:8443"),
      );
      expect(text).toContain(` data-sign-in="${JSON.stringify(signIn).replaceAll('"', "&quot;")}"`);
    });
  });

  describe("the root of the service", () => {
    test("leads browsers to the page, and returns the service document to clients", async () => {
      for (const path of ["/shop", "/shop/"]) {
        const { status, headers, text } = await send(path, BROWSER);
        expect([status, text]).toEqual([307, ""]);
        expect(headers).toEqual({
          "cache-control": "no-store",
          location: "/shop/explorer",
          "odata-version": "4.0",
          vary: "Accept",
        });
        for (const accept of ["application/json", "*/*"]) {
          expect((await send(path, { Accept: accept })).json).toMatchObject({ value: [{ name: "Things" }] });
        }
      }
      expect((await send("/shop?$format=json", BROWSER)).status).toBe(200);
      expect((await send("/shop/Things", BROWSER)).status).toBe(200);
    });

    test("does so without credentials only if the page needs none", async () => {
      const guarded = { authenticate: () => null, authorization: role("member") } as const;
      const open = door.to(things(guarded));
      expect((await open("/shop/", BROWSER)).headers["location"]).toBe("/shop/explorer");
      for (const [path, headers] of [
        ["/shop/", {}],
        ["/shop/", { Accept: "application/json" }],
        ["/shop/?a=b", BROWSER],
        ["/shop/Things", BROWSER],
        ["/shop/$metadata", BROWSER],
      ] as const) {
        expect((await open(path, headers)).status, path).toBe(401);
      }
      expect((await door.to(things(guarded, { public: false }))("/shop/", BROWSER)).status).toBe(401);
    });
  });
});

describe("startup rejects", () => {
  test.each([
    [{ sqll: role("a") }, "explorerRoute has no option `sqll`. Did you mean `sql`?"],
    [{ public: "yes" }, '`public` of explorerRoute cannot be "yes". Give true or false'],
    [
      true,
      'The options of explorerRoute cannot be true. Pass an object, such as { sql: role("admin") }, or omit them.',
    ],
    [{ sql: "admin" }, '`sql` of explorerRoute is "admin".'],
    [
      { sql: [] },
      '`sql` of explorerRoute contains no rule, so everybody could read statements. Give a rule, such as role("admin"), or omit `sql`.',
    ],
    [
      { sql: resource(() => true) },
      "`sql` of explorerRoute contains resource(…), but these requests address no entity.",
    ],
    [{ folder: 5 }, "`folder` of explorerRoute cannot be 5. Give the path of a folder, or its URL."],
    [{ signIn: "key" }, '`signIn` of explorerRoute cannot be "key". Give an object.'],
    [{ signIn: {} }, "`signIn` of explorerRoute has no `kind`. Give key, basic, bearer or oidc."],
    [{ signIn: { kind: "magic" } }, '`kind` of `signIn` of explorerRoute cannot be "magic".'],
    [
      { signIn: { kind: "key", isuer: "x" } },
      "`signIn` of explorerRoute has no option `isuer`. Did you mean `issuer`?",
    ],
    [
      { signIn: { kind: "key", issuer: "https://a" } },
      '`signIn` of explorerRoute has no option `issuer`. Only the kind oidc has it, as in { kind: "oidc", issuer: "https://login.example.com", clientId: "explorer" }.',
    ],
    [{ signIn: { kind: "oidc", issuer: "https://a" } }, "`signIn` of explorerRoute needs `issuer` and `clientId`."],
    ...["http://a", "a", "https://a?b", "https://u@a", "https://a; script-src *", "javascript:a"].map((issuer) => [
      { signIn: { kind: "oidc", clientId: "a", issuer } },
      `\`issuer\` of \`signIn\` of explorerRoute cannot be "${issuer}". Give an https URL without a query, or an http URL of this machine.`,
    ]),
  ] as ReadonlyArray<readonly [options: unknown, message: string]>)("%j", (options, message) => {
    const given: unknown = typeof options === "object" ? { folder, ...options } : options;
    const make = (): unknown => odataService({ entitySets: [], routes: [explorerRoute(given as never)] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test("an issuer of this machine may have no TLS", () => {
    expect(
      things({}, { signIn: { kind: "oidc", clientId: "a", issuer: "http://localhost:8080/realms/a" } }).prefix,
    ).toBe("/shop");
  });

  test("a folder without the files, and says what to run", () => {
    const missing = `${folder}/none`;
    expect(() => things({}, { folder: missing })).toThrow(
      `The files of the explorer cannot be read: ENOENT: no such file or directory, open '${missing}/manifest.json'. Run \`npm run build\` in a copy of the repository; a bundled application names its copy of \`dist/explorer\` in \`folder\`.`,
    );
    for (const manifest of [
      "[]",
      "{",
      { script: TINY.script },
      { script: "../a.js", style: TINY.style },
      { script: 5 },
      { ...TINY, chunks: "chart-def789.js" },
      { ...TINY, chunks: ["../chart-def789.js"] },
      { ...TINY, preloads: ["missing.js"] },
    ]) {
      expect(() => things({}, { folder: tinyFolder(manifest) })).toThrow("The files of the explorer cannot be read: ");
    }
    expect(things({}, { folder: new URL(`file://${folder}/`) }).prefix).toBe("/shop");
  });

  test("a set with the name of the page, and two explorers", () => {
    const entitySets = [entitySet(Thing, { name: "explorer", getAll: () => [] })];
    expect(() => things({ entitySets })).toThrow("/explorer: Two declarations have this path.");
    expect(() => things({ routes: [explorerRoute({ folder }), explorerRoute({ folder })] })).toThrow(
      ConfigurationError,
    );
  });
});
