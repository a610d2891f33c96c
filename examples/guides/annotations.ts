import { arraySource, edm, entitySet, entityType, hasRequired, odataService } from "odatakit";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType(
  "Order",
  {
    id: edm.int32().key(),
    customerId: edm
      .int32()
      .describe("Who pays")
      .annotate({
        "Common.Text": { $Path: "customer/name" },
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [
            { "@type": "Common.ValueListParameterInOut", LocalDataProperty: "customerId", ValueListProperty: "id" },
          ],
        },
      }),
  },
  { annotations: { "UI.LineItem": [{ Value: { $Path: "customerId" }, "@UI.Importance": "High" }] } },
);

const shop = odataService({
  entitySets: [
    entitySet(Order, {
      queryable: () => arraySource(Order, []),
      navigation: { customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }) },
    }).describe("All orders"),
    entitySet(Customer, { queryable: () => arraySource(Customer, []) }),
  ],
});
const metadata = await (await shop.fetch(new Request("http://localhost/$metadata"))).text();
console.log(metadata.match(/<Annotation Term="Common.Text".*?>/)?.[0]);
