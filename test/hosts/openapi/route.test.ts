import { ConfigurationError, edm, entitySet, entityType, odataError, odataService, role } from "odatakit";
import { openApiDocument, openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { loadViewerAssets } from "../../../src/hosts/openapi/openapi-route.ts";
import { eachDoor } from "../../service/http/doors.ts";
import { everything } from "./model.ts";

eachDoor((door) => {
  const service = everything({ routes: [openApiRoute()] });
  const send = door.to(service);
  const PATH = "/shop/openapi.json";

  describe("{prefix}/openapi.json", () => {
    test("is the document of the service", async () => {
      const { status, headers, text } = await send(PATH);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ "content-type": "application/json", "odata-version": "4.0" });
      expect(JSON.parse(text)).toEqual(openApiDocument(service));
    });

    test("supports 304, HEAD and OPTIONS, and returns 405 with Allow", async () => {
      const { etag = "" } = (await send(PATH)).headers;
      expect((await send(PATH, { "If-None-Match": etag })).status).toBe(304);
      expect((await send(PATH, {}, "HEAD")).status).toBe(200);
      const options = await send(PATH, {}, "OPTIONS");
      expect([options.status, options.headers["allow"]]).toEqual([204, "GET, HEAD, OPTIONS"]);
      const refused = await send(PATH, {}, "DELETE");
      expect([refused.status, refused.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    });

    test("negotiates like other resources", async () => {
      for (const accept of ["application/json", "*/*", "application/*", "text/html, application/json;q=0.1", ""]) {
        expect((await send(PATH, { Accept: accept })).status, accept).toBe(200);
      }
      for (const accept of ["text/html", "application/xml", "application/json;q=0, */*", "nonsense"]) {
        expect((await send(PATH, { Accept: accept })).status, accept).toBe(406);
      }
      expect((await send(`${PATH}?$format=json`, { Accept: "text/html" })).status).toBe(200);
      expect((await send(`${PATH}?$format=xml`)).status).toBe(400);
      expect((await send(`${PATH}?$top=1`)).status).toBe(400);
      expect((await send(PATH, { "OData-MaxVersion": "3.0" })).status).toBe(400);
      expect((await send(`${PATH}/`)).status).toBe(404);
      expect((await send("/shop/openapi")).status).toBe(404);
    });

    test("requires authentication like the service document", async () => {
      const guarded = door.to(
        everything({ authenticate: () => odataError(401, "Unauthorized", "Sign in."), routes: [openApiRoute()] }),
      );
      expect((await guarded(PATH)).status).toBe(401);
      const known = door.to(everything({ authenticate: () => ({ id: "1" }), routes: [openApiRoute()] }));
      expect((await known(PATH)).headers["cache-control"]).toBe("no-store");
    });

    test("obeys the rules of the registration, and so does the viewer", async () => {
      const authenticateBy = ({ headers }: { readonly headers: Headers }) => {
        const id = headers.get("x-user");
        return id === null ? null : { id, roles: id === "ann" ? ["member"] : [] };
      };
      const guarded = door.to(
        everything({
          authenticate: authenticateBy,
          authorization: role("member"),
          routes: [openApiRoute({ viewer: true })],
        }),
      );
      const page = (await guarded("/shop/openapi", { "X-User": "ann" })).text;
      const loaded = Array.from(page.matchAll(/(?:src|href)="(openapi[^"]+)"/g), ([, path = ""]) => `/shop/${path}`);
      expect(loaded).toHaveLength(3);
      for (const path of [PATH, "/shop/openapi", ...loaded]) {
        const refused = await guarded(path);
        expect([refused.status, refused.headers["www-authenticate"]], path).toEqual([401, "Bearer"]);
        expect((await guarded(path, { "X-User": "bob" })).status, path).toBe(403);
        expect((await guarded(path, { "X-User": "ann" })).status, path).toBe(200);
      }
    });

    test("does not exist without the option", async () => {
      expect((await door.to(everything())(PATH)).status).toBe(404);
    });
  });

  describe("the viewer", () => {
    const look = door.to(everything({ routes: [openApiRoute({ viewer: true })], publicUrl: "https://shop.example/a" }));

    test("is a page without inline scripts that loads nothing from other origins", async () => {
      const { status, headers, text } = await look("/shop/openapi", { Accept: "text/html,*/*;q=0.1" });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "content-type": "text/html;charset=utf-8",
        "odata-version": "4.0",
      });
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("connect-src 'self' https://shop.example;");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(text).not.toMatch(/https?:|<script>|<style|\son\w+=/);
      const named = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, path = ""]) => path);
      // An empty icon prevents a request for a missing icon.
      const loaded = named.filter((path) => path !== "data:,");
      expect(loaded).toHaveLength(3);
      for (const path of loaded) {
        const answer = await look(`/shop/${path}`);
        expect(answer.status, path).toBe(200);
        expect(answer.headers["content-type"], path).toMatch(/^text\/(?:css|javascript);charset=utf-8$/);
      }
      expect((await look("/shop/openapi.json")).status).toBe(200);
      expect((await look("/shop/openapi", { Accept: "application/json" })).status).toBe(406);
    });
  });
});

describe("startup rejects", () => {
  test("a viewer whose package is not installed", () => {
    expect(loadViewerAssets("a-package-that-is-not-installed")).toBeUndefined();
    expect(loadViewerAssets(undefined, {})).toBeUndefined();
    expect(loadViewerAssets()).toMatchObject({ script: expect.anything() as never, style: expect.anything() as never });
  });

  test("a route that is not a result of openApiRoute", () => {
    expect(() => everything({ routes: [{} as never] })).toThrow(
      "`routes` of odataService contains an object at position 0. List results of `openApiRoute(…)`.",
    );
  });

  test.each([
    [{ viewer: "swagger" }, '`viewer` of openApiRoute cannot be "swagger". Give true or false'],
    [{ viewr: true }, "openApiRoute has no option `viewr`. Did you mean `viewer`?"],
    [true, "The options of openApiRoute cannot be true. Pass an object, such as { viewer: true }, or omit them."],
  ])("invalid options: %j", (options, message) => {
    const make = (): unknown => everything({ routes: [openApiRoute(options as never)] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test("a duplicate route, and a set with the name of the page", () => {
    expect(() => everything({ routes: [openApiRoute(), openApiRoute()] })).toThrow(ConfigurationError);
    const T = entityType("T", { id: edm.int32().key() });
    const entitySets = [entitySet(T, { name: "openapi", getAll: () => [] })];
    expect(() => odataService({ entitySets, routes: [openApiRoute({ viewer: true })] })).toThrow(
      "/openapi: Two declarations have this path.",
    );
    expect(odataService({ entitySets, routes: [openApiRoute()] }).prefix).toBe("");
  });
});
