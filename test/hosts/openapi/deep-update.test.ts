import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";

const Line = entityType("Line", { id: edm.int32().key().computed(), text: edm.string() });
const Order = entityType("Order", { id: edm.int32().key(), note: edm.string() });

function serviceOf(deepUpdateEnabled: boolean): ReturnType<typeof odataService> {
  return odataService({
    namespace: "Kit",
    logger: noFailures,
    entitySets: [
      entitySet(Order, {
        deepUpdateEnabled,
        getByKey: () => null,
        patch: () => null,
        navigation: {
          lines: hasMany(Line, { target: "Lines" }),
          last: hasOptional(Line, { target: "Lines" }),
          free: hasMany(Line),
        },
      }),
      entitySet(Line, { getByKey: () => null, patch: () => null }),
    ],
  });
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
}

test("OpenAPI describes the nested entities of PUT and PATCH", () => {
  const { paths, components } = openApiDocument(serviceOf(true)) as unknown as Described;
  expect(JSON.stringify(paths["/Orders({Id})"]?.["patch"])).toContain("#/components/schemas/Orders.nestedChanges");
  const entity = { $ref: "#/components/schemas/Lines.nested" };
  expect(components.schemas["Orders.nestedChanges"]?.properties).toEqual({
    Lines: { type: "array", items: entity, description: "All entities of Lines: absent ones are removed." },
    "Lines@odata.delta": { type: "array", items: entity, description: "The changes of Lines." },
    Last: { anyOf: [entity, { type: "null" }] },
  });
  expect(JSON.stringify(components.schemas["Lines.nested"])).toContain('"@odata.removed"');
  expect(JSON.stringify(openApiDocument(serviceOf(false)))).not.toContain("nested");
});

test("$metadata states the support of deep updates, where a set has it", async () => {
  const metadataOf = async (deepUpdateEnabled: boolean): Promise<string> =>
    (await serviceOf(deepUpdateEnabled).fetch(new Request("http://kit.example/$metadata"))).text();
  const term = "Org.OData.Capabilities.V1.DeepUpdateSupport";
  const [enabled, otherwise] = [await metadataOf(true), await metadataOf(false)];
  expect(enabled.split(term).length).toBe(2);
  expect(enabled).toMatch(/DeepUpdateSupport"><Record><PropertyValue Property="Supported" Bool="true"\/>/);
  expect(otherwise).not.toContain(term);
});
