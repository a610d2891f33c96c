import {
  action,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  odataService,
  type Annotations,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { faultsOfSchema } from "../../payload/csdl/validate-csdl.ts";

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Note = complexType("Note", { text: edm.string() });

/** Makes a service whose orders have annotations. */
function shop(annotations: Annotations, more: Partial<ServiceOptions> = {}): ODataService {
  const Order = entityType("Order", { id: edm.int32().key(), status: edm.enum(Status) }, { annotations });
  const Customer = entityType("Customer", { id: edm.int32().key() });
  const params = {
    note: edm.complex(Note).nullable(),
    status: edm.enum(Status).default("Draft"),
    codes: edm.collection(edm.string()),
  };
  return odataService({
    namespace: "Shop",
    entitySets: [
      entitySet(Order, {
        getAll: () => [],
        actions: {
          approve: action({ bound: "entity", params, handler: (_key: number) => undefined }),
          closeAll: action({ bound: "collection", handler: () => undefined }),
        },
        functions: {
          total: fn({ bound: "collection", params, returns: edm.int32(), handler: () => 1 }),
        },
      }),
      entitySet(Customer, {
        getAll: () => [],
        actions: { approve: action({ bound: "entity", handler: (_key: number) => undefined }) },
      }),
    ],
    actions: { restock: action({ handler: () => undefined }) },
    functions: { now: fn({ params: { zone: edm.string() }, returns: edm.string(), handler: () => "" }) },
    ...more,
  });
}

const button = (Action: unknown): Annotations => ({
  "UI.LineItem": [{ "@type": "UI.DataFieldForAction", Label: "Go", Action } as never],
});

const OTHER = { vocabularies: { Stock: { namespace: "com.example.Stock", uri: "https://example.com/$metadata" } } };

describe("the name of an operation in an annotation", () => {
  test.each<[string, Partial<ServiceOptions>?]>([
    ["Shop.approve"],
    ["Shop.approve(Shop.Order)"],
    ["Shop.approve(Shop.Customer)"],
    ["Shop.closeAll"],
    ["Shop.closeAll(Collection(Shop.Order))"],
    ["Shop.total(Collection(Shop.Order),Shop.Note,Collection(Edm.String),Shop.Status)"],
    ["Shop.total(Collection(Shop.Order), Shop.Note, Collection(Edm.String), Shop.Status)"],
    ["Shop.restock"],
    ["Shop.restock()"],
    ["restock"],
    ["Shop.Container/restock"],
    ["Shop.now"],
    ["Shop.now(Edm.String)"],
    ["now"],
    ["com.example.Stock.refill", OTHER],
    ["Stock.refill(Stock.Item)", OTHER],
    ["com.example.Stock.Container/refill", OTHER],
  ])("%s is written as it is", async (name, options) => {
    const response = await shop(button(name), options).fetch(new Request("http://localhost/$metadata"));
    const xml = await response.text();
    expect(response.status).toBe(200);
    expect(xml).toContain(`<PropertyValue Property="Action" String="${name}"/>`);
    expect(xml.includes('Alias="Stock"')).toBe(options !== undefined);
    expect(await faultsOfSchema(xml)).toEqual([]);
  });

  test.each<[unknown, string]>([
    [
      "Shop.aprove",
      '`UI.LineItem/0/Action` of the type Order names no operation with "Shop.aprove": The service does not declare it. Did you mean `Shop.approve`?',
    ],
    ["approve", "The service has no unbound operation with this name. It is bound: write `Shop.approve`."],
    ["restok", "The service has no unbound operation with this name. Did you mean `restock`?"],
    ["", "The service has no unbound operation with this name. Remove it, or use one of `now`, `restock`, `Shop.now`"],
    ["Shop.Container/approve", "It is bound: write `Shop.approve`."],
    ["Shop.Container/restok", "Did you mean `restock`?"],
    ["Shop.Store/restock", "Shop.Store is not a container of this service. Write the namespace Shop,"],
    [
      "Store.restock",
      "Store is not a namespace of this service. Write the namespace Shop, or declare that of another service",
    ],
    ["UI.restock", "UI is not a namespace of this service."],
    [
      "Shop.approve(Shop.Status)",
      "No overload has these types. Write `Shop.approve(Shop.Order)`, `Shop.approve(Shop.Customer)`, or the name without types.",
    ],
    ["Shop.restock(Edm.String)", "No overload has these types. Write `Shop.restock()`,"],
    [{ $String: "Shop.aprove" }, "Did you mean `Shop.approve`?"],
    [5, "cannot be 5. Give the name of an operation."],
  ])("%s is a ConfigurationError", (name, message) => {
    expect(faultsOf(button(name))).toEqual([expect.stringContaining(message)]);
  });

  test("is checked in side effects, drafts and default values, too", () => {
    const wrong = "No.such";
    expect(
      faultsOf({
        "Common.SideEffects": { TriggerAction: wrong },
        "Common.DraftRoot": { ActivationAction: wrong, AdditionalNewActions: ["Shop.closeAll", wrong] },
        "Common.DefaultValuesFunction": wrong,
        "UI.FieldGroup": { Data: [{ "@type": "UI.DataFieldWithAction", Value: 1, Action: wrong }] },
      }).map((fault) => fault.slice(0, fault.indexOf(" of "))),
    ).toEqual([
      "`Common.SideEffects/TriggerAction`",
      "`Common.DraftRoot/ActivationAction`",
      "`Common.DraftRoot/AdditionalNewActions/1`",
      "`Common.DefaultValuesFunction`",
      "`UI.FieldGroup/Data/0/Action`",
    ]);
    const path = { "UI.LineItem": [{ "@type": "UI.DataFieldForAction", Action: { $Path: "status" } }] };
    expect(faultsOf(path as never)).toEqual([]);
    // The action of an intent belongs to an application, and not to the service.
    const intent = { "@type": "UI.DataFieldForIntentBasedNavigation", SemanticObject: "Order", Action: "display" };
    expect(faultsOf({ "UI.LineItem": [intent as never] })).toEqual([]);
  });

  test("is not checked in templates and in actions on hierarchies", () => {
    expect(
      faultsOf({
        "Common.OperationTemplate": "com.sap.vocabularies.Hierarchy.v1.Template_CopyAction",
        "Hierarchy.RecursiveHierarchyActions": { ChangeNextSiblingAction: "No.such", CopyAction: "No.such" },
      }),
    ).toEqual([]);
  });

  test("is not checked in a vocabulary that the application replaces", () => {
    const vocabularies = { UI: { namespace: "com.sap.vocabularies.UI.v1", uri: "https://example.com/UI.xml" } };
    expect(() => shop(button("No.such"), { vocabularies })).not.toThrow();
  });
});

function faultsOf(annotations: Annotations): readonly string[] {
  try {
    shop(annotations);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message, fix }) => `${message} ${fix}`);
  }
}
