import { edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { noFailures } from "../../service/http/model.ts";

const Customer = entityType("Customer", { id: edm.int32().key() });
const Order = entityType("Order", { id: edm.int32().key(), customerId: edm.int32(), backupId: edm.int32().nullable() });

/** An operation with a body. */
interface Operation {
  readonly requestBody: {
    readonly content: { readonly "application/json": { readonly schema: { readonly allOf: readonly object[] } } };
  };
}

/** The parts of a document that the tests read. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: object; readonly required?: unknown }>>;
  };
}

function documentOf(bindEnabled: boolean): Described {
  const service = odataService({
    namespace: "Kit",
    defaults: { bindEnabled },
    logger: noFailures,
    entitySets: [
      entitySet(Order, {
        create: (order) => order,
        patch: () => null,
        replace: () => null,
        navigation: {
          customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
          backup: hasOptional(Customer, { on: { backupId: "id" }, target: "Customers" }),
          others: hasMany(Customer, { target: "Customers" }),
          untargeted: hasMany(Customer),
        },
      }),
      entitySet(Customer, {
        getByKey: () => null,
        navigation: { orders: hasMany(Order, { target: "Orders", create: (_key, order) => order }) },
      }),
    ],
  });
  return openApiDocument(service) as unknown as Described;
}

const LINKS = {
  "Customer@odata.bind": { type: "string" },
  "Backup@odata.bind": { type: ["string", "null"] },
  "Others@odata.bind": { type: "array", items: { type: "string" } },
};

describe("links of bodies in OpenAPI", () => {
  test.each([
    ["post", "/Orders"],
    ["patch", "/Orders({Id})"],
    ["put", "/Orders({Id})"],
    ["post", "/Customers({Id})/Orders"],
  ])("%s %s describes the annotations", (method, path) => {
    const { paths, components } = documentOf(true);
    const { schema } = required(paths[path]?.[method], "no operation").requestBody.content["application/json"];
    expect(schema.allOf[1]).toEqual({ $ref: "#/components/schemas/Orders.links" });
    const { properties } = required(components.schemas["Orders.links"], "no schema");
    expect(properties).toMatchObject(LINKS);
    expect(Object.keys(properties)).toEqual(Object.keys(LINKS));
  });

  test("a foreign key that a link may determine is not required", () => {
    const requiredOf = (body: object): unknown => ("required" in body ? body.required : []);
    const { paths } = documentOf(true);
    const ownOf = (operation: Operation | undefined): object =>
      required(required(operation, "no operation").requestBody.content["application/json"].schema.allOf[0], "no body");
    expect(requiredOf(ownOf(paths["/Orders"]?.["post"]))).toEqual(["Id"]);
    expect(requiredOf(ownOf(paths["/Orders({Id})"]?.["put"]))).toEqual([]);
    const { components } = documentOf(false);
    expect(components.schemas["Order.create"]?.required).toEqual(["Id", "CustomerId"]);
  });

  test("without bindEnabled no schema has the annotations", () => {
    expect(JSON.stringify(documentOf(false).components.schemas)).not.toContain("odata.bind");
  });
});
