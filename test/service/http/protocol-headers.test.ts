import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, ORIGIN, type HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";

const Page = entityType("Page", { id: edm.int32().key(), text: edm.string(), version: edm.int32().computed() });

function pages(profile: "specification" | "standard" = "specification") {
  const page = { id: 1, text: "Straße", version: 3 };
  return odataService({
    prefix: "/p",
    namespace: "Kit",
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Page, {
        etag: ["version"],
        getAll: () => [page],
        getByKey: (id) => (id === 1 ? page : null),
        patch: (_id, delta) => ({ ...page, ...delta }),
        replace: (_id, body) => ({ ...page, ...body }),
        delete: () => true,
        navigation: {
          next: hasOptional(Page, { target: "Pages", setRef: () => {}, removeRef: () => {} }),
          links: hasMany(Page, { target: "Pages", get: () => [page], addRef: () => {}, removeRef: () => {} }),
        },
      }),
    ],
  });
}

const JSON_BODY = { "Content-Type": "application/json" };
const REFERENCE = JSON.stringify({ "@odata.id": "Pages(1)" });

eachDoor((door) => {
  describe("OData-Version of a request", () => {
    const ask = door.to(pages());

    test.each(["4.0", " 4.0 ", "4.0;NetFx", "4.0 ; a=b"])("%j is read", async (version) => {
      expect((await ask("/p/Pages(1)", { "OData-Version": version })).status).toBe(200);
    });

    test.each(["4.01", "3.0", "4", "4.00", "5.0", "", "x", "4.0, 4.0", ";4.0"])(
      "%j is 400 everywhere",
      async (version) => {
        const headers = { "OData-Version": version };
        for (const path of [
          "/p",
          "/p/$metadata",
          "/p/Pages",
          "/p/Pages(1)",
          "/p/Pages(1)/Text",
          "/p/None",
          "/p/Pages(x)",
        ]) {
          expectError(await ask(path, headers), {
            status: 400,
            code: "UnsupportedODataVersion",
            target: "OData-Version",
            message:
              "OData-Version is not 4.0. This service reads requests in OData 4.0: send 4.0, or omit the header.",
          });
        }
        const writes = { ...headers, ...JSON_BODY };
        expect((await ask("/p/Pages(1)", writes, "PATCH", "{}")).json.error.target).toBe("OData-Version");
        expect((await ask("/p/Pages(1)", writes, "OPTIONS")).json.error.target).toBe("OData-Version");
        const both = await ask("/p/Pages(1)", { ...headers, "OData-MaxVersion": "3.0" });
        expect(both.json.error.target).toBe("OData-MaxVersion");
      },
    );
  });

  describe("odata.streaming", () => {
    const ask = door.to(pages());

    test.each([
      ["application/json;odata.streaming=true", "application/json;odata.metadata=minimal;odata.streaming=true"],
      [
        "application/json;IEEE754Compatible=true;odata.streaming=true;odata.metadata=full;charset=utf-8",
        "application/json;odata.metadata=full;odata.streaming=true;IEEE754Compatible=true;charset=utf-8",
      ],
      ["application/json;odata.streaming=false", "application/json;odata.metadata=minimal"],
      [
        "application/json;q=0.5,application/json;odata.streaming=TRUE",
        "application/json;odata.metadata=minimal;odata.streaming=true",
      ],
    ])("%s is answered as %s", async (accept, contentType) => {
      for (const path of ["/p/Pages", "/p/Pages(1)", "/p"]) {
        expect((await ask(path, { Accept: accept })).headers["content-type"]).toBe(contentType);
        const formatted = await ask(`${path}?$format=${encodeURIComponent(accept.split(",").at(-1) ?? "")}`);
        expect(formatted.headers["content-type"]).toBe(contentType);
      }
    });
  });

  describe("the headers of a write", () => {
    const patch = (profile: "specification" | "standard", method: string, headers: HeaderTable) =>
      door.to(pages(profile))("/p/Pages(1)", { ...JSON_BODY, ...headers }, method, '{"Text":"x"}');

    test("OData-EntityId is on the 204 of PATCH in the standard profile alone", async () => {
      const minimal = { Prefer: "return=minimal" };
      const standard = await patch("standard", "PATCH", minimal);
      expectAnswer(standard, {
        status: 204,
        headers: {
          "odata-version": "4.0",
          "odata-entityid": `${ORIGIN}/p/Pages(1)`,
          "preference-applied": "return=minimal",
          etag: standard.headers["etag"] ?? "",
        },
        body: "",
      });
      expect((await patch("specification", "PATCH", minimal)).headers).not.toHaveProperty("odata-entityid");
      expect((await patch("standard", "PUT", minimal)).headers).not.toHaveProperty("odata-entityid");
      expect((await patch("standard", "PATCH", {})).headers).not.toHaveProperty("odata-entityid");
    });

    test.each([
      ["POST", "Links/$ref", REFERENCE],
      ["PUT", "Next/$ref", REFERENCE],
    ])("Preference-Applied is on %s %s where no content is preferred", async (method, path, body) => {
      const ask = door.to(pages());
      const send = (prefer: string) => ask(`/p/Pages(1)/${path}`, { ...JSON_BODY, Prefer: prefer }, method, body);
      expectAnswer(await send("return=minimal"), {
        status: 204,
        headers: { "odata-version": "4.0", "preference-applied": "return=minimal" },
        body: "",
      });
      // The response has no representation, so the preference is not applied.
      expectAnswer(await send("return=representation"), { status: 204, headers: { "odata-version": "4.0" }, body: "" });
    });
  });
});

