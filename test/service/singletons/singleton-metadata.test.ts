import { action, edm, entitySet, entityType, fn, hasMany, hasOptional, odataService, singleton } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { eachDoor } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

const Order = entityType("Order", { id: edm.int32().key(), text: edm.string() });
const User = entityType("User", { id: edm.int32().key(), name: edm.string(), version: edm.int32() });
const Settings = entityType("Settings", { id: edm.int32().key(), theme: edm.string() });
const users = entitySet(User, {
  etag: ["version"],
  getAll: () => [],
  getByKey: () => null,
  patch: () => null,
  delete: () => true,
  navigation: {
    orders: hasMany(Order, { target: "Orders", get: () => [] }),
    settings: hasOptional(Settings, { target: "Settings", get: () => null }),
  },
  functions: { total: fn(User, { bound: "entity", returns: edm.int32(), handler: (key) => key }) },
});
const service = odataService({
  prefix: "/odata",
  namespace: "Shop",
  logger: noFailures,
  profile: "standard",
  entitySets: [users, entitySet(Order, { getAll: () => [], getByKey: () => null })],
  singletons: [
    singleton(User, { name: "Me", from: users, key: () => 1, nullable: true }),
    singleton(Settings, {
      name: "Settings",
      get: () => null,
      replace: (body) => body,
      expandEnabled: false,
      annotations: { "Core.Description": "What all users share." },
      functions: {
        copy: fn(Settings, { bound: "entity", returns: Settings, handler: (key) => ({ id: key, theme: "" }) }),
      },
      actions: { reset: action(Settings, { bound: "entity", handler: () => undefined }) },
    }),
  ],
});

const CAPABILITIES = "Org.OData.Capabilities.V1";

eachDoor((door) => {
  const send = door.to(service);

  test("the service document lists singletons", async () => {
    const { json } = await send("/odata/");
    expect(json.value).toEqual([
      { name: "Users", kind: "EntitySet", url: "Users" },
      { name: "Orders", kind: "EntitySet", url: "Orders" },
      { name: "Me", kind: "Singleton", url: "Me" },
      { name: "Settings", kind: "Singleton", url: "Settings" },
    ]);
    const page = await send("/odata/", { accept: "text/html" });
    expect(page.text).toContain('<a href="/odata/Me">Me</a>');
  });

  test("$metadata has singletons with their bindings and capabilities", async () => {
    const { text } = await send("/odata/$metadata");
    const [me = ""] = /<Singleton Name="Me".*?<\/Singleton>/s.exec(text) ?? [];
    expect(me).toContain(
      '<Singleton Name="Me" Type="Shop.User"><NavigationPropertyBinding Path="Orders" Target="Orders"/>',
    );
    expect(me).toContain('<NavigationPropertyBinding Path="Settings" Target="Settings"/>');
    expect(me).toContain(`<Annotation Term="${CAPABILITIES}.DeleteRestrictions">`);
    expect(me).not.toContain("UpdateRestrictions");
    expect(me).not.toContain("InsertRestrictions");
    const [settings = ""] = /<Singleton Name="Settings".*?<\/Singleton>/s.exec(text) ?? [];
    expect(settings).toContain("What all users share.");
    expect(settings).toContain(`<Annotation Term="${CAPABILITIES}.UpdateRestrictions">`);
    expect(settings).toContain(`<Annotation Term="${CAPABILITIES}.ExpandRestrictions">`);
    expect(text).not.toContain('<EntitySet Name="Settings"');
    // Its result may be another entity.
    expect(/<Function Name="copy"[^>]*>/.exec(text)?.[0]).not.toContain("EntitySetPath");
  });

  test("$metadata as JSON has the same", async () => {
    const { json } = await send("/odata/$metadata?$format=json");
    expect(json.Shop.Container.Me).toMatchObject({
      $Type: "Shop.User",
      $NavigationPropertyBinding: { Orders: "Orders", Settings: "Settings" },
      [`@${CAPABILITIES}.DeleteRestrictions`]: { Deletable: false },
    });
    expect(json.Shop.Container.Me).not.toHaveProperty("$Collection");
    expect(json.Shop.Container.Settings).toMatchObject({ $Type: "Shop.Settings" });
  });
});

describe("the OpenAPI description", () => {
  const { paths, tags } = openApiDocument(service);
  const methodsOf = (path: string): readonly string[] => Object.keys(paths[path] ?? {});

  test("has the paths of singletons without keys", () => {
    expect(methodsOf("/odata/Me")).toEqual(["get", "patch"]);
    expect(methodsOf("/odata/Users({Id})")).toEqual(["get", "patch", "delete"]);
    expect(methodsOf("/odata/Settings")).toEqual(["get", "put"]);
    expect(methodsOf("/odata/Me/Orders")).toEqual(["get"]);
    expect(methodsOf("/odata/Me/Orders({Id})")).toEqual(["get"]);
    expect(methodsOf("/odata/Me/total")).toEqual(["get"]);
    expect(methodsOf("/odata/Settings/reset")).toEqual(["post"]);
    const listed = Object.keys(paths).filter((path) => path.startsWith("/odata/Settings"));
    expect(listed).toEqual([
      "/odata/Settings",
      "/odata/Settings/$ref",
      "/odata/Settings/copy",
      "/odata/Settings/reset",
    ]);
    const text = JSON.stringify(paths["/odata/Me"]);
    expect(text).toContain('"204"');
    expect(text).not.toContain('"in":"path"');
    expect(tags.map(({ name }) => name)).toEqual(["Service", "Users", "Orders", "Me", "Settings"]);
  });

  test("has ids that differ", () => {
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).map((operation) => (operation as { readonly operationId: string }).operationId),
    );
    expect(ids).toContain("Me.read");
    expect(new Set(ids).size).toBe(ids.length);
  });
});
