import { ConfigurationError, odataError, role } from "odatakit";
import { openApiDocument, openApiRoute, type OpenApiInfo } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { eachDoor } from "../../service/http/doors.ts";
import { everything } from "./model.ts";
import { faultsOf, lintOf } from "./validate.ts";
import { operationOf } from "./walk.ts";

const INFO: OpenApiInfo = {
  title: "Shop & more",
  version: "2.3.1",
  description: "Orders and *lines*.",
  servers: [{ url: "https://eu.shop.example/base/", description: "Europe" }, { url: "/" }],
  contact: { name: "Shop team", url: "https://shop.example/help", email: "help@shop.example" },
  license: { name: "MIT", identifier: "MIT" },
};

describe("the information of a document", () => {
  test("comes from the options", async () => {
    const { servers, ...info } = INFO;
    const document = openApiDocument(everything(), INFO);
    expect(document.info).toEqual(info);
    expect(document.servers).toEqual([{ url: "https://eu.shop.example/base", description: "Europe" }, servers?.[1]]);
    expect(await faultsOf(document)).toEqual([]);
    expect(await lintOf(document)).toEqual([]);
  });

  test("has defaults", () => {
    const { info, servers } = openApiDocument(everything());
    expect(info).toEqual({ title: "Shop", version: "1.0.0", description: "An OData 4.0 service." });
    expect(servers).toEqual([{ url: "/" }]);
    expect(openApiDocument(everything({ publicUrl: "https://a.example/b" })).servers).toEqual([
      { url: "https://a.example/b" },
    ]);
  });

  test("declared servers apply to every operation of several services", () => {
    const one = everything({ name: "v1", prefix: "/v1", publicUrl: "https://one.example" });
    const two = everything({ name: "v2", prefix: "/v2", publicUrl: "https://two.example" });
    const document = openApiDocument([one, two], { servers: [{ url: "https://all.example" }] });
    expect(document.servers).toEqual([{ url: "https://all.example" }]);
    expect(operationOf(document, "GET", "/v2/Orders")).not.toHaveProperty("servers");
  });

  test.each<readonly [object, string]>([
    [{ title: "" }, '`title` of openApiDocument cannot be "".'],
    [{ version: 2 }, "`version` of openApiDocument cannot be 2."],
    [{ servers: "https://a.example" }, '`servers` of openApiDocument cannot be "https://a.example".'],
    [{ servers: [] }, "`servers` of openApiDocument is empty."],
    [{ servers: ["https://a.example"] }, '`servers[0]` of openApiDocument cannot be "https://a.example".'],
    [{ servers: [{ url: "shop" }] }, '`url` of `servers[0]` of openApiDocument cannot be "shop".'],
    [
      { servers: [{ url: "https://{host}/" }] },
      '`url` of `servers[0]` of openApiDocument cannot be "https://{host}/".',
    ],
    [{ servers: [{ uri: "/" }] }, "`servers[0]` of openApiDocument has no option `uri`. Did you mean `url`?"],
    [{ contact: { mail: "a" } }, "`contact` of openApiDocument has no option `mail`. Did you mean `email`?"],
    [{ contact: { url: "shop" } }, '`contact.url` of openApiDocument cannot be "shop".'],
    [{ license: { url: "https://a.example" } }, "`license` of openApiDocument has no `name`."],
    [{ license: { name: "A", identifier: "A", url: "https://a.example" } }, "an `identifier` and a `url`"],
    [{ license: { name: "A", url: "a" } }, '`license.url` of openApiDocument cannot be "a".'],
  ])("is checked: %j", (options, message) => {
    expect(() => openApiDocument(everything(), options)).toThrow(ConfigurationError);
    expect(() => openApiDocument(everything(), options)).toThrow(message);
    const route = () => everything({ routes: [openApiRoute(options)] });
    expect(route).toThrow(message.replaceAll("openApiDocument", "openApiRoute"));
  });
});

eachDoor((door) => {
  test("the route has the same options, and the viewer may send requests to these servers", async () => {
    const service = everything({ routes: [openApiRoute({ ...INFO, viewer: true })] });
    const send = door.to(service);
    expect((await send("/shop/openapi.json")).json).toEqual(openApiDocument(service, INFO));
    const page = await send("/shop/openapi", { Accept: "text/html" });
    expect(page.text).toContain("<title>Shop &amp; more</title>");
    expect(page.headers["content-security-policy"]).toContain("connect-src 'self' https://eu.shop.example;");
  });

  test("a public route needs no authentication, and all other routes still do", async () => {
    const asked: string[] = [];
    const guards = {
      authenticate: ({ url }: { readonly url: string }) => {
        asked.push(url);
        return odataError(401, "Unauthorized", "Sign in.");
      },
      authorization: role("member"),
    };
    const open = door.to(everything({ ...guards, routes: [openApiRoute({ public: true, viewer: true })] }));
    for (const path of ["openapi.json", "openapi", "openapi/start.js", "openapi/swagger-ui.css"]) {
      for (const headers of [{}, { Authorization: "Bearer wrong" }]) {
        const answer = await open(`/shop/${path}`, headers);
        expect([answer.status, answer.headers["cache-control"]], path).toEqual([200, undefined]);
      }
    }
    expect(asked).toEqual([]);
    for (const path of ["", "$metadata", "Orders"]) expect((await open(`/shop/${path}`)).status, path).toBe(401);
    for (const options of [{}, { public: false }]) {
      const closed = door.to(everything({ ...guards, routes: [openApiRoute(options)] }));
      expect((await closed("/shop/openapi.json")).status).toBe(401);
    }
    expect(() => everything({ routes: [openApiRoute({ public: "yes" as never })] })).toThrow(
      '`public` of openApiRoute cannot be "yes".',
    );
  });

  test("open operations have an empty security requirement, and guarded operations do not", async () => {
    const open = openApiDocument(everything());
    expect(operationOf(open, "GET", "/shop/Orders").security).toEqual([]);
    const guarded = openApiDocument(everything({ authenticate: () => null, authorization: role("member") }));
    expect(operationOf(guarded, "GET", "/shop/Orders").security).toEqual([{ bearer: [] }]);
    expect(await lintOf(guarded)).toEqual([expect.stringContaining("info-license")]);
  });
});