test("HEAD has the Content-Length of GET, through each adapter", async () => {
  const service = pages();
  const server = await serve(service, { port: 0 });
  const doors = [
    (path: string, method: string) => service.fetch(new Request(`${ORIGIN}${path}`, { method })),
    (path: string, method: string) => fetch(server.url + path, { method }),
  ];
  for (const ask of doors) {
    for (const path of [
      "/p",
      "/p/$metadata",
      "/p/Pages",
      "/p/Pages(1)",
      "/p/Pages(1)/Text/$value",
      "/p/Pages/$count",
      "/p/Pages(9)",
    ]) {
      const [get, head] = [await ask(path, "GET"), await ask(path, "HEAD")];
      const bytes = (await get.arrayBuffer()).byteLength;
      expect([head.status, head.headers.get("Content-Length"), await head.text()], path).toEqual([
        get.status,
        String(bytes),
        "",
      ]);
      expect(get.headers.get("Content-Length"), path).toBe(String(bytes));
    }
  }
  await server.close();
});

test("ExpandRestrictions state how deep $expand may be", async () => {
  const service = (maxExpandDepth: number | null | undefined) =>
    odataService({
      defaults: { maxExpandItems: null, ...(maxExpandDepth === undefined ? {} : { maxExpandDepth }) },
      entitySets: [
        entitySet(Page, {
          getAll: () => [],
          navigation: { links: hasMany(Page, { target: "Pages", get: () => [] }) },
        }),
        entitySet(Page, { name: "Flat", getAll: () => [], expandEnabled: false }),
      ],
    });
  for (const [setting, levels] of [
    [undefined, 3],
    [1, 1],
    [7, 7],
    [null, 100],
  ] as const) {
    const ask = (path: string) => service(setting).fetch(new Request(`${ORIGIN}/${path}`));
    const xml = await (await ask("$metadata")).text();
    expect([...xml.matchAll(/Property="MaxLevels" Int="(\d+)"/gu)].map(([, text]) => Number(text))).toEqual([levels]);
    expect((await ask(`Pages?$expand=Links($levels=${String(levels)})`)).status).toBe(200);
    expect((await ask(`Pages?$expand=Links($levels=${String(levels + 1)})`)).status).toBe(400);
  }
});

test("with full control information, the links of an expanded navigation precede it", async () => {
  const related = { id: 2, text: "b", version: 1 };
  const page = { id: 1, text: "a", version: 1, next: related };
  const service = odataService({
    namespace: "Kit",
    entitySets: [
      entitySet(Page, {
        getAll: () => [page],
        navigation: {
          next: hasOptional(Page, { target: "Pages", get: () => related }),
          links: hasMany(Page, { target: "Pages", get: () => [related] }),
          others: hasMany(Page, { target: "Pages", get: () => [] }),
        },
      }),
    ],
  });
  const ask = async (query: string) => {
    const answer = await service.fetch(
      new Request(`${ORIGIN}/Pages?${query}`, { headers: { Accept: "application/json;odata.metadata=full" } }),
    );
    const { value } = (await answer.json()) as { readonly value: readonly object[] };
    return Object.keys(value[0] ?? {}).filter((name) => !/^@|^(?:Id|Text|Version)(?:@|$)/u.test(name));
  };
  const linksOf = (name: string) => [`${name}@odata.associationLink`, `${name}@odata.navigationLink`];
  expect(await ask("")).toEqual([...linksOf("Next"), ...linksOf("Links"), ...linksOf("Others")]);
  expect(await ask("$expand=Links($count=true),Next")).toEqual([
    ...linksOf("Others"),
    ...linksOf("Links"),
    "Links@odata.count",
    "Links",
    ...linksOf("Next"),
    "Next",
  ]);
  expect(await ask("$expand=Links/$count")).toEqual([
    ...linksOf("Next"),
    ...linksOf("Others"),
    ...linksOf("Links"),
    "Links@odata.count",
  ]);
});
